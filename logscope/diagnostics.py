"""How a diagnostic is told: to a person with the line and a caret, to a program, to a code host.

grammars/network.lsg:34:10: error[LG103]: interval 'hold' closes on unknown event 'lock.relased'
   |
34 |   closes lock.relased
   |          ^^^^^^^^^^^^
   = help: did you mean 'lock.released'?
"""

from __future__ import annotations

import re
from typing import Any

from logscope.errors import Diagnostic

_WIDTH = 140
_CONTEXT = 30
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def render(diagnostic: Diagnostic, source: str) -> str:
    """The diagnostic in words for a terminal; `source` is the text of the file, or empty if there is none.

    Long lines are shortened around the place. Notes stand where the caret would, the first of their
    columns below the first of the place.
    """
    span = diagnostic.span
    where = f"{span.path}:{span.line}:{span.column}"
    lines = [_clean(f"{where}: {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}")]
    gutter = " " * (len(str(span.line)) + 1)
    source_lines = source.removeprefix("\ufeff").split("\n")
    if source and span.line <= len(source_lines):
        line = _clean(source_lines[span.line - 1].removesuffix("\r"))
        shown, column = _shorten(line, span.column - 1, 0 if diagnostic.notes else _CONTEXT)
        below = diagnostic.notes or ("^" * max(1, min(span.length, len(shown) - column)),)
        lines += [f"{gutter}|", f"{span.line} | {shown}".rstrip()]
        lines += [f"{gutter}| {' ' * column}{_clean(note)}".rstrip() for note in below]
    else:
        lines += [f"{gutter}| {_clean(note)}" for note in diagnostic.notes]
    if diagnostic.hint:
        lines.append(_clean(f"{gutter}= help: {diagnostic.hint}"))
    return "\n".join(lines) + "\n"


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The diagnostic as a JSON object; line and column count from 1, the length is in characters."""
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "length": span.length,
        "notes": list(diagnostic.notes),
        "hint": diagnostic.hint,
    }


def as_github(diagnostic: Diagnostic) -> str:
    """The diagnostic as a workflow command, which GitHub shows at the line of the change."""
    span = diagnostic.span
    properties = f"file={_property(span.path)},line={span.line},col={span.column},title={_property(diagnostic.code)}"
    text = diagnostic.message + (f"\n{diagnostic.hint}" if diagnostic.hint else "")
    return f"::{diagnostic.severity} {properties}::{_data(text)}\n"


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", text.replace("\t", " "))


def _shorten(line: str, column: int, context: int) -> tuple[str, int]:
    """The line within `_WIDTH` characters around `column`, and where that column is then."""
    column = min(column, len(line))
    if len(line) > _WIDTH and column > _WIDTH - 2 * _CONTEXT:
        # The clause word stays, so that one sees what the text belongs to.
        keep = line[: line.find("|", 0, _CONTEXT) + 2] if "|" in line[:_CONTEXT] else ""
        line = f"{keep}… {line[column - context :]}"
        column = len(keep) + 2 + context
    if len(line) > _WIDTH:
        line = line[: _WIDTH - 1] + "…"
    return line, column


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
