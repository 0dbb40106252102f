"""In which order a report tells things: the worst first, every finding once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from logscope.model import Incident, Report, RuleStatus, TestCase
from logscope.report.parts.words import FAILED, SEVERITIES, STATUSES, order_of


@dataclass(frozen=True, slots=True)
class Group:
    """An incident (numbered from 1 in this order), or the findings of none; `elsewhere` are told under a worse one.

    `findings` and `elsewhere` are indexes into the findings of the report, worst first.
    """

    incident: Incident | None
    number: int
    findings: list[int]
    elsewhere: list[int]


def worst_first(report: Report, indexes: Iterable[int]) -> list[int]:
    """Sort indexes of findings by severity, certain before possible, then by time."""

    def rank(index: int) -> tuple[int, bool, int, int]:
        finding = report.findings[index]
        severity = SEVERITIES.index(finding.severity) if finding.severity in SEVERITIES else len(SEVERITIES)
        return severity, finding.certainty != "certain", finding.start, index

    return sorted(indexes, key=rank)


def groups(report: Report) -> list[Group]:
    """Give the incidents, the one with the worst finding first, then the findings that belong to none."""
    places = {index: place for place, index in enumerate(worst_first(report, range(len(report.findings))))}
    left = dict.fromkeys(places)

    def worst(number: int) -> tuple[int, int]:
        return min((places[index] for index in report.incidents[number].findings), default=len(places)), number

    found = []
    for number, place in enumerate(sorted(range(len(report.incidents)), key=worst), 1):
        incident = report.incidents[place]
        members = worst_first(report, incident.findings)
        own = [index for index in members if index in left]
        found.append(Group(incident, number, own, [index for index in members if index not in left]))
        for index in own:
            del left[index]
    if left:
        found.append(Group(None, 0, list(left), []))
    return found


def rules(report: Report) -> list[RuleStatus]:
    """Sort the rules by what they came to, those that fired first, and by name."""
    places = {status: place for place, status in enumerate(STATUSES)}
    return sorted(report.rules, key=lambda rule: (places.get(rule.status, len(places)), rule.rule))


def failed_tests(report: Report) -> list[TestCase]:
    """Give the tests that failed, those first that nothing explains, each part in the order of the run."""
    places = {verdict: place for place, verdict in enumerate(order_of({test.verdict for test in report.tests}))}
    failed = [test for test in report.tests if test.result in FAILED]
    return sorted(failed, key=lambda test: places[test.verdict])
