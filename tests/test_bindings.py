"""Rules against a brute-force reading of what they say: every combination of items, condition by condition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_log import GRAMMAR, catalog, log_of, who

from logscope.detect import Detector, Occurrence
from logscope.items import VALUE, Items
from logscope.language.tree import Attachment, Comparison, Path, Relation, Rule, Value

HEAD = "title | t\n  severity low\n  because | b\n  refs apache/cloudstack#1\n  "
RULES = {
    "keys-and-relation": """find a = thing.use
           b = thing.poked
  when     b.thing.id = a.thing.id and b.family != a.family and b during a""",
    "two-of-a-kind": """find a = thing.hold
           b = thing.hold
  when     a.thing.id = b.thing.id and a.actor != b.actor and a overlaps b""",
    "three-bindings": """find a = thing.hold
           b = thing.poked
           c = thing.left
  when     b.thing.id = a.thing.id and b during a and c.actor = b.actor and c after b within 3s""",
    "no-keys": """find a = thing.poked
           b = thing.taken where purpose = "x"
  when     b before a within 2s""",
    "resources-and-tags": """find a = any hold
           b = any change
  when     b.resource = a.resource and b.family != a.family and b during a
  without  own = any hold contains b same resource, actor""",
    "attachments": """find a = thing.use
  when     a.duration > 0.5
  count    often = thing.poked within 4s after a same thing.id other actor at least 2
  without  never = thing.taken where purpose = "y" within 1s before a same thing.id
  proves   one = thing.left within 2s after a same thing.id means failed
  proves   two = thing.poked during a same actor means recovered""",
    "between": """find a = thing.taken
           b = thing.left
  when     b.thing.id = a.thing.id and b after a
  without  none = thing.poked between a and b same thing.id
  proves   more = thing.taken where purpose = "y" between a and b other actor means failed""",
    "durations-and-ends": """find a = thing.use
           b = thing.use
  when     a.outcome in ("closed", "cut-by-end") and a.thing.id != b.thing.id and a contains b""",
}  # fmt: skip


def ruled(name: str) -> Rule:
    known = catalog(f"{GRAMMAR}\nrule {name}\n  {HEAD}{RULES[name]}\n")
    return known.rules[name]


Move = tuple[str, str, int, str]
moves = st.lists(
    st.tuples(
        st.sampled_from(["thing.taken", "thing.left", "thing.poked"]),
        st.sampled_from("abc"),
        st.integers(1, 2),
        st.sampled_from("xy"),
    ),
    min_size=1,
    max_size=14,
)


def evaluated(rule: Rule, items: Items) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every combination of items that the rule means, in order, and what proves it."""
    rows = {b.name.text: list(items.of(b.spec, _paths(rule, b.name.text)).iter_rows(named=True)) for b in rule.find}
    names = [b.name.text for b in rule.find]
    for combination in itertools.product(*(rows[name] for name in names)):
        bound = dict(zip(names, combination, strict=True))
        if len({row["item"] for row in combination}) < len(combination):
            continue
        if not all(_holds(condition, bound) for condition in rule.when):
            continue
        if any(_attached(rule, items, a, bound) for a in rule.without):
            continue
        if any(len(_attached(rule, items, a, bound)) < (a.at_least or 1) for a in rule.counts):
            continue
        proofs = {a.binding.name.text: found for a in rule.proves if (found := _attached(rule, items, a, bound))}
        yield bound, proofs


def _paths(rule: Rule, name: str) -> list[str]:
    found = set()
    for condition in rule.when:
        if isinstance(condition, Comparison):
            for side in (condition.left, condition.right):
                if isinstance(side, Path) and side.text.partition(".")[0] == name:
                    found.add(side.text.partition(".")[2])
    for attachment in (*rule.without, *rule.counts, *rule.proves):
        if name in (attachment.anchor.text, attachment.binding.name.text):
            found |= {key.text for key in (*attachment.same, *attachment.other)}
    return sorted(found)


def _holds(condition: Comparison | Relation, bound: dict[str, Any]) -> bool:
    if isinstance(condition, Relation):
        left, right = bound[condition.left.text], bound[condition.right.text]
        return _related(condition.relation, left, right, condition.within)
    left, right = _value(condition.left, bound), condition.right
    if isinstance(right, tuple):
        return left in [str(v.value) for v in right]
    other = str(right.value) if isinstance(right, Value) else _value(right, bound)
    if left is None or other is None:
        return False
    return {"=": left == other, "!=": left != other, ">": condition.operator == ">" and float(left) > float(other)}[
        condition.operator
    ]


def _value(path: Path, bound: dict[str, Any]) -> str | None:
    name, _, rest = path.text.partition(".")
    value: str | None = bound[name][VALUE + rest]
    return value


def _related(relation: str, a: dict[str, Any], b: dict[str, Any], within: float | None) -> bool:
    a1, a2, b1, b2 = a["start"], a["end"], b["start"], b["end"]
    holds, distance = {
        "during": (b1 < a1 and a2 < b2, a1 - b1),
        "contains": (a1 < b1 and b2 < a2, b1 - a1),
        "overlaps": (a1 <= b1 < a2 and a["order"] < b["order"], b1 - a1),
        "before": (a2 <= b1 and a["order"] < b["order"], b1 - a2),
        "after": (a1 >= b2 and a["order"] > b["order"], a1 - b2),
    }[relation]
    return holds and (within is None or distance <= within * 1_000_000)


def _attached(rule: Rule, items: Items, attachment: Attachment, bound: dict[str, Any]) -> list[dict[str, Any]]:
    anchor, name = bound[attachment.anchor.text], attachment.binding.name.text
    found = []
    for row in items.of(attachment.binding.spec, _paths(rule, name)).iter_rows(named=True):
        same = all(row[VALUE + k.text] is not None and row[VALUE + k.text] == anchor[VALUE + k.text]
                   for k in attachment.same)  # fmt: skip
        other = all(row[VALUE + k.text] != anchor[VALUE + k.text] for k in attachment.other)
        is_other_item = row["item"] != anchor["item"]
        is_before = attachment.until is None or _related("before", row, bound[attachment.until.text], None)
        is_there = is_before and _related(attachment.relation, row, anchor, attachment.within)
        if same and other and is_other_item and is_there:
            found.append(row)
    return found


def expected(rule: Rule, items: Items) -> list[tuple[Any, ...]]:
    """The first occurrence for what each actor did to a first item, as the detector tells it."""
    told: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    first, *others = (b.name.text for b in rule.find)
    order = [f"{name}" for name in (first, *others)]
    found = sorted(evaluated(rule, items), key=lambda pair: [pair[0][name]["order"] for name in order])
    for bound, proofs in found:
        key = (bound[first]["item"], *(bound[n][c] for n in others for c in ("server", "thread", "run")))
        items_bound = tuple(bound[name]["item"] for name in order)
        proved = tuple((name, min(rows, key=lambda r: r["order"])["item"]) for name, rows in proofs.items())
        if not others:
            key = items_bound
        told.setdefault(key, (items_bound, proved))
    return sorted(told.values())


def said(occurrence: Occurrence) -> tuple[Any, ...]:
    proofs = tuple((name, item["item"]) for name, item in occurrence.proofs.items())
    return tuple(item["item"] for item in occurrence.bound.values()), proofs


@pytest.mark.parametrize("name", RULES)
@given(moves)
@settings(max_examples=12, deadline=None)
def test_detector_agrees_with_brute_force(name: str, history: list[Move]) -> None:
    rule = ruled(name)
    steps = []
    for number, (event, actor, thing, purpose) in enumerate(history):
        fields = {"thing": str(thing)} | ({"purpose": purpose} if event == "thing.taken" else {})
        steps.append((number * 0.4, who(actor, f"{ord(actor):x}"), event, fields))
    log = log_of(catalog(f"{GRAMMAR}\nrule {name}\n  {HEAD}{RULES[name]}\n"), steps)
    verdict = Detector(log.catalog, log.items, log.horizon, {"DEBUG"}).judge(rule)
    if verdict.missing:
        assert verdict.status == "not-evaluated"
    else:
        assert sorted(map(said, verdict.occurrences)) == expected(rule, log.items)
