"""How exposed a log was to what a rule looks for: windows, periods, near misses, and checks that did their work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from logscope.detect import Detector, Verdict
from logscope.items import Items, chosen_alone
from logscope.language.tree import Relation, Rule
from logscope.model import Exposure

_SECOND = 1_000_000
NEAR = 60.0  # seconds; what came no closer than that missed, but not nearly
_P95 = 0.95
# Whatever of the one lies in the other: what missed would have come just before it or just after.
_INSIDE = ("during", "contains", "overlaps")


def exposure(rule: Rule, verdict: Verdict, detector: Detector, items: Items) -> Exposure | None:
    """What the log tells of a rule that was evaluated, apart from what it found; None where that is nothing."""
    if verdict.status == "not-evaluated":
        return None
    found = Exposure(controls=items.chosen(rule.controls).height if rule.controls else 0)
    windows = verdict.windows
    if windows:
        found.median, found.longest = _quantile(windows, 0.5), windows[-1]
        found.p95 = _quantile(windows, _P95)
    found.period = _period(rule, items)
    if found.period and windows:
        # A window meets a run of the acting task as often as the period goes into it, at most once.
        hit = sum(min(window / found.period, 1.0) for window in windows) / len(windows)
        found.expected = hit * verdict.chances
    misses = _misses(rule, verdict, detector)
    found.near, found.nearest = len(misses), min(misses, default=None)
    is_empty = not (found.controls or windows or misses or found.period)
    return None if is_empty else found


def _quantile(ascending: Sequence[float], share: float) -> float:
    return ascending[round((len(ascending) - 1) * share)]


def _period(rule: Rule, items: Items) -> float | None:
    """The median time between two runs of the acting task on one server, in seconds."""
    if rule.period is None:
        return None
    rows = items.of(chosen_alone(rule.period), [])
    times = rows.select("server", "start").unique().sort("server", "start")
    gaps = times.select(pl.col("start").diff().over("server").alias("gap")).drop_nulls()
    return None if gaps.is_empty() else float(gaps["gap"].median()) / _SECOND  # type: ignore[arg-type]


def _misses(rule: Rule, verdict: Verdict, detector: Detector) -> list[float]:
    """How far from a window each came that fell into none though it would have counted there, in seconds."""
    relation = next((c for c in rule.when if isinstance(c, Relation) and c.relation in _INSIDE), None)
    if relation is None or len(rule.find) < 2:
        return []
    left, right = relation.left.text, relation.right.text
    specs = {binding.name.text: binding.spec.name.text for binding in rule.find}
    if specs[left] == specs[right]:  # things of one kind follow each other as a matter of course
        return []
    striker = right if relation.relation == "contains" else left
    hits = {occurrence.bound[striker]["item"] for occurrence in verdict.occurrences}
    nearest: dict[str, float] = {}
    for other in ("before", "after"):
        instead = replace(relation, relation=other, within=NEAR)
        when = tuple(instead if condition is relation else condition for condition in rule.when)
        for bound in detector.bind(replace(rule, when=when)):
            item = bound[striker]["item"]
            one, two = (bound[left], bound[right]) if other == "before" else (bound[right], bound[left])
            distance = (two["start"] - one["end"]) / _SECOND
            if item not in hits and distance < nearest.get(item, NEAR + 1):
                nearest[item] = distance
    return sorted(nearest.values())
