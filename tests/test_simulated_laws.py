"""Laws that hold for every log: what must change nothing in a report, and what may only take certainty away."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulator.history import History, Settings, simulate, source
from simulator.log import Line
from test_grammars import shipped

from logscope import lines, pipeline, scan
from logscope.demand import for_rules
from logscope.model import Report, Source
from logscope.report.json import render
from logscope.sources import discover

TINY = Settings(minutes=2, networks=3, vms=9)
HOUR = 3_600_000_000
seeds = st.integers(0, 10_000)
law = settings(max_examples=4, deadline=None)


def judged(sources: list[Source]) -> Report:
    catalog = shipped()[0]
    rules = list(catalog.rules.values())
    return pipeline.analyze(pipeline.read_log(sources, [], catalog, for_rules(catalog, rules)), rules)


def told(report: Report, shift: int = 0) -> list[Any]:
    """What a report says of what happened, without the places of lines, and with its times taken back by `shift`."""

    def stripped(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: stripped(item, key) for key, item in value.items() if key not in _PLACES}
        if isinstance(value, (list, tuple)):
            return [stripped(item) for item in value]
        return value - shift if name in ("start", "end", "time") else value

    found = [stripped(asdict(item)) for item in report.findings]
    failed = [stripped(asdict(item)) for item in report.failures]
    for failure in failed:
        by = failure.pop("explained_by")
        failure["explanation"] = None if by is None else found[by]
    # What happens at one moment is told in the order of its lines.
    in_order = (
        sorted(part, key=lambda item: (item.get("start", item.get("time")), repr(item))) for part in (found, failed)
    )
    return [*(item for part in in_order for item in part), *(stripped(asdict(item)) for item in report.rules)]


_PLACES = ("line", "lines", "source", "opened_by", "closed_by", "text", "saved")


def history_of(seed: int, **changes: Any) -> History:
    return simulate(shipped()[0], seed, replace(TINY, **changes))


@law
@given(seeds, st.randoms(use_true_random=False))
def test_unrelated_lines_change_nothing(seed: int, dice: random.Random) -> None:
    history = history_of(seed)
    whole = history.lines["ms1"]
    more = list(whole)
    for _ in range(60):
        at = dice.randrange(1, len(more))
        foreign = Line(more[at - 1].time, "ms1", dice.choice(FOREIGN), "Foreign-1", 0)
        more.insert(at, foreign)
    assert told(judged([source("ms1", more)])) == told(judged([source("ms1", whole)]))


FOREIGN = (
    "DEBUG [c.c.s.StatsCollector] (StatsCollector-9:[ctx-00000001]) (logid:00000001) nothing to collect",
    "WARN  [o.e.Other] (Other-1:[]) (logid:) a warning\norg.example.OddError: odd\n\tat org.example.Odd.be(Odd.java)",
    "INFO  [o.e.Other] (Other-2:[ctx-00000002, job-1]) (logid:00000002) Lock is neither acquired nor released",
)


@law
@given(seeds, st.integers(1, 24 * 300))
def test_a_shift_in_time_shifts_only_times(seed: int, hours: int) -> None:
    whole = history_of(seed).lines["ms1"]
    later = [replace(line, time=line.time + hours * HOUR) for line in whole]
    assert told(judged([source("ms1", later)]), hours * HOUR) == told(judged([source("ms1", whole)]))


@law
@given(seeds, st.randoms(use_true_random=False))
def test_equal_times_of_different_threads_may_stand_in_any_order(seed: int, dice: random.Random) -> None:
    whole = history_of(seed).lines["ms1"]
    other = list(whole)
    for _ in range(4):
        for at in range(len(other) - 1):
            one, two = other[at], other[at + 1]
            if one.time == two.time and one.thread != two.thread and dice.random() < 0.5:
                other[at], other[at + 1] = two, one
    assert told(judged([source("ms1", other)])) == told(judged([source("ms1", whole)]))


@law
@given(seeds, st.floats(0.0, 0.6), st.floats(0.4, 1.0))
def test_a_shorter_log_makes_nothing_more_certain(seed: int, first: float, last: float) -> None:
    whole = history_of(seed).lines["ms1"]
    part = whole[int(first * len(whole)) : max(int(last * len(whole)), int(first * len(whole)) + 1)]
    assert certain(judged([source("ms1", part)])) <= certain(judged([source("ms1", whole)]))


def certain(report: Report) -> set[tuple[str, str]]:
    return {(f.rule, str(f.resource)) for f in report.findings if f.certainty == "certain"}


@law
@given(seeds, st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4))
def test_splitting_changes_nothing(seed: int, cuts: list[float]) -> None:
    whole = history_of(seed).lines["ms1"]
    bounds = [0, *sorted(int(cut * len(whole)) for cut in cuts), len(whole)]
    parts = [whole[low:high] for low, high in pairwise(bounds) if high > low]
    pieces = [source("ms1", part, f"management-server.log.{n}") for n, part in enumerate(parts)]
    assert told(judged(pieces)) == told(judged([source("ms1", whole)]))


def test_rotated_and_gzipped_files_are_one_log(tmp_path: Path) -> None:
    whole = history_of(2, minutes=4).lines["ms1"]
    at = len(whole) // 3, len(whole) // 2
    for name, part in zip(("log.2026-10-14", "log.2026-10-15", "log"), _cut(whole, *at), strict=True):
        data = "".join(f"{line.whole}\n" for line in part).encode()
        path = tmp_path / f"management-server.{name}"
        if name == "log.2026-10-14":
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data, mtime=0))
        else:
            path.write_bytes(data)
    sources, problems = discover([str(tmp_path)])
    assert not problems
    assert told(judged(sources)) == told(judged([source(sources[0].server, whole)]))


def _cut(whole: list[Line], low: int, high: int) -> tuple[list[Line], ...]:
    return whole[:low], whole[low:high], whole[high:]


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(pipeline, "_WORKERS", 1),
        lambda patch: patch.setattr(pipeline, "_WORKERS", 5),
        lambda patch: patch.setattr(scan, "chunks", partial(lines.chunks, size=5_000)),
        lambda patch: patch.setattr(scan, "chunks", partial(lines.chunks, size=200)),
    ],
    ids=["one worker", "five workers", "small chunks", "chunks of a line"],
)
def test_workers_and_chunks_change_no_byte(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    history = history_of(5, minutes=3)
    usual = render(judged(history.sources()))
    change(monkeypatch)
    assert render(judged(history.sources())) == usual
