"""All declarations of all files in one place, found by name or by tag."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from logscope.language.tree import Actor, Declaration, Event, Interval, Machine, Rule, Source, Type


@dataclass(frozen=True)
class Catalog:
    """All declarations of all files by name, resolved: names are unique and known."""

    types: dict[str, Type] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    actors: dict[str, Actor] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    machines: dict[str, Machine] = field(default_factory=dict)
    digest: str = ""

    # What is made for a catalog is kept for that very catalog; to hash all of it would cost more than it saves.
    __hash__ = object.__hash__

    def add(self, declaration: Declaration) -> None:
        """Put a declaration where it belongs, under its name."""
        getattr(self, f"{type(declaration).__name__.lower()}s")[declaration.name.text] = declaration

    def events_tagged(self, tag: str) -> list[str]:
        """Names of the events that carry `tag`, in declaration order."""
        return self._tagged[0].get(tag, [])

    def intervals_tagged(self, tag: str) -> list[str]:
        """Names of the intervals that carry `tag`, in declaration order."""
        return self._tagged[1].get(tag, [])

    @cached_property
    def _tagged(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        events, intervals = dict[str, list[str]](), dict[str, list[str]]()
        for found, tags in ((events, self.events), (intervals, self.intervals)):
            for name, item in tags.items():
                for tag in dict.fromkeys(tag.text for tag in item.tags):
                    found.setdefault(tag, []).append(name)
        return events, intervals
