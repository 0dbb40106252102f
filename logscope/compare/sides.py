"""The two sides of a comparison: runs, folders of runs, saved reports, or logs."""

from __future__ import annotations

from dataclasses import dataclass, field

from logscope.ci.merge import merge
from logscope.errors import NothingReadError, UsageError
from logscope.model import Problem, Report
from logscope.report import from_json
from logscope.report.json import SCHEMA
from logscope.runs import Wish, find_runs, scan, scan_log
from logscope.sources import File, walk

_HEAD = 4096


@dataclass(slots=True)
class Side:
    """One side: what was found in its runs together. `notes` say what a reader should know about it."""

    name: str
    runs: int
    report: Report
    notes: list[str] = field(default_factory=list)


def load(path: str, wish: Wish, processes: int = 1) -> Side:
    """Judge what a path leads to, or read the reports that were saved there.

    Raises:
        NothingReadError: it leads to nothing that can be read.
        UsageError: a saved report is damaged, or something in `wish` cannot be used.
    """
    if path == "-":
        raise UsageError(
            "compare reads files and folders more than once and so cannot read standard input; save it first"
        )
    wish.check()
    problems: list[Problem] = []
    saved: list[Report] = []
    others = 0
    for file in walk(path, problems):
        # What is given by name and called JSON was meant as a report, whatever stands in it.
        if _is_report(file) or (file.explicit and file.name.endswith(".json")):
            saved.append(_saved(file))
        else:
            others += 1
    if saved:
        notes = [f"{path} holds saved reports, so the other {others:,} files in it were not read"] if others else []
        return Side(path, sum(_runs_of(report) for report in saved), merge(saved), notes)
    try:
        places, _ = find_runs([path])
    except NothingReadError:
        return Side(path, 1, scan_log(path, wish))
    return Side(path, len(places), scan([path], (), wish, processes))


def _is_report(file: File) -> bool:
    head = file.head[:_HEAD]
    return head.lstrip().startswith(b"{") and SCHEMA.encode() in head


def _saved(file: File) -> Report:
    problems: list[str] = []
    text = b"".join(file.open(problems)).decode("utf-8", "replace")
    if problems:
        raise UsageError(f"{file.name}: {problems[0]}")
    try:
        return from_json(text)
    except UsageError as error:
        raise UsageError(f"{file.name}: {error}") from None


def _runs_of(report: Report) -> int:
    return len({test.run for test in report.tests}) or 1
