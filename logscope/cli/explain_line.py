"""A line of a log, told: its record, what the grammars read in it, the intervals around it."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import polars as pl

from logscope.demand import for_everything
from logscope.errors import NothingReadError, UsageError
from logscope.items import named
from logscope.kinds import Kinds
from logscope.language.catalog import Catalog
from logscope.language.format import releases_text
from logscope.language.template import EventTemplate, event_templates, readings
from logscope.model import Problem, Source
from logscope.pipeline import Log
from logscope.query import event_frames, interval_items
from logscope.records import Selector
from logscope.report.parts import words
from logscope.report.parts.times import duration, iso, stretch
from logscope.report.parts.visible import visible
from logscope.scan import headers, whole_records
from logscope.session import Question, Session, Watch, open_log
from logscope.sources import discover

_MOST_AROUND = 20
_MOST_ALIKE = 3
_LABEL_WIDTH = 10


@dataclass(frozen=True, slots=True)
class _Record:
    """The record that a line belongs to: its own lines, and what its header says."""

    first: int
    last: int
    header: dict[str, Any]


def told(catalog: Catalog, place: str, line: int, tz: Sequence[str], watch: Watch) -> tuple[str, list[Problem]]:
    """What is known about a line, as text, and what could not be read.

    Raises:
        UsageError: there is no such source, or it has no such line.
        NothingReadError: the source cannot be read.
    """
    path, source = _source(place, catalog)
    record = _record(source, line)
    demand = for_everything(catalog, all_fields=True)
    session = open_log(Question([path], tz=tz), catalog, demand, watch, only=source.name)
    lines = [f"{source.name}:{line}"]
    before = ""
    for label, text in _rows(session, record):
        lines.append(f"  {label if label != before else '':<{_LABEL_WIDTH}}{text}")
        before = label
    return "".join(f"{visible(one)}\n" for one in lines), session.log.problems


def _source(place: str, catalog: Catalog) -> tuple[str, Source]:
    """The path that a place begins with, and the source in it: `run.zip!ms1/management-server.log`."""
    ends = [len(place), *(found.start() for found in re.finditer("!", place))]
    path = next((place[:end] for end in ends if os.path.exists(place[:end])), place)
    sources, problems = discover([path], Kinds(catalog))
    if not sources:
        raise NothingReadError("; ".join(f"{one.source}: {one.text}" for one in problems))
    if len(sources) == 1 and path == place:
        return path, sources[0]
    for source in sources:
        if source.name == place:
            return path, source
    names = sorted(source.name for source in sources)
    near = difflib.get_close_matches(place, names, 1, 0) if path != place else names[:1]
    raise UsageError(f"'{path}' holds {len(sources):,} logs; say which, such as '{near[0]}:LINE'")


def _record(source: Source, line: int) -> _Record:
    form, stream = whole_records(source)
    count = 0
    for chunk in stream:
        count = chunk.first_line + chunk.data.count(b"\n") - 1
        if count < line:
            continue
        found = headers(Selector(None), chunk, form)
        mine = found.filter(pl.col("line") <= line)
        if mine.is_empty():
            why = "it stands before the first one" if len(found) else "no line has a recognised header"
            raise UsageError(f"line {line:,} of '{source.name}' belongs to no record: {why}")
        header = mine.row(-1, named=True)
        after = found.filter(pl.col("line") > line)["line"]
        return _Record(header["line"], after[0] - 1 if len(after) else count, header)
    raise UsageError(f"'{source.name}' has no line {line:,}; its last one is {count:,}")


def _rows(session: Session, record: _Record) -> Iterator[tuple[str, str]]:
    header, log = record.header, session.log
    event = log.events.table.filter(pl.col("line") == record.first)
    yield "record", f"line {record.first:,}" + (f" to {record.last:,}" if record.last > record.first else "")
    yield "time", iso(header["time"], session.tz)
    yield "level", header["level"]
    yield "logger", header["logger"]
    yield "thread", header["thread"]
    job = f"job-{header['job']}" + (f" of job-{header['origin']}" if header["origin"] else "") if header["job"] else ""
    yield "context", words.joined([header["run"], job]) or "none"
    yield "logid", header["logid"] or "none"
    who = (session.sources[0].server, *(header[c] for c in ("thread", "run", "job", "origin")))
    yield "actor", log.names.name(*who)
    yield "message", header["message"]
    if len(event):
        yield from _of_event(log, event, header["message"])
    else:
        yield "event", "none: no template of the grammars fits the message"
        for template in _alike(log.catalog, header["message"]):
            yield "alike", f"{template.event}: {template.template.text} ({_place(template)})"
    yield from _intervals(session, record, event)


def _of_event(log: Log, event: pl.DataFrame, message: str) -> Iterator[tuple[str, str]]:
    name = event["event"][0]
    title = log.teller.titles(log.items.of(named(name), []).filter(pl.col("open_eid") == event["eid"][0]))
    yield "event", f"{name}: {next(iter(title.values()))}"
    templates = event_templates(log.catalog, {name})
    for text, template in product(readings(message), templates):
        if re.match(template.shape.regex, text):
            releases = log.catalog.events[name].matches[template.index].releases
            which = f", release {releases_text(releases)}" if releases else ""
            yield "template", f"{template.template.text} ({_place(template)}{which})"
            break
    row = next(event_frames(log, event["eid"])).row(0, named=True)
    for path, value in json.loads(row["fields"]).items():
        yield "fields", f"{path} = {value}"
    for text in row["resources"]:
        kind, _, id = text.partition(":")
        resource = log.identity.resource(kind, id)
        names = words.joined(one for one in (resource.name, resource.uuid) if one != id)
        yield "resources", f"{text} ({names})" if names else text


def _alike(catalog: Catalog, message: str) -> list[EventTemplate]:
    """Templates that begin as the message does."""
    return [one for one in event_templates(catalog) if one.prefix and message.startswith(one.prefix)][:_MOST_ALIKE]


def _place(template: EventTemplate) -> str:
    span = template.template.span
    return f"{span.path}:{span.line}"


def _intervals(session: Session, record: _Record, event: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """The intervals that the record opens, closes, tells of, or lies in by its actor or a resource."""
    items = interval_items(session.log)
    eid = event["eid"][0] if len(event) else None
    header = record.header
    mine = pl.lit(False)
    if header["run"]:
        mine = (pl.col("thread") == header["thread"]) & (pl.col("run") == header["run"])
    if eid is not None:
        owned = session.log.events.resources.filter(pl.col("eid") == eid)
        names = owned.select(pl.concat_str("kind", pl.lit(":"), "id")).to_series()
        mine |= (pl.col("family") == event["family"][0]) | (
            pl.col("resources").list.set_intersection(names.implode()).list.len() > 0
        )
    columns = (("opens", "open_eid"), ("closes", "close_eid"), ("tells of", "of_eid"))
    ends = pl.any_horizontal(*(pl.col(column).eq_missing(eid) for _, column in columns)) if eid is not None else False
    around = (pl.col("start") <= header["time"]) & (pl.col("end") >= header["time"]) & mine.fill_null(False)
    groups = [(label, items.filter(pl.col(c) == eid)) for label, c in columns] if eid is not None else []
    groups.append(("lies in", items.filter(around & ~pl.lit(ends) if ends is False else around & ~ends)))
    titles = session.log.teller.titles(items)
    for label, rows in groups:
        for row in rows.head(_MOST_AROUND).iter_rows(named=True):
            ending = words.ending(row["outcome"])
            when = f"{stretch(row['start'], row['end'], header['time'])}, {duration(row['end'] - row['start'])}"
            yield label, f"{row['of']}: {titles[row['item']]}, {when}" + (f" ({ending})" if ending else "")
        if len(rows) > _MOST_AROUND:
            yield label, f"and {len(rows) - _MOST_AROUND:,} more"
