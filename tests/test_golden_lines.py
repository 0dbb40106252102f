"""The golden lines in one pass, each through the oracle too."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest
from golden_lines import GoldenLine, expected, text
from test_grammars import shipped

from logscope.demand import for_everything
from logscope.language.oracle import Oracle
from logscope.pipeline import Log, read_text
from logscope.records import FORMS, parse_headers


@cache
def log() -> Log:
    catalog = shipped()[0]
    return read_text(text(), catalog, for_everything(catalog, all_fields=True))


@cache
def read() -> dict[int, tuple[str, frozenset[str]]]:
    events = log().events
    resources: dict[int, set[str]] = {}
    for eid, kind, id in events.resources.select("eid", "kind", "id").iter_rows():
        resources.setdefault(eid, set()).add(f"{kind}:{id}")
    rows = events.table.select("line", "eid", "event").iter_rows()
    return {line: (event, frozenset(resources.get(eid, ()))) for line, eid, event in rows}


@pytest.mark.parametrize("golden", expected(), ids=lambda g: f"{g.line}-{g.event}")
def test_line_is_read_as_its_event_with_its_resources(golden: GoldenLine) -> None:
    event, resources = read().get(golden.line, (None, frozenset()))
    assert event == golden.event
    if golden.event is not None:
        assert set(golden.resources) <= resources


def test_oracle_agrees_on_event_and_fields() -> None:
    catalog = shipped()[0]
    oracle = Oracle(catalog)
    lines = text().split("\n")
    frame = pl.DataFrame({"text": [line for line in lines if line]})
    messages = parse_headers(frame, FORMS[0])["message"].to_list()
    records = [n for n, line in enumerate(lines, 1) if FORMS[0].plain and line[:2] == "20"]
    for line, message in zip(records, messages, strict=True):
        reading = oracle.message(message)
        event, _ = read().get(line, (None, frozenset()))
        assert (reading.name if reading else None) == event, f"line {line}"
