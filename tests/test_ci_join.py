from __future__ import annotations

from dataclasses import replace

import pytest

from logscope import model
from logscope.ci.join import Trace, Traces, in_clean_up, join
from logscope.ci.values import SECOND, Case, CleanUp, Outcome, Run
from logscope.model import Actor, Coverage, Failure, Finding, Report, Resource, SourceSummary
from tests.ci_samples import JOB, at

RULE = "console-proxy-restarted-while-destroying"
PROXY = Resource("vm", "57", "c07478de-5097-40ec-8ef8-28a989b3f041", "v-57-VM")
ACTOR = Actor("API job", "ms1", "API-Job-Executor-4", "ctx-1", 900)


def finding(start: str, end: str, rule: str = RULE, certainty: str = "certain", outcome: str = "failed") -> Finding:
    return Finding(
        rule, "high", certainty, "f", "c", PROXY, at(start), at(end), "title", [], [], "", {}, [], outcome, []
    )  # fmt: skip


def failure(time: str, title: str = "VM 5 could not be started") -> Failure:
    return Failure("vm.start.failed", title, None, at(time), "ms.log:5", ACTOR)


def report(
    *findings: Finding, failures: tuple[Failure, ...] = (), first: str = "09:00:00", last: str = "12:00:00"
) -> Report:
    source = SourceSummary("ms.log", "management-server", "ms1", 9, 9, 9, at(first), at(last), [])
    return Report("1", "", [source], Coverage(), list(findings), [], list(failures), [], [], [])


def case(start: str = "10:00:00", end: str = "10:00:10", **more: object) -> Case:
    made = Case(Outcome("test_a", "failure", 10.0, "AssertionError: no"), "test_x.py", at(start), at(end), "ms")
    for name, value in more.items():
        setattr(made, name, value)
    return made


def judged(
    one: Case, whole: Report, traces: list[Trace] | None = None, failures: list[Trace] | None = None
) -> model.TestCase:
    filled = Traces(traces or [Trace() for _ in whole.findings], failures or [Trace() for _ in whole.failures])
    ((test,), notes) = join(Run("run", [one]), whole, filled)
    assert notes == []
    return test


def test_a_test_that_passed_needs_no_explanation() -> None:
    one = case(outcome=Outcome("test_a", "success", 1.0))
    test = judged(one, report(finding("10:00:01", "10:00:02")))
    assert (test.verdict, test.explained_by, test.why) == ("passed", [], "")


@pytest.mark.parametrize("key", [JOB, JOB[:8]])
def test_its_job_explains_whatever_the_certainty(key: str) -> None:
    one = case(jobs={JOB: at("10:00:01")})
    found = finding("10:00:01", "10:00:09", certainty="possible", outcome="unknown")
    test = judged(one, report(found), [Trace(frozenset({key}))])
    assert (test.verdict, test.explained_by, test.why) == ("explained", [0], f"by its job {JOB}")


@pytest.mark.parametrize(
    ("certainty", "outcome", "verdict"),
    [
        ("certain", "failed", "explained"),
        ("certain", "unknown", "explained"),
        ("certain", "recovered", "likely"),
        ("possible", "failed", "likely"),
        ("certain", "avoided", "unexplained"),
    ],
)
def test_a_resource_that_it_names_explains_when_the_finding_is_certain(
    certainty: str, outcome: str, verdict: str
) -> None:
    one = case(names={"v-57-vm"})
    found = finding("10:00:01", "10:00:09", certainty=certainty, outcome=outcome)
    assert judged(one, report(found), [Trace(names=frozenset({"v-57-vm"}))]).verdict == verdict


def test_what_happened_in_the_first_pass_counts_by_what_the_test_asks_for() -> None:
    one = case(words={"consoleproxy", "running"}, reach=at("09:40:00"))
    test = judged(one, report(finding("09:45:00", "09:45:05")))
    assert (test.verdict, test.why) == ("explained", "by what it asks for (consoleproxy), before its last pass")


def test_one_word_of_a_rule_is_not_what_a_test_asks_for() -> None:
    one = case(words={"running"})
    found = finding("10:00:01", "10:00:02", rule="network-shut-down-under-running-vm", certainty="possible")
    assert judged(one, report(found)).verdict == "unexplained"


def test_time_alone_makes_likely_only() -> None:
    test = judged(case(), report(finding("10:00:10.900", "10:00:20")))
    assert (test.verdict, test.why) == ("likely", "by time")


def test_a_finding_before_the_last_pass_is_not_joined_by_time_alone() -> None:
    one = case(reach=at("09:40:00"))
    assert judged(one, report(finding("09:45:00", "09:45:05"))).verdict == "unexplained"


def test_the_job_of_another_test_is_not_joined_by_time() -> None:
    first = case(jobs={JOB: at("10:00:01")})
    second = case("10:00:10.500", "10:00:20")
    whole = report(finding("10:00:01", "10:00:12"))
    tests, _ = join(Run("run", [first, second]), whole, Traces([Trace(frozenset({JOB}))]))
    assert [test.verdict for test in tests] == ["explained", "unexplained"]


def test_what_many_files_name_joins_nothing() -> None:
    name = PROXY.uuid
    cases = [replace(case(names={name}), file=f"test_{number}.py") for number in range(4)]
    whole = report(finding("10:00:01", "10:00:02", certainty="possible"))
    tests, _ = join(Run("run", cases), whole, Traces([Trace(names=frozenset({name}))]))
    assert {test.verdict for test in tests} == {"unexplained"}


def test_the_best_link_wins_and_all_of_its_strength_are_told() -> None:
    whole = report(finding("10:00:01", "10:00:02"), finding("10:00:03", "10:00:04"), finding("10:00:05", "10:00:06"))
    by_job = Trace(frozenset({JOB}))
    test = judged(case(jobs={JOB: 1}), whole, [by_job, Trace(), by_job])
    assert test.explained_by == [2, 0]


def test_without_a_log_there_is_no_verdict_but_that() -> None:
    none = replace(report(), sources=[])
    assert judged(case(), none).why == "no log of this run was given"
    outside = case("13:00:00", "13:00:01")
    ((inside_test, outside_test), _) = join(Run("run", [case(), outside]), report(), Traces())
    assert (inside_test.verdict, outside_test.verdict) == ("unexplained", "no-log")


def test_an_unexplained_test_tells_the_failures_of_its_jobs_or_of_its_time() -> None:
    failures = tuple(failure(f"10:00:0{second}", f"failure {second}") for second in range(5))
    whole = report(failures=failures)
    test = judged(case(), whole)
    assert test.why == (
        "no rule explains it; meanwhile: failure 0 (ms.log:5); failure 1 (ms.log:5); failure 2 (ms.log:5); and 2 more"
    )
    traces = [Trace(), Trace(frozenset({JOB})), Trace(), Trace(), Trace()]
    test = judged(case(jobs={JOB: 1}), whole, failures=traces)
    assert test.why == "no rule explains it; its jobs met: failure 1 (ms.log:5)"


def test_a_test_of_unknown_time_is_judged_by_what_it_names_only() -> None:
    one = case(start="10:00:00", end="10:00:01")
    one.start = one.end = None
    one.precision = "none"
    test = judged(one, report(finding("10:00:01", "10:00:02")))
    assert (test.verdict, test.why) == ("unexplained", "no rule explains it; when it ran is not known")


def test_zones_are_told_by_the_jobs_that_both_sides_know() -> None:
    one = case("12:00:00", "12:00:10", jobs={JOB: at("12:00:01")})
    whole = report(finding("10:00:01", "10:00:09"))
    traces = Traces([Trace(frozenset({JOB[:8]}))], seen={JOB[:8]: at("10:00:00.800")})
    ((test,), (note,)) = join(Run("run", [one]), whole, traces)
    assert (test.start, test.end, test.verdict) == (at("10:00:00"), at("10:00:10"), "explained")
    assert note.text == "the tests' clock is 2 h ahead of the log's; their times are given in the log's"


def test_clocks_that_are_apart_widen_the_windows() -> None:
    one = case(jobs={JOB: at("10:00:01")})
    traces = Traces([Trace()], seen={JOB: at("10:00:31")})
    ((test,), (note,)) = join(Run("run", [one]), report(finding("10:00:35", "10:00:36")), traces)
    assert test.verdict == "likely"
    assert note.text == "the clocks of the tests and of the log are 30.0 s apart; windows are widened by that"


def test_times_that_do_not_overlap_are_told() -> None:
    run = Run("run", [case("10:00:00", "10:00:10")], zone="+05:30")
    ((test,), (note,)) = join(run, report(first="04:00:00", last="05:00:00"), Traces())
    assert test.verdict == "no-log"
    assert note.text.endswith("unless the clocks are of different zones (their clock is at UTC+05:30)")


def test_what_lies_in_a_clean_up_is_told() -> None:
    burst = CleanUp(at("10:00:00"), at("10:01:00"), "test_x.py")
    whole = report(finding("10:00:05", "10:00:06"), finding("10:00:59", "10:01:01"))
    assert in_clean_up(Run("run", [], [burst]), whole, Traces([Trace(), Trace()])) == {0: "test_x.py"}


def test_the_doubt_of_the_clocks_is_a_second() -> None:
    late = finding("10:00:11.001", "10:00:12")
    assert judged(case(), report(late)).verdict == "unexplained"
    assert late.start - at("10:00:10") == SECOND + 1000
