"""Times as people write them: bounds of a window, the zone in which a log was written.

The log names no zone. Bounds are therefore times as the log writes them, and a zone changes nothing
but how times are shown.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from logscope.errors import UsageError

DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)
_FORM = re.compile(
    r"(?:(?P<date>\d{4}-\d\d-\d\d)(?:[ T](?=\d)|$))?"
    r"(?:(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,6}))?)?)?"
)
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d?)(?::?(?P<minutes>\d\d))?")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as asked for, in µs: all of `first` … `last` fits what was written, a day or a minute, say.

    They count from 1970-01-01 or, where only the clock was given (`is_clock`), from midnight.
    """

    text: str
    is_clock: bool
    first: int
    last: int

    def on(self, day: int) -> Moment:
        """The same with its day: `day` is the µs of the midnight that a mere clock time counts from."""
        return Moment(self.text, False, day + self.first, day + self.last) if self.is_clock else self


def parse(text: str) -> Moment:
    """Read `2026-10-29T01:20:23.709`, a shorter form of it, or the clock alone (`01:20`).

    Raises:
        UsageError: it is none of these, or no such time exists.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None or not (found["date"] or found["hour"]):
        hint = "give it as the log writes it, such as 2026-10-29T01:20:23.709, 2026-10-29 01:20, 2026-10-29 or 01:20"
        raise UsageError(f"'{text}' is no time that can be read; {hint}")
    try:
        day = date.fromisoformat(found["date"]) if found["date"] else _EPOCH
        clock = timedelta()
        length = timedelta(days=1)
        if found["hour"]:
            second, fraction = found["second"] or "0", (found["fraction"] or "").ljust(6, "0")
            read = datetime(1970, 1, 1, int(found["hour"]), int(found["minute"]), int(second), int(fraction))
            clock = read - datetime(1970, 1, 1)
            length = timedelta(seconds=1) if found["second"] else timedelta(minutes=1)
            if found["fraction"]:
                length = timedelta(microseconds=10 ** (6 - len(found["fraction"])))
    except ValueError as error:
        raise UsageError(f"there is no time '{text}': {error}") from None
    first = ((day - _EPOCH) + clock) // timedelta(microseconds=1)
    return Moment(text, not found["date"], first, first + length // timedelta(microseconds=1) - 1)


def day_of(time: int) -> int:
    """The midnight before `time`, both in µs."""
    return time - time % DAY


def day_text(time: int) -> str:
    """`2026-10-29` of a time in µs."""
    return str(_EPOCH + timedelta(days=time // DAY))


def check_zone(zone: str) -> None:
    """Raise UsageError unless `zone` is empty, an offset such as `+02:00`, or the name of a zone."""
    if zone and _fixed(zone) is None:
        _zone(zone)


def is_offset(zone: str) -> bool:
    """Whether `zone` is an offset (or UTC), not the name of a zone."""
    return _fixed(zone) is not None


def offset(zone: str, first: int, last: int) -> str:
    """The offset such as `+02:00` that clocks in `zone` have from `first` to `last` (µs); "" for no zone.

    Raises:
        UsageError: there is no such zone, or its clocks change in between, so that no one offset is right.
    """
    if not zone:
        return ""
    fixed = _fixed(zone)
    if fixed is not None:
        return fixed
    rules = _zone(zone)
    before, after = (_text(_wall(time).replace(tzinfo=rules).utcoffset() or timedelta()) for time in (first, last))
    if before != after:
        raise UsageError(
            f"the clocks of '{zone}' change from {before} to {after} within this log; "
            f"give --tz {before} or --tz {after}, or a part of the log by --since and --until"
        )
    return before


def offset_length(offset: str) -> int:
    """The µs by which clocks at `offset` (such as `+02:00`) are ahead of UTC."""
    minutes = int(offset[1:3]) * 60 + int(offset[4:6])
    return (-minutes if offset[0] == "-" else minutes) * 60_000_000


def offset_text(length: int) -> str:
    """`+02:00` of a length in µs."""
    return _text(timedelta(microseconds=length))


def _wall(time: int) -> datetime:
    return datetime(1970, 1, 1) + timedelta(microseconds=time)


def _fixed(zone: str) -> str | None:
    if zone in ("Z", "UTC"):
        return "+00:00"
    found = _OFFSET.fullmatch(zone)
    if found is None:
        return None
    hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
    if hours > 23 or minutes > 59:
        raise UsageError(f"there is no offset '{zone}'; give one such as +02:00")
    return f"{found['sign']}{hours:02d}:{minutes:02d}"


def _text(offset: timedelta) -> str:
    minutes = offset // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _zone(zone: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = difflib.get_close_matches(zone, sorted(available_timezones()), 1)
        hint = f"did you mean '{near[0]}'?" if near else "give one such as Europe/Berlin or +02:00"
        raise UsageError(f"there is no time zone '{zone}'; {hint}") from None
