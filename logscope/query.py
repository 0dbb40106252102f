"""Answers about a log that was read: which resource is meant, its events and intervals as frames."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from logscope.demand import Demand, for_events, paths_used
from logscope.errors import UsageError
from logscope.items import SCHEMA, named
from logscope.language.catalog import Catalog
from logscope.language.paths import event_fields, event_kinds
from logscope.model import Resource
from logscope.pipeline import Log

EVENT_COLUMNS: dict[str, Any] = {
    "time": pl.Int64, "source": pl.String, "line": pl.UInt32, "server": pl.String, "event": pl.String,
    "level": pl.String, "thread": pl.String, "run": pl.String, "job": pl.Int64, "origin": pl.Int64,
    "work": pl.Int64, "logid": pl.String, "actor": pl.String, "resources": pl.List(pl.String),
    "fields": pl.String, "text": pl.String,
}  # fmt: skip
INTERVAL_COLUMNS: dict[str, Any] = {
    "interval": pl.String, "title": pl.String, "start": pl.Int64, "end": pl.Int64, "outcome": pl.String,
    "actor": pl.String, "server": pl.String, "thread": pl.String, "run": pl.String, "job": pl.Int64,
    "origin": pl.Int64, "opened_by": pl.String, "closed_by": pl.String, "resources": pl.List(pl.String),
}  # fmt: skip
_WHO = ("server", "thread", "run", "job", "origin")
_BATCH = 20_000
_SHOWN = 5
_KINDED = re.compile(r"([a-z][a-z0-9_-]*):(.+)", re.DOTALL)


def kinds(catalog: Catalog) -> set[str]:
    """Every kind of resource that the grammars know."""
    found = {takes.kind.text for event in catalog.events.values() for takes in event.takes}
    for declared in catalog.types.values():
        found.add((declared.kind or declared.name).text)
        found |= {rendering.kind.text for rendering in declared.matches if rendering.kind}
    return found - {"none"}


def for_kinds(catalog: Catalog, wanted: set[str]) -> Demand:
    """What must be extracted to find all records that name a resource of these kinds."""
    names = [name for name in catalog.events if event_kinds(catalog, name) & wanted]
    return Demand(for_events(catalog, names).events, paths_used(catalog))


def find_resource(log: Log, text: str) -> Resource:
    """The resource that `text` means: `KIND:ID`, `KIND:` with a uuid or name, or a uuid or name alone.

    Raises:
        UsageError: no resource of this log is called so (the message names similar ones), or several are.
    """
    known = _ids(log)
    split = _KINDED.fullmatch(text)
    kind = split[1] if split and split[1] in kinds(log.catalog) else ""
    name = split[2] if split and kind else text
    called = _called(log, known, kind, name)
    if len(called) == 1 and (kind or not name.isdigit()):
        return log.identity.resource(*called[0])
    if called:
        what = "a mere number" if name.isdigit() and not kind else "what several resources are called"
        raise UsageError(f"'{text}' is {what}; say which: {', '.join(f'{k}:{i}' for k, i in called)}")
    near = difflib.get_close_matches(split[1], sorted(kinds(log.catalog)), 1) if split and not kind else []
    if split and near:
        raise UsageError(f"there is no kind of resource '{split[1]}'; did you mean '{near[0]}:{split[2]}'?")
    raise UsageError(f"no resource '{text}' occurs in this log; {_similar(log, known, kind, name)}")


def find_resource_or_job(log: Log, text: str) -> Resource:
    """As `find_resource`, but of some jobs, those of background tasks, only the jobs that work for them tell.

    Raises:
        UsageError: as `find_resource`.
    """
    try:
        return find_resource(log, text)
    except UsageError:
        kind, _, id = text.partition(":")
        if kind == "job" and id.isdecimal() and log.causes.families_of(int(id)):
            return Resource(kind, id)
        raise


def _ids(log: Log) -> dict[str, list[str]]:
    """The ids of each kind that occur, numbers in their order."""
    found: dict[str, list[str]] = {}
    for kind, id in log.events.resources.select("kind", "id").unique().iter_rows():
        found.setdefault(kind, []).append(id)
    return {kind: sorted(ids, key=lambda id: (len(id), id)) for kind, ids in sorted(found.items())}


def _called(log: Log, known: dict[str, list[str]], kind: str, name: str) -> list[tuple[str, str]]:
    direct = [(one, name) for one, ids in known.items() if one == kind or not kind if name in ids]
    if direct and kind:
        return direct
    other = [*log.identity.by_alias(name), *log.identity.by_alias(name.lower())]
    occurring = [(one, id) for one, id in other if id in known.get(one, ()) and kind in ("", one)]
    return list(dict.fromkeys([*direct, *occurring]))


def _similar(log: Log, known: dict[str, list[str]], kind: str, name: str) -> str:
    names = {id: f"{one}:{id}" for one, ids in known.items() if kind in ("", one) for id in ids}
    names |= {label: label for (one, _), label in log.identity.labels.items() if kind in ("", one)}
    names |= {alias: alias for one, alias in log.identity.ids.select("kind", "alias").iter_rows() if kind in ("", one)}
    near = difflib.get_close_matches(name, sorted(names), _SHOWN)
    if near:
        return f"similar ones are {', '.join(names[one] for one in near)}"
    if kind in known:
        ids = known[kind]
        more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
        return f"of this kind there are {', '.join(f'{kind}:{id}' for id in ids[:_SHOWN])}{more}"
    if kind:
        return f"no {kind} occurs in it at all"
    return f"kinds that occur are {', '.join(known)}" if known else "no resource occurs in it at all"


def events_of(log: Log, resource: Resource) -> pl.Series:
    """Ids of the events that name the resource, in no order."""
    owned = log.events.resources.filter(pl.col("kind") == resource.kind, pl.col("id") == resource.id)
    return owned["eid"].unique()


def event_frames(log: Log, eids: pl.Series | None = None) -> Iterator[pl.DataFrame]:
    """Events in order, all or those of the given ids, in frames of some ten thousand rows.

    Columns as in `EVENT_COLUMNS`: times in µs; `resources` as `KIND:ID`; `fields` a JSON object of
    field paths and texts; `text` the whole record.
    """
    table = log.events.table if eids is None else log.events.table.filter(pl.col("eid").is_in(eids.implode()))
    resources = _resources(log)
    sources = pl.Series([source.name for source in log.sources], dtype=pl.String)
    actors: dict[tuple[Any, ...], str] = {}
    for batch in table.sort("order").iter_slices(_BATCH):
        mine = batch["eid"]
        texts, fields = log.texts.texts(mine.to_list()), _fields(log, mine)
        for who in batch.select(_WHO).unique().iter_rows():
            if who not in actors:
                actors[who] = log.names.name(*who)
        frame = batch.join(resources, on="eid", how="left", maintain_order="left").with_columns(
            sources.gather(batch["source"]).alias("source"),
            pl.Series("actor", [actors[who] for who in batch.select(_WHO).iter_rows()], dtype=pl.String),
            pl.col("resources").fill_null([]),
            pl.Series("fields", [fields.get(eid, "{}") for eid in mine], dtype=pl.String),
            pl.Series("text", [texts.get(eid, "") for eid in mine], dtype=pl.String),
        )
        yield frame.select(*EVENT_COLUMNS)


def _resources(log: Log) -> pl.DataFrame:
    named_so = log.events.resources.select("eid", pl.concat_str("kind", pl.lit(":"), "id").alias("resources"))
    return named_so.unique().sort("eid", "resources").group_by("eid", maintain_order=True).agg("resources")


def _fields(log: Log, eids: pl.Series) -> dict[int, str]:
    found: dict[int, str] = {}
    for name in log.events.table.filter(pl.col("eid").is_in(eids.implode()))["event"].unique().sort():
        frame = log.events.fields.get(name)
        if frame is None:
            continue
        whole = _whole_numbers(log.catalog, name)
        for row in frame.filter(pl.col("eid").is_in(eids.implode())).iter_rows(named=True):
            eid = row.pop("eid")
            values = {path: row[path] for path in sorted(row) if row[path] is not None}
            found[eid] = json.dumps({path: int(v) if path in whole else v for path, v in values.items()})
    return found


def _whole_numbers(catalog: Catalog, event: str) -> set[str]:
    return {path for path, kind in event_fields(catalog, event).items() if kind == "int"}


def fields_of(log: Log, event: str) -> pl.DataFrame:
    """The events of one name in order: time, source, line, actor, and a column for each field path.

    Paths of whole numbers are `Int64` columns, all others texts.

    Raises:
        UsageError: the grammars have no such event.
    """
    if event not in log.catalog.events:
        near = difflib.get_close_matches(event, list(log.catalog.events), 1)
        raise UsageError(f"there is no event '{event}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    paths = sorted(event_fields(log.catalog, event))
    whole = _whole_numbers(log.catalog, event)
    rows = log.events.table.filter(pl.col("event") == event).sort("order")
    fields = log.events.fields.get(event, pl.DataFrame(schema={"eid": pl.UInt32}))
    sources = pl.Series([source.name for source in log.sources], dtype=pl.String)
    frame = rows.join(fields, on="eid", how="left", maintain_order="left")
    return frame.select(
        "time",
        sources.gather(rows["source"]).alias("source"),
        "line",
        pl.Series("actor", [log.names.name(*who) for who in rows.select(_WHO).iter_rows()], dtype=pl.String),
        *(pl.col(p).cast(pl.Int64 if p in whole else pl.String) for p in paths if p in fields.columns),
    )


def interval_items(log: Log) -> pl.DataFrame:
    """All intervals in order of their beginning; columns as in `items.SCHEMA`, and `resources` as `KIND:ID`."""
    parts = [log.items.of(named(name), []) for name in log.catalog.intervals]
    rows = pl.concat([pl.DataFrame(schema=SCHEMA), *parts]).sort("start", "order", "item")
    owners = [rows.select("item", pl.col(c).alias("eid")).drop_nulls() for c in ("open_eid", "of_eid", "close_eid")]
    named_so = log.events.resources.select("eid", pl.concat_str("kind", pl.lit(":"), "id").alias("resources"))
    pairs = pl.concat(owners).join(named_so, on="eid").select("item", "resources").unique().sort("item", "resources")
    resources = pairs.group_by("item", maintain_order=True).agg("resources")
    return rows.join(resources, on="item", how="left", maintain_order="left").with_columns(
        pl.col("resources").fill_null([])
    )


def intervals(log: Log) -> pl.DataFrame:
    """All intervals in order of their beginning; columns as in `INTERVAL_COLUMNS`, times in µs."""
    rows = interval_items(log)
    eids = pl.concat([rows["open_eid"], rows["close_eid"]]).drop_nulls().unique()
    titles, places = log.teller.titles(rows), log.teller.places(eids)
    return rows.select(
        pl.col("of").alias("interval"),
        pl.Series("title", [titles[item] for item in rows["item"]], dtype=pl.String),
        "start",
        "end",
        "outcome",
        pl.Series("actor", [log.names.name(*who) for who in rows.select(_WHO).iter_rows()], dtype=pl.String),
        *_WHO,
        pl.Series("opened_by", [places.get(eid, "") for eid in rows["open_eid"]], dtype=pl.String),
        pl.Series("closed_by", [places.get(eid, "") for eid in rows["close_eid"]], dtype=pl.String),
        "resources",
    )
