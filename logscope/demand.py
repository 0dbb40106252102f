"""What must be extracted for a question: events and field paths, closed over the grammars.

A debug log is mostly lines that no question needs; asking for few events decides speed more than
anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from logscope.language.catalog import Catalog
from logscope.language.tree import Choice, Comparison, Event, Field, Path, Rule, Spec, Value

PLACE = re.compile(r"\{([a-z][a-z0-9_.-]*)\}")
_ALWAYS = ("restart", "submits")
_TELLING = ("=", "in", "starts", "ends")
_LEAST_NEEDLE = 8  # shorter texts stand in too many lines


@dataclass(frozen=True, slots=True)
class Demand:
    """`events` None asks for all events, `paths` None for all fields.

    `needles`: events that are asked for only where a field has one of some texts; a line without any of
    its event's needles cannot be meant, so it is not even looked at.
    """

    events: frozenset[str] | None
    paths: frozenset[str] | None
    needles: Mapping[str, frozenset[str]] = field(default_factory=dict)


def for_events(catalog: Catalog, names: Iterable[str]) -> Demand:
    """The named events with all their fields, and what is needed to name their actors."""
    closure = _Closure(catalog)
    for name in names:
        closure.add(name)
    for actor in catalog.actors.values():
        closure.add_choices(actor.doing)
    for tag in _ALWAYS:
        for name in catalog.events_tagged(tag):
            closure.add(name)
    return Demand(frozenset(closure.events), None)


def for_rules(catalog: Catalog, rules: Iterable[Rule]) -> Demand:
    """What is needed to judge `rules`, to name the actors, and to list the failures."""
    closure = _Closure(catalog)
    for rule in rules:
        attachments = (*rule.without, *rule.counts, *rule.proves)
        for spec in (*(b.spec for b in rule.find), *(a.binding.spec for a in attachments)):
            closure.add_spec(spec)
        closure.add_choices((*rule.controls, *filter(None, (rule.chances, rule.period))))
    for actor in catalog.actors.values():
        closure.add_choices(actor.doing)
    for tag in (*_ALWAYS, "failure", "success"):
        for name in catalog.events_tagged(tag):
            closure.add(name)
    return Demand(frozenset(closure.events), paths_used(catalog), closure.needles())


def for_everything(catalog: Catalog, *, all_fields: bool = False) -> Demand:
    """Every event; only the field paths that intervals, rules and titles use unless `all_fields`."""
    return Demand(None, None if all_fields else paths_used(catalog))


def with_tags(catalog: Catalog, demand: Demand, tags: Iterable[str]) -> Demand:
    """The same demand with the events that carry one of the tags, all of them."""
    if demand.events is None:
        return demand
    names = {name for tag in tags for name in catalog.events_tagged(tag)}
    needles = {name: needle for name, needle in demand.needles.items() if name not in names}
    return Demand(demand.events | names, demand.paths, needles)


class _Closure:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.events: set[str] = set()
        self._intervals: set[str] = set()
        self._asked: dict[str, set[frozenset[str]]] = {}

    def add_spec(self, spec: Spec) -> None:
        if spec.any_of_tag:
            for name in self._catalog.events_tagged(spec.name.text) + self._catalog.intervals_tagged(spec.name.text):
                self.add(name)
        else:
            self.add(spec.name.text, spec.where)

    def add_choices(self, choices: Iterable[Choice]) -> None:
        for choice in choices:
            self.add(choice.event.text, choice.where)

    def needles(self) -> dict[str, frozenset[str]]:
        """Events that were never asked for without a text that must stand in their line."""
        return {name: frozenset().union(*asked) for name, asked in self._asked.items() if frozenset() not in asked}

    def add(self, name: str, where: Sequence[Comparison] = ()) -> None:
        if name in self._catalog.events:
            self._asked.setdefault(name, set()).add(_needles(self._catalog.events[name], where))
        if name in self._catalog.events and name not in self.events:
            self.events.add(name)
            for takes in self._catalog.events[name].takes:
                for source in takes.sources:
                    self.add(source.text)
        elif name in self._catalog.intervals and name not in self._intervals:
            self._intervals.add(name)
            declared = self._catalog.intervals[name]
            self.add_choices((*declared.opens, *declared.closes, *declared.of))


def _needles(event: Event, where: Sequence[Comparison]) -> frozenset[str]:
    """Texts of which a line that meets the conditions contains one; empty when none can be told.

    Only fields that are read from the line itself count: an id may have been learnt elsewhere.
    """
    templates = [match.template for match in event.matches] + [inside.template for inside in event.insides]
    own = {part.name for template in templates for part in template.parts if isinstance(part, Field)}
    best: frozenset[str] = frozenset()
    for comparison in where:
        name, _, below = comparison.left.text.partition(".")
        right = comparison.right
        if name not in own or below.rpartition(".")[2] == "id" or comparison.operator not in _TELLING:
            continue
        values = right if isinstance(right, tuple) else (right,)
        texts = frozenset(str(value.value) for value in values if isinstance(value, Value))
        if texts and min(map(len, texts)) >= _LEAST_NEEDLE:
            best = max(best, texts, key=lambda found: min(map(len, found), default=0))
    return best


def paths_used(catalog: Catalog) -> frozenset[str]:
    """Every field path that a condition, a key or a title mentions, without binding names."""
    paths: set[str] = set()
    for interval in catalog.intervals.values():
        paths.update(key.text for key in interval.same)
        _of_choices(paths, (*interval.opens, *interval.closes, *interval.of))
    for actor in catalog.actors.values():
        _of_choices(paths, actor.doing)
    for machine in catalog.machines.values():
        _of_choices(paths, (choice for edge in machine.edges for choice in edge.choices))
    for rule in catalog.rules.values():
        for attachment in (*rule.without, *rule.counts, *rule.proves):
            paths.update(key.text for key in (*attachment.same, *attachment.other))
            _of_comparisons(paths, attachment.binding.spec.where)
        for binding in rule.find:
            _of_comparisons(paths, binding.spec.where)
        _of_choices(paths, (*rule.controls, *filter(None, (rule.chances, rule.period))))
        for condition in rule.when:
            if isinstance(condition, Comparison):
                sides = [s for s in (condition.left, condition.right) if isinstance(s, Path)]
                paths.update(side.text.partition(".")[2] for side in sides)
        paths.update(place.partition(".")[2] for place in PLACE.findall(rule.title.text))
    titles = [*(e.title for e in catalog.events.values()), *(i.title for i in catalog.intervals.values())]
    for title in filter(None, titles):
        paths.update(PLACE.findall(title.text))
    return frozenset(paths)


def _of_choices(paths: set[str], choices: Iterable[Choice]) -> None:
    for choice in choices:
        _of_comparisons(paths, choice.where)


def _of_comparisons(paths: set[str], comparisons: Iterable[Comparison]) -> None:
    for comparison in comparisons:
        sides = (comparison.left, comparison.right)
        paths.update(side.text for side in sides if isinstance(side, Path))
