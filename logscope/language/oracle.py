"""The slow and obvious reading of a message: what tests hold the compiled templates against.

Every template becomes a pyparsing grammar, built from its end to its beginning, so that each part
knows what must follow it: `text` skips to the first place from which all the rest parses. Some ten
thousand times slower than the bulk path; never used on a whole log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyparsing as pp

from logscope.language.catalog import Catalog
from logscope.language.template import literal_size, readings
from logscope.language.tree import PRIMITIVES, Field, Literal, Template

_NO_BLANK = {"word": r"\S+", "name": r"[A-Za-z0-9_.$-]+"}
_GREEDY = {
    "int": r"-?[0-9]+",
    "hex": r"[0-9a-fA-F]+",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
_EXCEPTION = r" ([a-zA-Z_][a-zA-Z0-9_$]*\.)+[A-Z][a-zA-Z0-9_$]*(Exception|Error|Throwable)([^a-zA-Z0-9_$][^\n]*)?$"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text was read as: field name → text, and the kind and id of the resource of a type."""

    name: str
    fields: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    id: str | None = None


class Oracle:
    """Reads messages and texts of types of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        thrown = pp.Opt(pp.Regex(_EXCEPTION).leave_whitespace()).suppress()
        self._end = _tight(thrown + pp.StringEnd().leave_whitespace())
        templates = [(name, r.template) for name, event in catalog.events.items() for r in event.matches]
        self._templates = sorted(templates, key=lambda entry: -literal_size(entry[1]))

    def message(self, text: str) -> Reading | None:
        """The event of a message with the texts of its fields; None when no template fits."""
        return next(filter(None, map(self._message, readings(text))), None)

    def _message(self, text: str) -> Reading | None:
        pp.ParserElement.reset_cache()
        for name, template in self._templates:
            if _has_literals(template, text):
                found = _parse(self._build(template.parts, self._end, is_outer=True), text)
                if found is not None:
                    return Reading(name, found)
        return None

    def resource(self, type_name: str, text: str) -> Reading | None:
        """What a text of a declared type says; None when no rendering fits."""
        declared = self._catalog.types[type_name]
        default = declared.kind.text if declared.kind else declared.name.text
        for rendering in sorted(declared.matches, key=lambda m: -literal_size(m.template)):
            parser = self._build(rendering.template.parts, _tight(pp.StringEnd()), is_outer=True)
            found = _parse(parser, text)
            if found is None:
                continue
            kind = rendering.kind.text if rendering.kind else default
            id = found.get(declared.key.text if declared.key else "id")
            inner = [p for p in rendering.template.parts if isinstance(p, Field) and p.type not in PRIMITIVES]
            for part in inner:
                below = self.resource(part.type, found[part.name])
                if id is None and below is not None and below.kind in (kind, ""):
                    id = below.id
            return Reading(type_name, found, "" if kind == "none" else kind, id)
        return None

    def _build(
        self, parts: Sequence[Literal | Field], rest: pp.ParserElement, *, is_outer: bool = False
    ) -> pp.ParserElement:
        for part in reversed(parts):
            if isinstance(part, Literal):
                rest = _tight(pp.Literal(part.text).leave_whitespace().suppress() + rest)
            elif is_outer:
                rest = _tight(_mark(part.name) + self._field(part.type, _tight(_mark("") + rest)))
            else:
                rest = self._field(part.type, rest)
        return rest

    def _field(self, type_name: str, rest: pp.ParserElement) -> pp.ParserElement:
        if type_name == "text":
            return _tight(pp.SkipTo(rest).leave_whitespace().suppress() + rest)
        if type_name in _NO_BLANK:
            skipped = pp.SkipTo(rest).leave_whitespace().add_condition(_only(_NO_BLANK[type_name])).suppress()
            return _tight(skipped + rest)
        if type_name in _GREEDY:
            return _tight(pp.Regex(_GREEDY[type_name]).leave_whitespace().suppress() + rest)
        matches = sorted(self._catalog.types[type_name].matches, key=lambda m: -literal_size(m.template))
        return _tight(pp.MatchFirst([self._build(m.template.parts, rest) for m in matches]))


def _has_literals(template: Template, text: str) -> bool:
    """Whether the literals of the template stand in the text in their order."""
    place = 0
    for part in template.parts:
        if isinstance(part, Literal):
            found = text.find(part.text, place)
            if found < 0:
                return False
            place = found + len(part.text)
    return True


def _tight(element: pp.ParserElement) -> pp.ParserElement:
    """The element without skipping of blanks; behind a Forward, since pyparsing copies whole trees else."""
    shared = pp.Forward()
    shared <<= element.leave_whitespace(recursive=False)
    return shared.leave_whitespace(recursive=False)


def _only(expression: str) -> Callable[[str, int, pp.ParseResults], bool]:
    allowed = re.compile(expression)
    return lambda _text, _place, tokens: allowed.fullmatch(tokens[0]) is not None


def _mark(name: str) -> pp.ParserElement:
    """Consumes nothing and leaves (name, position): where a field begins, or ends when unnamed."""
    return pp.Empty().leave_whitespace().add_parse_action(lambda _text, place, _tokens: [(name, place)])


def _parse(parser: pp.ParserElement, text: str) -> dict[str, str] | None:
    try:
        marks = parser.parse_string(text, parse_all=True).as_list()
    except pp.ParseException:
        return None
    begins, ends = marks[0::2], marks[1::2]
    return {name: text[begin:end] for (name, begin), (_, end) in zip(begins, ends, strict=True)}


pp.ParserElement.enable_packrat(cache_size_limit=None)
