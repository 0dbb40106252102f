"""Finds what the names in grammar files mean: syntax trees → catalog.

First every name is looked up, then every field path of the declarations whose names are known.
A declaration with a mistake is left out of the catalog, and so is what refers to it, so that
the catalog holds no unknown name and no mistake is told twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from logscope.errors import Diagnostic, Span
from logscope.language import fieldcheck
from logscope.language.catalog import Catalog
from logscope.language.paths import event_templates, fields_of
from logscope.language.scope import did_you_mean
from logscope.language.tree import (
    PRIMITIVES,
    Actor,
    Choice,
    Declaration,
    Event,
    Grammar,
    Interval,
    Machine,
    Name,
    Rule,
    Source,
    Template,
    Type,
)

Key = tuple[str, str]  # keyword and name of a declaration


def resolve(grammars: Sequence[Grammar]) -> tuple[Catalog, list[Diagnostic]]:
    """The catalog of all sound declarations, and the mistakes in the others in the order of the files."""
    resolver = _Resolver(grammars)
    resolver.look_up_names()
    catalog = resolver.sound()
    for key, diagnostic in fieldcheck.check_fields(catalog):
        resolver.report(key, diagnostic)
    order = {grammar.path: index for index, grammar in enumerate(grammars)}
    diagnostics = sorted(resolver.diagnostics, key=lambda one: (order[one.span.path], one.span))
    return resolver.sound(), diagnostics


class _Resolver:
    def __init__(self, grammars: Sequence[Grammar]) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.declared: dict[Key, Declaration] = {}
        self.references: dict[Key, set[Key]] = {}
        self.bad: set[Key] = set()
        for grammar in grammars:
            for broken in grammar.broken:
                self.bad.add((broken.keyword, broken.name.text))
        for grammar in grammars:
            for declaration in grammar.declarations:
                self._declare(declaration)
        self.names: dict[str, set[str]] = {}
        for keyword, name in (*self.declared, *self.bad):
            self.names.setdefault(keyword, set()).add(name)
        self.tags = {tag.text for one in self.declared.values() for tag in getattr(one, "tags", ())}
        self.kinds = _all_kinds(self.declared.values())

    def _declare(self, declaration: Declaration) -> None:
        key = _key(declaration)
        name = declaration.name
        # An event and an interval may not share a name either: rules bind both alike.
        twins = (
            [key, ("interval" if key[0] == "event" else "event", key[1])] if key[0] in ("event", "interval") else [key]
        )
        for twin in twins:
            first = self.declared.get(twin)
            if first is not None:
                at = first.name.span
                message = f"{key[0]} '{name.text}' is declared twice, first as {twin[0]} at {at.path}:{at.line}"
                self.report(key, Diagnostic("LG107", message, name.span, "rename or remove one of them"))
                return
        if key[0] == "type" and name.text in (*PRIMITIVES, "none"):
            message = f"type '{name.text}' has the name of a primitive"
            self.report(key, Diagnostic("LG116", message, name.span, "name it after what it prints"))
        self.declared[key] = declaration

    def report(self, key: Key, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic about the declaration `key`; an error makes the declaration unusable."""
        self.diagnostics.append(diagnostic)
        if diagnostic.severity == "error":
            self.bad.add(key)

    def look_up_names(self) -> None:
        """Look up every name of another declaration that is used."""
        for key, declaration in self.declared.items():
            self.references[key] = set()
            for keywords, name, message in _uses(declaration):
                self._look_up(key, keywords, name, message)
            if isinstance(declaration, Event):
                for takes in declaration.takes:
                    if takes.kind.text not in self.kinds:
                        message = (
                            f"event '{declaration.name.text}' takes a resource of unknown kind '{takes.kind.text}'"
                        )
                        where = takes.kind.span
                        self.report(key, Diagnostic("LG110", message, where, did_you_mean(takes.kind.text, self.kinds)))
                for about in declaration.abouts:
                    if about.kind.text not in self.kinds:
                        message = f"event '{declaration.name.text}' is about unknown kind '{about.kind.text}'"
                        hint = did_you_mean(about.kind.text, self.kinds)
                        self.report(key, Diagnostic("LG110", message, about.kind.span, hint))
            if isinstance(declaration, Machine):
                kind = declaration.kind or declaration.name
                if kind.text not in self.kinds:
                    message = f"machine '{declaration.name.text}' is of unknown kind '{kind.text}'"
                    self.report(key, Diagnostic("LG110", message, kind.span, did_you_mean(kind.text, self.kinds)))
        self._find_recursion()

    def _look_up(self, key: Key, keywords: tuple[str, ...], name: Name, message: str) -> None:
        if keywords == ("tag",):
            if name.text not in self.tags:
                help_ = did_you_mean(name.text, self.tags) or "no event and no interval carries it"
                self.report(key, Diagnostic("LG109", f"{message} unknown tag '{name.text}'", name.span, help_))
            return
        found = [(keyword, name.text) for keyword in keywords if name.text in self.names.get(keyword, ())]
        if found:
            self.references[key].update(found)
            return
        other = next((keyword for keyword in ("event", "interval") if name.text in self.names.get(keyword, ())), "")
        if other and keywords != ("type",):
            text = f"{message} {other} '{name.text}', which is not an {keywords[0]}"
            self.report(key, Diagnostic("LG117", text, name.span))
            return
        what = " or ".join(keywords)
        known = [one for keyword in keywords for one in sorted(self.names.get(keyword, ()))]
        code = "LG104" if keywords == ("type",) else "LG103"
        if code == "LG104":
            known = [*PRIMITIVES, *known]
        self.report(
            key, Diagnostic(code, f"{message} unknown {what} '{name.text}'", name.span, did_you_mean(name.text, known))
        )

    def _find_recursion(self) -> None:
        for key, declaration in self.declared.items():
            if key[0] != "type":
                continue
            seen: set[Key] = set()
            reached = set(self.references[key])
            while reached - seen:
                one = (reached - seen).pop()
                seen.add(one)
                reached |= self.references.get(one, set())
            if key in reached:
                message = f"type '{key[1]}' contains itself"
                help_ = "give the inner field a type of its own that does not lead back here"
                self.report(key, Diagnostic("LG118", message, declaration.name.span, help_))

    def sound(self) -> Catalog:
        """The declarations without mistakes that refer to no declaration with one."""
        bad = set(self.bad)
        while True:
            more = {key for key, uses in self.references.items() if key not in bad and uses & bad}
            if not more:
                break
            bad |= more
        catalog = Catalog()
        for key, declaration in self.declared.items():
            if key not in bad:
                catalog.add(declaration)
        return catalog


def _key(declaration: Declaration) -> Key:
    return type(declaration).__name__.lower(), declaration.name.text


def _all_kinds(declarations: Iterable[Declaration]) -> set[str]:
    kinds = set()
    for one in declarations:
        if isinstance(one, Type):
            kinds |= {(one.kind or one.name).text} | {match.kind.text for match in one.matches if match.kind}
    return kinds - {"none"}


_Use = tuple[tuple[str, ...], Name, str]
_EVENT = ("event",)
_SUBJECT = ("event", "interval")


def _uses(declaration: Declaration) -> Iterator[_Use]:
    """Every use of another name: which declarations it may name, the name, and how a complaint begins."""
    of = f"{_key(declaration)[0]} '{declaration.name.text}'"
    match declaration:
        case Type():
            for rendering in declaration.matches:
                yield from _field_types(of, rendering.template)
        case Event():
            for template in event_templates(declaration):
                yield from _field_types(of, template)
            for takes in declaration.takes:
                for source in takes.sources:
                    yield _SUBJECT, source, f"{of} takes '{takes.kind.text}' from"
        case Interval():
            yield from _choices(declaration.opens, f"{of} opens on")
            yield from _choices(declaration.closes, f"{of} closes on")
            yield from _choices(declaration.of, f"{of} is of")
        case Actor():
            for thread in declaration.threads:
                yield from _field_types(of, thread)
            yield from _choices(declaration.doing, f"{of} is told by")
        case Source():
            for template in (*declaration.threads, *(match.template for match in declaration.matches)):
                yield from _field_types(of, template)
            if declaration.writer is not None:
                yield ("source",), declaration.writer, f"{of} has as writer the"
        case Machine():
            for edge in declaration.edges:
                yield from _choices(edge.choices, f"{of} moves on")
        case Rule():
            yield from _rule_uses(declaration, of)


def _rule_uses(rule: Rule, of: str) -> Iterator[_Use]:
    bindings = [*rule.find, *(one.binding for one in (*rule.without, *rule.counts, *rule.proves))]
    for binding in bindings:
        about = f"{of} binds '{binding.name.text}' to"
        if binding.spec.any_of_tag:
            yield ("tag",), binding.spec.name, about
        else:
            yield _SUBJECT, binding.spec.name, about
    bound = {binding.name.text for binding in rule.find}
    if rule.chances is not None and rule.chances.event.text not in bound:
        yield _SUBJECT, rule.chances.event, f"{of} counts chances by"
    for control in rule.controls:
        yield _SUBJECT, control.event, f"{of} has as control"
    if rule.period is not None:
        yield _SUBJECT, rule.period.event, f"{of} has the period of"
    for history in (*rule.fires, *rule.quiet):
        for step in history.steps:
            if step.event is not None:
                yield _EVENT, step.event, f"{of} has in a history the"


def _choices(choices: Iterable[Choice], about: str) -> Iterator[_Use]:
    return ((_EVENT, choice.event, about) for choice in choices)


def _field_types(of: str, template: Template) -> Iterator[_Use]:
    for part in fields_of(template):
        if part.type not in PRIMITIVES:
            at = part.span
            span = Span(at.path, at.line, at.column + 1 + len(part.name) + 1, len(part.type))
            yield ("type",), Name(part.type, span), f"{of} has a field '{part.name}' of"
