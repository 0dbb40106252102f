"""Cutting messages at literals finds what the templates' own expressions find."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.fitting import Router
from logscope.language.catalog import Catalog
from logscope.language.load import load
from logscope.language.oracle import Oracle
from logscope.language.template import EventTemplate, event_templates, readings
from logscope.reading import TypeReader

# Few letters and much repetition, so that a message can be cut in more than one way.
_PIECE = st.sampled_from(["ab", "a", " ", "b a", "-", "1", ", ", "] [", "x", "aab"])
_FIELD = st.sampled_from(["int", "word", "name", "text", "hex", "uuid", "thing"])
_UUID = "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a"
_VALUE = st.sampled_from(
    ["1", "-7", "12", "a", "ab", "a b", "", "é", "x:3", "x:a", "f0", _UUID, "] [", " java.io.IOException: a"]
)
_END = st.sampled_from(["", "", " ", "  ", "\t"])


@st.composite
def _templates(draw: st.DrawFn) -> str:
    parts, number = [], 0
    for _ in range(draw(st.integers(1, 4))):
        parts.append("".join(draw(st.lists(_PIECE, min_size=1, max_size=2))))
        if draw(st.booleans()):
            parts.append(f"{{f{number}:{draw(_FIELD)}}}")
            number += 1
    return "".join(parts)


def _catalog(folder: Path, templates: list[str]) -> Catalog:
    events = "\n".join(f"event e{n}\n  match | {text}\n" for n, text in enumerate(dict.fromkeys(templates)))
    (folder / "t.lsg").write_text(f"grammar t\n\ntype thing\n  match | x:{{id:int}}\n  match | {{id:int}}\n\n{events}")
    return load([folder], use_cache=False)[0]


def _by_expression(templates: list[EventTemplate], message: str) -> tuple[str, dict[str, str | None]] | None:
    for text, template in product(readings(message), templates):
        found = re.match(template.shape.regex, text)
        if found:
            fields = {item.name: found[f"f{n}"] for n, item in enumerate(template.shape.fields)}
            return template.event, {**fields, "exception": found["exception"]}
    return None


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_cuts_and_expressions_agree(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    catalog = _catalog(tmp_path_factory.mktemp("g"), data.draw(st.lists(_templates(), min_size=1, max_size=3)))
    templates = event_templates(catalog)
    messages = []
    for template in templates:
        for _ in range(6):
            filled = re.sub(r"\{\w+:\w+\}", lambda _: data.draw(_VALUE), template.template.text)
            messages.append(filled + data.draw(_VALUE) * data.draw(st.booleans()) + data.draw(_END))
    frame = pl.DataFrame({"message": messages}, schema={"message": pl.String}).with_row_index("row")
    fitted = Router(templates, TypeReader(catalog)).route(frame)
    found = {row["row"]: (event, row) for event, rows in fitted.items() for row in rows.iter_rows(named=True)}
    for number, message in enumerate(messages):
        event, row = found.get(number, (None, {}))
        wanted = _by_expression(templates, message)
        assert event == (wanted[0] if wanted else None), message
        if wanted:
            assert {name: row[name] for name in wanted[1]} == wanted[1], message


def test_a_field_is_cut_further_on_where_the_first_place_gives_the_wrong_kind(tmp_path: Path) -> None:
    catalog = _catalog(tmp_path, ["Moved {what:text} to {place:int} of {all:int}"])
    message = "Moved a to b to 5 of 7"
    frame = pl.DataFrame({"row": [0], "message": [message]}, schema={"row": pl.UInt32, "message": pl.String})
    fitted = Router(event_templates(catalog), TypeReader(catalog)).route(frame)["e0"]
    assert fitted.select("what", "place", "all").row(0) == ("a to b", "5", "7")


@pytest.mark.parametrize("end", ["", " ", " \t", " \r"])
def test_a_template_that_ends_with_a_blank_fits_whatever_blanks_follow(tmp_path: Path, end: str) -> None:
    catalog = _catalog(
        tmp_path, ["No work left, returning. ", "It failed due to: {reason:text}", "Moved to {place:word}"]
    )
    messages = [f"No work left, returning. {end}", f"It failed due to: {end}", f"Moved to a-1{end}"]
    frame = pl.DataFrame({"message": messages}).with_row_index("row")
    fitted = Router(event_templates(catalog), TypeReader(catalog)).route(frame)
    assert {name: rows["row"].to_list() for name, rows in fitted.items()} == {"e0": [0], "e1": [1], "e2": [2]}
    assert (fitted["e1"]["reason"].item(), fitted["e2"]["place"].item()) == ("", "a-1")
    read = [Oracle(catalog).message(message) for message in messages]
    assert [one and (one.name, one.fields) for one in read] == [
        ("e0", {}),
        ("e1", {"reason": ""}),
        ("e2", {"place": "a-1"}),
    ]
