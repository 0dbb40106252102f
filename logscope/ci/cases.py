"""The rows of one test file and its own log to cases: each row gets the stretch of the log that is its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from logscope.ci.clocks import FileWindow
from logscope.ci.runinfo import RunInfo
from logscope.ci.values import SECOND, Case, Outcome, Stretch


def cases_of(file: str, rows: Sequence[Outcome], info: RunInfo, window: FileWindow) -> list[Case]:
    """Give the cases of one file, in the order of its rows.

    A row of a class (its set-up or its end) gets what the log has between the tests around it. Rows of
    which the log tells nothing get the window of the whole file.
    """
    stretches: dict[str, list[Stretch]] = defaultdict(list)
    for stretch in info.tests():
        stretches[stretch.test].append(stretch)
    failures: dict[str, list[Outcome]] = defaultdict(list)
    for failure in info.failures:
        failures[failure.name].append(failure)
    own = [stretches[row.name].pop(0) if stretches[row.name] else None for row in rows]
    cases = []
    for number, row in enumerate(rows):
        if row.result in ("failure", "error") and failures[row.name]:
            failed = failures[row.name].pop(0)
            row = replace(row, text=row.text or failed.text)
        parts = [part] if (part := own[number]) else _between(row, own, number, info)
        cases.append(_case(file, row, parts, window))
    return cases


def _between(row: Outcome, own: Sequence[Stretch | None], number: int, info: RunInfo) -> list[Stretch]:
    """Give the stretches between the tests before and after a row of a class, none for a row of a test."""
    if " context=" not in row.name:
        return []
    before = next((part for part in reversed(own[:number]) if part), None)
    after = next((part for part in own[number + 1 :] if part), None)
    first = _place(info, before) + 1 if before else 0
    last = _place(info, after) if after else len(info.stretches)
    return info.stretches[first:last]


def _place(info: RunInfo, wanted: Stretch) -> int:
    return next(number for number, stretch in enumerate(info.stretches) if stretch is wanted)


def _case(file: str, row: Outcome, parts: list[Stretch], window: FileWindow) -> Case:
    case = Case(row, file, reach=window.reach)
    if parts:
        case.start, case.end, case.precision = parts[0].start, parts[-1].end, "ms"
    elif window.start is not None:
        case.start, case.end, case.precision = window.start, window.end, "file"
    if row.seconds is None and len(parts) == 1:
        case.outcome = replace(row, seconds=round((parts[0].end - parts[0].start) / SECOND, 3))
    for part in parts:
        case.jobs |= part.jobs
        case.names |= part.names
        case.words |= part.words
    return case
