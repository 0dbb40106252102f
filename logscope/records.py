"""Lines to records: where records start, which lines are candidates, what their headers say.

A record is one log4j entry: a header line and the lines below it that have no header of their own.
Only candidate lines (those that contain a literal of some template asked for) are looked at closely;
of all others only the number is kept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from logscope.language.template import cover, quote
from logscope.model import Chunk

_LEVELS = "TRACE|DEBUG|INFO|WARN|ERROR|FATAL"
# Digits as [0-9]: those of all scripts of the world make automata many times as large.
_CLOCK = r"(?P<clock>[0-9]{2}:[0-9]{2}:[0-9]{2})"
_DATE = rf"(?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})[ T]{_CLOCK}[,.](?P<milli>[0-9]{{3}})"
_SYSLOG = rf"(?P<date>[A-Z][a-z]{{2}} [ 0-9][0-9]) {_CLOCK} \S+ \S+: (?P<milli>)"
# A time that the shipper of undated lines put before them: a container's, a CI job's, the journal's in ISO form.
_STAMP = (
    rf"(?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})[ T]{_CLOCK}(?:[,.](?P<milli>[0-9]{{3}})[0-9]*)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})? (?:.{0,80}?\s)??"
)
_BOOT = (
    rf"\s+(?P<level>{_LEVELS})\s+(?:\(logid:\s*(?P<logid>[^)]*)\)\s+)?[0-9]+ --- "
    r"\[\s*(?P<thread>[^\]]*)\]\s+(?P<logger>\S+)(?P<context>)\s*:\s"
)
# Who asked stands where others have their thread: it is the only actor that such a line names.
_ACCESS = (
    r"(?P<thread>\S+) \S+ \S+ \[(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4})[: ]"
    rf"{_CLOCK}(?: [+-][0-9]{{4}})?(?P<milli>)(?P<level>)(?P<logger>)(?P<context>)(?P<logid>)\] "
)
_REST = (
    rf"\s*(?P<level>{_LEVELS})\s+\[(?P<logger>[^\]\s]+)\]\s*"
    r"\((?P<thread>[^():]*(?:\([^)]*\))?[^():]*):(?P<context>\[[^\]]*\]|[^()]*(?:\([^()]*\)[^()]*)*)\)\s"
    r"\s*(?:\(logid:\s*(?P<logid>[^)]*)\)\s)?"
)
_MAX_TAIL_LINES = 60
_MAX_TAIL_BYTES = 64 << 10
_MAX_CARRIED = 8 << 20
_SYSLOG_YEAR = 2000
_SNIFFED_LINES = 400
_SAMPLED_BYTES = 1 << 18
_TIME: Any = {"time_unit": "us", "strict": False}


@dataclass(frozen=True, slots=True)
class HeaderForm:
    """One physical form of the header. `plain` headers start at column one with a date, so bytes tell them.

    `head` fits all that stands before the message. Forms of one `family` can stand in files of one kind.
    """

    name: str
    head: str
    plain: bool
    family: str = "log4j"

    @property
    def regex(self) -> str:
        """Fits the whole first line of a record; the groups are those of the header, and `message`."""
        return f"^{self.head}(?P<message>.*)$"


FORMS = (
    HeaderForm("log4j", _DATE + _REST, True),
    HeaderForm("prefixed", ".{0,200}?" + _DATE + _REST, False),
    HeaderForm("syslog", ".{0,200}?" + _SYSLOG + _REST, False),
    HeaderForm("stamped", ".{0,200}?" + _STAMP + _REST, False),
    HeaderForm("boot", _DATE + _BOOT, True),
    HeaderForm("access", _ACCESS, False, "access"),
)
NO_HEADER = HeaderForm("none", "", False)


def sniff(head: bytes) -> HeaderForm:
    """Tell the header form from the first lines of a source; `NO_HEADER` when none is recognised."""
    lines = pl.Series(head.decode("utf-8", "replace").splitlines()[:_SNIFFED_LINES], dtype=pl.String)
    found = {form: int(lines.str.contains(f"^{form.head}").sum()) for form in FORMS}
    best = max(FORMS, key=lambda form: found[form])
    # Prefixed forms also fit plain headers; they are worth their price only where they find clearly more.
    if found[FORMS[0]] * 2 >= found[best]:
        best = FORMS[0]
    return best if found[best] else NO_HEADER


@dataclass(slots=True)
class Selection:
    """What one chunk gave. `candidates`: line (u32), text (header line), tail (lines below it, or null).

    `ends` are the header lines of the earliest and the latest time; none where bytes do not tell the times.
    """

    candidates: pl.DataFrame
    lines: int
    records: int
    unreadable: int
    first_header: str
    last_header: str
    ends: tuple[str, ...] = ()


def align(chunks: Iterable[Chunk], form: HeaderForm) -> Iterator[Chunk]:
    """Give the lines that a chunk begins with and that belong to the record above back to the chunk before."""
    before: Chunk | None = None
    for chunk in chunks:
        cut = _first_header(chunk.data) if form.plain and before is not None else 0
        if before is not None and cut:
            before = Chunk(before.data + chunk.data[:cut], before.first_line)
            chunk = Chunk(chunk.data[cut:], chunk.first_line + chunk.data.count(b"\n", 0, cut))
        if before is not None:
            yield before
        before = chunk if chunk.data else None
    if before is not None:
        yield before


_HEADER_START = re.compile(rb"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}", re.MULTILINE)


def _first_header(data: bytes) -> int:
    """Where the first record begins; 0 when none does soon, so that nothing is moved."""
    found = _HEADER_START.search(data, 0, _MAX_CARRIED)
    return found.start() if found else 0


class Selector:
    """Selects the candidate lines of chunks; one instance for one set of literals.

    `literals` None asks for every record.
    """

    def __init__(self, literals: list[str] | None) -> None:
        self._regex = None if literals is None else "|".join(quote(text) for text in literals)
        self._literals = literals or []
        self._cover = ""

    def select(self, chunk: Chunk, form: HeaderForm, replaced: int = 0) -> Selection:
        """Candidates of one chunk whose bytes are valid UTF-8; `replaced` lines were mended before."""
        data = chunk.data
        if chunk.first_line == 1 or not self._cover:
            # By the lines that a source begins with; which texts these are has no bearing on what is selected.
            texts = cover(self._literals, data[:_SAMPLED_BYTES])
            self._cover = "|".join(quote(text) for text in texts)
        lines = pl.read_lines(io.BytesIO(data), name="text").to_series()
        buffer = np.frombuffer(data, np.uint8)
        ends = np.cumsum(lines.str.len_bytes().to_numpy().astype(np.int64) + 1) - 1
        if not len(ends) or ends[-1] != len(data) - 1:  # carriage returns were taken off
            ends = np.flatnonzero(buffer == 10)
        starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1] + 1))
        header = _plain_headers(buffer, starts) if form.plain else lines.str.contains(f"^{form.head}").to_numpy()
        index = np.flatnonzero(header)
        if self._regex is not None:
            likely = lines.str.contains(self._cover).to_numpy() if self._regex else np.zeros(len(starts), bool)
            index = np.flatnonzero(likely & header)
            index = index[lines.gather(index).str.contains(self._regex).to_numpy()]
        headers = np.flatnonzero(header)
        candidates = pl.DataFrame(
            {
                "line": pl.Series(index + chunk.first_line, dtype=pl.UInt32),
                "text": lines.gather(index),  # a copy: a filtered column would keep the whole chunk alive
                "tail": pl.Series(_tails(data, starts, ends, header, headers, index), dtype=pl.String),
            }
        )
        return Selection(
            candidates,
            len(starts),
            len(headers),
            replaced,
            lines[int(headers[0])] if len(headers) else "",
            lines[int(headers[-1])] if len(headers) else "",
            tuple(lines[int(headers[at])] for at in _ends(buffer, starts[headers])) if form.plain else (),
        )


_TIME_BYTES = 23  # of `yyyy-MM-dd HH:mm:ss,SSS`


def _ends(buffer: np.ndarray, starts: np.ndarray) -> list[int]:
    """Which of the times that begin at some places are the earliest and the latest one; none if there is no time."""
    starts = starts[starts <= len(buffer) - _TIME_BYTES]
    if not len(starts):
        return []
    texts = np.lib.stride_tricks.sliding_window_view(buffer, _TIME_BYTES)[starts]
    found = []
    for choose in (min, max):
        rivals = np.arange(len(starts))
        # Eight bytes at once: the date (of a century), then the clock.
        for low, high in ((2, 10), (11, 19)):
            words = np.ascontiguousarray(texts[rivals, low:high]).view(">u8").ravel()
            rivals = rivals[words == (words.min() if choose is min else words.max())]
        found.append(int(choose(rivals, key=lambda at: texts[at, 20:].tobytes())))
    return found


def _plain_headers(buffer: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Which lines begin with a time of the form `yyyy-MM-dd HH:mm:ss,SSS`, told by a few bytes."""
    padded = np.minimum(starts[:, None] + np.array([0, 4, 7, 13, 16]), len(buffer) - 1)
    first, dash1, dash2, colon1, colon2 = buffer[padded].T
    digit = (first >= ord("0")) & (first <= ord("9"))
    found: np.ndarray = digit & (dash1 == ord("-")) & (dash2 == ord("-")) & (colon1 == ord(":")) & (colon2 == ord(":"))
    return found


def _tails(
    data: bytes, starts: np.ndarray, ends: np.ndarray, header: np.ndarray, headers: np.ndarray, index: np.ndarray
) -> list[str | None]:
    tails: list[str | None] = [None] * len(index)
    following = np.minimum(index + 1, len(starts) - 1)
    for place in np.flatnonzero(~header[following] & (index + 1 < len(starts))):
        at = int(index[place])
        after = int(np.searchsorted(headers, at, side="right"))
        end = int(headers[after]) if after < len(headers) else len(starts)
        end = min(end, at + 1 + _MAX_TAIL_LINES)
        stop = min(int(ends[end - 1]), int(starts[at + 1]) + _MAX_TAIL_BYTES)
        tails[int(place)] = data[int(starts[at + 1]) : stop].decode("utf-8", "replace")
    return tails


def parse_headers(candidates: pl.DataFrame, form: HeaderForm) -> pl.DataFrame:
    """Add the header's fields to candidates; rows whose header does not fit are left out.

    Adds: time (i64 µs), level, logger, thread, run, job, origin, work (i64 or null), logid, message.
    """
    # The message is what is left: as a group of the expression it would cost ten times as much.
    groups = candidates["text"].str.extract_groups(f"^(?P<head>{form.head})").struct.unnest()
    message = pl.col("text").str.slice(pl.col("head").str.len_chars()).alias("message")
    frame = candidates.with_columns(groups.get_columns()).filter(pl.col("head").is_not_null()).with_columns(message)
    context = pl.col("context")
    number = r"(?:job-([0-9]+)/)?job-([0-9]+)"
    return frame.select(
        *candidates.columns,
        _time(form).alias("time"),
        "level",
        "logger",
        "thread",
        context.str.extract(r"(?-u:\b)(ctx-[0-9a-f]{8})(?-u:\b)").fill_null("").alias("run"),
        context.str.extract(number, 2).cast(pl.Int64, strict=False).alias("job"),
        context.str.extract(number, 1).cast(pl.Int64, strict=False).alias("origin"),
        context.str.extract(r"(?-u:\b)work-([0-9]+)(?-u:\b)").cast(pl.Int64, strict=False).alias("work"),
        # Before there were logids, the context had the whole uuid of the job, whose beginning a logid is.
        pl.coalesce("logid", context.str.extract(r"= \[ ([0-9a-f]{8})-")).fill_null("").alias("logid"),
        "message",
    ).filter(pl.col("time").is_not_null())


def _time(form: HeaderForm) -> pl.Expr:
    milli = pl.col("milli").fill_null("").str.pad_end(3, "0")
    text = pl.concat_str("date", pl.lit(" "), "clock", pl.lit("."), milli)
    if form.name == "syslog":
        parsed = pl.concat_str(pl.lit(f"{_SYSLOG_YEAR} "), text).str.to_datetime("%Y %b %e %H:%M:%S%.3f", **_TIME)
    else:
        parsed = text.str.to_datetime("%Y-%m-%d %H:%M:%S%.3f", **_TIME)
    if form.name == "access":
        parsed = pl.coalesce(parsed, text.str.to_datetime("%d/%b/%Y %H:%M:%S%.3f", **_TIME))
    return parsed.cast(pl.Int64)


def header_time(line: str, form: HeaderForm) -> int | None:
    """The time of one header line in microseconds, None when it has no header of this form."""
    frame = parse_headers(pl.DataFrame({"text": [line]}, schema={"text": pl.String}), form)
    return int(frame["time"][0]) if len(frame) else None
