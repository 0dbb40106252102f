"""Marvin's own log of one test file: when each test ran, which jobs it started, what it named, how it failed.

Only the second pass of a file that was run twice is kept by the test bed. Two things that the log says
are never used: `Result:` stays at its first failure for all tests that follow, and `TotalTime` is negative.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from logscope.ci.text import first_line, last_line
from logscope.ci.values import UUID, Outcome, Stretch

_EPOCH = datetime(1970, 1, 1)
_RECORD = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3}) - ([A-Z]+) - (.*)", re.DOTALL)
_STARTED = re.compile(r":+STARTED : TC: (\S+) :+")
_ENDED = re.compile(r"TestCaseName: ([^;\s]+);")
_JOB = re.compile(rf"=\s*job\s?id:\s*({UUID})", re.IGNORECASE)
_FAILED = re.compile(r"(FAILED|EXCEPTION): ([^:\s]+): (.*)", re.DOTALL)
_PARAMETER = re.compile(r"'(\w+)': u?'([^']*)'")
_NAME = re.compile(rf"\b(?:{UUID}|[A-Za-z]{{1,2}}(?:-\d+)+-[A-Za-z]\w*)\b")
_WORD = re.compile(r"[A-Za-z]{6,40}")
# Neither is ever kept: with the key and the signature anybody could call the API.
_SECRETS = frozenset({"apikey", "signature", "secretkey", "password", "sessionkey", "response", "command"})
# A response that lists this many things does not say with which of them the test works.
_MOST_NAMES = 40
_LONGEST_LIST = 1 << 20


@dataclass(slots=True)
class RunInfo:
    """What one file's log tells: its stretches in order, and its failures in order."""

    stretches: list[Stretch] = field(default_factory=list)
    failures: list[Outcome] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Time of the first record, µs."""
        return self.stretches[0].start

    @property
    def last(self) -> int:
        """Time of the last record, µs."""
        return self.stretches[-1].end

    def tests(self) -> list[Stretch]:
        """The stretches that are tests."""
        return [stretch for stretch in self.stretches if stretch.test]


def read(lines: Iterable[str]) -> RunInfo:
    """Read `runinfo.txt` or `failed_plus_exceptions.txt`; lines that are no records are passed over."""
    info = RunInfo()
    current: Stretch | None = None
    for line in lines:
        record = _RECORD.match(line)
        time = _time(record[1], record[2]) if record else None
        if record is None or time is None:
            continue
        text = record[4]
        started = _STARTED.search(text)
        if started or current is None or current.ended:
            current = Stretch(started[1] if started else "", time, time)
            info.stretches.append(current)
        current.end = max(current.end, time)
        if started:
            continue
        ended = _ENDED.search(text)
        if ended:
            current.ended = ended[1] == current.test
        elif record[3] in ("CRITICAL", "FATAL"):
            failed = _FAILED.match(text)
            if failed:
                result = "failure" if failed[1] == "FAILED" else "error"
                info.failures.append(Outcome(failed[2], result, text=_cause(failed[3])))
        else:
            _note(current, text, time)
    return info


def _time(second: str, milli: str) -> int | None:
    try:
        moment = datetime.fromisoformat(second)
    except ValueError:
        return None
    whole = moment - _EPOCH
    return (whole.days * 86_400 + whole.seconds) * 1_000_000 + int(milli) * 1000


def _note(stretch: Stretch, text: str, time: int) -> None:
    job = _JOB.search(text)
    if job:
        stretch.jobs.setdefault(job[1].lower(), time)
    elif text.startswith("Payload: "):
        for name, value in _PARAMETER.findall(text):
            if name.lower() == "jobid":
                stretch.jobs.setdefault(value.lower(), time)
            elif name.lower() not in _SECRETS:
                stretch.names.update(found.lower() for found in _NAME.findall(value))
                if _WORD.fullmatch(value):
                    stretch.words.add(value.lower())
    elif text.startswith("Response :"):
        names = {found.lower() for found in _NAME.findall(text)}
        if len(names) <= _MOST_NAMES:
            stretch.names |= names


def _cause(listed: str) -> str:
    """Give the line that names the exception out of a traceback that is written as one Python list."""
    try:
        parts = ast.literal_eval(listed.strip()) if len(listed) <= _LONGEST_LIST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        parts = None
    if isinstance(parts, list) and parts:
        return first_line(str(parts[-1])) or last_line(str(parts[0]))
    return first_line(listed)
