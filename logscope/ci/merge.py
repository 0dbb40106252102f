"""Reports of several runs as one: findings, failures and tests one after the other, rules added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from logscope.model import Coverage, Report, RuleStatus

_STATUSES = ("fired", "quiet", "not-evaluated")
_MOST_WINDOWS = 1000  # of a rule, as in the reports that are merged


def merge(reports: Sequence[Report]) -> Report:
    """Give one report of all, in the order given; indexes are shifted, nothing else changes.

    A rule fired if it did in any run, and was evaluated if it was in any. Merging merged reports gives the
    same as merging all at once, but for the choice of windows where there are more than a report holds.

    Raises:
        ValueError: there is no report.
    """
    if not reports:
        raise ValueError("no report to merge")
    first = reports[0]
    whole = Report(first.version, _common_zone(reports), [], Coverage(), [], [], [], [], [], [])
    for report in reports:
        findings, failures = len(whole.findings), len(whole.failures)
        whole.sources += report.sources
        whole.coverage = _added(whole.coverage, report.coverage)
        whole.findings += report.findings
        whole.incidents += [
            replace(
                incident,
                findings=[number + findings for number in incident.findings],
                failures=[number + failures for number in incident.failures],
            )
            for incident in report.incidents
        ]
        whole.failures += [
            replace(failure, explained_by=None if failure.explained_by is None else failure.explained_by + findings)
            for failure in report.failures
        ]
        whole.timelines += report.timelines
        whole.problems += [problem for problem in report.problems if problem not in whole.problems]
        whole.tests += [
            replace(test, explained_by=[number + findings for number in test.explained_by]) for test in report.tests
        ]
        whole.notes += [note for note in report.notes if note not in whole.notes]
    whole.rules = _rules(reports)
    return whole


def _common_zone(reports: Sequence[Report]) -> str:
    zones = {report.tz for report in reports}
    return zones.pop() if len(zones) == 1 else ""


def _added(one: Coverage, other: Coverage) -> Coverage:
    return Coverage(
        one.records + other.records,
        one.recognised + other.recognised,
        one.not_asked_for + other.not_asked_for,
        one.unknown + other.unknown,
        one.unreadable_lines + other.unreadable_lines,
    )


def _rules(reports: Sequence[Report]) -> list[RuleStatus]:
    merged: dict[str, RuleStatus] = {}
    # Of two reasons the first stays: what a log lacks says more than that another run has none.
    for rule in (rule for report in sorted(reports, key=lambda report: not report.sources) for rule in report.rules):
        known = merged.get(rule.rule)
        merged[rule.rule] = replace(rule) if known is None else _both(known, rule)
    return list(merged.values())


def _both(one: RuleStatus, other: RuleStatus) -> RuleStatus:
    """Add up one rule in two runs. A run that could not evaluate it had no chance that counts beside one that could."""
    better, worse = sorted((one, other), key=lambda rule: _STATUSES.index(rule.status))
    if worse.status == "not-evaluated" and better.status != worse.status:
        return replace(better)
    return replace(
        better,
        chances=better.chances + worse.chances,
        fired=better.fired + worse.fired,
        windows=_thinned(sorted(better.windows + worse.windows)),
    )


def _thinned(windows: list[float]) -> list[float]:
    if len(windows) <= _MOST_WINDOWS:
        return windows
    return [windows[round(n * (len(windows) - 1) / (_MOST_WINDOWS - 1))] for n in range(_MOST_WINDOWS)]
