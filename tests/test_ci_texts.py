from __future__ import annotations

from pathlib import Path

import pytest

from logscope.ci.texts import FailureTexts
from logscope.language.load import load

GRAMMAR = """\
grammar small

event thing.refused
  title  | start of thing {id} refused
  tag    failure
  match  | Unable to start thing {id:int}
  inside exception | Thing [{why:text}] is unreachable

event thing.cut
  tag    failure
  match  | no {id:int}

rule thing-cut-while-starting
  title    | Thing was cut
  severity low
  find     cut = thing.cut
  proves   refusal = thing.refused within 60s after cut means failed
  because  | it was cut
  refs     example/example#1
"""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> FailureTexts:
    folder: Path = tmp_path_factory.mktemp("grammars")
    (folder / "small.lsg").write_text(GRAMMAR)
    catalog, _, _ = load([folder], use_cache=False)
    return FailureTexts(catalog)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("AssertionError: 1 != 2", "a check of the test failed"),
        ("Exception: Job failed: {jobresult : {errorcode : 530, errortext : u'x'}}", "a job failed (530)"),
        ("CloudstackAPIException: x failed, due to: errorCode: 431, errorText:y", "a call was refused (431)"),
        ("SSHException: Connection timed out", "nothing answered"),
        ("KeyError: 'id'", "the test itself broke"),
        ("did not end", "the test did not end"),
        ("something else", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_kind_of_a_failure_is_told(texts: FailureTexts, text: str, told: str) -> None:
    assert texts.read([text]) == [told]


@pytest.mark.parametrize("said", ["Unable to start thing 7", "Thing [x] is unreachable: it is gone"])
def test_the_text_of_a_failed_operation_is_known_with_the_rules_that_lead_to_it(texts: FailureTexts, said: str) -> None:
    told = "a job failed; its text is that of 'start of thing … refused', as after thing-cut-while-starting"
    assert texts.read([f"Exception: Job failed: {{errortext : u'{said}'}}"]) == [told]


def test_a_template_that_says_little_tells_nothing(texts: FailureTexts) -> None:
    assert texts.read(["there is no 7"]) == [""]
