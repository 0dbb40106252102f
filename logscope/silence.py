"""Long silences of a log, found without a look at every line: bytes are halved only where much time has passed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

LEAST = 300 * 1_000_000  # µs; what is shorter is no silence
_HEADER = re.compile(rb"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}", re.MULTILINE)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Silence = tuple[int, int]


def silences(data: bytes) -> list[Silence]:
    """From when to when nothing is logged between two records of whole lines, µs as written, in their order.

    Records are told by a date at the beginning of a line; of logs that have none there, nothing is said.
    """
    first = _HEADER.search(data)
    last = _last(data, 0, len(data))
    if first is None or last is None:
        return []
    found: list[Silence] = []
    parts = [(first.start(), _time(data, first.start()), last, _time(data, last))]
    while parts:
        low, since, high, until = parts.pop()
        if until - since < LEAST or low == high or not since:
            continue
        middle = (low + high) // 2 + 1
        next_one = _HEADER.search(data, middle, high)
        if next_one is not None:
            time = _time(data, next_one.start())
            parts += [(next_one.start(), time, high, until), (low, since, next_one.start(), time)]
            continue
        # Nothing begins in the second half: what lies before it is followed by the upper end at once.
        before = _last(data, low, middle)
        time = since if before is None else _time(data, before)
        if until - time >= LEAST:
            found.append((time, until))
        if before is not None and before != low:
            parts.append((low, since, before, time))
    return sorted(found)


def _last(data: bytes, low: int, high: int) -> int | None:
    """Where the last record begins that begins at `low` or behind it and before `high`."""
    at = high
    while at > low:
        at = data.rfind(b"\n", low, at - 1) + 1
        if at == 0:
            at = low
        if _HEADER.match(data, at):
            return at
    return low if _HEADER.match(data, low) else None


def _time(data: bytes, at: int) -> int:
    text = data[at : at + 23].decode().replace(",", ".").replace("T", " ")
    try:
        return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
    except ValueError:  # a date such as 2026-02-31: of what lies around it nothing is said
        return 0
