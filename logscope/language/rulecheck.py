"""Looks up the bindings and field paths that rules use; part of `resolve`."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.errors import Diagnostic, Span
from logscope.language import scan
from logscope.language.scope import Scope, complaint, did_you_mean, where_fields
from logscope.language.tree import Attachment, Binding, Comparison, History, Name, Path, Relation, Rule

_KEYS_ONLY_OF_ONE = ("outcome", "duration", "level")


def rule_fields(rule: Rule, scopes: dict[str, Scope]) -> Iterator[Diagnostic]:
    """Every mistake in the bindings and field paths of a rule.

    `scopes` has the events and intervals by name and `any TAG` for the tags.
    """
    yield from _RuleCheck(rule, scopes).run()


class _RuleCheck:
    def __init__(self, rule: Rule, scopes: dict[str, Scope]) -> None:
        self.rule = rule
        self.scopes = scopes
        self.what = f"rule '{rule.name.text}'"
        self.bound = {binding.name.text: self._scope(binding) for binding in reversed(rule.find)}
        self.attached = {
            one.binding.name.text: word
            for word, attachments in (("without", rule.without), ("count", rule.counts), ("proves", rule.proves))
            for one in attachments
        }

    def _scope(self, binding: Binding) -> Scope:
        spec = binding.spec
        return self.scopes[f"any {spec.name.text}" if spec.any_of_tag else spec.name.text]

    def run(self) -> Iterator[Diagnostic]:
        """Every mistake, clause by clause."""
        rule = self.rule
        yield from self._names()
        for binding in rule.find:
            yield from where_fields(binding.spec.where, self._scope(binding))
        for condition in rule.when:
            if isinstance(condition, Relation):
                yield from self._relation(condition)
            else:
                yield from self._comparison(condition)
        for attachment in (*rule.without, *rule.counts, *rule.proves):
            yield from self._attachment(attachment)
        if rule.chances is not None:
            name = rule.chances.event.text
            yield from where_fields(rule.chances.where, self.bound.get(name) or self.scopes[name])
        for choice in (*rule.controls, *([rule.period] if rule.period else ())):
            yield from where_fields(choice.where, self.scopes[choice.event.text])
        for history in (*rule.fires, *rule.quiet):
            yield from self._history(history)
        yield from self._title()

    def _names(self) -> Iterator[Diagnostic]:
        seen: set[str] = set()
        for binding in (*self.rule.find, *(one.binding for one in self._attachments())):
            name = binding.name
            if name.text in seen:
                yield Diagnostic("LG107", f"{self.what} binds '{name.text}' twice", name.span, "rename one of them")
            seen.add(name.text)

    def _attachments(self) -> tuple[Attachment, ...]:
        return (*self.rule.without, *self.rule.counts, *self.rule.proves)

    def _binding(self, name: str, span: Span) -> Scope | Diagnostic:
        scope = self.bound.get(name)
        if scope is not None:
            return scope
        hint = did_you_mean(name, self.bound)
        if name in self.attached:
            hint = f"'{name}' is bound by '{self.attached[name]}'; say what it must be in its own 'where'"
        return Diagnostic("LG108", f"{self.what} finds no '{name}'", span, hint)

    def _route(self, text: str, span: Span) -> tuple[Scope, str, Span] | Diagnostic:
        """The scope of `BINDING.path`, the path below it and its place."""
        name, dot, path = text.partition(".")
        scope = self._binding(name, Span(span.path, span.line, span.column, len(name)))
        if isinstance(scope, Diagnostic):
            return scope
        if not dot:
            hint = f"say which field of it, such as '{name}.actor'"
            return Diagnostic("LG106", f"{self.what} names no field of '{name}'", span, hint)
        return scope, path, Span(span.path, span.line, span.column + len(name) + 1, len(path))

    def _comparison(self, comparison: Comparison) -> Iterator[Diagnostic]:
        for side in (comparison.left, comparison.right):
            if isinstance(side, Path):
                route = self._route(side.text, side.span)
                if isinstance(route, Diagnostic):
                    yield route
                else:
                    scope, path, span = route
                    yield from complaint(scope.compared(path, span))

    def _relation(self, relation: Relation) -> Iterator[Diagnostic]:
        sides = []
        for name in (relation.left, relation.right):
            scope = self._binding(name.text, name.span)
            if isinstance(scope, Diagnostic):
                yield scope
            else:
                sides.append(scope)
        if len(sides) == 2:
            yield from _lasting(relation.relation, (sides[0], relation.left), (sides[1], relation.right))

    def _attachment(self, attachment: Attachment) -> Iterator[Diagnostic]:
        own = self._scope(attachment.binding)
        yield from where_fields(attachment.binding.spec.where, own)
        anchor = self._binding(attachment.anchor.text, attachment.anchor.span)
        if isinstance(anchor, Diagnostic):
            yield anchor
            return
        yield from _lasting(attachment.relation, (own, attachment.binding.name), (anchor, attachment.anchor))
        if attachment.until is not None:
            until = self._binding(attachment.until.text, attachment.until.span)
            if isinstance(until, Diagnostic):
                yield until
        for key in (*attachment.same, *attachment.other):
            if key.text in _KEYS_ONLY_OF_ONE:
                message = f"'{key.text}' is nothing that two bindings have in common"
                yield Diagnostic("LG106", message, key.span)
                continue
            yield from complaint(own.compared(key.text, key.span) or anchor.compared(key.text, key.span))

    def _history(self, history: History) -> Iterator[Diagnostic]:
        for step in history.steps:
            if step.event is not None:
                scope = self.scopes[step.event.text]
                for given in step.fields:
                    yield from complaint(scope.given(given.path.text, given.path.span))

    def _title(self) -> Iterator[Diagnostic]:
        places, diagnostics = scan.places(self.rule.title)
        yield from diagnostics
        for place in places:
            route = self._route(place.text, place.span)
            if isinstance(route, Diagnostic):
                yield route
            else:
                scope, path, span = route
                yield from complaint(scope.told(path, span))


def _lasting(relation: str, left: tuple[Scope, Name], right: tuple[Scope, Name]) -> Iterator[Diagnostic]:
    """The complaint if a relation needs an interval where only a moment is bound."""
    needing = {"during": (right,), "contains": (left,), "overlaps": (left, right)}.get(relation, ())
    for scope, name in needing:
        if not scope.interval:
            message = f"'{relation}' needs an interval, and {scope.what} is a moment"
            yield Diagnostic("LG117", message, name.span, "bind an interval, or use 'before' or 'after'")
