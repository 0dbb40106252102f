"""What a field path may be in one place of a grammar file, and the complaint if it is something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches

from logscope.errors import Diagnostic, Span
from logscope.language import scan
from logscope.language.catalog import Catalog
from logscope.language.paths import CANONICAL, subject_fields, subject_kinds
from logscope.language.tree import PRIMITIVES, PSEUDO_FIELDS, Comparison, Path, Prose

INTERVAL_ONLY = ("outcome", "duration")
JOINING = ("actor", "family", "server", "thread", "job")


@dataclass(frozen=True, slots=True)
class Scope:
    """The paths of an event, an interval, or all that carry a tag; `what` names it in complaints."""

    what: str
    fields: dict[str, str]
    kinds: frozenset[str] = field(default_factory=frozenset)
    interval: bool = False
    event: bool = True

    def compared(self, path: str, span: Span) -> Diagnostic | None:
        """The complaint if `path` has no value here that a condition can compare.

        A typed field as a whole stands for the id of its resource.
        """
        if path in PSEUDO_FIELDS:
            if path in INTERVAL_ONLY and not self.interval:
                return Diagnostic("LG117", f"{self.what} has no '{path}', which only an interval has", span)
            return None
        if self.fields.get(path) in PRIMITIVES or f"{path}.{CANONICAL}" in self.fields:
            return None
        if path in self.fields:
            message = f"{self.what} has '{path}' as a whole {self.fields[path]}, which names no resource"
            return Diagnostic("LG106", message, span, f"compare a field of it, such as '{self._below(path)}'")
        return self._unknown(path, span)

    def given(self, path: str, span: Span) -> Diagnostic | None:
        """The complaint if `path` is neither a field nor a kind of resource here."""
        kind, _, below = path.partition(".")
        if path in self.fields or (kind in self.kinds and below in ("", CANONICAL)):
            return None
        return self._unknown(path, span)

    def told(self, path: str, span: Span) -> Diagnostic | None:
        """The complaint if a title cannot show `path`."""
        if path in PSEUDO_FIELDS:
            return self.compared(path, span)
        return self.given(path, span)

    def _below(self, path: str) -> str:
        return min(one for one in self.fields if one.startswith(f"{path}."))

    def _unknown(self, path: str, span: Span) -> Diagnostic:
        hint = did_you_mean(path, (*self.fields, *PSEUDO_FIELDS))
        if not hint and self.fields:
            hint = f"it has {', '.join(sorted(self.fields))}"
        return Diagnostic("LG106", f"{self.what} has no field '{path}'", span, hint)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question whether a known name was meant, or nothing."""
    for close in get_close_matches(name, list(known), 3, 0.7):
        # What dotted names have in common at their beginning makes them no more alike.
        parts, others = name.split("."), close.split(".")
        while parts and others and parts[0] == others[0]:
            del parts[0], others[0]
        if SequenceMatcher(None, ".".join(parts), ".".join(others)).ratio() >= 0.7:
            return f"did you mean '{close}'?"
    return ""


def subject(catalog: Catalog, name: str) -> Scope:
    """The scope of the event or interval of that name."""
    interval = name in catalog.intervals
    what = f"{'interval' if interval else 'event'} '{name}'"
    kinds = frozenset(subject_kinds(catalog, name))
    return Scope(what, subject_fields(catalog, name), kinds, interval, not interval)


def together(what: str, scopes: Iterable[Scope]) -> Scope:
    """The scope of things of which any one may be meant: what one of them has is there."""
    fields: dict[str, str] = {}
    kinds: frozenset[str] = frozenset()
    interval = event = False
    for scope in scopes:
        fields = scope.fields | fields
        kinds |= scope.kinds
        interval |= scope.interval
        event |= scope.event
    return Scope(what, fields, kinds, interval, event)


def where_fields(where: Iterable[Comparison], scope: Scope) -> Iterator[Diagnostic]:
    """Every mistake in the conditions of a `where`."""
    for comparison in where:
        yield from complaint(scope.compared(comparison.left.text, comparison.left.span))
        if isinstance(comparison.right, Path):
            yield from complaint(scope.compared(comparison.right.text, comparison.right.span))


def title_fields(title: Prose | None, scope: Scope) -> Iterator[Diagnostic]:
    """Every mistake in the places of a title of an event, an interval or an actor."""
    if title is None:
        return
    places, diagnostics = scan.places(title)
    yield from diagnostics
    for place in places:
        yield from complaint(scope.told(place.text, place.span))


def complaint(diagnostic: Diagnostic | None) -> Iterator[Diagnostic]:
    """The diagnostic, if there is one."""
    if diagnostic is not None:
        yield diagnostic
