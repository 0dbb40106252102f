"""Resources that a text does not name, taken from the run, the job or the hold around it."""

from __future__ import annotations

import polars as pl

from logscope.actors import ACTOR
from logscope.correlate import Correlator, Horizon
from logscope.language.catalog import Catalog
from logscope.model import EventSet


def with_taken(events: EventSet, catalog: Catalog, horizon: Horizon) -> EventSet:
    """Carry out the `takes` clauses, each with its sources in the order in which they are written.

    Those that rest on events alone come first, since intervals may be keyed by what they give.
    """
    wanted = [(name, t) for name, e in catalog.events.items() if name in events.present for t in e.takes]
    plain = [(n, t) for n, t in wanted if all(s.text in catalog.events for s in t.sources)]
    mixed = [pair for pair in wanted if pair not in plain]
    for name, takes in plain:
        for source in takes.sources:
            if source.text in events.present:
                found = _from_event(events, name, takes.kind.text, source.text)
                events = _with(events, found, takes.kind.text)
    intervals = Correlator(events, catalog, horizon)
    for name, takes in mixed:
        for source in takes.sources:
            if source.text in catalog.intervals:
                found = _from_interval(events, name, takes.kind.text, intervals.intervals(source.text))
            elif source.text in events.present:
                found = _from_event(events, name, takes.kind.text, source.text)
            else:
                continue
            events = _with(events, found, takes.kind.text)
    return events


def _with(events: EventSet, found: pl.DataFrame, kind: str) -> EventSet:
    """Add rows (eid, id) as resources whose field is called by their kind."""
    rows = found.select("eid", pl.lit(kind).alias("field"), pl.lit(kind).alias("kind"), "id")
    return events.with_resources(pl.concat([events.resources, rows]))


def _lacking(events: EventSet, name: str, kind: str) -> pl.DataFrame:
    have = events.resources.filter(pl.col("kind") == kind).select("eid")
    rows = events.of(name).join(have, on="eid", how="anti")
    jobs = events.resources.filter(pl.col("kind") == "job").select("eid", pl.col("id").alias("job_id"))
    rows = rows.join(jobs.unique("eid", keep="first", maintain_order=True), on="eid", how="left")
    return rows.with_columns(pl.coalesce("job_id", pl.col("job").cast(pl.String)).alias("about_job"))


def _from_event(events: EventSet, name: str, kind: str, source: str) -> pl.DataFrame:
    rows = _lacking(events, name, kind).sort("order")
    carried = events.resources.filter(pl.col("kind") == kind).select("eid", "id")
    carried = carried.unique("eid", keep="first", maintain_order=True)
    jobs = events.resources.filter(pl.col("kind") == "job").select("eid", pl.col("id").alias("job_id"))
    givers = events.of(source).join(carried, on="eid")
    givers = givers.join(jobs.unique("eid", keep="first", maintain_order=True), on="eid", how="left")
    givers = givers.with_columns(pl.coalesce("job_id", pl.col("job").cast(pl.String)).alias("about_job"))
    givers = givers.sort("order")
    by_run = _nearest(rows.filter(pl.col("run") != ""), givers.filter(pl.col("run") != ""), list(ACTOR))
    left = rows.join(by_run, on="eid", how="anti").filter(pl.col("about_job").is_not_null())
    by_job = _nearest(left, givers.filter(pl.col("about_job").is_not_null()), ["about_job"])
    if kind == "job":
        # Its context tells whose line it is; who that works for is another job.
        rest = rows.join(pl.concat([by_run, by_job]), on="eid", how="anti").filter(pl.col("job").is_not_null())
        return pl.concat([by_run, by_job, rest.select("eid", pl.col("job").cast(pl.String).alias("id"))])
    # A job that works for another one acts on what that one is about.
    rest = rows.join(pl.concat([by_run, by_job]), on="eid", how="anti").filter(pl.col("origin").is_not_null())
    rest = rest.with_columns(pl.col("origin").cast(pl.String).alias("about_job"))
    by_origin = _nearest(rest, givers.filter(pl.col("about_job").is_not_null()), ["about_job"])
    return pl.concat([by_run, by_job, by_origin])


def _nearest(rows: pl.DataFrame, givers: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """For each row the id of the last giver before it with the same keys, else of the next one: eid, id."""
    left, right = rows.select("eid", "order", *keys), givers.select("order", "id", *keys)
    before = left.join_asof(right, on="order", by=keys, strategy="backward", check_sortedness=False)
    after = left.join_asof(right, on="order", by=keys, strategy="forward", check_sortedness=False)
    found = before.select("eid", "id").join(after.select("eid", pl.col("id").alias("later")), on="eid")
    return found.select("eid", pl.coalesce("id", "later").alias("id")).drop_nulls()


def _from_interval(events: EventSet, name: str, kind: str, intervals: pl.DataFrame) -> pl.DataFrame:
    """The resource of the innermost interval that is open on the row's own thread."""
    rows = _lacking(events, name, kind).select("eid", "order", *ACTOR)
    owner = intervals.with_columns(pl.coalesce("open_eid", "of_eid", "close_eid").alias("owner"))
    ids = events.resources.filter(pl.col("kind") == kind).select(pl.col("eid").alias("owner"), "id")
    open_ones = owner.join(ids.unique("owner", keep="first", maintain_order=True), on="owner")
    joined = rows.join(open_ones.select(*ACTOR, "start_order", "end_order", "id"), on=ACTOR)
    after = pl.col("start_order").is_null() | (pl.col("start_order") <= pl.col("order"))
    before = pl.col("end_order").is_null() | (pl.col("end_order") >= pl.col("order"))
    inside = joined.filter(after & before).sort("start_order", descending=True, nulls_last=True)
    return inside.unique("eid", keep="first", maintain_order=True).select("eid", "id")
