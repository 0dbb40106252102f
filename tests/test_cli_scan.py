from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from tests.cli_runner import FIXTURES, PROXY, Outcome, logscope

RUN = FIXTURES / "ci" / "trillian-run"
# The rules that the log of the run was written for; others may come to find more in it.
RACES = ("--rule", "network-cleaned-up-while-implementing", "--rule", "console-proxy-restarted-while-destroying")
BASELINE = """
[[known]]
cause = "{cause}"
reason = "apache/cloudstack#14175 is open"
"""


def scan(*args: str | Path) -> Outcome:
    return logscope("scan", *args, *RACES)


def causes() -> dict[str, str]:
    findings = json.loads(scan(RUN, "--format", "json").out)["findings"]
    return {finding["rule"]: finding["cause"] for finding in findings}


def test_new_findings_fail_the_scan() -> None:
    done = scan(RUN)
    assert (done.code, done.err) == (1, "")
    assert "5 of 10 tests failed (1 not explained, 1 without a log, 3 explained)" in done.out
    assert scan(RUN, "--fail-on", "none", "--quiet").code == 0


def test_known_findings_do_not_fail_the_scan(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text("".join(BASELINE.format(cause=cause) for cause in causes().values()))
    done = scan(RUN, "--baseline", known, "--format", "md")
    assert done.code == 0
    assert "known: apache/cloudstack#<!-- -->14175 is open" in done.out


def test_stale_entries_are_told_and_are_no_unread_input(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(BASELINE.format(cause="0123"))
    done = scan(RUN, "--baseline", known, "--fail-on", "none")
    assert done.code == 0
    assert f"{known}: cause 0123 is stale: no finding has it; remove the entry" in done.out


def test_known_failures_can_be_skipped_in_junit(tmp_path: Path) -> None:
    out = tmp_path / "junit.xml"
    scan(RUN, "-o", out)
    assert fromstring(out.read_text()).get("skipped") == "2"
    scan(RUN, "-o", out, "--known-as-skipped")
    assert fromstring(out.read_text()).get("skipped") == "5"


def test_github_gets_annotations_and_a_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = scan(RUN, "--format", "github")
    assert done.out.startswith("::error title=test_02_release_ip (test_network.py)::")
    assert summary.read_text().startswith("before\n# Failed tests and what explains them\n")


def test_part_of_a_run_that_cannot_be_read_is_exit_code_4(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(RUN, tmp_path / "run"))
    xml = folder / "MarvinLogs" / "test_ssvm.py.xml"
    xml.write_bytes(xml.read_bytes()[:300])
    done = scan(folder, "--fail-on", "none")
    assert done.code == 4
    assert f"logscope: {xml}: is broken XML at line 1" in done.err
    assert scan(folder).code == 1


def test_a_time_outside_of_the_log_of_a_run_is_told() -> None:
    done = scan(RUN, "--since", "2031-01-01", "--fail-on", "none")
    assert done.code == 4
    assert ": nothing was logged from 2031-01-01 00:00:00.000 on; this log goes from " in done.err


def test_a_log_alone_is_no_run() -> None:
    done = scan(PROXY)
    assert done.code == 3
    assert done.err == (
        f"logscope: error: no test results were found in {PROXY}; for a log alone there is 'logscope analyze'\n"
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--baseline", "gone.toml"], "cannot read the baseline 'gone.toml': no such file or directory"),
        (["--fail-on", "some"], "there is no severity 'some'; choose one of none, low, medium, high, critical"),
        (["--rule", "x"], "there is no rule 'x'; 'logscope rules' lists them"),
        (["--since", "x"], "'x' is no time that can be read"),
        (["--tz", "Mars"], "there is no time zone 'Mars'"),
        (["--format", "pdf"], "there is no report format 'pdf'"),
    ],
)
def test_wrong_use_is_one_line(args: list[str], message: str) -> None:
    done = scan(RUN, *args)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_part_of_the_log_can_be_asked_for() -> None:
    done = scan(RUN, "--since", "10:30", "--tz", "+02:00", "--format", "json")
    report = json.loads(done.out)
    assert [finding["rule"] for finding in report["findings"]] == ["console-proxy-restarted-while-destroying"]
    assert report["findings"][0]["start"].endswith("+02:00")


def test_the_same_bytes_whatever_the_number_of_processes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(RUN, tmp_path / "runs" / name)
    one, two = (scan(tmp_path / "runs", "--processes", n, "--format", "json") for n in ("1", "2"))
    assert one.raw == two.raw
