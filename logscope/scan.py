"""One source as records: its header form, its chunks of whole records, the records in them that count."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import polars as pl

from logscope.lines import chunks, valid_utf8
from logscope.model import Chunk, Source
from logscope.records import FORMS, NO_HEADER, HeaderForm, Selection, Selector, align, parse_headers, sniff
from logscope.silence import Silence, silences

Result = TypeVar("Result")

AHEAD = 2  # chunks that are worked on while one is waited for
_SNIFFED_BYTES = 1 << 18
_NOTHING = pl.DataFrame(schema={"line": pl.UInt32, "text": pl.String, "tail": pl.String})
_PLAIN = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:")


def whole_records(source: Source, told: Callable[[int], None] | None = None) -> tuple[HeaderForm, Iterator[Chunk]]:
    """The header form of a source and its chunks, cut where records begin if the form tells that by bytes."""
    stream = chunks(source, progress=told)
    first = next(stream, None)
    if first is None:
        return NO_HEADER, stream
    form = form_of(first)
    return form, align(chain([first], stream), form)


def form_of(first: Chunk) -> HeaderForm:
    """The header form of a source by its first chunk."""
    return sniff(first.data[:_SNIFFED_BYTES])


@dataclass(frozen=True, slots=True)
class Part:
    """What one chunk gave; `records` are the candidates of `selection` with the columns of `records.parse_headers`.

    `silences` are as of `silence.silences`, and shifted as the times of the records are.
    """

    selection: Selection
    records: pl.DataFrame
    silences: list[Silence]


def read_part(selector: Selector, chunk: Chunk, form: HeaderForm, shift: int = 0) -> Part:
    """Select from one chunk, whatever bytes it holds; `shift` (µs) is added to the times of the records."""
    if form is NO_HEADER:
        selection = Selection(_NOTHING, chunk.data.count(b"\n"), 0, 0, "", "")
        return Part(selection, parse_headers(_NOTHING, FORMS[0]), [])
    try:
        selection = selector.select(chunk, form)
    except pl.exceptions.ComputeError:  # what polars says to a byte that is not UTF-8
        data, replaced = valid_utf8(chunk.data)
        selection = selector.select(Chunk(data, chunk.first_line), form, replaced)
    records = parse_headers(selection.candidates, form)
    silent = [(since + shift, until + shift) for since, until in silences(chunk.data)] if form.plain else []
    return Part(selection, records.with_columns(pl.col("time") + shift) if shift else records, silent)


def in_order(pool: Executor, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
    """Work on chunks on several threads, few of them ahead; results come in the order of the chunks."""
    waiting: deque[Future[Result]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(work, chunk))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def headers(selector: Selector, chunk: Chunk, form: HeaderForm, shift: int = 0) -> pl.DataFrame:
    """The selected records of one chunk with their header fields; columns as of `records.parse_headers`."""
    return read_part(selector, chunk, form, shift).records


def starts_record(form: HeaderForm) -> Callable[[bytes], bool]:
    """Tells whether a line begins a record."""
    if form.plain:
        return lambda line: _PLAIN.match(line) is not None
    if form is NO_HEADER:
        return lambda line: True
    header = re.compile(form.regex)
    return lambda line: header.match(line.decode("utf-8", "replace")) is not None
