"""Each condition of a rule is held by one of its histories: a rule that lacks it must fail there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from test_grammars import shipped

from logscope.detect import Detector
from logscope.language.tree import Attachment, Comparison, History, Relation, Rule
from logscope.pipeline import Log
from logscope.selftest import read_history

OTHER = {
    "during": "after", "contains": "before", "overlaps": "before", "meets": "overlaps", "before": "after",
    "after": "before", "starts": "finishes", "finishes": "starts", "equals": "overlaps",
}  # fmt: skip
# These ask for less to be read and follow from what else is asked.
FOR_SPEED = (
    "ended without: where answer …",
    "refusal without: where answer …",
    "answer without: where call …",
)
SECTIONS = ("without", "counts", "proves")


def mutants(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """The rule with one condition less, one key less, or another relation, and what was done to it."""
    for number, condition in enumerate(rule.when):
        rest = (*rule.when[:number], *rule.when[number + 1 :])
        if isinstance(condition, Comparison):
            yield f"without: {condition.left.text} {condition.operator} …", replace(rule, when=rest)
        else:
            yield from _relations(rule, number, condition)
    for number, binding in enumerate(rule.find):
        for one in binding.spec.where:
            spec = replace(binding.spec, where=tuple(w for w in binding.spec.where if w is not one))
            changed = (*rule.find[:number], replace(binding, spec=spec), *rule.find[number + 1 :])
            yield f"{binding.name.text} without: where {one.left.text} …", replace(rule, find=changed)
    for section in SECTIONS:
        attachments: tuple[Attachment, ...] = getattr(rule, section)
        for number, attachment in enumerate(attachments):
            name = attachment.binding.name.text
            if section == "proves" and _is_required(rule, attachment):
                continue
            for text, other in _attachments(attachment):
                changed_ones = (*attachments[:number], other, *attachments[number + 1 :])
                yield f"{name} {text}", replace(rule, **{section: changed_ones})  # type: ignore[arg-type]
            if section != "proves":
                gone = (*attachments[:number], *attachments[number + 1 :])
                yield f"without: {name}", replace(rule, **{section: gone})  # type: ignore[arg-type]


def _is_required(rule: Rule, proof: Attachment) -> bool:
    """A `count` asks for the same thing already, so that what the proof asks for is always there."""
    return any(count.binding.spec.name.text == proof.binding.spec.name.text for count in rule.counts)


def _relations(rule: Rule, number: int, condition: Relation) -> Iterator[tuple[str, Rule]]:
    specs = {b.name.text: (b.spec.name.text, len(b.spec.where)) for b in rule.find}
    is_symmetric = (
        condition.relation in ("before", "after") and specs[condition.left.text] == specs[condition.right.text]
    )
    changed = [] if is_symmetric else [replace(condition, relation=OTHER[condition.relation])]
    if condition.within is not None:
        changed.append(replace(condition, within=None))
    for other in changed:
        text = f"{other.left.text} {other.relation} {other.right.text} within {other.within}"
        yield text, replace(rule, when=(*rule.when[:number], other, *rule.when[number + 1 :]))


def _attachments(attachment: Attachment) -> Iterator[tuple[str, Attachment]]:
    for field in ("same", "other"):
        keys = getattr(attachment, field)
        for key in keys:
            left = tuple(k for k in keys if k is not key)
            yield f"without: {field} {key.text}", replace(attachment, **{field: left})  # type: ignore[arg-type]
    yield OTHER[attachment.relation], replace(attachment, relation=OTHER[attachment.relation])
    if attachment.at_least is not None and attachment.at_least > 1:
        yield "at least one less", replace(attachment, at_least=attachment.at_least - 1)


@dataclass(frozen=True)
class Case:
    """A history as a log, and what the rule must say of it."""

    log: Log
    expected: str

    def holds(self, rule: Rule) -> bool:
        return judged(rule, self.log) == self.expected


def judged(rule: Rule, log: Log) -> str:
    """`quiet`, or how many times the rule fires and whether it is certain."""
    levels = set(log.events.table["level"].unique().to_list())
    found = Detector(log.catalog, log.items, log.horizon, levels).judge(rule).occurrences
    if not found:
        return "quiet"
    return f"{len(found)} {'possible' if all(one.doubts for one in found) else 'certain'}"


def written(rule: Rule) -> list[Case]:
    """The histories that stand in the rule."""
    cases = [Case(read(rule, history), "quiet") for history in rule.quiet]
    for history in rule.fires:
        log = read(rule, history)
        said = judged(rule, log)
        assert said.endswith(history.certainty)
        cases.append(Case(log, said))
    return cases


def read(rule: Rule, history: History) -> Log:
    catalog = shipped()[0]
    return read_history(replace(catalog, rules={rule.name.text: rule}), history)


@pytest.mark.parametrize("rule", list(shipped()[0].rules.values()), ids=lambda rule: rule.name.text)
def test_each_condition_is_held_by_a_history(rule: Rule) -> None:
    cases = written(rule)
    assert all(case.holds(rule) for case in cases)
    survivors = [
        text for text, mutant in mutants(rule) if text not in FOR_SPEED and all(case.holds(mutant) for case in cases)
    ]
    assert not survivors, "add a history that differs in this alone, or leave the condition out"
