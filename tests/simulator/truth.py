"""What really happened: the races of a history, and the doings of actors from which the later ones are told."""

from __future__ import annotations

from dataclasses import dataclass, field

from .log import Actor


@dataclass(eq=False, slots=True)
class Race:
    """One actor broke into another's work.

    `at` is when (µs from the beginning, true time), `margin` how far from the next bound of that work, in seconds.
    `proof` says what came of it if the log tells (`failed`, `recovered`, `avoided` …), else it is empty.
    `about` are the two actors, where one race has several moments. `until` is when one that goes on was last at it.
    """

    rule: str
    resources: frozenset[str]
    at: int
    margin: float
    proof: str = ""
    about: tuple[Actor, Actor] | None = None
    until: int | None = None


@dataclass(eq=False, slots=True)
class Span:
    """Something that an actor does to a resource, from `start` until `end` (None: never ended)."""

    kind: str
    resource: str
    actor: Actor
    start: int
    end: int | None = None
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Truth:
    """Collects races and spans while a history is made."""

    races: list[Race] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)
    near_misses: dict[str, int] = field(default_factory=dict)

    def begin(self, kind: str, resource: str, actor: Actor, now: int, **notes: str) -> Span:
        """An actor begins to do something to a resource."""
        span = Span(kind, resource, actor, now, None, notes)
        self.spans.setdefault(kind, []).append(span)
        return span

    def race(self, rule: str, resource: str, at: int, *also: str, margin: float = 1.0) -> Race:
        """A race that is seen when it happens; `also` names other resources that it is about."""
        race = Race(rule, frozenset((resource, *also)), at, margin)
        self.races.append(race)
        return race

    def missed(self, rule: str) -> None:
        """Count something that looks like a race of this rule and is none."""
        self.near_misses[rule] = self.near_misses.get(rule, 0) + 1

    def overlapping(self, kind: str, end: int, key: str = "") -> list[tuple[Span, Span]]:
        """Pairs of spans of one kind on one resource by two families, the earlier one first.

        With `key`, only pairs that agree in this note.
        """
        found = []
        by_resource: dict[str, list[Span]] = {}
        for span in sorted(self.spans.get(kind, []), key=lambda s: s.start):
            for other in by_resource.setdefault(span.resource, []):
                is_open = (end if other.end is None else other.end) > span.start
                if is_open and other.actor.family != span.actor.family and other.notes.get(key) == span.notes.get(key):
                    found.append((other, span))
            by_resource[span.resource].append(span)
        return found
