"""When each test file ran, first pass and clean-up included, on the clock of the machine that ran the tests.

The test bed runs one file after the other. It notes when it began (to the minute) and how many seconds
each file took, both passes and the clean-ups together; the file's own log tells when its last pass ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from logscope.ci.values import SECOND, CleanUp

_EPOCH = datetime(1970, 1, 1)
_TOOK = re.compile(r"(\S+\.py): (\d+) seconds")
_FOLDER_TIME = re.compile(r"([A-Z][a-z]{2}_\d\d_\d{4}_\d\d_\d\d_\d\d)_[A-Z0-9]{6}$")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# A runner needs some seconds before it logs; more than this between a file's begin and its log is another pass,
# and so is less where the last pass failed: a file whose first pass failed is run again.
_START_UP = 30 * SECOND
# The start of the run is known to the minute, and what the test bed does before the first file takes a moment.
_START_DOUBT = 90 * SECOND


@dataclass(slots=True)
class FileTimes:
    """What the artifacts tell of one file: its log's first and last record (µs), the seconds it took in all.

    `is_failed`: some test of its last pass failed, so that it was the second one if the test bed repeats files.
    """

    file: str
    first: int | None = None
    last: int | None = None
    seconds: int | None = None
    is_failed: bool = False


@dataclass(frozen=True, slots=True)
class FileWindow:
    """When a file ran: `start` to `end` its last pass, `reach` where its first pass began. None if unknown."""

    start: int | None
    end: int | None
    reach: int | None


UNKNOWN = FileWindow(None, None, None)


def read_seconds(lines: Iterable[str]) -> dict[str, int]:
    """Read `tests-time.txt`: seconds by file, in the order in which the files ran."""
    found: dict[str, int] = {}
    for line in lines:
        took = _TOOK.match(line.strip())
        if took:
            found[took[1].rpartition("/")[2]] = int(took[2])
    return found


def read_start(lines: Iterable[str]) -> tuple[int | None, str]:
    """Read `testrunstartdate`: µs as the machine's clock says, and its offset such as `+02:00` (or nothing)."""
    text = next((line.strip() for line in lines if line.strip()), "")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None, ""
    local = moment.replace(tzinfo=None)
    return _micros(local), text[-6:] if moment.tzinfo and text[-6:-5] in "+-" else "+00:00" if moment.tzinfo else ""


def folder_time(name: str) -> int | None:
    """Give the start time that is in the name of the folder of a file that was not finished, µs."""
    found = _FOLDER_TIME.search(name)
    if found is None:
        return None
    month, *numbers = found[1].split("_")
    try:
        day, year, hour, minute, second = (int(number) for number in numbers)
        return _micros(datetime(year, _MONTHS.index(month) + 1, day, hour, minute, second))
    except ValueError:
        return None


def windows(files: Sequence[FileTimes], run_start: int | None) -> tuple[dict[str, FileWindow], list[CleanUp]]:
    """Place the files on the clock, and the clean-ups between them; `files` are in the order in which they ran."""
    begins = _begins(files, run_start)
    found: dict[str, FileWindow] = {}
    cleanups: list[CleanUp] = []
    before: FileTimes | None = None
    for file, begin in zip(files, begins, strict=True):
        start, end = file.first, file.last
        if start is None and begin is not None:
            start, end = begin, begin + (file.seconds or 0) * SECOND
        reach = _reach(file, begin, before)
        found[file.file] = FileWindow(start, end, reach)
        if before is not None and before.last is not None:
            following = reach if reach is not None else start
            if following is not None and before.last < following:
                cleanups.append(CleanUp(before.last, following, before.file))
        before = file
    if before is not None and before.last is not None and begins[-1] is not None and before.seconds is not None:
        end = begins[-1] + before.seconds * SECOND
        if before.last < end:
            cleanups.append(CleanUp(before.last, end, before.file))
    return found, cleanups


def _begins(files: Sequence[FileTimes], run_start: int | None) -> list[int | None]:
    """Give the time at which each file's first pass began, as far as all files before it have their seconds."""
    sums: list[int | None] = []
    total: int | None = 0
    for file in files:
        sums.append(total)
        total = None if total is None or file.seconds is None else total + file.seconds * SECOND
    if total == 0 or all(file.seconds is None for file in files):
        return [None for _ in files]
    # No file logs before it begins, and one that ran only once logs at once: the earliest start is the best one.
    bounds = [file.first - done for file, done in zip(files, sums, strict=True) if file.first and done is not None]
    start = min(bounds, default=run_start)
    if start is not None and run_start is not None and start - run_start > _START_DOUBT:
        start = run_start
    return [None if start is None or done is None else start + done for done in sums]


def _reach(file: FileTimes, begin: int | None, before: FileTimes | None) -> int | None:
    if file.first is None or file.last is None:
        return begin
    earliest = before.last if before else None
    if begin is not None:
        reach = begin if file.is_failed or file.first - begin > _START_UP else file.first
        reach = min(reach, file.first)
        if file.first - reach <= _START_UP and file.seconds is not None:
            # Where every file ran twice, the start of the run is taken for too late; the seconds tell all the same.
            took = file.seconds * SECOND
            reach = file.last - took if took >= 1.8 * (file.last - file.first) + _START_UP else reach
        return max(reach, earliest) if earliest is not None else reach
    return min(earliest, file.first) if earliest is not None else None


def _micros(moment: datetime) -> int:
    whole = moment - _EPOCH
    return (whole.days * 86_400 + whole.seconds) * SECOND
