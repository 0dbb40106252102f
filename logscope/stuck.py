"""What was open at a time or at the end of the log: since when, by whom, and who waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from logscope.items import tagged
from logscope.model import Actor, Source
from logscope.pipeline import Log, Progress
from logscope.records import Selector
from logscope.scan import headers, whole_records

_PASSING, _HOLD, _WAIT = "passing", "hold", "wait"
_CUT = "cut-by-restart"

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Waiter:
    """A wait of another actor on the same resource. Times are µs as of `Open`, the line is `SOURCE:LINE`."""

    title: str
    actor: Actor
    start: int
    until: int
    line: str


@dataclass(slots=True)
class Open:
    """What had begun and not ended.

    `tag` is one of `causes.STEPS` or `passing`. Times are µs. `start` is where the log begins if `is_begun` is
    false; it was open until `until` at least: the time that is asked about, the end of the log of its server, or
    the restart that cut it off. `end` is when it ended, with its `outcome`, if the log tells. The line is
    `SOURCE:LINE`.
    """

    tag: str
    of: str
    title: str
    resources: list[str]
    actor: Actor
    start: int
    is_begun: bool
    until: int
    end: int | None
    outcome: str
    line: str
    caused_by: str
    waiting: list[Waiter] = field(default_factory=list)

    @property
    def owner(self) -> Key:
        """The run of the thread that it belongs to."""
        return self.actor.server, self.actor.thread, self.actor.run


@dataclass(frozen=True, slots=True)
class Last:
    """The last record that an owner had written: when (µs), where (`SOURCE:LINE`), its first line."""

    time: int
    line: str
    text: str


@dataclass(slots=True)
class Stuck:
    """What was open at `at` (µs), the oldest first, and what a restart of its server had cut off before."""

    at: int
    open: list[Open]
    cut: list[Open]


def find(log: Log, at: int | None = None) -> Stuck:
    """What was open at a time, or where the log of its server ends.

    Of what a restart cut off, that is left out of which the log tells later that it ended or began anew.
    """
    rows = _rows(log)
    # In a log that was put together from pieces the last record need not be the latest, nor need its time be known.
    latest = log.events.table.select(pl.col("time").max()).item() or 0
    moment = max([latest, *log.horizon.last.values()]) if at is None else at
    is_open = pl.col("outcome") == "cut-by-end"
    if at is not None:
        is_open = (pl.col("start") <= at) & ((pl.col("end") > at) | is_open)
    is_cut = (pl.col("outcome") == _CUT) & (pl.col("end") <= moment)
    open_rows = rows.filter(is_open)
    cut_rows = _unresolved(log, rows.filter(is_cut), moment)
    resources = _resources(log, pl.concat([open_rows, cut_rows]))
    told = _told(log, open_rows, resources, at)
    for one, waits in zip(told, _waiting(open_rows, resources), strict=True):
        waiting = (told[number] for number in waits)
        one.waiting = [Waiter(w.title, w.actor, w.start, w.until, w.line) for w in waiting]
    return Stuck(moment, told, _told(log, cut_rows, resources, at))


def _rows(log: Log) -> pl.DataFrame:
    """All intervals that should end by themselves: items with their tag, in order of their beginning."""
    passing = log.items.of(tagged(_PASSING), []).with_columns(pl.lit(_PASSING).alias("tag"))
    return pl.concat([log.causes.steps, passing]).unique("item", keep="first").sort("start", "order", "item")


def _unresolved(log: Log, rows: pl.DataFrame, until: int) -> pl.DataFrame:
    """Rows of which no later event tells, up to `until`, that it ended or began anew, on one of its resources."""
    resources = log.events.resources.select("eid", "kind", "id")
    mine = rows.select("item", "of", "end", pl.coalesce("open_eid", "of_eid").alias("eid")).join(resources, on="eid")
    parts = []
    for name in rows["of"].unique().sort():
        declared = log.catalog.intervals[name]
        names = [choice.event.text for choice in (*declared.opens, *declared.closes)]
        later = log.events.table.filter(pl.col("event").is_in(names), pl.col("time") <= until)
        later = later.select("eid", "time").join(resources, on="eid")
        both = mine.filter(pl.col("of") == name).join(later, on=["kind", "id"])
        parts.append(both.filter(pl.col("time") > pl.col("end")).select("item"))
    return rows.join(pl.concat(parts), on="item", how="anti", maintain_order="left") if parts else rows


def _resources(log: Log, rows: pl.DataFrame) -> dict[str, list[str]]:
    """The resources (`KIND:ID`) of items: item → resources in order."""
    owners = [rows.select("item", pl.col(c).alias("eid")).drop_nulls() for c in ("open_eid", "of_eid")]
    owners.append(rows.filter(pl.col("open_eid").is_null()).select("item", pl.col("close_eid").alias("eid")))
    names = log.events.resources.select("eid", pl.concat_str("kind", pl.lit(":"), "id").alias("name"))
    pairs = pl.concat(owners).join(names, on="eid").select("item", "name").unique().sort("item", "name")
    return dict(pairs.group_by("item").agg("name").iter_rows())


def _told(log: Log, rows: pl.DataFrame, resources: dict[str, list[str]], at: int | None) -> list[Open]:
    titles, behind = log.teller.titles(rows), log.causes.behind(rows)
    places = log.teller.places(pl.concat([rows["open_eid"], rows["close_eid"]]).drop_nulls().unique())
    found = []
    for row in rows.iter_rows(named=True):
        actor, cause = log.teller.actor(row), behind.get(row["family"], "")
        is_over = row["outcome"] != "cut-by-end"
        found.append(
            Open(
                tag=row["tag"],
                of=row["of"],
                title=titles[row["item"]],
                resources=resources.get(row["item"], []),
                actor=actor,
                start=row["start"],
                is_begun=row["outcome"] != "unbegun",
                until=row["end"] if at is None else min(at, row["end"]),
                end=row["end"] if is_over else None,
                outcome=row["outcome"] if is_over else "",
                line=places.get(row["open_eid"]) or places.get(row["close_eid"], ""),
                caused_by=cause if cause != actor.name else "",
            )
        )
    return found


def _waiting(rows: pl.DataFrame, resources: dict[str, list[str]]) -> list[list[int]]:
    """For each row the numbers of the rows that wait for it: others' waits on a resource that it holds."""
    every: list[dict[str, Any]] = list(rows.iter_rows(named=True))
    waits: dict[str, list[int]] = {}
    for number, row in enumerate(every):
        if row["tag"] == _WAIT:
            for name in resources.get(row["item"], ()):
                waits.setdefault(name, []).append(number)
    found = []
    for row in every:
        mine = resources.get(row["item"], ()) if row["tag"] == _HOLD else ()
        numbers = sorted({number for name in mine for number in waits.get(name, ())})
        found.append([n for n in numbers if any(every[n][c] != row[c] for c in ("server", "thread", "run"))])
    return found


def last_lines(
    log: Log, sources: Sequence[Source], owners: set[Key], at: int, progress: Progress | None = None
) -> dict[Key, Last]:
    """The last record up to `at` (µs) of each owner, whether a grammar knows it or not.

    Of a thread that has no runs only what the grammars know is looked at: all else it writes is others' business.
    """
    found = _last_events(log, {owner for owner in owners if not owner[2]}, at)
    runs = sorted({run for _, _, run in owners if run})
    if not runs:
        return found
    selector = Selector(runs)
    for source in sources:
        mine = {owner for owner in owners if owner[0] == source.server and owner[2]}
        if not mine:
            continue
        told = (lambda count, name=source.name: progress(name, count)) if progress else None
        form, stream = whole_records(source, told)
        for chunk in stream:
            rows = headers(selector, chunk, form).filter(pl.col("time") <= at, pl.col("run").is_in(runs))
            rows = rows.unique(["thread", "run"], keep="last", maintain_order=True)
            for thread, run, time, line, text in rows.select("thread", "run", "time", "line", "text").iter_rows():
                owner = (source.server, thread, run)
                if owner in mine and (owner not in found or found[owner].time <= time):
                    found[owner] = Last(time, f"{source.name}:{line}", text.partition("\n")[0])
    return found


def _last_events(log: Log, owners: set[Key], at: int) -> dict[Key, Last]:
    rows = log.events.table.filter(pl.col("time") <= at, pl.col("run") == "").sort("order")
    rows = rows.unique(["server", "thread"], keep="last", maintain_order=True)
    mine = [row for row in rows.iter_rows(named=True) if (row["server"], row["thread"], "") in owners]
    texts = log.texts.texts([row["eid"] for row in mine])
    places = log.teller.places(pl.Series([row["eid"] for row in mine], dtype=pl.UInt32))
    return {
        (row["server"], row["thread"], ""): Last(row["time"], places[row["eid"]], texts[row["eid"]].partition("\n")[0])
        for row in mine
    }
