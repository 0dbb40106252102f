from __future__ import annotations

import pytest

from logscope.ci import joblog, outcomes, recognise, runinfo, text, xunit
from logscope.ci.marvin import read_run
from logscope.ci.values import Outcome
from tests.ci_samples import JOB, VM, artifact, at, ended, record, started

# Lines


def test_lines_are_whole_whatever_the_blocks() -> None:
    assert list(text.lines([b"a\r\nb", b"", b"c\n", b"\xff"])) == ["a", "bc", "\ufffd"]


def test_what_is_far_right_in_an_endless_line_is_cut() -> None:
    (line,) = text.lines([b"x" * (1 << 19)] * 5)
    assert len(line) == 1 << 20


# Recognition


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a/runinfo.txt", record("10:00:00.000", "x").encode(), recognise.RUNINFO),
        ("anything", record("10:00:00.000", "FAILED: t: []", "CRITICAL").encode(), recognise.RUNINFO),
        ("a/results.txt", b"Test x ... === TestName: test_x | Status : SUCCESS ===\nok\n", recognise.RESULTS),
        ("a/results.txt", b"-----\nRan 0 tests in 0.002s\n\nOK\n", recognise.RESULTS),
        ("x.xml", b'<?xml version="1.0"?>\n<!-- x -->\n<testsuites><testsuite/></testsuites>', recognise.XUNIT),
        ("test_x.py.xml", b"", recognise.XUNIT),
        ("test_x.py.xml", b"garbage", recognise.XUNIT),
        ("times", b"test_x.py: 12 seconds\n", recognise.TIMES),
        ("testrunstartdate", b"2026-09-03T10:20+00:00\n", recognise.STARTDATE),
        ("summary", b"Test | Result | Time (s) | Test File\n--- | --- | --- | ---\n", recognise.SUMMARY),
        ("job.txt", b"\xef\xbb\xbf2026-09-03T12:00:00.1234567Z ##[group]Run\n", recognise.JOB_LOG),
        ("travis", b"make\nPrinting marvin logs /tmp//MarvinLogs/x/runinfo.txt :\n", recognise.JOB_LOG),
        ("pom.xml", b'<?xml version="1.0"?><project/>', ""),
        ("date.txt", b"2026-09-03T10:20+00:00\n", ""),
        ("a.log", b"2026-09-03 10:00:00,000 INFO  [c.c.X] (a:[ctx-1]) (logid:1) y\n", ""),
        ("empty", b"", ""),
    ],
)
def test_artifacts_are_told_by_what_they_say(name: str, head: bytes, kind: str) -> None:
    assert recognise.kind_of(name, head) == kind


# Marvin's log


def test_a_test_has_its_window_its_jobs_and_what_it_names() -> None:
    info = runinfo.read(
        [
            record("10:00:00.000", "Payload: {'apiKey': 'k', 'command': 'listZones', 'signature': 's'}"),
            started("10:00:01.500", "test_a"),
            record("10:00:02.000", f"Payload: {{'apiKey': 'secretkey', 'id': '{VM}', 'systemvmtype': 'consoleproxy'}}"),
            record("10:00:02.100", f"=== Jobid: {JOB.upper()} Started ==="),
            record("10:00:03.100", f"=== JobId:{JOB} is Still Processing, Will TimeOut in:3599 ===="),
            record("10:00:04.000", "Response : {name : u'v-57-VM', state : u'Running'}"),
            ended("10:00:04.250", "test_a"),
            record("10:00:05.000", "Payload: {}"),
        ]
    )
    before, test, after = info.stretches
    assert (before.test, test.test, after.test) == ("", "test_a", "")
    assert (test.start, test.end, test.ended) == (at("10:00:01.500"), at("10:00:04.250"), True)
    assert test.jobs == {JOB: at("10:00:02.100")}
    assert test.names == {VM, "v-57-vm"}
    assert test.words == {"consoleproxy"}
    assert (info.first, info.last) == (at("10:00:00"), at("10:00:05"))


def test_the_result_at_the_end_of_a_test_is_not_believed() -> None:
    run = read_run(
        "run",
        [artifact("r/test_x_AAAAAA/runinfo.txt", started("10:00:00.000", "t") + "\n" + ended("10:00:01.000", "t"))],
    )
    assert [case.outcome.result for case in run.cases] == ["success"]


def test_a_test_without_an_end_is_an_error() -> None:
    run = read_run("run", [artifact("r/test_x_AAAAAA/runinfo.txt", started("10:00:00.000", "t"))])
    assert [(case.outcome.result, case.outcome.text) for case in run.cases] == [("error", "did not end")]


def test_the_failure_is_the_last_of_the_list() -> None:
    listed = repr(["Traceback (most recent call last):\n", '  File "x.py", line 1, in y\n', "AssertionError: 1 != 2\n"])
    info = runinfo.read([record("10:00:00.000", f"FAILED: test_a: {listed}", "CRITICAL")])
    assert info.failures == [Outcome("test_a", "failure", text="AssertionError: 1 != 2")]


@pytest.mark.parametrize("listed", ["['a', 'b'", "[" * 5000, "not a list", "[]"])
def test_a_failure_that_is_no_list_keeps_its_text(listed: str) -> None:
    (failure,) = runinfo.read([record("10:00:00.000", f"EXCEPTION: test_a: {listed}", "CRITICAL")]).failures
    assert (failure.result, failure.text) == ("error", listed)


def test_a_response_that_lists_everything_names_nothing() -> None:
    many = " ".join(f"{number:08x}-0000-4000-8000-000000000000" for number in range(50))
    info = runinfo.read([started("10:00:00.000", "t"), record("10:00:01.000", f"Response : [{many}]")])
    assert info.stretches[0].names == set()


# Results


def test_xunit_gives_results_in_order() -> None:
    rows, problem = xunit.read(
        iter(
            [
                b'<testsuite><testcase classname="s.test_x.C" name="a" time="1.25"/>'
                b'<testcase classname="s.test_x.C" name="b" time="0"><failure type="exceptions.AssertionError" ',
                b'message="Check it&#10;-------- &gt;&gt; begin captured stdout"/></testcase>'
                b'<testcase name="c"><error type="marvin.x.CloudstackAPIException" message=""><![CDATA[Traceback\n'
                b"  File\nCloudstackAPIException: Execute cmd: x failed\n]]></error></testcase>"
                b'<testcase name="d" time="x"><skipped message="not here"/></testcase></testsuite>',
            ]
        )
    )
    assert problem == ""
    assert rows == [
        Outcome("a", "success", 1.25, suite="s.test_x.C"),
        Outcome("b", "failure", 0.0, "AssertionError: Check it", "s.test_x.C"),
        Outcome("c", "error", None, "CloudstackAPIException: Execute cmd: x failed"),
        Outcome("d", "skipped", None, "not here"),
    ]


def test_broken_xunit_gives_what_stands_before_the_break() -> None:
    rows, problem = xunit.read(iter([b'<testsuite><testcase name="a"/>\n<testcase name="b">']))
    assert [row.name for row in rows] == ["a"]
    assert problem == "is broken XML at line 2, column 20; the tests before that are counted"


def test_entities_are_refused() -> None:
    entities = b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>'
    rows, problem = xunit.read(iter([entities, b'<testsuite><testcase name="&b;"/></testsuite>']))
    assert rows == []
    assert "entities" in problem


def test_an_empty_xunit_says_that_the_file_did_not_run() -> None:
    run = read_run("run", [artifact("r/MarvinLogs/test_vpc_vpn.py.xml", "")])
    assert [(c.file, c.outcome.name, c.outcome.result, c.outcome.text) for c in run.cases] == [
        ("test_vpc_vpn.py", "all_test_vpc_vpn", "skipped", "did not run")
    ]
    assert run.problems == []


def test_printed_results_give_status_and_text() -> None:
    lines = [
        "Test one ... === TestName: test_one | Status : SUCCESS ===",
        "ok",
        "Test two ... === TestName: test_two | Status : FAILED ===",
        "FAIL",
        "test_three (smoke.test_x.TestX) ... SKIP: no host",
        "",
        "=" * 70,
        "ERROR: test suite for <class 'smoke.test_x.TestY'>",
        "-" * 70,
        "Traceback (most recent call last):",
        "KeyError: 'id'",
        "-------------------- >> begin captured stdout << ---------------------",
        "Exception: in the output",
        "=" * 70,
        "FAIL: Test two",
        "-" * 70,
        "Traceback (most recent call last):",
        "AssertionError: no",
        "",
        "-" * 70,
        "Ran 3 tests in 2.001s",
    ]
    assert outcomes.read_results(lines) == [
        Outcome("test_one", "success"),
        Outcome("test_two", "failure", text="AssertionError: no"),
        Outcome("test_three", "skipped", text="no host", suite="smoke.test_x.TestX"),
        Outcome("ContextSuite context=TestY>:setup", "error", text="KeyError: 'id'"),
    ]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("test_a | `Failure` | 0.03 | test_x.py", Outcome("test_a", "failure", 0.03, file="test_x.py")),
        ("test_a | Success | 154.610", Outcome("test_a", "success", 154.61)),
        ("all_test_x | `Skipped` | --- | test_x.py", Outcome("all_test_x", "skipped", file="test_x.py")),
        ("| test_a | KeyError | 1.200 | test_x.py |", Outcome("test_a", "error", 1.2, file="test_x.py")),
        (
            "ContextSuite context=C>:setup | `Error` | 0.00 | test_x.py",
            Outcome("ContextSuite context=C>:setup", "error", 0.0, file="test_x.py"),
        ),
        ("Test | Result | Time (s) | Test File", None),
        ("--- | --- | --- | ---", None),
        ("+------+------+", None),
        ("| Test   | Result  | Time  | Test file   |", None),
        ("Environment: kvm-ol8 (x2), zone: Advanced Networking", None),
    ],
)
def test_rows_of_tables(line: str, row: Outcome | None) -> None:
    assert outcomes.read_table([line]) == ([row] if row else [])


# Job logs


def test_printed_files_are_found_behind_github_times_and_missing_line_feeds() -> None:
    log = [
        "2026-09-03T12:00:00.1234567Z ##[group]Run tests",
        "2026-09-03T12:00:00.1234567Z Test a ... === TestName: test_a | Status : FAILED ===",
        "2026-09-03T12:00:00.1234567Z Printing marvin logs /tmp//MarvinLogs/test_x_AAAAAA/results.txt :",
        "2026-09-03T12:00:00.1234567Z ",
        "2026-09-03T12:00:00.1234567Z one",
        "2026-09-03T12:00:00.1234567Z twoPrinting marvin logs /tmp//MarvinLogs/test_x_AAAAAA/runinfo.txt :",
        "2026-09-03T12:00:00.1234567Z three",
        "2026-09-03T12:00:00.1234567Z ##[endgroup]",
        "2026-09-03T12:00:00.1234567Z Printing management server logs vmops.log :",
        "2026-09-03T12:00:00.1234567Z four",
    ]
    found = [(s.path, s.kind, list(body)) for s, body in joblog.sections(text.without_github_times(log))]
    assert found == [
        ("", recognise.RESULTS, ["##[group]Run tests", "Test a ... === TestName: test_a | Status : FAILED ==="]),
        ("/tmp/MarvinLogs/test_x_AAAAAA/results.txt", recognise.RESULTS, ["", "one", "two"]),
        ("/tmp/MarvinLogs/test_x_AAAAAA/runinfo.txt", recognise.RUNINFO, ["three"]),
        ("vmops.log", "log", ["four"]),
    ]
    data = "\n".join(log).encode()
    ((section, opened),) = joblog.logs(lambda: iter([data]))
    assert (section.path, b"".join(opened()), b"".join(opened())) == ("vmops.log", b"four\n", b"four\n")


def test_what_the_console_says_counts_where_no_file_was_printed() -> None:
    log = "2026-09-03T12:00:00.1234567Z Test a ... === TestName: test_a | Status : FAILED ==="
    run = read_run("run", [artifact("job.txt", log)])
    assert [(case.outcome.name, case.outcome.result, case.precision) for case in run.cases] == [
        ("test_a", "failure", "none")
    ]
