from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from logscope import runs
from logscope.errors import NothingReadError, UsageError
from logscope.model import Problem
from logscope.report import from_json, render
from logscope.runs import Wish

FIXTURES = Path(__file__).parent / "fixtures" / "ci"
RUN = FIXTURES / "trillian-run"
JOB_LOG = FIXTURES / "simulator-job.txt"

# The rules that the log of the run was written for; others may come to find more in it.
RACES = Wish(rules=("network-cleaned-up-while-implementing", "console-proxy-restarted-while-destroying"))
VERDICTS = {
    "test_01_deploy_in_isolated_network": ("explained", ["network-cleaned-up-while-implementing"]),
    "test_02_release_ip": ("unexplained", []),
    "test_02_list_cpvm_vm": ("explained", ["console-proxy-restarted-while-destroying"]),
    "test_04_cpvm_internals": ("explained", ["console-proxy-restarted-while-destroying"]),
    "ContextSuite context=TestISOUsage>:setup": ("no-log", []),
}


def scan(paths: list[str], logs: list[str] | None = None, processes: int = 1, wish: Wish = RACES) -> runs.Report:
    return runs.scan(paths, logs or (), wish, processes)


def zipped(place: Path, *more: tuple[str, bytes]) -> Path:
    path = place / "pr1-t101-kvm-ol8.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(RUN.rglob("*")):
            if file.is_file():
                archive.write(file, str(file.relative_to(RUN)))
        for name, data in more:
            archive.writestr(name, data)
    return path


def copied(place: Path) -> Path:
    return Path(shutil.copytree(RUN, place))


def verdicts(report: runs.Report) -> dict[str, tuple[str, list[str]]]:
    failed = [test for test in report.tests if test.result in ("failure", "error")]
    return {test.name: (test.verdict, [report.findings[n].rule for n in test.explained_by]) for test in failed}


def test_every_failing_test_of_a_zipped_run_has_its_verdict(tmp_path: Path) -> None:
    report = scan([str(zipped(tmp_path))])
    assert verdicts(report) == VERDICTS
    assert report.problems == []
    assert [(t.name, t.result) for t in report.tests if t.verdict == "passed"] == [
        ("test_03_list_networks", "success"),
        ("test_01_list_sec_storage_vm", "success"),
        ("test_07_reboot_ssvm", "success"),
        ("test_01_vm_usage", "skipped"),
        ("all_test_vpc_vpn", "skipped"),
    ]


def test_the_report_survives_json(tmp_path: Path) -> None:
    report = scan([str(RUN)])
    assert from_json(render(report, "json")) == report


def test_the_folder_of_marvins_files_alone_is_enough_with_logs_named(tmp_path: Path) -> None:
    folder = copied(tmp_path / "run")
    log = folder / "management-server.log"
    report = scan([str(folder / "MarvinLogs")], logs=[str(log)])
    assert verdicts(report) == VERDICTS


def test_without_logs_the_tests_are_listed(tmp_path: Path) -> None:
    folder = copied(tmp_path / "run")
    (folder / "management-server.log").unlink()
    report = scan([str(folder)])
    assert {verdict for verdict, _ in verdicts(report).values()} == {"no-log"}
    assert report.notes == [
        Problem(str(folder), "has no log of the management server: its failures cannot be explained")
    ]
    assert {rule.status for rule in report.rules} == {"not-evaluated"}


def test_a_job_log_is_a_run() -> None:
    report = scan([str(JOB_LOG)], logs=[str(RUN / "management-server.log")])
    assert {name: verdict for name, (verdict, _) in verdicts(report).items()} == {
        "test_01_deploy_in_isolated_network": "explained",
        "test_02_release_ip": "unexplained",
        "test_02_list_cpvm_vm": "explained",
        "test_04_cpvm_internals": "explained",
    }


def test_a_log_that_the_job_printed_is_read(tmp_path: Path) -> None:
    stamp = "2026-09-03T12:00:00.1234567Z "
    printed = ["Printing management server logs vmops.log :", *(RUN / "management-server.log").read_text().splitlines()]
    path = tmp_path / "job.txt"
    path.write_text(JOB_LOG.read_text() + "".join(f"{stamp}{line}\n" for line in printed))
    report = scan([str(path)])
    assert verdicts(report)["test_02_list_cpvm_vm"][0] == "explained"
    assert [source.name for source in report.sources] == [f"{path}!vmops.log"]


def test_many_runs_give_the_same_whatever_the_number_of_processes(tmp_path: Path) -> None:
    for number in range(3):
        copied(tmp_path / "runs" / f"run{number}")
    alone = scan([str(tmp_path / "runs")])
    together = scan([str(tmp_path / "runs")], processes=2)
    assert render(alone, "json") == render(together, "json")
    assert len(alone.findings) == 6
    assert [source.name for source in alone.sources] == [
        str(tmp_path / "runs" / f"run{number}" / "management-server.log") for number in range(3)
    ]
    assert {test.run for test in alone.tests} == {str(tmp_path / "runs" / f"run{number}") for number in range(3)}


def test_rules_can_be_chosen() -> None:
    report = scan([str(RUN)], wish=Wish(rules=("network-cleaned-up-while-implementing",)))
    assert [rule.rule for rule in report.rules] == ["network-cleaned-up-while-implementing"]


# Bad input


def test_nothing_to_scan_is_one_clear_error(tmp_path: Path) -> None:
    log = tmp_path / "management-server.log"
    log.write_text((RUN / "management-server.log").read_text())
    with pytest.raises(NothingReadError) as caught:
        scan([str(log)])
    assert str(caught.value) == f"no test results were found in {log}; for a log alone there is 'logscope analyze'"
    with pytest.raises(NothingReadError, match="no such file"):
        scan([str(tmp_path / "gone")])
    with pytest.raises(UsageError, match="cannot read standard input"):
        scan(["-"])
    with pytest.raises(UsageError, match="no path was given"):
        scan([])


def test_logs_for_several_runs_are_refused(tmp_path: Path) -> None:
    paths = [str(copied(tmp_path / name)) for name in ("a", "b")]
    with pytest.raises(UsageError, match="2 were found"):
        scan(paths, logs=[str(RUN / "management-server.log")])


def test_broken_xml_costs_its_own_end_only(tmp_path: Path) -> None:
    folder = copied(tmp_path / "run")
    xml = folder / "MarvinLogs" / "test_ssvm.py.xml"
    xml.write_bytes(xml.read_bytes()[:300])
    report = scan([str(folder)])
    assert verdicts(report) == VERDICTS  # what the XML lost is in the printed results
    assert [problem.source for problem in report.problems] == [str(xml)]
    assert "is broken XML at line 1" in report.problems[0].text


def test_members_that_would_climb_out_and_bombs_are_told_and_the_rest_is_judged(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test_bomb.py.xml", b"<testsuite>" + b" " * (120 << 20))
    path = zipped(tmp_path, ("../../climbing/runinfo.txt", b"x"), ("bomb.zip", bomb.read_bytes()))
    report = scan([str(path)])
    assert verdicts(report) == VERDICTS
    assert not (tmp_path.parent / "climbing").exists()
    assert {problem.source for problem in report.problems} == {f"{path}!bomb.zip!test_bomb.py.xml"}
    assert "unpacks to more than 2000 times its size; what goes beyond is left out" in [p.text for p in report.problems]


def test_two_runs_in_one_folder_are_told(tmp_path: Path) -> None:
    folder = copied(tmp_path / "run")
    shutil.copytree(folder / "MarvinLogs" / "test_ssvm_QX7P2A", folder / "MarvinLogs" / "test_ssvm_ZZZZZZ")
    report = scan([str(folder)])
    assert ["two runs lie in one folder" in problem.text for problem in report.problems] == [True]
    assert verdicts(report) == VERDICTS


def test_a_log_without_a_record_is_told(tmp_path: Path) -> None:
    folder = copied(tmp_path / "run")
    (folder / "management-server.log").write_text("2026-09-03 10:00:00,000 INFO  [a] (b:c) x\n"[:22] + "\n")
    report = scan([str(folder)], logs=[str(folder / "management-server.log")])
    assert [problem.source for problem in report.problems] == [str(folder / "management-server.log")]
    assert {verdict for verdict, _ in verdicts(report).values()} == {"no-log"}


def test_a_report_is_plain_enough_to_be_sent(tmp_path: Path) -> None:
    text = render(scan([str(RUN)]), "json")
    assert json.loads(text)["tests"][0]["verdict"] == "explained"
