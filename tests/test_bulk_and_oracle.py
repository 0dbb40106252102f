"""The bulk path and the slow, obvious one read the same out of every sample; and the bulk path is the one that ran."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import polars as pl
import pytest
from test_grammars import shipped

from logscope.extract import Extractor
from logscope.language.oracle import Oracle
from logscope.language.tree import PRIMITIVES, Event, Field, Sample
from logscope.records import FORMS, parse_headers
from logscope.selftest import form_of, message_of, read_texts

Reading = tuple[str, dict[str, str], set[str]]


def samples() -> list[tuple[Event, Sample]]:
    return [(event, sample) for event in shipped()[0].events.values() for sample in event.samples]


def by_oracle() -> list[Reading | None]:
    catalog = shipped()[0]
    oracle, found = Oracle(catalog), []
    for _, sample in samples():
        reading = oracle.message(message_of(sample) or "")
        if reading is None:
            found.append(None)
            continue
        resources = set()
        typed = {
            part.name: part.type
            for rendering in catalog.events[reading.name].matches
            for part in rendering.template.parts
            if isinstance(part, Field) and part.type not in PRIMITIVES
        }
        for name, text in reading.fields.items():
            inner = oracle.resource(typed[name], text) if name in typed else None
            if inner is not None and inner.kind and inner.id is not None:
                resources.add(f"{name} {inner.kind}:{inner.id}")
        found.append((reading.name, {n: t for n, t in reading.fields.items() if n not in typed}, resources))
    return found


@cache
def by_bulk(end: str = "") -> list[Reading | None]:
    catalog = shipped()[0]
    # A file has headers of one form, so each form makes a file of its own.
    files: dict[str, list[str]] = {}
    places = []
    for _, sample in samples():
        name = form_of(sample).name
        lines = files.setdefault(name, [])
        places.append((list(files).index(name), len(lines) + 1))
        lines += [f"{line}{end}" for line in sample.lines]
    log = read_texts(["\n".join(lines) + "\n" for lines in files.values()], catalog)
    columns = ("source", "line", "eid", "event")
    rows = {(source, line): (eid, event) for source, line, eid, event in log.events.table.select(columns).iter_rows()}
    resources: dict[int, set[str]] = {}
    for eid, field, kind, id in log.events.resources.select("eid", "field", "kind", "id").iter_rows():
        resources.setdefault(eid, set()).add(f"{field} {kind}:{id}")
    fields: dict[int, dict[str, str]] = {}
    for frame in log.events.fields.values():
        for row in frame.iter_rows(named=True):
            fields[row.pop("eid")] = {name: text for name, text in row.items() if text is not None}
    found: list[Reading | None] = []
    for place in places:
        eid, event = rows.get(place, (None, ""))
        found.append(None if eid is None else (event, fields.get(eid, {}), resources.get(eid, set())))
    return found


@pytest.fixture(scope="module", params=[by_bulk, by_oracle], ids=["bulk", "oracle"])
def readings(request: pytest.FixtureRequest) -> list[Reading | None]:
    way: Callable[[], list[Reading | None]] = request.param
    return way()


def test_every_sample_is_read_as_its_event(readings: list[Reading | None]) -> None:
    for (event, sample), reading in zip(samples(), readings, strict=True):
        assert reading is not None, sample.lines[0]
        assert reading[0] == event.name.text, sample.lines[0]


@pytest.mark.parametrize("end", [" ", "\t \t", "  \r"], ids=["blank", "tabs", "carriage-return"])
def test_what_ends_a_line_changes_nothing_of_what_is_read(end: str) -> None:
    for (_, sample), plain, ended in zip(samples(), by_bulk(), by_bulk(end), strict=True):
        assert ended == plain, sample.lines[0]
    # The slow way has few of the samples to read again: all would take it a minute.
    oracle = Oracle(shipped()[0])
    for _, sample in samples()[::60]:
        message = message_of(sample) or ""
        assert oracle.message(message + end) == oracle.message(message) != None, sample.lines[0]  # noqa: E711


def test_both_ways_read_the_same_fields_and_resources() -> None:
    for (_, sample), bulk, oracle in zip(samples(), by_bulk(), by_oracle(), strict=True):
        assert bulk is not None
        assert oracle is not None
        assert oracle[1].items() <= bulk[1].items(), sample.lines[0]
        assert oracle[2] <= bulk[2], sample.lines[0]


def test_the_bulk_path_is_the_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a pyparsing grammar was built on the bulk path")

    monkeypatch.setattr(Oracle, "message", refuse)
    extractor = Extractor(shipped()[0], None)
    schema = {"text": pl.String, "tail": pl.String, "line": pl.UInt32}
    text = pl.DataFrame({"text": [samples()[0][1].lines[0]], "tail": [None], "line": [1]}, schema=schema)
    records = parse_headers(text, FORMS[0])
    extractor.add(records.with_columns(pl.lit(0, pl.UInt32).alias("source"), pl.lit("ms1").alias("server")))
    assert extractor.finish().events.table.height == 1
