"""Which field paths an event, an interval or a type has, and of which type each is.

A path maps to a primitive (`network.id` → `int`) or, for a typed field as a whole, to the name of
its type (`network` → `network`). A path that has several primitives, by rendering, is `text`.
"""

from __future__ import annotations

from collections.abc import Iterator

from logscope.language.catalog import Catalog
from logscope.language.tree import PRIMITIVES, Event, Field, Interval, Template, Type

CANONICAL = "id"  # the subfield that every typed field with a kind has: the canonical id of its resource


def fields_of(template: Template) -> Iterator[Field]:
    """The fields of a template in order."""
    return (part for part in template.parts if isinstance(part, Field))


def event_templates(event: Event) -> list[Template]:
    """The templates of an event: those of the message, then those that look inside."""
    return [match.template for match in event.matches] + [inside.template for inside in event.insides]


def kinds_of(of: Type) -> set[str]:
    """The kinds of resource that a field of this type can name; empty for `kind none`."""
    default = (of.kind or of.name).text
    kinds = {match.kind.text if match.kind else default for match in of.matches}
    return kinds - {"none"}


def type_fields(catalog: Catalog, name: str) -> dict[str, str]:
    """The paths below a field of type `name`: its subfields, and theirs.

    `id` is among them for a type with a kind even if no rendering names such a field.
    """
    return _type_fields(catalog, name, ())


def _type_fields(catalog: Catalog, name: str, within: tuple[str, ...]) -> dict[str, str]:
    found = catalog.types[name]
    paths: dict[str, str] = {}
    for match in found.matches:
        for part in fields_of(match.template):
            _add(paths, _field_paths(catalog, part, (*within, name)))
    if kinds_of(found):
        paths.setdefault(CANONICAL, paths.get(found.key.text if found.key else CANONICAL, "text"))
    return paths


def _field_paths(catalog: Catalog, part: Field, within: tuple[str, ...]) -> dict[str, str]:
    paths = {part.name: part.type}
    if part.type not in PRIMITIVES and part.type not in within and part.type in catalog.types:
        for path, of in _type_fields(catalog, part.type, within).items():
            paths[f"{part.name}.{path}"] = of
    return paths


def event_fields(catalog: Catalog, name: str) -> dict[str, str]:
    """The paths of an event: the fields of its templates, and what it takes from elsewhere.

    A taken resource is a field named by its kind, with `id` alone below it.
    """
    event = catalog.events[name]
    paths: dict[str, str] = {}
    for template in event_templates(event):
        for part in fields_of(template):
            _add(paths, _field_paths(catalog, part, ()))
    for kind in _given_kinds(event):
        paths.setdefault(kind, kind)
        paths.setdefault(f"{kind}.{CANONICAL}", "text")
    return paths


def event_kinds(catalog: Catalog, name: str) -> set[str]:
    """The kinds of resource that an event can have."""
    event = catalog.events[name]
    kinds = set(_given_kinds(event))
    for of in event_fields(catalog, name).values():
        if of in catalog.types:
            kinds |= kinds_of(catalog.types[of])
    return kinds


def _given_kinds(event: Event) -> list[str]:
    """The kinds of the resources that an event has although its text does not name them."""
    return [about.kind.text for about in event.abouts] + [takes.kind.text for takes in event.takes]


def interval_events(interval: Interval) -> list[str]:
    """The events whose fields an interval has, in order of precedence: opening, `of`, closing."""
    return [choice.event.text for choice in (*interval.opens, *interval.of, *interval.closes)]


def interval_fields(catalog: Catalog, name: str) -> dict[str, str]:
    """The paths of an interval: those of its opening, its `of` and its closing events."""
    paths: dict[str, str] = {}
    for event in interval_events(catalog.intervals[name]):
        _add(paths, event_fields(catalog, event))
    return paths


def interval_kinds(catalog: Catalog, name: str) -> set[str]:
    """The kinds of resource that an interval can have."""
    return {kind for event in interval_events(catalog.intervals[name]) for kind in event_kinds(catalog, event)}


def subject_fields(catalog: Catalog, name: str) -> dict[str, str]:
    """The paths of an event or an interval, whichever has that name."""
    return interval_fields(catalog, name) if name in catalog.intervals else event_fields(catalog, name)


def subject_kinds(catalog: Catalog, name: str) -> set[str]:
    """The kinds of resource of an event or an interval, whichever has that name."""
    return interval_kinds(catalog, name) if name in catalog.intervals else event_kinds(catalog, name)


def tagged(catalog: Catalog, tag: str) -> list[str]:
    """The names of the events and intervals that carry a tag."""
    return catalog.events_tagged(tag) + catalog.intervals_tagged(tag)


def _add(paths: dict[str, str], more: dict[str, str]) -> None:
    """Add paths; one that is there with another primitive is text."""
    for path, of in more.items():
        paths[path] = of if paths.get(path, of) == of else "text"
