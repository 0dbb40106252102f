"""Rotated sets and duplicates: which files continue each other, which repeat each other, in which order they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from logscope.model import Problem, Source
from logscope.sources.content import Content, read_range
from logscope.sources.sniff import HEAD, Opening, last_time, stripped

_TAIL = 1 << 20
_LONG = 1 << 20  # bytes of a line that are kept together
_SLACK = 100_000  # µs by which times of one log may go backwards
_DAY = 86_400_000_000
_START = 256  # bytes at the start in which logs that are not the same differ
_ROTATED = re.compile(
    r"(?:\.(?:gz|tgz|bz2|xz|zst|zip|tar|log|txt|old|\d{1,4})|[-._](?P<date>\d{4}-\d\d-\d\d|\d{8})(?:[-._]\d{1,6})?)$"
)
_NUMBER = re.compile(r"\.(\d{1,4})(?=\.|$)")
_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")


@dataclass(slots=True)
class Log:
    """A source while its place among the others is sought.

    `path` is where it stands on disk and in archives, `content` its raw bytes if these are its text, else None.
    `earliest_end` and `latest_end` bound the time of its last record (µs), as far as that is known. `shares` are the
    identities of logs that hold records of it too.
    """

    source: Source
    path: str
    identity: str
    start: bytes
    content: Content | None
    opening: Opening
    shares: set[str] = field(default_factory=set)
    earliest_end: int | None = None
    latest_end: int | None = None
    _measured: bool = field(default=False, repr=False)

    @property
    def folder(self) -> str:
        """Directory, or directory in an archive, in which it stands."""
        return self.path.rpartition("/")[0]

    @property
    def stem(self) -> str:
        """Name without what rotation and compression added to it."""
        return stem(self.path.rpartition("/")[2])

    def measure(self) -> None:
        """Set the bounds of the end as far as they can be had without reading the whole log."""
        if self._measured or self.source.first is None:
            return
        self._measured = True
        self.earliest_end = self.source.first
        if self.content is not None and self.content.seekable and self.content.size is not None:
            size = self.content.size
            last = last_time(read_range(self.content, max(0, size - _TAIL), _TAIL))
            if last is not None:
                self.earliest_end = self.latest_end = max(last, self.source.first)
        elif (day := _day(self.path)) is not None and self.source.first // _DAY == day:
            self.latest_end = (day + 1) * _DAY

    def reaches(self, time: int) -> bool:
        """Read on until a record later than `time` comes, and say whether one came."""
        last = self.source.first
        tail = b""
        for block in self.source.open():
            tail = (tail + block)[-HEAD:]
            seen = last_time(tail)
            last = seen if seen is not None else last
            if last is not None and last > time:
                self.earliest_end = last
                return True
        self.earliest_end = self.latest_end = last
        return False


def stem(name: str) -> str:
    """Give a file name without the suffixes of rotation and compression: `a.log.2026-10-28.gz` is `a`."""
    while (found := _ROTATED.search(name)) and found.start() > 0:
        name = name[: found.start()]
    return name


def in_order(logs: list[Log]) -> list[Log]:
    """Sort by server, then by time; logs without a time stand last, the most rotated first."""
    return sorted(logs, key=lambda log: (log.source.server, *age(log)))


def age(log: Log) -> tuple[bool, int, str, int, str]:
    """Give a key that sorts logs of one server from the oldest to the newest."""
    name = log.path.rpartition("/")[2]
    date = _DATE.search(name)
    number = _NUMBER.search(name)
    first = log.source.first
    return (
        first is None,
        first or 0,
        "".join(date.groups()) if date else "9",
        -int(number[1]) if number else 1,
        log.source.name,
    )


def known_overlap(early: Log, first: int) -> bool | None:
    """Tell whether a log is known to go on after `first` (µs); None when only reading it can tell."""
    if early.latest_end is not None and first >= early.latest_end - _SLACK:
        return False
    if early.earliest_end is not None and first < early.earliest_end - _SLACK:
        return True
    return None


def without_duplicates(logs: list[Log], notes: list[Problem]) -> list[Log]:
    """Leave out what is there twice: the same file, a file of the same text, a file that is the start of another."""
    files: dict[str, Log] = {}
    for log in sorted(logs, key=_preference):
        kept = files.setdefault(log.identity, log)
        if kept is not log:
            same = kept.source.name == log.source.name
            text = "is named twice" if same else f"is the same file as {kept.source.name}"
            notes.append(Problem(log.source.name, f"{text} and was read once"))
    alike: dict[tuple[int | None, bytes], list[Log]] = {}
    for log in files.values():
        alike.setdefault((log.source.first, log.start), []).append(log)
    return [log for group in alike.values() for log in _distinct(group, notes)]


def _preference(log: Log) -> tuple[bool, int, str]:
    return (log.content is None, len(log.source.name), log.source.name)


def _distinct(group: list[Log], notes: list[Problem]) -> list[Log]:
    kept: list[Log] = []
    for log in group:
        for index, other in enumerate(kept):
            relation = compare(normal(log.source.open()), normal(other.source.open()))
            if relation is None:
                continue
            dropped, remaining = (other, log) if relation == "longer" else (log, other)
            kept[index] = remaining
            what = "has the same text as" if relation == "same" else "is the beginning of"
            notes.append(Problem(dropped.source.name, f"{what} {remaining.source.name} and was left out"))
            break
        else:
            kept.append(log)
    return kept


def normal(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Give the blocks without the white space at the ends of lines; none of them is empty."""
    rest = b""
    for block in blocks:
        rest += block
        cut = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > _LONG else 0)
        if cut:
            yield _normal(rest[:cut])
            rest = rest[cut:]
    if rest:
        yield _normal(rest)


def _normal(data: bytes) -> bytes:
    if any(end in data for end in (b"\r\n", b" \n", b"\t\n")):
        return b"\n".join(map(stripped, data.split(b"\n")))
    return data


def compare(ours: Iterator[bytes], theirs: Iterator[bytes]) -> str | None:
    """Tell whether ours is the "same" as theirs, "shorter" or "longer" but else the same, or different (None).

    No block may be empty.
    """
    mine = other = b""
    while True:
        mine = mine or next(ours, b"")
        other = other or next(theirs, b"")
        size = min(len(mine), len(other))
        if mine[:size] != other[:size]:
            return None
        if not size:
            return "longer" if mine else "shorter" if other else "same"
        mine, other = mine[size:], other[size:]


def _day(path: str) -> int | None:
    """Give the day, counted from 1970, in the name of a rotated file."""
    found = _DATE.search(path.rpartition("/")[2])
    try:
        return (date(*map(int, found.groups())) - date(1970, 1, 1)).days if found else None
    except ValueError:
        return None


def start_of(head: bytes) -> bytes:
    """Give the part of the first bytes by which logs are compared first."""
    return next(normal(iter([head[:_START]])), b"")[: _START // 2]
