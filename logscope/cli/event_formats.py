"""Events as a table, JSON Lines, CSV and Parquet, frame by frame, so that few are in memory at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from logscope import moments
from logscope.cli.console import write
from logscope.cli.tables import table
from logscope.errors import LogscopeError
from logscope.report.parts.times import iso, moment

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = ("time", "source", "line", "event", "actor", "resources", "fields", "text")
_HEADS = ("TIME", "EVENT", "WHO", "RESOURCES", "LINE")
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Frames = Iterator["pl.DataFrame"]
Put = Callable[[str | bytes], None]


@contextmanager
def _to(output: Path | None) -> Iterator[Put]:
    """What takes pieces of the output: a file or standard output."""
    if output is None:
        yield write
        return
    try:
        with output.open("wb") as file:
            yield lambda piece: _write(file, piece)
    except OSError as error:
        raise LogscopeError(f"cannot write '{output}': {error.strerror}") from None


def _write(file: BinaryIO, piece: str | bytes) -> None:
    file.write(piece.encode() if isinstance(piece, str) else piece)


def _table(frames: Frames, tz: str, output: Path | None) -> None:
    """All rows at once, for the widths of the columns depend on every one of them."""
    columns = ("time", "event", "actor", "resources", "source", "line")
    rows = [
        (moment(time) + tz, event, actor, " ".join(resources), f"{source}:{line}")
        for frame in frames
        for time, event, actor, resources, source, line in frame.select(columns).iter_rows()
    ]
    with _to(output) as put:
        put(table(_HEADS, rows))


def _jsonl(frames: Frames, tz: str, output: Path | None) -> None:
    with _to(output) as put:
        for frame in frames:
            lines = []
            for row in frame.select(_COLUMNS).iter_rows(named=True):
                row["time"], row["fields"] = iso(row["time"], tz), json.loads(row["fields"])
                lines.append(json.dumps(row) + "\n")
            put("".join(lines))


def _csv(frames: Frames, tz: str, output: Path | None) -> None:
    with _to(output) as put:
        put(_csv_lines([_COLUMNS]))
        for frame in frames:
            rows = frame.select(_COLUMNS).iter_rows(named=True)
            put(_csv_lines([_csv_row(row, tz) for row in rows]))


def _csv_row(row: dict[str, Any], tz: str) -> tuple[str, ...]:
    row["time"], row["resources"] = iso(row["time"], tz), " ".join(row["resources"])
    return tuple(_harmless(str(row[column])) for column in _COLUMNS)


def _csv_lines(rows: list[tuple[str, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet runs: what begins like a formula and is no number gets an apostrophe."""
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


class _Sink(io.RawIOBase):
    """A file that only goes forward, as Parquet is written."""

    def __init__(self, put: Put) -> None:
        self._put, self._at = put, 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, piece: Any) -> int:
        data = bytes(piece)
        self._put(data)
        self._at += len(data)
        return len(data)


def _parquet(frames: Frames, tz: str, output: Path | None) -> None:
    import polars as pl
    import pyarrow.parquet

    from logscope.query import EVENT_COLUMNS

    schema = _arrow(pl.DataFrame(schema=EVENT_COLUMNS), tz).schema
    with _to(output) as put, pyarrow.parquet.ParquetWriter(_Sink(put), schema, compression="zstd") as writer:
        for frame in frames:
            writer.write_table(_arrow(frame, tz))


def _arrow(frame: pl.DataFrame, tz: str) -> Any:
    """The frame for Parquet: times as instants if the zone is known, else as the log has them."""
    import polars as pl

    time = (pl.col("time") - (moments.offset_length(tz) if tz else 0)).cast(pl.Datetime("us"))
    return frame.with_columns(time.dt.replace_time_zone("UTC") if tz else time).to_arrow()


FORMATS: dict[str, Callable[[Frames, str, Path | None], None]] = {
    "table": _table,
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
}
SUFFIXES = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".txt": "table"}
