"""The rules against simulated histories, of which it is known what raced with what."""

from __future__ import annotations

import random
from functools import cache

import pytest
from simulator.history import History, Settings, simulate, source
from simulator.judge import judge
from simulator.log import Actor, Log
from test_grammars import shipped

from logscope.demand import for_rules
from logscope.model import Report
from logscope.pipeline import analyze, read_log

SMALL = Settings(minutes=6, networks=8, vms=20)
SEEDS = range(9)
# Rules that the simulated cloud knows the truth about.
KNOWN = (
    "changed-under-anothers-lock",
    "console-proxy-restarted-while-destroying",
    "network-cleaned-up-while-implementing",
    "secondary-storage-vm-restarted-while-destroying",
)


@cache
def case(seed: int) -> tuple[History, Report]:
    catalog = shipped()[0]
    rules = list(catalog.rules.values())
    history = simulate(catalog, seed, SMALL)
    return history, analyze(read_log(history.sources(), [], catalog, for_rules(catalog, rules)), rules)


@pytest.mark.parametrize("seed", SEEDS)
def test_findings_are_what_happened(seed: int) -> None:
    history, report = case(seed)
    verdict = judge(report, history.races, history.near_misses)
    assert [(f.rule, f.certainty, str(f.resource)) for f in verdict.false if f.rule in KNOWN] == []
    assert [(f.rule, f.certainty, str(f.resource)) for f in verdict.overclaimed if f.rule in KNOWN] == []
    assert [(r.rule, sorted(r.resources), r.at) for r in verdict.missed if r.rule in KNOWN] == []


def test_there_is_something_to_find() -> None:
    happened = {race.rule for seed in SEEDS for race in case(seed)[0].races}
    assert happened >= set(KNOWN) - {"changed-under-anothers-lock"}


def test_same_seed_gives_same_history() -> None:
    one, two = (simulate(shipped()[0], 3, SMALL) for _ in range(2))
    assert [line.whole for line in one.lines["ms1"]] == [line.whole for line in two.lines["ms1"]]
    assert [(r.rule, r.resources, r.at) for r in one.races] == [(r.rule, r.resources, r.at) for r in two.races]


def test_work_that_was_cut_off_is_not_ended_by_the_next_user_of_its_thread() -> None:
    catalog = shipped()[0]
    log = Log(catalog, "4.19", random.Random(0), trace=False)
    before, after = (
        Actor("ms1", "Work-Job-Executor-1", run, n, n, n) for n, run in enumerate(("ctx-1a2b3c4d", "ctx-5e6f7a8b"), 10)
    )
    steps: list[tuple[int, Actor, str, dict[str, object]]] = [
        (0, before, "lock.network.implement.acquired", {"network": 209}),
        (5, Actor("ms1", "main", "", 1), "ms.cluster.stopped", {}),
        (40, after, "lock.network.implement.acquired", {"network": 209}),
        (60, after, "lock.network.implement.released", {"network": 209}),
        (300, after, "lock.network.implement.acquired", {"network": 210}),
    ]
    for second, actor, event, fields in steps:
        log.say(second * 1_000_000, actor, event, fields)
    rules = [catalog.rules["work-cut-off-by-restart"]]
    read = read_log([source("ms1", log.lines)], [], catalog, for_rules(catalog, rules))
    assert [str(f.resource) for f in analyze(read, rules).findings] == ["network:209"]


@pytest.mark.parametrize(
    ("struck", "told"),
    [
        (["job.cleanup.network"], "changed-under-anothers-lock"),
        (["network.orphan.found", "network.orphan.transitioned"], "network-cleaned-up-while-implementing"),
    ],
)
def test_a_general_rule_gives_way_to_one_that_tells_of_its_strike(struck: list[str], told: str) -> None:
    catalog = shipped()[0]
    log = Log(catalog, "4.22", random.Random(0), trace=False)
    holder, second, third = (Actor("ms1", f"Work-Job-Executor-{n}", f"ctx-{n:08x}", n, n, n) for n in (11, 12, 13))
    other = Actor("ms1", "AsyncJobMgr-Heartbeat-1", "ctx-0000000e", 14)
    about: dict[str, object] = {"network": 209}
    steps: list[tuple[float, Actor, str, dict[str, object]]] = [
        (0, holder, "lock.network.implement.acquired", about),
        *((79.0, other, event, about) for event in struck),
        (160, holder, "lock.network.implement.released", about),
        (160.01, second, "lock.network.implement.acquired", about),
        (160.02, second, "lock.network.implement.released", about),
        (160.03, third, "lock.network.implement.acquired", about),
        (160.04, third, "lock.network.implement.released", about),
        (400, holder, "job.monitor.add", {"job": 11}),
    ]
    for at, actor, event, fields in steps:
        log.say(round(at * 1_000_000), actor, event, fields)
    rules = list(catalog.rules.values())
    read = read_log([source("ms1", log.lines)], [], catalog, for_rules(catalog, rules))
    assert {finding.rule for finding in analyze(read, rules).findings} == {told, "network-lock-starved-others"}
