"""The catalog as JSON for other programs; the shape is in `schemas/grammar-dump.schema.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from logscope.language.catalog import Catalog
from logscope.language.format import attachment_text, choice_text, condition_text, releases_text, spec_text
from logscope.language.paths import event_fields, event_kinds, interval_fields, interval_kinds, kinds_of, type_fields
from logscope.language.tree import Actor, Event, History, Interval, Machine, Name, Prose, Rendering, Rule, Source, Type

SCHEMA = "logscope/grammar/1"


def dump(catalog: Catalog) -> dict[str, Any]:
    """All declarations as JSON values, in the order of the catalog.

    Conditions are text as written in a grammar file; durations are seconds; what is not said is null
    or an empty list.
    """
    return {
        "schema": SCHEMA,
        "types": [_type(catalog, one) for one in catalog.types.values()],
        "events": [_event(catalog, one) for one in catalog.events.values()],
        "intervals": [_interval(catalog, one) for one in catalog.intervals.values()],
        "actors": [_actor(one) for one in catalog.actors.values()],
        "rules": [_rule(one) for one in catalog.rules.values()],
        "sources": [_source(one) for one in catalog.sources.values()],
        "machines": [_machine(one) for one in catalog.machines.values()],
    }


def _texts(names: Iterable[Name]) -> list[str]:
    return [name.text for name in names]


def _text(one: Name | Prose | None) -> str | None:
    return one.text if one is not None else None


def _type(catalog: Catalog, of: Type) -> dict[str, Any]:
    return {
        "name": of.name.text,
        "kinds": sorted(kinds_of(of)),
        "key": _text(of.key),
        "aliases": _texts(of.aliases),
        "label": _text(of.label),
        "templates": [_rendering(match) for match in of.matches],
        "fields": dict(sorted(type_fields(catalog, of.name.text).items())),
    }


def _rendering(rendering: Rendering) -> dict[str, Any]:
    return {
        "text": rendering.template.text,
        "releases": releases_text(rendering.releases) if rendering.releases else None,
        "kind": _text(rendering.kind),
    }


def _event(catalog: Catalog, event: Event) -> dict[str, Any]:
    name = event.name.text
    return {
        "name": name,
        "title": _text(event.title),
        "loggers": _texts(event.loggers),
        "level": event.level.text if event.level else "DEBUG",
        "tags": _texts(event.tags),
        "templates": [_rendering(match) for match in event.matches],
        "inside": [{"place": one.place.text, "text": one.template.text} for one in event.insides],
        "about": [{"kind": one.kind.text, "id": one.id.text} for one in event.abouts],
        "takes": [{"kind": one.kind.text, "from": _texts(one.sources)} for one in event.takes],
        "fields": dict(sorted(event_fields(catalog, name).items())),
        "kinds": sorted(event_kinds(catalog, name)),
        "samples": [
            {
                "lines": list(sample.lines),
                "expect": {one.path.text: one.value.value for one in sample.expect},
            }
            for sample in event.samples
        ],
    }


def _interval(catalog: Catalog, interval: Interval) -> dict[str, Any]:
    name = interval.name.text
    return {
        "name": name,
        "title": _text(interval.title),
        "tags": _texts(interval.tags),
        "opens": [choice_text(choice) for choice in interval.opens],
        "closes": [choice_text(choice) for choice in interval.closes],
        "of": [choice_text(choice) for choice in interval.of],
        "same": _texts(interval.same),
        "nested": interval.nested,
        "limit": interval.limit,
        "fields": dict(sorted(interval_fields(catalog, name).items())),
        "kinds": sorted(interval_kinds(catalog, name)),
    }


def _actor(actor: Actor) -> dict[str, Any]:
    return {
        "name": actor.name.text,
        "title": actor.title.text,
        "threads": [thread.text for thread in actor.threads],
        "doing": [choice_text(choice) for choice in actor.doing],
    }


def _source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name.text,
        "title": _text(source.title),
        "header": _text(source.header),
        "zone": _text(source.zone),
        "writer": _text(source.writer),
        "loggers": _texts(source.loggers),
        "threads": [thread.text for thread in source.threads],
        "templates": [_rendering(match) for match in source.matches],
        "samples": [list(sample.lines) for sample in source.samples],
    }


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "name": machine.name.text,
        "title": _text(machine.title),
        "kind": (machine.kind or machine.name).text,
        "edges": [
            {"from": _texts(edge.sources), "to": edge.target.text, "on": [choice_text(one) for one in edge.choices]}
            for edge in machine.edges
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name.text,
        "title": rule.title.text,
        "severity": rule.severity,
        "find": {binding.name.text: spec_text(binding.spec) for binding in rule.find},
        "when": [condition_text(condition) for condition in rule.when],
        "without": [attachment_text(one) for one in rule.without],
        "count": [attachment_text(one) for one in rule.counts],
        "proves": [attachment_text(one) for one in rule.proves],
        "chances": choice_text(rule.chances) if rule.chances else None,
        "controls": [choice_text(choice) for choice in rule.controls],
        "period": choice_text(rule.period) if rule.period else None,
        "slack": rule.slack,
        "yields": rule.yields,
        "because": _text(rule.because),
        "refuted": [prose.text for prose in rule.refuted],
        "blind": [prose.text for prose in rule.blind],
        "remedy": [prose.text for prose in rule.remedy],
        "beware": [prose.text for prose in rule.beware],
        "affects": _text(rule.affects),
        "fixed": _text(rule.fixed),
        "refs": _texts(rule.refs),
        "fires": _histories(rule.fires),
        "quiet": _histories(rule.quiet),
    }


def _histories(histories: Sequence[History]) -> list[dict[str, Any]]:
    return [
        {
            "certainty": history.certainty or None,
            "steps": [
                {
                    "seconds": step.seconds,
                    "actor": step.actor or None,
                    "event": _text(step.event),
                    "fields": {one.path.text: one.value.value for one in step.fields},
                }
                for step in history.steps
            ],
        }
        for history in histories
    ]
