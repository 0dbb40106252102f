from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from logscope import model
from logscope.compare import Side, compare, load, render
from logscope.compare.judge import chance_of
from logscope.compare.values import Share, Windows
from logscope.errors import NothingReadError, UsageError
from logscope.model import RuleStatus
from logscope.report import render as render_report
from logscope.runs import Wish, scan
from tests.test_ci_join import finding, report

FIXTURES = Path(__file__).parent / "fixtures"
TRACES = FIXTURES / "traces"
RUN = FIXTURES / "ci" / "trillian-run"
RULE = "console-proxy-restarted-while-destroying"


def moved(lines: list[str], hours: int) -> str:
    """Lines of a trace some hours later, on jobs and in contexts of their own."""
    out = []
    for line in lines:
        if line[:2] == "20":
            time = datetime.fromisoformat(line[:23].replace(",", ".")) + timedelta(hours=hours)
            line = time.isoformat(" ", "milliseconds").replace(".", ",") + line[23:]
        line = re.sub(r"(job-|\"id\":|origin: )9(\d\d)", rf"\g<1>{hours}9\2", line)
        out.append(re.sub(r"ctx-.", f"ctx-{hours}", line))
    return "\n".join(out) + "\n"


def trace(name: str) -> list[str]:
    return (TRACES / name / "management-server.log").read_text().splitlines()


def undisturbed() -> list[str]:
    """The destroy that wins, without the scanner, which looks by the way and finds nothing stopped."""
    scanner = re.compile(r"\(consoleproxy-1:|job-902/|job-903")
    lines = [line for line in trace("console-proxy-destroy-wins") if not scanner.search(line)]
    shift = "2026-09-02 "
    looked = [shift + line[11:] for line in trace("console-proxy-scan-waits")[:1]]
    return sorted([*lines, *looked], key=lambda line: line[:23])


def written(path: Path, *runs: list[str]) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(moved(lines, hour) for hour, lines in enumerate(runs, 1)))
    return str(path.parent)


def side(name: str, *rules: RuleStatus, runs: int = 1) -> Side:
    made = report()
    made.rules = list(rules)
    return Side(name, runs, made)


def status(chances: int, fired: int, windows: list[float] | None = None, name: str = "r") -> RuleStatus:
    return RuleStatus(
        name, "R", "high", "fired" if fired else "quiet", [], "", chances, fired, "destroy", windows or []
    )


def test_four_of_five_against_none_of_five_from_logs(tmp_path: Path) -> None:
    lost = trace("console-proxy-restart-wins")
    before = written(tmp_path / "before" / "management-server.log", lost, lost, lost, lost, undisturbed())
    after = written(tmp_path / "after" / "management-server.log", *[undisturbed()] * 5)
    wish = Wish(rules=(RULE,))
    result = compare(load(before, wish), load(after, wish))
    rule = result.rules[0]
    assert rule.rule == RULE
    assert (rule.base, rule.candidate) == (Share(1, 5, 4), Share(1, 5, 0))
    assert rule.text == (
        "4 of 5 destroys before, 0 of 5 after (p = 0.048): "
        "less often; so large a difference comes by luck once in 21 times"
    )
    assert rule.p == pytest.approx(0.047619, abs=1e-6)
    assert rule.base_windows is not None
    assert rule.base_windows.count == 5
    assert [change.rule for change in result.gone] == [RULE]
    assert result.gone[0].base == 4


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (status(5, 1), status(5, 1), "1 of 5 destroys before, 1 of 5 after: no difference"),
        (status(1, 1), status(0, 0), "1 of 1 destroy before, 0 of 0 after: no chance on one side, so nothing follows"),
        (status(0, 0), status(0, 0), "no chance on either side"),
        (
            status(5, 1),
            status(5, 2),
            "1 of 5 destroys before, 2 of 5 after (p = 1): more often, but luck may have done it",
        ),
        (status(5, 9), status(5, 5), "5 of 5 destroys before, 5 of 5 after: no difference"),
        (
            status(2000, 0),
            status(2000, 1000),
            "0 of 2,000 destroys before, 1,000 of 2,000 after (p = < 0.0001): "
            "more often; so large a difference comes by luck less than once in a million times",
        ),
    ],
)  # fmt: skip
def test_the_effect_is_said_in_plain_words(before: RuleStatus, after: RuleStatus, text: str) -> None:
    (rule,) = compare(side("a", before), side("b", after)).rules
    assert rule.text == text


def test_what_was_not_evaluated_is_not_compared() -> None:
    silent = replace(status(5, 0), status="not-evaluated", reason="never in this log: x.y")
    (rule,) = compare(side("a", status(5, 4)), side("b", silent)).rules
    assert (rule.text, rule.p, rule.candidate) == ("not evaluated after: never in this log: x.y", None, Share(1, 0, 0))
    (rule,) = compare(side("a"), side("b", status(5, 4))).rules
    assert (rule.text, rule.p) == ("not judged before", None)


def test_windows_have_median_and_percentile() -> None:
    (rule,) = compare(side("a", status(5, 0, [3.0, 1.0, 2.0])), side("b", status(5, 0))).rules
    assert (rule.base_windows, rule.candidate_windows) == (Windows(3, 2.0, 3.0), None)


def test_several_rules_are_compared_with_a_warning() -> None:
    base = side("a", status(9, 9), status(9, 0, name="s"))
    result = compare(base, side("b", status(9, 0), status(9, 0, name="s")))
    assert [rule.rule for rule in result.rules] == ["r", "s"]
    assert result.notes == [
        "p is not corrected for the 2 rules compared: of twenty that changed nothing, one has p < 0.05"
    ]


def test_findings_are_new_gone_or_persist_by_cause() -> None:
    one, two, three = (replace(finding("10:00:00", "10:00:01"), cause=cause) for cause in "abc")
    base, candidate = side("a"), side("b")
    base.report.findings = [one, one, two]
    candidate.report.findings = [two, three]
    result = compare(base, candidate)
    assert [(change.cause, change.base, change.candidate) for change in result.gone] == [("a", 2, 0)]
    assert [(change.cause, change.base, change.candidate) for change in result.persisting] == [("b", 1, 1)]
    assert [(change.cause, change.base, change.candidate) for change in result.new] == [("c", 0, 1)]


def test_tests_that_changed_are_told() -> None:
    def tests(*results: str) -> list[model.TestCase]:
        return [
            model.TestCase(f"test_{number}", "f.py", result, 1.0, None, None, "none", "passed", [], "")
            for number, result in enumerate(results)
        ]

    base, candidate = side("a"), side("b")
    base.report.tests = tests("success", "failure", "error", "skipped", "success")
    candidate.report.tests = tests("error", "success", "failure", "skipped")
    result = compare(base, candidate)
    assert [change.name for change in result.broken] == ["test_0"]
    assert [change.name for change in result.fixed] == ["test_1"]


def test_saved_reports_stand_for_their_runs(tmp_path: Path) -> None:
    wish = Wish(rules=(RULE, "network-cleaned-up-while-implementing"))
    given = scan([str(RUN)], wish=wish)
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(render_report(given, "json"))
    (tmp_path / "other.txt").write_text("x")
    saved = load(str(tmp_path), Wish())
    assert (saved.runs, len(saved.report.findings)) == (2, 4)
    assert saved.notes == [f"{tmp_path} holds saved reports, so the other 1 files in it were not read"]
    alone = load(str(RUN), wish)
    assert alone.report == given
    result = compare(alone, load(str(tmp_path / "a.json"), Wish()))
    assert {rule.p for rule in result.rules if rule.p is not None} == {1.0}
    assert (result.new, result.gone, len(result.persisting)) == ([], [], 2)


def test_damaged_reports_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"schema": "logscope/report/1"}')
    with pytest.raises(UsageError, match=r"a\.json: the report is damaged: 'version' is missing"):
        load(str(path), Wish())
    with pytest.raises(NothingReadError):
        load(str(tmp_path / "gone"), Wish())


def test_without_scipy_everything_else_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    result = compare(side("a", status(5, 4)), side("b", status(5, 0)))
    assert result.rules[0].text == "4 of 5 destroys before, 0 of 5 after"
    assert result.notes == ["there are no p values, as scipy is not installed; install logscope[stats] to have them"]


def test_the_exact_test_is_fishers() -> None:
    assert chance_of([[4, 1], [0, 5]]) == pytest.approx(0.047619, abs=1e-6)
    assert chance_of([[1, 1], [1, 1]]) == 1.0


def test_json_is_as_the_contract_says() -> None:
    data = json.loads(render(compare(side("a", status(5, 4, [3.0])), side("b", status(5, 0))), "json"))
    assert data["schema"] == "logscope/compare/1"
    (rule,) = data["rules"]
    assert rule["base"] == {"runs": 1, "chances": 5, "fired": 4}
    assert rule["candidate"] == {"runs": 1, "chances": 5, "fired": 0}
    assert rule["p"] == 0.047619
    assert rule["windows"] == {"base": {"count": 1, "median_s": 3.0, "p95_s": 3.0}, "candidate": None}
    assert data["findings"] == {"new": [], "gone": [], "persisting": []}
    assert data["tests"] == {"broken": [], "fixed": []}


@pytest.mark.parametrize("name", ["text", "md", "json"])
def test_every_format_keeps_hostile_text_in_its_place(name: str) -> None:
    base = side("a\x1b[31m\n# x", status(5, 4))
    base.report.findings = [replace(finding("10:00:00", "10:00:01"), title="<b>x</b>\r\n- @all")]
    text = render(compare(base, side("b", status(5, 0))), name)
    assert "\x1b" not in text
    assert "\n# x" not in text
    assert "\n- @all" not in text
