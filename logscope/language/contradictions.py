"""Finds conditions of a rule that can never hold together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from operator import ge, gt, le, lt

from logscope.errors import Diagnostic
from logscope.language.tree import Comparison, Path, Relation, Rule, Value

_ORDER: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_APART = {"before", "after"}
_SHARING = {"during", "contains", "overlaps", "starts", "finishes", "equals"}
_INVERSE = {"before": "after", "after": "before", "during": "contains", "contains": "during"}


def contradictions(rule: Rule) -> Iterator[Diagnostic]:
    """A diagnostic for every condition of `when` that rules out itself or one before it."""
    for condition in rule.when:
        if isinstance(condition, Relation) and condition.left.text == condition.right.text:
            message = f"'{condition.left.text}' is related to itself"
            yield Diagnostic("LG309", message, condition.span, "relate two bindings")
    for first, second in combinations(rule.when, 2):
        if isinstance(first, Relation) and isinstance(second, Relation):
            excluded = _relations_exclude(first, second)
        elif isinstance(first, Comparison) and isinstance(second, Comparison):
            excluded = _comparisons_exclude(first, second)
        else:
            continue
        if excluded:
            message = f"this can never hold together with the condition in line {first.span.line}"
            yield Diagnostic("LG309", message, second.span, "a rule with both never fires; keep one of them")


def _relations_exclude(first: Relation, second: Relation) -> bool:
    relation = second.relation
    if (second.right.text, second.left.text) == (first.left.text, first.right.text):
        relation = _INVERSE.get(relation, relation)
    elif (second.left.text, second.right.text) != (first.left.text, first.right.text):
        return False
    both = {first.relation, relation}
    return both in ({"before", "after"}, {"during", "contains"}) or bool(both & _APART and both & _SHARING)


def _comparisons_exclude(first: Comparison, second: Comparison) -> bool:
    if isinstance(first.right, Path) or isinstance(second.right, Path):
        return {first.operator, second.operator} == {"=", "!="} and _sides(first) == _sides(second)
    if first.left.text != second.left.text:
        return False
    if first.operator == second.operator == "is":
        return isinstance(first.right, Value) and first.right.value != getattr(second.right, "value", None)
    if {first.operator, second.operator} <= set(_ORDER):
        return _ranges_exclude(first, second)
    one, other = (first, second) if first.operator == "=" else (second, first)
    return one.operator == "=" and isinstance(one.right, Value) and not _allows(other, one.right.value)


def _sides(comparison: Comparison) -> frozenset[str]:
    right = comparison.right
    return frozenset((comparison.left.text, right.text)) if isinstance(right, Path) else frozenset()


def _allows(comparison: Comparison, value: str | float) -> bool:
    """Whether something that equals `value` can satisfy the comparison."""
    right = comparison.right
    if isinstance(right, tuple):
        return str(value) in {str(one.value) for one in right}
    assert isinstance(right, Value)
    match comparison.operator:
        case "=":
            return str(value) == str(right.value)
        case "!=":
            return str(value) != str(right.value)
        case "starts":
            return str(value).startswith(str(right.value))
        case "ends":
            return str(value).endswith(str(right.value))
        case "is":
            return right.value == "known"
        case operator:
            if isinstance(value, str) or isinstance(right.value, str):
                return True
            return _ORDER[operator](value, right.value)


def _ranges_exclude(first: Comparison, second: Comparison) -> bool:
    if first.operator[0] == second.operator[0]:
        return False
    below, above = (first, second) if first.operator[0] == "<" else (second, first)
    if not isinstance(below.right, Value) or not isinstance(above.right, Value):
        return False
    upper, lower = below.right.value, above.right.value
    if isinstance(upper, str) or isinstance(lower, str):
        return False
    return lower > upper or (lower == upper and (below.operator, above.operator) != ("<=", ">="))
