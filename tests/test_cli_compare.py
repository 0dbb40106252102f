from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_runner import FIXTURES, NETWORK, PROXY, logscope

RUN = FIXTURES / "ci" / "trillian-run"
# The rules that these logs were written for; others may come to find more in them.
RACES = ("--rule", "network-cleaned-up-while-implementing", "--rule", "console-proxy-restarted-while-destroying")


def test_two_logs_are_compared() -> None:
    done = logscope("compare", PROXY, NETWORK, *RACES)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Before: {PROXY} (1 run); after: {NETWORK} (1 run)\nRules\n")
    assert "\nNew findings\n  network-cleaned-up-while-implementing (critical): 0 before, 1 after" in done.out
    assert "\nFindings that are gone\n  console-proxy-restarted-while-destroying (high): 1 before, 0 after" in done.out


def test_new_findings_can_fail_the_comparison(tmp_path: Path) -> None:
    assert logscope("compare", PROXY, NETWORK, "--fail-on", "high").code == 1
    assert logscope("compare", PROXY, PROXY, "--fail-on", "low").code == 0


def test_runs_and_saved_reports_are_compared(tmp_path: Path) -> None:
    saved = tmp_path / "base.json"
    logscope("scan", RUN, "-o", saved, "--quiet", *RACES)
    out = tmp_path / "comparison.json"
    done = logscope("compare", saved, RUN, *RACES, "-o", out, "-o", tmp_path / "comparison.md", "--processes", "1")
    assert (done.code, done.out) == (0, "")
    data = json.loads(out.read_text())
    assert [len(data["findings"][name]) for name in ("new", "gone", "persisting")] == [0, 0, 2]
    assert (tmp_path / "comparison.md").read_text().startswith("**Before: ")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([PROXY, "gone.log"], 3, "gone.log: no such file or directory"),
        ([PROXY, "-"], 2, "cannot read standard input"),
        ([PROXY], 2, "missing argument 'CANDIDATE'"),
        (
            [PROXY, PROXY, "--format", "html"],
            2,
            "there is no format of comparisons 'html'; choose one of text, md, json",
        ),
        ([PROXY, PROXY, "-o", "x.html"], 2, "no format of comparisons has the suffix of 'x.html'"),
        ([PROXY, PROXY, "--rule", "x"], 2, "there is no rule 'x'"),
    ],
)
def test_wrong_use_is_one_line(args: list[str | Path], code: int, message: str) -> None:
    done = logscope("compare", *args)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not a JSON report: "),
        ('{"findings":', "this is not a JSON report: "),
        ("[1, 2]", "this is not a report of logscope: it lacks "),
        ('{"schema": "logscope/report/99"}', "this is not a report of logscope: it lacks "),
    ],
)
def test_json_that_is_no_report_is_not_read_as_a_log(text: str, message: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(text)
    done = logscope("compare", other, PROXY)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"{other}: {message}" in done.err


def test_a_report_whose_keys_were_sorted_is_a_report(tmp_path: Path) -> None:
    saved = tmp_path / "base.json"
    logscope("analyze", NETWORK, "-o", saved, "--quiet")
    before = logscope("compare", saved, NETWORK)
    saved.write_text(json.dumps(json.loads(saved.read_text()), sort_keys=True, indent=2))
    assert logscope("compare", saved, NETWORK) == before
