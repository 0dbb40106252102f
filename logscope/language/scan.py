"""Finds the named places in templates and titles.

`{` and a letter begin a field; `{{` is a literal brace where a letter follows; any other brace is itself.
"""

from __future__ import annotations

import re

from logscope.errors import Diagnostic, Span
from logscope.language.tree import Field, Literal, Name, Prose, Template

_BRACES = re.compile(r"(\{+)(?=[A-Za-z])")
_FIELD = re.compile(r"([a-z][a-z0-9_]*)(?::([a-z][a-z0-9_-]*))?\}")
_PLACE = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)\}")
_BRACE_HINT = "write '{{' for a literal brace before a letter"


def template(text: str, span: Span) -> tuple[Template, list[Diagnostic]]:
    """The template that `text` spells; `span` is where the text stands.

    Fields that cannot be read are reported and stand in the template as literal text.
    """
    diagnostics: list[Diagnostic] = []
    parts: list[Literal | Field] = []
    literal = ""
    at = 0
    for braces in _BRACES.finditer(text):
        start, after = braces.start(), braces.end()
        literal += text[at:start] + "{" * (len(braces[1]) // 2)
        at = after
        if len(braces[1]) % 2 == 0:
            continue
        found = _FIELD.match(text, after)
        if found is None:
            diagnostics.append(_broken(text, after - 1, span))
            literal += "{"
            continue
        if literal:
            parts.append(Literal(literal))
            literal = ""
        at = found.end()
        parts.append(Field(found[1], found[2] or "text", _within(span, after - 1, at - after + 1)))
    literal += text[at:]
    if literal:
        parts.append(Literal(literal))
    return Template(text, tuple(parts), span), diagnostics


def places(prose: Prose) -> tuple[list[Name], list[Diagnostic]]:
    """The `{path}` places of a title, and what is wrong with them."""
    found_places: list[Name] = []
    diagnostics: list[Diagnostic] = []
    for braces in _BRACES.finditer(prose.text):
        if len(braces[1]) % 2 == 0:
            continue
        at = braces.end()
        found = _PLACE.match(prose.text, at)
        if found is None:
            diagnostics.append(_broken(prose.text, at - 1, prose.span, "{path}"))
        else:
            found_places.append(Name(found[1], _within(prose.span, at, len(found[1]))))
    return found_places, diagnostics


def _within(span: Span, at: int, length: int) -> Span:
    return Span(span.path, span.line, span.column + at, length)


def _broken(text: str, at: int, span: Span, shape: str = "{name} or {name:type}") -> Diagnostic:
    end = text.find("}", at)
    written = text[at:] if end < 0 else text[at : end + 1]
    if len(written) > 40:
        written = re.match(r"\{\w*", written)[0]  # type: ignore[index]
    return Diagnostic("LG105", f"expected {shape}, found '{written}'", _within(span, at, len(written)), _BRACE_HINT)
