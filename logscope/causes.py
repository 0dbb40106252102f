"""What caused what: requests, the jobs they submit, and what these do, as trees; and what is behind an act.

A family of jobs acts in runs of threads. A run of a job hangs below the run that submitted the job, an interval
below those that are open around it on its own run. No step needs the logid: a request, its job and the first line
of a run each carry another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from logscope.actors import ACTOR
from logscope.explain import Teller
from logscope.items import SCHEMA, Items, tagged
from logscope.language.catalog import Catalog
from logscope.model import Actor, EventSet

# Tags of intervals that are steps of an operation; the first that an interval carries says what kind of step it is.
STEPS = ("operation", "phase", "hold", "wait", "command")
# Tags of events that tell of a failure: of something, and of the operation of the actor that writes it.
FAILURES = ("failure", "fails")
_FAILURE = "failure"
_WAIT = "wait"
_RUN = "run"
_JOB = "job"
_SLACK = 20_000  # µs; lines of one moment may be written in either order

Row = dict[str, Any]
Key = tuple[str, str, str]


@dataclass(slots=True)
class Act:
    """One step of an operation, with the steps it consists of or leads to.

    `tag` is one of `STEPS`, `failure` (then `start == end`), or `run` for the run of a thread that no one interval
    spans. Times are µs. `waited` are the µs from when it was asked for until it began, None if the log does not
    tell. Lines are `SOURCE:LINE`; `asked_by` is the one that asked.
    """

    tag: str
    of: str
    title: str
    actor: Actor
    start: int
    end: int
    outcome: str
    line: str
    closed_by: str = ""
    waited: int | None = None
    asked_by: str = ""
    children: list[Act] = field(default_factory=list)


@dataclass(slots=True)
class _Run:
    """A run of a thread: its first and last row in the table of events, and its top act."""

    first: Row
    last: int
    act: Act | None = None

    @property
    def key(self) -> Key:
        return self.first["server"], self.first["thread"], self.first["run"]


class Causes:
    """Causes and consequences in one log."""

    def __init__(self, events: EventSet, catalog: Catalog, items: Items, teller: Teller) -> None:
        self._events, self._catalog, self._items, self._teller = events, catalog, items, teller

    @cached_property
    def steps(self) -> pl.DataFrame:
        """All intervals that are steps: columns as in `items.SCHEMA`, and `tag`, one of `STEPS`.

        The actor is the one whose step it is. That is who opened the interval, but for one that was opened by a
        thread which has no runs: then it is who wrote the event that the interval is about.
        """
        parts = [self._items.of(tagged(tag), []).with_columns(pl.lit(tag).alias("tag")) for tag in STEPS]
        rows = pl.concat(parts).unique("item", keep="first", maintain_order=True)
        # That a lock was taken does not say that anybody waited for it.
        rows = rows.filter((pl.col("tag") != _WAIT) | (pl.col("outcome") != "unbegun"))
        who = ("server", "thread", "run", "job", "origin", "family")
        owners = self._events.table.select(pl.col("eid").alias("of_eid"), *(pl.col(c).alias(f"of_{c}") for c in who))
        rows = rows.join(owners, on="of_eid", how="left", maintain_order="left")
        is_lent = (pl.col("run") == "") & pl.col("of_run").is_not_null()
        return rows.with_columns(pl.when(is_lent).then(f"of_{c}").otherwise(c).alias(c) for c in who).select(
            *SCHEMA, "tag"
        )

    def of_job(self, job: int) -> list[Act]:
        """The whole operation that a job belongs to, as trees in order of their beginning.

        There are several if the log does not tell how its parts hang together, and none if no line belongs to it.
        """
        families = self.families_of(job)
        return self._trees(families) if families else []

    def families_of(self, job: int) -> list[str]:
        """The families that a job belongs to: one, unless lines about it do not hang together."""
        table = self._events.table
        own = table.filter((pl.col("job") == job) | (pl.col("origin") == job))["family"]
        submitted = self._submits().filter(pl.col("id") == str(job))["family"]
        return sorted({*own, *submitted})

    def behind(self, rows: pl.DataFrame) -> dict[str, str]:
        """What caused the acts of the families of some rows (of the table or items): family → text for people.

        That is the request (an event with the tag `request`) with the first job that it submitted, or else the actor
        that submitted the first job of the family; a family of which the log does not tell has no entry.
        """
        has_family = (pl.col("run") != "") | pl.col("job").is_not_null()
        families = rows.filter(has_family)["family"].unique().sort().to_list()
        requests = self._first("request", families)
        submits = self._first("submits", families)
        found = {family: self._teller.actor(row).name for family, (row, _) in submits.items()}
        for family, (row, title) in requests.items():
            found[family] = title
            if family in submits and all(submits[family][0][c] == row[c] for c in ACTOR):
                found[family] += f", {submits[family][1]}"
        return found

    def _first(self, tag: str, families: list[str]) -> dict[str, tuple[Row, str]]:
        """The first event of each family that carries a tag, as an item with its title."""
        rows = self._items.of(tagged(tag), []).filter(pl.col("family").is_in(families))
        rows = rows.unique("family", keep="first", maintain_order=True)
        titles = self._teller.titles(rows)
        return {row["family"]: (row, titles[row["item"]]) for row in rows.iter_rows(named=True)}

    def _submits(self) -> pl.DataFrame:
        """Rows of the table that submit a job, in order, with the job's `id`."""
        rows = self._events.table.filter(pl.col("event").is_in(self._catalog.events_tagged("submits")))
        jobs = self._events.resources.filter(pl.col("kind") == _JOB).select("eid", "id")
        return rows.join(jobs, on="eid").sort("order")

    def _trees(self, families: list[str]) -> list[Act]:
        mine = self._events.table.filter(pl.col("family").is_in(families), pl.col("run") != "").sort("order")
        runs: dict[Key, _Run] = {}
        for row in mine.unique(ACTOR, keep="first", maintain_order=True).iter_rows(named=True):
            runs[row["server"], row["thread"], row["run"]] = _Run(row, row["time"])
        for *key, last in mine.group_by(ACTOR).agg(pl.col("time").max()).iter_rows():
            runs[key[0], key[1], key[2]].last = last
        # A job's number stands in the context of a run from its second line on at times.
        for row in mine.filter(pl.col("job").is_not_null()).unique(ACTOR, keep="first").iter_rows(named=True):
            first = runs[row["server"], row["thread"], row["run"]].first
            first["job"], first["origin"] = row["job"], row["origin"]
        steps = self.steps.filter(pl.col("family").is_in(families))
        failed = pl.concat(self._items.of(tagged(tag), []) for tag in FAILURES).unique("item", maintain_order=True)
        failed = failed.filter(pl.col("family").is_in(families)).with_columns(pl.lit(_FAILURE).alias("tag"))
        rows = _cut_to_runs(pl.concat([steps, failed]), mine)
        by_run: dict[Key, list[Act]] = {}
        for row, act in self._acts(rows):
            by_run.setdefault((row["server"], row["thread"], row["run"]), []).append(act)
        for run in runs.values():
            run.act = self._top(run, by_run.get(run.key, []))
        return self._hung(runs)

    def _acts(self, rows: pl.DataFrame) -> list[tuple[Row, Act]]:
        """The acts of items in order of their beginning; a wait that leads to one of them becomes a part of it."""
        titles = self._teller.titles(rows)
        places = self._teller.places(pl.concat([rows["open_eid"], rows["close_eid"]]).drop_nulls().unique())
        ordered = rows.with_columns((pl.col("start") - pl.col("end")).alias("length")).sort(
            "start", "order", "length", "item"
        )
        waits = ordered.filter(pl.col("tag") == _WAIT, pl.col("outcome") == "closed")
        asked = {row["close_eid"]: row for row in waits.iter_rows(named=True)}
        opened = set(ordered.filter(pl.col("tag") != _WAIT)["open_eid"].drop_nulls())
        found = []
        for row in ordered.iter_rows(named=True):
            if row["tag"] == _WAIT and row["close_eid"] in opened:
                continue
            act = Act(
                row["tag"], row["of"], titles[row["item"]], self._teller.actor(row), row["start"], row["end"],
                row["outcome"], places.get(row["open_eid"], ""), places.get(row["close_eid"], ""),
            )  # fmt: skip
            wait = asked.get(row["open_eid"])
            if wait is not None:
                act.waited, act.asked_by = row["start"] - wait["start"], places.get(wait["open_eid"], "")
            found.append((row, act))
        return found

    def _top(self, run: _Run, acts: list[Act]) -> Act:
        """The one act of a run below which its others are; made up where no interval is it."""
        tops = _nested(acts)
        if tops and tops[0].tag == "operation":
            tops[0].children += tops[1:]
            return tops[0]
        row = run.first
        line = self._teller.places(pl.Series([row["eid"]], dtype=pl.UInt32))[row["eid"]]
        actor = self._teller.actor(row)
        return Act(_RUN, "", actor.name, actor, row["time"], run.last, "", line, children=tops)

    def _hung(self, runs: dict[Key, _Run]) -> list[Act]:
        """Hang the runs below each other; gives those that hang below nothing."""
        submitted: dict[str, Row] = {}
        for row in self._submits().iter_rows(named=True):
            if (row["server"], row["thread"], row["run"]) in runs:
                submitted.setdefault(row["id"], row)
        mains: dict[int, _Run] = {}
        for run in runs.values():
            job = run.first["job"]
            if job is not None and (job not in mains or mains[job].act.tag == _RUN != run.act.tag):  # type: ignore[union-attr]
                mains[job] = run
        above: dict[Key, Key] = {}
        roots = []
        for run in sorted(runs.values(), key=lambda one: (one.act.start, one.first["order"])):  # type: ignore[union-attr]
            place = self._above(run, runs, submitted, mains)
            if place is None or _leads(above, place[0].key, run.key):
                roots.append(run.act)
                continue
            parent, time, line = place
            above[run.key] = parent.key
            assert run.act is not None
            assert parent.act is not None
            if line and run.act.waited is None:
                # The line about it may be written after the first lines of what it tells of.
                run.act.waited, run.act.asked_by = max(0, run.act.start - time), line
            _put(parent.act, run.act, time, line)
        return [act for act in roots if act is not None]

    def _above(
        self, run: _Run, runs: dict[Key, _Run], submitted: dict[str, Row], mains: dict[int, _Run]
    ) -> tuple[_Run, int, str] | None:
        """The run that a run hangs below, the time at which it was asked for, and the line that asked."""
        job, origin = run.first["job"], run.first["origin"]
        assert run.act is not None
        if job is None:
            return None
        if mains[job] is not run:
            return mains[job], run.act.start, ""
        row = submitted.get(str(job))
        if row is not None and (row["server"], row["thread"], row["run"]) != run.key:
            line = self._teller.places(pl.Series([row["eid"]], dtype=pl.UInt32))[row["eid"]]
            return runs[row["server"], row["thread"], row["run"]], row["time"], line
        if origin is not None and origin in mains:
            return mains[origin], run.act.start, ""
        return None


def _cut_to_runs(rows: pl.DataFrame, mine: pl.DataFrame) -> pl.DataFrame:
    """Let what began before the log begin with the first event of its run."""
    first = mine.group_by(ACTOR).agg(pl.col("time").min().alias("run_start"))
    rows = rows.join(first, on=ACTOR, how="left", maintain_order="left")
    start = pl.when(pl.col("outcome") == "unbegun").then(pl.max_horizontal("start", "run_start")).otherwise("start")
    return rows.with_columns(start.alias("start")).drop("run_start")


def _nested(acts: list[Act]) -> list[Act]:
    """Acts of one run, in order, each below the innermost one that it lies in; gives the outermost ones."""
    tops: list[Act] = []
    around: list[Act] = []
    for act in acts:
        while around and not _contains(around[-1], act):
            around.pop()
        (around[-1].children if around else tops).append(act)
        if act.tag not in (_FAILURE, _WAIT):
            around.append(act)
    return tops


def _contains(outer: Act, inner: Act) -> bool:
    return inner.start <= outer.end and inner.end <= outer.end + _SLACK


def _put(parent: Act, act: Act, time: int, line: str) -> None:
    """Hang an act below the innermost part of `parent` that was open when `line` asked for it.

    A wait that the line began, but of which the log does not tell that it ended with the act, is told by the act.
    """
    parent.children = [child for child in parent.children if child.tag != _WAIT or child.line != line]
    same = (child for child in parent.children if child.actor == parent.actor and child.tag not in (_FAILURE, _WAIT))
    inner = next((child for child in same if child.start <= time <= child.end), None)
    if inner is not None:
        _put(inner, act, time, line)
        return
    at = sum(child.start <= act.start for child in parent.children)
    parent.children.insert(at, act)


def _leads(above: dict[Key, Key], start: Key, end: Key) -> bool:
    """Whether the way up from `start` leads to `end`, so that hanging `end` below `start` would close a circle."""
    while start != end and start in above:
        start = above[start]
    return start == end
