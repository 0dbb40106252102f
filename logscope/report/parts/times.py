"""Times and durations in words. Times are microseconds as in the model, durations too."""

from __future__ import annotations

from datetime import datetime, timedelta

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1)


def iso(time: int, tz: str = "") -> str:
    """`2026-10-29T01:20:23.709`, with the offset appended if there is one."""
    return (_EPOCH + timedelta(microseconds=time)).isoformat(timespec="milliseconds") + tz


def from_iso(text: str, tz: str = "") -> int:
    """Microseconds of what `iso` wrote; raises ValueError for anything else."""
    moment = datetime.fromisoformat(text.removesuffix(tz) if tz else text)
    if moment.tzinfo is not None:
        raise ValueError(f"'{text}' has another offset than the report")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def date(time: int) -> str:
    """`2026-10-29`."""
    return iso(time)[:10]


def clock(time: int) -> str:
    """`01:20:23.709`."""
    return iso(time)[11:]


def moment(time: int, near: int | None = None) -> str:
    """The clock alone on the day of `near`, else with the date: `2026-10-29 01:20:23.709`."""
    if near is not None and time // DAY == near // DAY:
        return clock(time)
    return f"{date(time)} {clock(time)}"


def stretch(start: int, end: int, near: int | None = None) -> str:
    """`01:20:23.709 – 01:21:02.030`, or the one moment if both are the same."""
    if start == end:
        return moment(start, near)
    return f"{moment(start, near)} – {moment(end, start)}"


def duration(length: int) -> str:
    """`38.321 s`, `12 min 4.250 s`, `26 h 3 min 1 s`: exact to the millisecond below one hour."""
    if length < 2 * MINUTE:
        return f"{length / SECOND:.3f} s"
    hours, rest = divmod(length, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    if hours:
        return f"{hours:,} h {minutes} min {rest // SECOND} s"
    return f"{minutes} min {rest / SECOND:.3f} s"
