"""Asks whether sound declarations make sense; what needs no log line to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logscope.errors import Diagnostic, Span
from logscope.language.catalog import Catalog
from logscope.language.contradictions import contradictions
from logscope.language.paths import event_templates, fields_of
from logscope.language.tree import (
    PRIMITIVES,
    Attachment,
    Comparison,
    Event,
    Field,
    Grammar,
    Interval,
    Literal,
    Path,
    Relation,
    Releases,
    Rendering,
    Rule,
    Source,
    Template,
    Type,
)

# Neighbours of which nothing says where the first ends.
_OPEN = ({"text", "word", "name"}, {"int", "hex"})


def check(catalog: Catalog, grammars: Sequence[Grammar]) -> list[Diagnostic]:
    """What is wrong with the declarations of a catalog, in the order of the files.

    `grammars` are the files the catalog was made of. Unused declarations are warnings, and are
    looked for only if every declaration is in the catalog.
    """
    found: list[Diagnostic] = []
    for of in catalog.types.values():
        found += _type(of)
    for event in catalog.events.values():
        found += _event(event)
    found += _twins(catalog)
    for interval in catalog.intervals.values():
        found += _interval(interval)
    for actor in catalog.actors.values():
        for thread in actor.threads:
            found += _template(thread, f"a thread of actor '{actor.name.text}'")
    for source in catalog.sources.values():
        found += _source(source)
    for rule in catalog.rules.values():
        found += _rule(rule)
    declared = sum(len(grammar.declarations) + len(grammar.broken) for grammar in grammars)
    kept = (
        *catalog.types,
        *catalog.events,
        *catalog.intervals,
        *catalog.actors,
        *catalog.rules,
        *catalog.sources,
        *catalog.machines,
    )
    if declared == len(kept):
        found += _unused(catalog)
    order = {grammar.path: index for index, grammar in enumerate(grammars)}
    return sorted(found, key=lambda one: (order[one.span.path], one.span))


def _type(of: Type) -> Iterator[Diagnostic]:
    yield from _renderings(of.matches)
    for match in of.matches:
        yield from _neighbours(match.template)


def _event(event: Event) -> Iterator[Diagnostic]:
    what = f"event '{event.name.text}'"
    if not event.matches:
        hint = "add the template of its message; 'inside exception' looks into exceptions of such an event"
        yield Diagnostic("LG301", f"{what} has no 'match'", event.name.span, hint)
    elif len(event.samples) < len(event.matches):
        has = f"{_number(len(event.matches), 'template')} and {_number(len(event.samples), 'sample')}"
        yield Diagnostic("LG302", f"{what} has {has}", event.name.span, "add a log line for each template")
    yield from _renderings(event.matches)
    for template in event_templates(event):
        yield from _template(template, f"a template of {what}")


def _source(source: Source) -> Iterator[Diagnostic]:
    what = f"source '{source.name.text}'"
    templates = [*source.threads, *(match.template for match in source.matches)]
    if not templates and not source.loggers:
        hint = "say by which logger, thread or message it is known"
        yield Diagnostic("LG111", f"{what} has neither 'logger' nor 'thread' nor 'match'", source.name.span, hint)
    if not source.samples:
        yield Diagnostic("LG302", f"{what} has no sample", source.name.span, "add a log line by which it is told")
    for template in templates:
        yield from _template(template, f"a template of {what}")


def _number(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _renderings(renderings: Sequence[Rendering]) -> Iterator[Diagnostic]:
    for rendering in renderings:
        releases = rendering.releases
        if releases and releases.first and releases.last and _release(releases.first) > _release(releases.last):
            message = f"release {releases.first} is later than release {releases.last}"
            yield Diagnostic("LG308", message, releases.span, _swapped(releases))


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _swapped(releases: Releases) -> str:
    return f"did you mean '{releases.last}..{releases.first}'?"


def _template(template: Template, what: str) -> Iterator[Diagnostic]:
    """The complaints about a template that must tell lines apart."""
    yield from _neighbours(template)
    typed = any(part.type not in PRIMITIVES for part in fields_of(template))
    if not typed and not any(
        char.isalnum() for part in template.parts if isinstance(part, Literal) for char in part.text
    ):
        hint = "add text that stands in every such line"
        yield Diagnostic("LG307", f"{what} has no text of its own and would fit almost everything", template.span, hint)


def _neighbours(template: Template) -> Iterator[Diagnostic]:
    for left, right in zip(template.parts, template.parts[1:], strict=False):
        if not isinstance(left, Field) or not isinstance(right, Field):
            continue
        if any(left.type in types and right.type in types for types in _OPEN):
            message = f"nothing says where field '{left.name}' ends and field '{right.name}' begins"
            yield Diagnostic("LG306", message, right.span, "make one field of them, or put the text between them")


def _twins(catalog: Catalog) -> Iterator[Diagnostic]:
    """Templates that fit the same messages."""
    for of in catalog.types.values():
        yield from _same_shape([(f"type '{of.name.text}'", match.template) for match in of.matches])
    yield from _same_shape(
        [(f"event '{event.name.text}'", match.template) for event in catalog.events.values() for match in event.matches]
    )


def _same_shape(templates: Sequence[tuple[str, Template]]) -> Iterator[Diagnostic]:
    first: dict[tuple[str, ...], tuple[str, Span]] = {}
    for owner, template in templates:
        shape = tuple(f"={part.text}" if isinstance(part, Literal) else part.type for part in template.parts)
        if shape in first:
            other, at = first[shape]
            same = "this template already" if other == owner else f"the template that {other} has"
            message = f"{owner} has {same} at {at.path}:{at.line}"
            yield Diagnostic("LG303", message, template.span, "keep one of them")
        else:
            first[shape] = owner, template.span


def _interval(interval: Interval) -> Iterator[Diagnostic]:
    ends_alone = interval.limit is not None or any(name.text in ("actor", "job", "thread") for name in interval.same)
    if not interval.closes and not ends_alone:
        message = f"interval '{interval.name.text}' never ends"
        yield Diagnostic("LG312", message, interval.name.span, "add 'closes', a 'limit', or 'actor' to 'same'")


def _rule(rule: Rule) -> Iterator[Diagnostic]:
    what = f"rule '{rule.name.text}'"
    lacking = [
        word
        for word, said in (("because", rule.because), ("refs", rule.refs), ("fires", rule.fires), ("quiet", rule.quiet))
        if not said
    ]
    for word in lacking:
        yield Diagnostic("LG304", f"{what} has no '{word}'", rule.name.span, f"add the clause '{word}'")
    yield from contradictions(rule)
    yield from _unrelated(rule, what)
    for one in (*rule.when, *rule.without, *rule.counts, *rule.proves):
        if (
            isinstance(one, (Relation, Attachment))
            and one.within is not None
            and one.relation not in ("before", "after")
        ):
            message = f"'within' limits a distance, which '{one.relation}' does not have"
            yield Diagnostic("LG311", message, one.span, "use it with 'before' or 'after'")
    for history in (*rule.fires, *rule.quiet):
        for earlier, step in zip(history.steps, history.steps[1:], strict=False):
            if step.seconds < earlier.seconds:
                yield Diagnostic("LG313", "this step is earlier than the one above", step.span, "put them in order")


def _unrelated(rule: Rule, what: str) -> Iterator[Diagnostic]:
    """The bindings that no chain of conditions ties to the first one."""
    ties: list[tuple[str, str]] = []
    for condition in rule.when:
        if isinstance(condition, Relation):
            ties.append((condition.left.text, condition.right.text))
        elif isinstance(condition, Comparison) and isinstance(condition.right, Path):
            ties.append((condition.left.text.split(".")[0], condition.right.text.split(".")[0]))
    reached = {rule.find[0].name.text}
    for _ in rule.find:
        for left, right in ties:
            if left in reached or right in reached:
                reached |= {left, right}
    for binding in rule.find[1:]:
        if binding.name.text not in reached:
            message = f"{what} ties '{binding.name.text}' to nothing"
            hint = f"say in 'when' how it stands to '{rule.find[0].name.text}'"
            yield Diagnostic("LG310", message, binding.name.span, hint)


def _unused(catalog: Catalog) -> Iterator[Diagnostic]:
    templates = [match.template for of in catalog.types.values() for match in of.matches]
    templates += [template for event in catalog.events.values() for template in event_templates(event)]
    templates += [thread for actor in catalog.actors.values() for thread in actor.threads]
    templates += [thread for source in catalog.sources.values() for thread in source.threads]
    templates += [match.template for source in catalog.sources.values() for match in source.matches]
    used = {part.type for template in templates for part in fields_of(template)}
    for name, of in catalog.types.items():
        if name not in used:
            yield _never_used("type", name, of.name.span)
    used = {source.text for event in catalog.events.values() for takes in event.takes for source in takes.sources}
    for rule in catalog.rules.values():
        attached = [one.binding for one in (*rule.without, *rule.counts, *rule.proves)]
        used |= {binding.spec.name.text for binding in (*rule.find, *attached)}
        used |= {choice.event.text for choice in (rule.chances, rule.period, *rule.controls) if choice is not None}
    for name, interval in catalog.intervals.items():
        # A title or a tag makes an interval worth having: it stands in timelines.
        if name not in used and interval.title is None and not interval.tags:
            yield _never_used("interval", name, interval.name.span)


def _never_used(keyword: str, name: str, span: Span) -> Diagnostic:
    return Diagnostic("LG305", f"{keyword} '{name}' is never used", span, "remove it", severity="warning")
