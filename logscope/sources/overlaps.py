"""Logs that repeat records of others: excerpts, copies with other line ends, copies that were damaged.

What no two processes write alike is a whole line with its time. A log of whose first lines another one holds most,
where its time says, was written by the same process; where all its lines follow there, it is no log of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from logscope.model import Problem
from logscope.sources.content import Content, read_range
from logscope.sources.order import Log, compare, known_overlap, normal
from logscope.sources.sniff import first_time, last_time, print_of

_SLACK = 2_000_000  # µs by which lines of one log may be out of order
_FEW = 64 << 10
_MOST = 16 << 20  # bytes of one log in which the first lines of another are looked for


def without_excerpts(logs: list[Log], notes: list[Problem]) -> list[Log]:
    """Leave out logs all of whose lines stand in another, and set in all others whose records they share."""
    dated = [log for log in logs if log.source.first is not None and log.opening.lines]
    dated.sort(key=lambda log: (log.source.first, -(log.source.size or 0), log.source.name))
    left_out: set[str] = set()
    for number, early in enumerate(dated):
        if early.identity in left_out:
            continue
        early.measure()
        laters = [late for late in islice(dated, number + 1, None) if _may_hold(early, late)]
        for search in _searches(early, [late for late in laters if late.identity not in left_out]):
            if not search.is_copy:
                continue
            if search.begin is not None and _holds(early, search.late, search.begin):
                left_out.add(search.late.identity)
                text = f"is contained in {early.source.name} and was left out"
                notes.append(Problem(search.late.source.name, text))
            else:
                early.shares.add(search.late.identity)
                search.late.shares.add(early.identity)
    return [log for log in logs if log.identity not in left_out]


def _may_hold(early: Log, late: Log) -> bool:
    if early.source.kind != late.source.kind or late.source.first is None:
        return False
    known = known_overlap(early, late.source.first)
    # Logs of one rotated set follow each other, unless it is plain to see that they do not.
    return (early.folder, early.stem) != (late.folder, late.stem) if known is None else known


class _Search:
    """The search for the first lines of one log in another; `begin` is where the first of them stands there."""

    def __init__(self, late: Log) -> None:
        self.late = late
        self.since = (late.source.first or 0) - _SLACK
        self.until = late.opening.last + _SLACK
        self.begin: int | None = None
        self.is_over = False
        self._lines = set(late.opening.lines)
        self._left = _MOST

    @property
    def is_copy(self) -> bool:
        """Whether most of the lines were found."""
        wanted = len(set(self.late.opening.lines))
        return (wanted - len(self._lines)) * 2 >= wanted

    def look(self, lines: dict[int, int], size: int, last: int | None) -> None:
        """Look among lines (their hash and place), `size` bytes in all, the last of them of the time `last`."""
        if self.begin is None:
            self.begin = lines.get(self.late.opening.lines[0])
        self._lines -= lines.keys()
        self._left -= size
        self.is_over = self._left <= 0 or not self._lines or (last is not None and last > self.until)


def _searches(early: Log, laters: Sequence[Log]) -> list[_Search]:
    searches = [_Search(late) for late in laters]
    content = early.content
    if content is not None and content.seekable and content.size is not None:
        for search in searches:
            start = _place(content, content.size, search.since)
            _run([search], content.blocks(start), start)
    elif searches:
        _run(searches, early.source.open(), 0)
    return searches


def _run(searches: Sequence[_Search], blocks: Iterator[bytes], place: int) -> None:
    """Look through whole lines, the first of which begins at `place`, until no search goes on."""
    rest = b""
    for block in blocks:
        data = rest + block
        cut = data.rfind(b"\n") + 1
        data, rest = data[:cut], data[cut:][:_MOST]
        last = last_time(data[-_FEW:])
        looking = [one for one in searches if not one.is_over and (last is None or last >= one.since)]
        if looking:
            lines: dict[int, int] = {}
            at = place
            for line in data.split(b"\n"):
                lines.setdefault(print_of(line), at)
                at += len(line) + 1
            for one in looking:
                one.look(lines, len(data), last)
        place += len(data)
        if all(one.is_over for one in searches):
            break


def _place(content: Content, size: int, time: int) -> int:
    """Find where a line begins before which all records are earlier than `time`, if they are in order."""
    low, high = 0, size
    while high - low > _FEW:
        middle = (low + high) // 2
        data = read_range(content, middle, _FEW)
        begin = data.find(b"\n") + 1
        found = first_time(data[begin:])
        if found is not None and found < time:
            low = middle + begin
        else:
            high = middle
    return low


def _holds(early: Log, late: Log, begin: int) -> bool:
    """Tell whether all lines of a log from its first record on stand in another one, the first at `begin`."""
    ours = _after(late.source.open(), late.opening.begin)
    return compare(normal(ours), normal(_from(early, begin))) in ("same", "shorter")


def _from(log: Log, begin: int) -> Iterator[bytes]:
    if log.content is not None and log.content.seekable:
        return log.content.blocks(begin)
    return _after(log.source.open(), begin)


def _after(blocks: Iterator[bytes], count: int) -> Iterator[bytes]:
    for block in blocks:
        if count < len(block):
            yield block[count:]
        count = max(0, count - len(block))
