"""Annotations for a job of GitHub Actions: workflow commands, the worst first, as many as GitHub shows.

GitHub shows ten annotations of a kind for each step and drops the others without a word; the tenth says
how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from logscope.model import Finding, Report
from logscope.report.parts import verdicts, words
from logscope.report.parts.order import failed_tests, worst_first
from logscope.report.parts.times import stretch
from logscope.report.parts.visible import visible

SUFFIX = ""  # it goes to the step's output, not into a file
MOST = 10

_KINDS = ("error", "warning", "notice")
_LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "notice"}
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


@dataclass(frozen=True, slots=True)
class _Annotation:
    kind: str
    title: str
    text: str


def render(report: Report) -> str:
    """Give the workflow commands, one a line, and what the report comes to as the last line."""
    found = [*_tests(report), *_findings(report), *_problems(report)]
    lines = []
    for kind in _KINDS:
        own = [one for one in found if one.kind == kind]
        if len(own) > MOST:
            left = len(own) - MOST + 1
            own = [
                *own[: MOST - 1],
                _Annotation(kind, f"{left:,} more", f"{left:,} more of this kind are in the report"),
            ]
        lines += [
            f"::{one.kind} title={_escaped(one.title, _IN_PROPERTIES)}::{_escaped(one.text, _ESCAPES)}" for one in own
        ]
    # A line that begins with two colons would be a command.
    return "\n".join([*lines, f"logscope: {visible(words.verdict(report))}"]) + "\n"


def _tests(report: Report) -> Iterator[_Annotation]:
    several = len({test.run for test in report.tests}) > 1
    for test in failed_tests(report):
        is_explained = test.verdict == "explained"
        title = f"{test.name} ({words.joined((test.file, test.run if several else ''))})"
        lines = [test.text, *verdicts.full(report, test)]
        yield _Annotation("warning" if is_explained else "error", title, "\n".join(filter(None, lines)))


def _findings(report: Report) -> Iterator[_Annotation]:
    told = {number for test in failed_tests(report) for number in test.explained_by[:1]}
    for number in worst_first(report, (n for n in range(len(report.findings)) if n not in told)):
        finding = report.findings[number]
        kind = "notice" if finding.known else _LEVELS.get(finding.severity, "notice")
        yield _Annotation(kind, f"{finding.rule} ({finding.severity}, {finding.certainty})", _told(finding))


def _told(finding: Finding) -> str:
    lines = [finding.title, f"{stretch(finding.start, finding.end)}, {words.consequence(finding.outcome)}"]
    lines += [f"known: {verdicts.known(finding)}"] if verdicts.known(finding) else []
    lines += [f"{item.source}:{item.line}" for item in finding.evidence[:1]]
    return "\n".join(lines)


def _problems(report: Report) -> Iterator[_Annotation]:
    for source, text in words.problems(report):
        yield _Annotation("warning", "part of the input could not be read", words.joined((source, text)))
    for note in report.notes:
        yield _Annotation("notice", "note", words.joined((note.source, note.text)))


def _escaped(text: str, escapes: dict[str, str]) -> str:
    shown = "\n".join(visible(line) for line in text.split("\n"))
    return "".join(escapes.get(char, char) for char in shown)
