"""Where a log does not go on as it should: long silences, and clocks that were set back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from logscope.model import EventSet, Problem
from logscope.silence import LEAST, Silence

_SECOND = 1_000_000
_FAR_BEYOND = 100  # times the mean distance of two records
_KNOWN = 100  # records; what is usual in a log is not known from fewer
_STRAY = 0.01  # of the records of a file
_NEAR = 60 * _SECOND  # a silence that a server's end or beginning touches is no gap of its log
_STEP = 2 * _SECOND  # lines of different threads are never that far out of order
_HOUR = 3600 * _SECOND
_ABOUT = 120 * _SECOND
_MOST_STEPS = 3

Period = tuple[int, int]


@dataclass(slots=True)
class Breaks:
    """By server: when nothing was logged though something should have been, and times that the log has twice (µs)."""

    gaps: dict[str, list[Period]] = field(default_factory=dict)
    repeated: dict[str, list[Period]] = field(default_factory=dict)


@dataclass(slots=True)
class Flow:
    """The records of one server: how many, from when to when (µs), and when they come without long silences."""

    records: int = 0
    first: int | None = None
    last: int | None = None
    busy: list[Period] = field(default_factory=list)

    def add(self, records: int, first: int | None, last: int | None, silences: list[Silence]) -> None:
        """Go on with one more file."""
        if first is None or last is None:
            return
        ends = [first, *(time for silence in sorted(silences) for time in silence), last]
        # Where times run backwards, what lies between two silences may seem to end before it began.
        self.busy += [(min(pair), max(pair)) for pair in zip(ends[::2], ends[1::2], strict=True)]
        self.records += records
        self.first = first if self.first is None else min(first, self.first)
        self.last = last if self.last is None else max(last, self.last)

    @property
    def silences(self) -> list[Silence]:
        """When none of the files has a record."""
        found: list[Silence] = []
        latest: int | None = None
        for since, until in sorted(self.busy):
            if latest is not None and since - latest >= LEAST:
                found.append((latest, since))
            latest = until if latest is None else max(latest, until)
        return found


def breaks(flows: dict[str, Flow], events: EventSet, restarts: list[str]) -> tuple[Breaks, list[Problem]]:
    """The breaks of a log, and what a reader should know of them. `restarts` are the events of servers that stop."""
    found, notes = Breaks(), []
    ends = events.table.filter(pl.col("event").is_in(restarts)).select("server", "time")
    downs: dict[str, list[int]] = {}
    for server, time in ends.iter_rows():
        downs.setdefault(server, []).append(time)
    for server, flow in sorted(flows.items()):
        times = events.table.filter(pl.col("server") == server)["time"]
        gaps = [one for one in _far_beyond(flow) if not _is_down(one, downs.get(server, [])) and _is_silent(one, times)]
        if gaps:
            found.gaps[server] = gaps
            notes += [Problem(server, _gap_text(one)) for one in gaps]
    for server, steps in _steps(events).items():
        found.repeated[server] = [(after, before) for before, after in steps]
        notes += _step_notes(server, steps)
    return found, notes


def reach(
    first: int | None, last: int | None, times: Sequence[pl.Series], ends: Sequence[int]
) -> Period | tuple[None, None]:
    """From when to when a file goes (µs), by the times of its first and last record.

    Where the order of the lines is not that of their times, other `times` lie outside: then it is by these and by
    `ends`, the earliest and latest ones of its parts. A few of many do not count: a time that was damaged may be any.
    Of a file that begins or ends within a header, the first or last time counts that is known.
    """
    told = [*ends, *(time for part in times if len(part) for time in (int(part[0]), int(part[-1])))]
    first = min(told, default=None) if first is None else first
    last = max(told, default=None) if last is None else last
    if first is None or last is None:
        return None, None
    low, high = min(first, last), max(first, last)
    known = pl.concat([pl.Series("time", [low, high], dtype=pl.Int64), *times])
    outside = known.filter(~known.is_between(low, high))
    if len(outside) <= _STRAY * len(known):
        return low, high
    return min(low, *outside, *ends), max(high, *outside, *ends)


def _is_silent(silence: Silence, times: pl.Series) -> bool:
    """Whether no event lies in a silence: one between two lines is none where lines are out of order."""
    return not times.is_between(*silence, closed="none").any()


def _far_beyond(flow: Flow) -> list[Silence]:
    """The silences that are long for this log: one that says little is silent often."""
    if flow.first is None or flow.last is None or flow.records < _KNOWN:
        return []
    silences = flow.silences
    quiet = sum(until - since for since, until in silences)
    mean = (flow.last - flow.first - quiet) / flow.records
    return [(since, until) for since, until in silences if until - since >= _FAR_BEYOND * mean]


def _is_down(silence: Silence, restarts: list[int]) -> bool:
    since, until = silence
    return any(since - _NEAR <= time <= until + _NEAR for time in restarts)


def _gap_text(gap: Silence) -> str:
    length = gap[1] - gap[0]
    text = f"nothing was logged for {_length(length)} from {_clock(gap[0])} on; a file may be missing"
    if abs(length - _HOUR) <= _ABOUT:
        text += ", or the clock was set forward by an hour"
    return text + "; findings across this gap are only possible"


def _steps(events: EventSet) -> dict[str, list[Period]]:
    """By server: the times before and after each step back of the clock, by the order of the lines of a file."""
    rows = events.table.select("server", "source", "line", "time").sort("source", "line")
    highest = pl.col("time").cum_max().shift(1).over("source")
    rows = rows.with_columns(highest.alias("highest"), pl.col("time").shift(1).over("source").alias("before"))
    stepped = rows.filter(pl.col("before") - pl.col("time") >= _STEP, pl.col("highest") == pl.col("before"))
    found: dict[str, list[Period]] = {}
    for server, before, after in stepped.select("server", "before", "time").iter_rows():
        found.setdefault(server, []).append((before, after))
    return found


def _step_notes(server: str, steps: list[Period]) -> list[Problem]:
    if len(steps) > _MOST_STEPS:
        most = max(before - after for before, after in steps)
        text = f"its times run backwards {len(steps):,} times, by up to {_length(most)}"
        return [Problem(server, f"{text}: the order of its lines is unsure")]
    notes = []
    for before, after in steps:
        text = f"its clock went back by {_length(before - after)} at {_clock(before)}"
        if abs(before - after - _HOUR) <= _ABOUT:
            text += ", as at the end of summer time"
        notes.append(Problem(server, text + "; the order of lines is unsure in the time that came twice"))
    return notes


def _length(length: int) -> str:
    seconds = round(length / _SECOND)
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _clock(time: int) -> str:
    return f"{datetime.fromtimestamp(time / _SECOND, UTC):%Y-%m-%d %H:%M:%S}"
