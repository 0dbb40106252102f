from __future__ import annotations

import pytest

from logscope.ci.texts import FailureTexts
from logscope.session import load_catalog


@pytest.fixture(scope="module")
def texts() -> FailureTexts:
    return FailureTexts(load_catalog(()))


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


def test_the_text_of_a_failed_operation_is_known_with_the_rule_that_leads_to_it(texts: FailureTexts) -> None:
    text = (
        "Exception: Job failed: {errortext : u'Resource [Network:209] is unreachable: Network is not yet implemented'}"
    )
    (told,) = texts.read([text])
    known, _, rules = told.partition(", as after ")
    assert known == "a job failed; its text is that of 'start of VM … found a resource unreachable'"
    assert "network-cleaned-up-while-implementing" in rules.split(", ")
