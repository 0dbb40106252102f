"""Results in text: Marvin's `results.txt`, the tables of result comments and of the simulator CI."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from logscope.ci.text import last_line
from logscope.ci.values import Outcome

_STATUS = re.compile(r"(.*?)\s*(?:\.\.\.\s*)?=== TestName: (\S+) \| Status : (\w+) ===")
_SKIPPED = re.compile(r"(test_\w+) \((\S+)\) \.\.\. SKIP: (.*)")
_HEADING = re.compile(r"(FAIL|ERROR): (.*)")
_SUITE = re.compile(r"test suite for <class '(?:[\w.]*\.)?(\w+)'>")
_RULER = re.compile(r"(?:-{70}|={70})\s*$|-+ >> (?:begin|end) captured ")
_WORDS = {"SUCCESS": "success", "FAILED": "failure", "EXCEPTION": "error", "SKIPPED": "skipped"}

_ROW = re.compile(r"^\|?\s*(\S.*?)\s*\|\s*`?(\w+)`?\s*\|\s*([\d.]+|---)?\s*(?:\|\s*(\S+\.py)?\s*)?\|?\s*$")
_RESULTS = {"success": "success", "failure": "failure", "error": "error", "skipped": "skipped"}
_HEADER = frozenset({"result", "---"})


def read_results(lines: Iterable[str]) -> list[Outcome]:
    """Read `results.txt`: what a runner prints for a person while and after the tests run.

    A test that was skipped has its name there only where it has no description.
    """
    found: list[Outcome] = []
    described: dict[str, int] = {}
    heading, section = "", list[str]()
    for line in lines:
        status = _STATUS.match(line)
        skipped = _SKIPPED.match(line)
        head = _HEADING.match(line)
        if status:
            described[status[1]] = len(found)
            found.append(Outcome(status[2], _WORDS.get(status[3], "error")))
        elif skipped:
            found.append(Outcome(skipped[1], "skipped", text=skipped[3].strip(), suite=skipped[2]))
        elif head:
            _close(found, described, heading, section)
            heading, section = line, []
        elif heading and _RULER.match(line):
            if any(text.strip() for text in section):
                _close(found, described, heading, section)
                heading, section = "", []
        elif heading:
            section.append(line)
    _close(found, described, heading, section)
    return found


def _close(found: list[Outcome], described: dict[str, int], heading: str, section: list[str]) -> None:
    """Give the failure that a section tells its text; that of a class gets a row of its own."""
    head = _HEADING.match(heading)
    if head is None:
        return
    text = last_line("\n".join(section))
    suite = _SUITE.match(head[2])
    if suite:
        # The name that the runner's XML gives to what went wrong before the first test of a class.
        found.append(Outcome(f"ContextSuite context={suite[1]}>:setup", "error", text=text))
    elif head[2] in described:
        index = described[head[2]]
        found[index] = replace(found[index], text=found[index].text or text)


def read_table(lines: Iterable[str]) -> list[Outcome]:
    """Read the table of a result comment, or the one drawn with `+---+` at the end of a job log."""
    found: list[Outcome] = []
    for line in lines:
        row = _ROW.match(line)
        if row is None or row[2].lower() in _HEADER:
            continue
        if row[3] or row[4] or row[2].lower() in _RESULTS:
            # Such a table names the type of the exception where others say "Error".
            seconds = None if row[3] in (None, "---") else _number(row[3])
            found.append(Outcome(row[1], _RESULTS.get(row[2].lower(), "error"), seconds, file=row[4] or ""))
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
