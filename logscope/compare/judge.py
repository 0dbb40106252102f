"""Sets two sides against each other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from logscope.compare.sides import Side
from logscope.compare.values import CaseChange, CauseChange, Comparison, RuleChange, Share, Windows
from logscope.errors import LogscopeError
from logscope.model import Report, RuleStatus

USUAL = 0.05  # below this, luck is not what people take for the reason
_FAILED = frozenset({"failure", "error"})
_SEVERITIES = ("critical", "high", "medium", "low")


class NoStatisticsError(LogscopeError):
    """The library for the exact test is not installed."""


def compare(base: Side, candidate: Side) -> Comparison:
    """Compare two sides; what differs most likely not by luck comes first."""
    result = Comparison(base.name, candidate.name, base.runs, candidate.runs, notes=[*base.notes, *candidate.notes])
    try:
        chance_of([[1, 1], [1, 1]])
        has_test = True
    except NoStatisticsError as error:
        result.notes.append(str(error))
        has_test = False
    result.rules = _rules(base, candidate, has_test)
    tested = sum(rule.p is not None for rule in result.rules)
    if sum(rule.p is not None and rule.p < USUAL for rule in result.rules) and tested > 1:
        text = (
            f"p is not corrected for the {tested} rules compared: of twenty that changed nothing, one has p < {USUAL}"
        )
        result.notes.append(text)
    for change in _causes(base.report, candidate.report):
        where = result.new if not change.base else result.gone if not change.candidate else result.persisting
        where.append(change)
    result.broken, result.fixed = _tests(base.report, candidate.report, has_test)
    return result


def chance_of(table: Sequence[Sequence[int]]) -> float:
    """How likely a table of two rows and two columns is, or one that is more uneven, by luck (Fisher's exact test).

    Raises:
        NoStatisticsError: scipy is not installed.
    """
    try:
        # It takes longer to import than everything else here.
        from scipy.stats import fisher_exact
    except ImportError:
        text = "there are no p values, as scipy is not installed; install logscope[stats] to have them"
        raise NoStatisticsError(text) from None
    return min(float(fisher_exact(table).pvalue), 1.0)


def _rules(base: Side, candidate: Side, has_test: bool) -> list[RuleChange]:
    before = {rule.rule: rule for rule in base.report.rules}
    after = {rule.rule: rule for rule in candidate.report.rules}
    changes = []
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        described = other or one
        assert described is not None
        was, now = _share(base, one), _share(candidate, other)
        missing = _missing(one, "before") or _missing(other, "after")
        p = None if missing or not has_test else _p(was, now)
        text = missing or _told(described.chance, was, now, p)
        changes.append(
            RuleChange(name, described.title, described.severity, was, now, p, text, _windows(one), _windows(other))
        )
    return sorted(changes, key=lambda change: (change.p is None, 1.0 if change.p is None else change.p, change.rule))


def _missing(rule: RuleStatus | None, when: str) -> str:
    if rule is None:
        return f"not judged {when}"
    return f"not evaluated {when}: {rule.reason}" if rule.status == "not-evaluated" else ""


def _share(side: Side, rule: RuleStatus | None) -> Share:
    if rule is None or rule.status == "not-evaluated":
        return Share(side.runs, 0, 0)
    # A rule can fire more than once at one chance.
    return Share(side.runs, rule.chances, min(rule.fired, rule.chances))


def _p(was: Share, now: Share) -> float | None:
    if not (was.chances and now.chances):
        return None
    return chance_of([[was.fired, was.chances - was.fired], [now.fired, now.chances - now.fired]])


def _told(chance: str, was: Share, now: Share, p: float | None) -> str:
    """`4 of 5 destroys before, 0 of 5 after (p = 0.048): so large a difference comes by luck once in 21 times`."""
    if not was.chances and not now.chances:
        return "no chance on either side"
    called = _plural(chance.rpartition(".")[2].replace("_", " ") or "chance", was.chances)
    counts = f"{was.fired:,} of {was.chances:,} {called} before, {now.fired:,} of {now.chances:,} after"
    if not was.chances or not now.chances:
        return f"{counts}: no chance on one side, so nothing follows"
    if p is None:
        return counts
    if was.fired / was.chances == now.fired / now.chances:
        return f"{counts}: no difference"
    return f"{counts} (p = {shown(p)}): {_effect(was, now, p)}"


def _effect(was: Share, now: Share, p: float) -> str:
    less = now.fired / now.chances < was.fired / was.chances
    if p < USUAL:
        once = f"once in {round(1 / p):,} times" if p > 1e-6 else "less than once in a million times"
        return f"{'less' if less else 'more'} often; so large a difference comes by luck {once}"
    return f"{'less' if less else 'more'} often, but luck may have done it"


def shown(p: float) -> str:
    """Give a p value with two digits that count."""
    return f"{p:.2g}" if p >= 0.0001 else "< 0.0001"


def _plural(noun: str, number: int) -> str:
    if number == 1:
        return noun
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _windows(rule: RuleStatus | None) -> Windows | None:
    if rule is None or not rule.windows:
        return None
    lengths = sorted(rule.windows)
    return Windows(len(lengths), round(median(lengths), 6), lengths[math.ceil(0.95 * len(lengths)) - 1])


def _causes(base: Report, candidate: Report) -> list[CauseChange]:
    found: dict[str, CauseChange] = {}
    for number, report in enumerate((base, candidate)):
        for finding in report.findings:
            change = found.setdefault(
                finding.cause,
                CauseChange(finding.cause, finding.rule, finding.severity, finding.title, 0, 0, finding.known),
            )
            found[finding.cause] = replace(
                change,
                base=change.base + (number == 0),
                candidate=change.candidate + (number == 1),
                known=change.known or finding.known,
            )

    def rank(change: CauseChange) -> tuple[int, int, str, str]:
        worst = _SEVERITIES.index(change.severity) if change.severity in _SEVERITIES else len(_SEVERITIES)
        return worst, -change.base - change.candidate, change.rule, change.cause

    return sorted(found.values(), key=rank)


def _tests(base: Report, candidate: Report, has_test: bool) -> tuple[list[CaseChange], list[CaseChange]]:
    """Give the tests that fail more often, and those that fail less often; a test is known by its name and file."""
    before, after = _shares(base), _shares(candidate)
    broken: list[CaseChange] = []
    fixed: list[CaseChange] = []
    for file, name in sorted(before.keys() | after.keys()):
        was = before.get((file, name), Share(0, 0, 0))
        now = after.get((file, name), Share(0, 0, 0))
        rates = [share.fired / share.chances if share.chances else 0.0 for share in (was, now)]
        if rates[0] == rates[1]:
            continue
        p = _p(was, now) if has_test else None
        (broken if rates[1] > rates[0] else fixed).append(CaseChange(name, file, was, now, p))
    return broken, fixed


def _shares(report: Report) -> dict[tuple[str, str], Share]:
    ran: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    runs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for test in report.tests:
        if test.result != "skipped":
            key = test.file, test.name
            ran[key] += 1
            failed[key] += test.result in _FAILED
            runs[key].add(test.run)
    return {key: Share(len(runs[key]), ran[key], failed[key]) for key in ran}
