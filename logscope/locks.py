"""Which locks each side of a finding held: for rules about locks of any kind, which cannot name them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.detect import Item, Occurrence
from logscope.items import SCHEMA, Items, tagged
from logscope.language.tree import Rule

HOLD, GUARD = "hold", "guard"

Held = dict[str, list[Item]]
"""By binding the locks of its actor, in the order in which it took them."""


def held(items: Items, judged: Sequence[tuple[Rule, Occurrence]]) -> list[Held]:
    """By occurrence: what the actor of each binding held when the last thing that is bound began.

    Empty for rules that do not bind `any hold` or `any guard`.
    """
    if not any(_is_about_locks(rule) for rule, _ in judged):
        return [{} for _ in judged]
    locks = items.of(tagged(HOLD), [])
    return [_of_sides(locks, occurrence) if _is_about_locks(rule) else {} for rule, occurrence in judged]


def _is_about_locks(rule: Rule) -> bool:
    return any(b.spec.any_of_tag and b.spec.name.text in (HOLD, GUARD) for b in rule.find)


def _of_sides(locks: pl.DataFrame, occurrence: Occurrence) -> Held:
    moment = max(item["start"] for item in occurrence.bound.values())
    found: Held = {}
    for name, item in occurrence.bound.items():
        mine = [pl.col(c) == item[c] for c in ("server", "thread", "run")]
        rows = locks.filter(*mine, pl.col("start") <= moment, pl.col("end") >= moment)
        found[name] = list(rows.select(*SCHEMA).iter_rows(named=True))
    return found
