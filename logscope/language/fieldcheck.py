"""Looks up every field path that declarations use; part of `resolve`.

Works on a catalog whose names are all known. Every complaint comes with the declaration it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logscope.errors import Diagnostic
from logscope.language.catalog import Catalog
from logscope.language.paths import event_templates, fields_of, tagged
from logscope.language.rulecheck import rule_fields
from logscope.language.scope import (
    JOINING,
    Scope,
    complaint,
    did_you_mean,
    subject,
    title_fields,
    together,
    where_fields,
)
from logscope.language.tree import (
    PRIMITIVES,
    PSEUDO_FIELDS,
    Actor,
    Choice,
    Event,
    Interval,
    Machine,
    Name,
    Template,
    Type,
)

Key = tuple[str, str]


def check_fields(catalog: Catalog) -> Iterator[tuple[Key, Diagnostic]]:
    """Every mistake with a field: its declaration and the diagnostic."""
    for name, of in catalog.types.items():
        yield from ((("type", name), one) for one in _type(of))
    scopes = {name: subject(catalog, name) for name in (*catalog.events, *catalog.intervals)}
    for name, event in catalog.events.items():
        yield from ((("event", name), one) for one in _event(event, scopes[name]))
    for name, interval in catalog.intervals.items():
        yield from ((("interval", name), one) for one in _interval(interval, scopes))
    for name, actor in catalog.actors.items():
        yield from ((("actor", name), one) for one in _actor(actor, scopes))
    for name, machine in catalog.machines.items():
        yield from ((("machine", name), one) for one in _machine(machine, scopes))
    tags = {tag.text for event in catalog.events.values() for tag in event.tags}
    tags |= {tag.text for interval in catalog.intervals.values() for tag in interval.tags}
    for tag in tags:
        scopes[f"any {tag}"] = together(f"what carries '{tag}'", [scopes[one] for one in tagged(catalog, tag)])
    for name, rule in catalog.rules.items():
        yield from ((("rule", name), one) for one in rule_fields(rule, scopes))


def _type(of: Type) -> Iterator[Diagnostic]:
    what = f"type '{of.name.text}'"
    templates = [match.template for match in of.matches]
    yield from _consistent(what, templates)
    names = {part.name for template in templates for part in fields_of(template)}
    for role in (*([of.key] if of.key else ()), *of.aliases, *([of.label] if of.label else ())):
        if role.text not in names:
            yield Diagnostic("LG106", f"{what} has no field '{role.text}'", role.span, did_you_mean(role.text, names))


def _consistent(what: str, templates: Iterable[Template]) -> Iterator[Diagnostic]:
    types: dict[str, str] = {}
    for template in templates:
        seen: set[str] = set()
        for part in fields_of(template):
            if part.name in seen:
                message = f"field '{part.name}' stands twice in one template"
                yield Diagnostic("LG115", message, part.span, "give the second one a name of its own")
            seen.add(part.name)
            first = types.setdefault(part.name, part.type)
            if first != part.type and not (first in PRIMITIVES and part.type in PRIMITIVES):
                message = f"field '{part.name}' of {what} is '{part.type}' here and '{first}' above"
                yield Diagnostic("LG115", message, part.span, "use one type, or two names")


def _event(event: Event, scope: Scope) -> Iterator[Diagnostic]:
    templates = event_templates(event)
    yield from _consistent(scope.what, templates)
    names: dict[str, str] = {}
    for template in templates:
        for part in fields_of(template):
            names[part.name] = part.type
            if part.name in PSEUDO_FIELDS and part.type in PRIMITIVES:
                message = f"field '{part.name}' has the name of something that every event has"
                yield Diagnostic("LG116", message, part.span, "give it another name, or a type of your own")
    for inside in event.insides:
        place = inside.place
        if place.text != "exception" and place.text not in names:
            hint = did_you_mean(place.text, ("exception", *names))
            yield Diagnostic("LG106", f"{scope.what} has no field '{place.text}' to look into", place.span, hint)
    for sample in event.samples:
        for expectation in sample.expect:
            yield from complaint(scope.given(expectation.path.text, expectation.path.span))
    yield from title_fields(event.title, scope)


def _interval(interval: Interval, scopes: dict[str, Scope]) -> Iterator[Diagnostic]:
    scope = scopes[interval.name.text]
    for choice in (*interval.opens, *interval.closes, *interval.of):
        yield from where_fields(choice.where, scopes[choice.event.text])
    words = [name.text for name in interval.same]
    for name in interval.same:
        if name.text in JOINING:
            continue
        if name.text in PSEUDO_FIELDS:
            hint = f"an interval is joined on fields and on {', '.join(JOINING)}"
            yield Diagnostic("LG106", f"{scope.what} cannot be joined on '{name.text}'", name.span, hint)
            continue
        needing: tuple[Choice, ...] = (*interval.opens, *interval.of)
        if "actor" not in words and "job" not in words:
            needing += interval.closes
        yield from _lacking(name, [scopes[choice.event.text] for choice in needing])
    yield from title_fields(interval.title, scope)


def _lacking(name: Name, scopes: Iterable[Scope]) -> Iterator[Diagnostic]:
    for scope in scopes:
        unknown = scope.compared(name.text, name.span)
        if unknown is not None:
            yield unknown
            return


def _actor(actor: Actor, scopes: dict[str, Scope]) -> Iterator[Diagnostic]:
    what = f"actor '{actor.name.text}'"
    if not actor.threads and not actor.doing:
        message = f"{what} has neither 'thread' nor 'doing'"
        yield Diagnostic("LG111", message, actor.name.span, "say by which thread or by what it does it is known")
    yield from _consistent(what, actor.threads)
    for choice in actor.doing:
        yield from where_fields(choice.where, scopes[choice.event.text])
    names = {part.name: part.type for template in actor.threads for part in fields_of(template)}
    yield from title_fields(actor.title, Scope(what, names))


def _machine(machine: Machine, scopes: dict[str, Scope]) -> Iterator[Diagnostic]:
    what, kind = f"machine '{machine.name.text}'", (machine.kind or machine.name).text
    for choice in (choice for edge in machine.edges for choice in edge.choices):
        scope = scopes[choice.event.text]
        if kind not in scope.kinds:
            message = f"{scope.what} has no resource of kind '{kind}' whose state it could change"
            yield Diagnostic("LG106", message, choice.event.span)
        yield from where_fields(choice.where, scope)
    yield from title_fields(machine.title, Scope(what, {"id": "text", "state": "word"}))
