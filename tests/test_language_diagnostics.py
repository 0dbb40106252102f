"""What an author of a grammar file is told: every mistake, at its place, once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from logscope.diagnostics import as_github, as_json, render
from logscope.errors import Diagnostic, GrammarError, Span, UsageError
from logscope.language.codes import CODES, explain, markdown
from logscope.language.load import load, source_text

ROOT = Path(__file__).parent.parent
FIXTURES = sorted((Path(__file__).parent / "fixtures" / "bad_grammars").glob("*.lsg"))
SAMPLES = re.compile(r"LG2\d\d")  # told by the samples, which have fixtures of their own


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_mistakes_are_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    _, _, diagnostics = load([Path(path.name)], use_cache=False)
    told = "\n".join(render(one, source_text(one.span.path)) for one in diagnostics)
    assert told == path.with_suffix(".expected").read_text(encoding="utf-8"), told


def test_every_expectation_has_its_file() -> None:
    expected = {path.stem for path in FIXTURES[0].parent.glob("*.expected")}
    assert expected == {path.stem for path in FIXTURES}


def test_every_code_is_used_and_every_used_code_is_explained() -> None:
    used = set()
    for source in (ROOT / "logscope").rglob("*.py"):
        if source.name != "codes.py":
            used |= set(re.findall(r'"(LG\d{3})"', source.read_text(encoding="utf-8")))
    assert used - set(CODES) == set()
    assert {code for code in CODES if not SAMPLES.fullmatch(code)} - used == set()


def test_every_code_has_a_fixture() -> None:
    told = "".join(path.with_suffix(".expected").read_text(encoding="utf-8") for path in FIXTURES)
    missing = [code for code in CODES if f"[{code}]" not in told and not SAMPLES.fullmatch(code)]
    assert not missing, f"add a file to {FIXTURES[0].parent} that provokes {missing}"


def test_the_pages_stand_in_the_documentation() -> None:
    page = ROOT / "docs" / "diagnostics.md"
    assert page.read_text(encoding="utf-8") == markdown(), f"write what codes.markdown() gives to {page}"


def test_a_page_says_what_why_and_what_to_do() -> None:
    page = explain("lg103")
    assert page.startswith("LG103: unknown event, interval or source\n\n")
    for code in CODES.values():
        assert code.why
        assert code.example
        assert code.remedy
    with pytest.raises(UsageError, match="there is no diagnostic code 'LG999'"):
        explain("LG999")


SOURCE = "grammar network\n\ninterval network.work\n\tcloses network.relased\n"
DIAGNOSTIC = Diagnostic(
    "LG103", "interval 'network.work' closes on unknown event 'network.relased'", Span("a,b:c.lsg", 4, 9, 15),
    "did you mean 'network.released'?",
)  # fmt: skip


def test_the_place_is_shown_with_a_caret() -> None:
    assert render(DIAGNOSTIC, SOURCE) == (
        "a,b:c.lsg:4:9: error[LG103]: interval 'network.work' closes on unknown event 'network.relased'\n"
        "  |\n"
        "4 |  closes network.relased\n"
        "  |         ^^^^^^^^^^^^^^^\n"
        "  = help: did you mean 'network.released'?\n"
    )


def test_without_the_text_the_place_is_named_only() -> None:
    assert render(DIAGNOSTIC, "").splitlines()[1:] == ["  = help: did you mean 'network.released'?"]


def test_notes_stand_below_the_place() -> None:
    head = "2026-10-29 01:20:23,709 DEBUG [o.a.c.e.o.NetworkOrchestrator] (Work-Job-Executor-12:[ctx-2c9a51f0, job-5]) "
    line = f"  sample | {head}Lock is acquired for network id 209"
    column = line.index("Lock") + 1
    notes = ("Lock is acquired for network", "                            ^ template 1 (line 11) fits up to here")
    diagnostic = Diagnostic("LG201", "sample fits no template", Span("x.lsg", 1, column, 1), "", notes)
    assert render(diagnostic, line).splitlines()[1:] == [
        "  |",
        "1 |   sample | … Lock is acquired for network id 209",
        "  |              Lock is acquired for network",
        "  |                                          ^ template 1 (line 11) fits up to here",
    ]


def test_control_characters_do_not_reach_the_terminal() -> None:
    told = render(Diagnostic("LG101", "found '\x1b[2J'", Span("x\x1b.lsg", 1, 1)), "  \x1b[31m red \u202e\n")
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert told.count("\n") == 4


def test_json_has_all_of_it() -> None:
    value = json.loads(json.dumps(as_json(DIAGNOSTIC)))
    assert value == {
        "code": "LG103", "severity": "error", "message": DIAGNOSTIC.message, "path": "a,b:c.lsg",
        "line": 4, "column": 9, "length": 15, "notes": [], "hint": "did you mean 'network.released'?",
    }  # fmt: skip


def test_github_gets_a_workflow_command() -> None:
    assert as_github(DIAGNOSTIC) == (
        "::error file=a%2Cb%3Ac.lsg,line=4,col=9,title=LG103::interval 'network.work' closes on unknown event "
        "'network.relased'%0Adid you mean 'network.released'?\n"
    )
    warning = Diagnostic("LG305", "100%\r\nnew", Span("x.lsg", 1, 2), severity="warning")
    assert as_github(warning) == "::warning file=x.lsg,line=1,col=2,title=LG305::100%25%0D%0Anew\n"


def test_the_error_counts_its_diagnostics() -> None:
    assert str(GrammarError([DIAGNOSTIC])) == "1 mistake in the grammar files"
