"""Failures: what explains them, which are alike, and which a later try made good."""

from __future__ import annotations

from histories import Step, judged

from logscope import report
from logscope.language.printer import Who
from logscope.report.json import from_json
from logscope.report.parts import alike

RULE = "network-cleaned-up-while-implementing"


def work(origin: int, job: int) -> Who:
    return Who("ms1", f"Work-Job-Executor-{job}", f"ctx-{job:08x}", job, origin)


def begin(at: float, who: Who, vm: int) -> Step:
    return at, who, "job.vmwork.run", {"vm": str(vm), "cmd": "com.cloud.vm.VmWorkStart"}


def refused(at: float, who: Who, network: int) -> Step:
    return at, who, "vm.start.resource_unavailable", {"network": str(network)}


def done(at: float, who: Who, vm: int) -> Step:
    return at, who, "vm.start.completed", {"vm": str(vm)}


def race(origin: int) -> list[Step]:
    network, who = {"network": "209"}, work(origin, origin + 1)
    return [
        begin(0.0, who, 612),
        (1.0, who, "lock.network.implement.acquired", network),
        (8.0, Who("ms1", "AsyncJobMgr-Heartbeat-1", "ctx-000000ff"), "network.orphan.found", network),
        (39.0, who, "lock.network.implement.released", network),
        refused(39.1, who, 209),
    ]


def test_a_failure_that_is_not_made_good_stays_one() -> None:
    foreign = [begin(50, work(20, 21), 612), done(55, work(20, 21), 612)]
    found = judged([*race(10), *foreign, begin(55.5, work(10, 12), 613), done(56, work(10, 12), 613)], RULE)
    assert [finding.outcome for finding in found.findings] == ["failed"]
    assert [(failure.explained_by, failure.saved) for failure in found.failures] == [(0, "")]


def test_a_later_try_of_the_same_request_makes_it_good() -> None:
    found = judged([*race(10), begin(50, work(10, 12), 612), done(55, work(10, 12), 612)], RULE)
    assert [finding.outcome for finding in found.findings] == ["masked-by-retry"]
    assert [(failure.explained_by, failure.saved) for failure in found.failures] == [(0, "memory:7")]
    assert from_json(report.render(found, "json")) == found
    for name in ("text", "md", "html"):
        assert "done after all" in report.render(found, name), name


def test_what_succeeds_much_later_is_another_try() -> None:
    found = judged([*race(10), begin(5000, work(10, 12), 612), done(5055, work(10, 12), 612)], RULE)
    assert [finding.outcome for finding in found.findings] == ["failed"]


def test_one_strike_explains_all_failures_of_the_family() -> None:
    more = [refused(45 + number, work(10, 12 + number), 209) for number in range(5)]
    found = judged([*race(10), *more, refused(46, work(90, 91), 209)], RULE)
    assert [failure.explained_by for failure in found.failures].count(0) == 6
    assert len(found.incidents[0].failures) == 6


def test_failures_that_say_the_same_are_told_once() -> None:
    starts = [(n, work(n * 10, n * 10 + 1)) for n in range(1, 13)]
    steps = [step for n, who in starts for step in (begin(n, who, 600 + n), refused(n + 0.5, who, 209))]
    steps += [begin(20, work(500, 501), 40), (20.5, work(500, 501), "vm.start.capacity", {})]
    found = judged([*steps, (30.0, work(700, 701), "lock.network.implement.acquired", {"network": "1"})], RULE)
    groups = alike.unexplained(found)
    assert sorted((len(group.members), group.times) for group in groups) == [(1, ""), (12, "12 times")]
    assert "start of VM N failed" in {group.title.partition(":")[0] for group in groups}
    for name in ("text", "md", "html"):
        assert "12 times" in report.render(found, name), name
