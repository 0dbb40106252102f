"""What the first or last bytes of a file say: whether it is a log, and when it was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

DEFAULT_KIND = "management-server"
HEAD = 64 << 10  # bytes that are looked at

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SYSLOG_YEAR = 2000  # syslog writes none; a leap year fits every date
_MAX_PREFIX = 200  # of what a shipper, grep or journald puts before a header
_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")
_LEVEL = rb"[ \t]*(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[ \t]+"
_STAMP = rb"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3})"
_DATED = re.compile(_STAMP + rb"[ \t]+" + _LEVEL + rb"[\[(]")
_DATE = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:")
_SYSLOG = re.compile(rb"([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) \S+ \S+:" + _LEVEL + rb"\[[^\]\s]+\][ \t]*\(")
# A time that a container, a CI job or the journal put before an undated line.
_STAMPED = re.compile(
    rb"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[,.](\d{3})\d*)?(?:Z|[+-]\d\d:?\d\d)? (?:[^\n]{0,80}?[ \t])??"
    + _LEVEL
    + rb"\[[^\]\s]+\][ \t]*\("
)
_ACCESS = re.compile(
    rb"^\S+ \S+ \S+ \[(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)/([A-Z][a-z]{2})/(\d{4}))[: ]"
    rb"(\d\d):(\d\d):(\d\d)[^\]\n]{0,8}\] \"",
    re.MULTILINE,
)
# What logscope itself wrote; such a file quotes lines of a log, and often lies beside it.
_OWN = re.compile(
    rb"\s*(?:"
    rb'\{\s*"schema": "logscope/'
    rb'|\{\s*"\$schema": "[^"]*sarif[^"]*",.{0,200}?"name": "logscope"'
    rb'|\{"time": (?:null|"[^"]*"), "source": "'
    rb"|time,source,line,event,actor,resources,fields,text\r?\n"
    rb'|<\?xml[^>]*>\s*<testsuites name="logscope"'
    rb"|<!doctype html>.{0,4000}? \xe2\x80\x93 logscope</title>"
    rb"|# (?:Overlap report|Failed tests and what explains them)\b"
    rb")",
    re.DOTALL,
)
_OPENING = 64  # lines
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# The thread and its context words, some of which are random: two logs that share one were written by one process.
_CONTEXT = re.compile(rb"\(([^()\n]{1,80}:[^()\n]*\b[0-9a-f]{8}\b[^()\n]*)\)")


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first records of a log are known by: hashes of their first lines, whatever white space ends these.

    `begin` is where the first of them stands; `last` (µs) is the latest of their times.
    """

    lines: tuple[int, ...] = ()
    begin: int = 0
    last: int = 0


def is_log(head: bytes) -> bool:
    """Tell whether a line looks like a log4j header with a time, perhaps after a foreign prefix."""
    return _first(as_text(head), _LOG4J) is not None


def is_binary(head: bytes) -> bool:
    """Tell whether this is no text: it has NUL bytes, and not because it is UTF-16 or a log with some in it."""
    return b"\0" in as_text(head) and not is_log(head)


def is_own(head: bytes) -> bool:
    """Tell whether logscope wrote this: a report, or events as CSV or JSON Lines."""
    return _OWN.match(head) is not None


def first_time(head: bytes) -> int | None:
    """Give the time of the first header, in µs since 1970 as written; None if there is none."""
    return _first(as_text(head), (*_LOG4J, (_ACCESS, _access)))


def last_time(tail: bytes) -> int | None:
    """Give the time of the last header, in µs since 1970 as written; None if there is none."""
    for form, time_of in (*_LOG4J, (_ACCESS, _access)):
        times = [time for found in form.finditer(tail) if (time := time_of(found)) is not None]
        if times:
            return times[-1]
    return None


def contexts(data: bytes) -> set[bytes]:
    """Give the thread contexts of log headers that hold a random word."""
    return set(_CONTEXT.findall(data))


def opening(head: bytes) -> Opening:
    """Give what the first records are known by; a line that may be cut off is none of them."""
    lines: list[int] = []
    begin = last = place = 0
    for line in head.split(b"\n")[:-1]:
        time = first_time(line)
        if time is not None:
            begin = begin if lines else place
            last = max(last, time)
            lines.append(print_of(line))
            if len(lines) == _OPENING:
                break
        place += len(line) + 1
    return Opening(tuple(lines), begin, last)


def print_of(line: bytes) -> int:
    """Give a number that is equal for equal lines, whatever a shipper put before them and white space ends them."""
    found = _DATE.search(line, 0, _MAX_PREFIX)
    return hash(stripped(line[found.start() :] if found else line))


def stripped(line: bytes) -> bytes:
    """Give a line without the white space at its end, which a copy may have lost or gained."""
    return line.rstrip(b" \t\r")


def as_text(data: bytes) -> bytes:
    """Give the bytes as UTF-8 if they are UTF-16 with a byte order mark, else as they are."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "ignore").encode()
    return data


def _first(head: bytes, forms: Sequence[_Form]) -> int | None:
    for form, time_of in forms:
        for found in form.finditer(head):
            line_start = head.rfind(b"\n", 0, found.start()) + 1
            time = time_of(found) if found.start() - line_start <= _MAX_PREFIX else None
            if time is not None:
                return time
    return None


def _dated(found: re.Match[bytes]) -> int | None:
    year, month, day, hour, minute, second, milli = (int(part or 0) for part in found.groups())
    return _time(year, month, day, hour, minute, second, milli)


def _syslog(found: re.Match[bytes]) -> int | None:
    month = found[1]
    if month not in _MONTHS:
        return None
    day, hour, minute, second = (int(found[group]) for group in range(2, 6))
    return _time(_SYSLOG_YEAR, _MONTHS.index(month) + 1, day, hour, minute, second, 0)


def _access(found: re.Match[bytes]) -> int | None:
    if found[1]:
        year, month, day = (int(part) for part in found.group(1, 2, 3))
    elif found[5] in _MONTHS:
        year, month, day = int(found[6]), _MONTHS.index(found[5]) + 1, int(found[4])
    else:
        return None
    return _time(year, month, day, int(found[7]), int(found[8]), int(found[9]), 0)


def _time(year: int, month: int, day: int, hour: int, minute: int, second: int, milli: int) -> int | None:
    try:
        moment = datetime(year, month, day, hour, minute, second, milli * 1000, tzinfo=UTC)
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(microseconds=1)


_Form = tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], int | None]]
_LOG4J: tuple[_Form, ...] = ((_DATED, _dated), (_SYSLOG, _syslog), (_STAMPED, _dated))
