"""Writes the beginning of a grammar: a declaration for a message that no template fits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logscope.errors import Span, UsageError
from logscope.language.catalog import Catalog
from logscope.language.format import format_grammar
from logscope.language.template import Compiler
from logscope.language.tree import (
    LEVELS,
    PRIMITIVES,
    PSEUDO_FIELDS,
    Event,
    Field,
    Grammar,
    Literal,
    Name,
    Prose,
    Rendering,
    Sample,
    Template,
)
from logscope.mining import Message
from logscope.records import FORMS

_AT = Span("", 1, 1)
_GRAMMAR = "local"
_WORDS = 4  # of the message, in the name of the event
_MOST_NAME, _MOST_TITLE = 40, 80
# Names that the language uses for something else.
_TAKEN = {*PSEUDO_FIELDS, *PRIMITIVES, "and", "or", "where", "within", "from", "same", "other", "means", "in", "is"}
_KINDS = (
    ("int", r"-?[0-9]+"),
    ("uuid", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    ("name", r"[A-Za-z0-9_.$-]+"),
    ("word", r"\S+"),
)


def stub(message: Message, catalog: Catalog) -> str:
    """A grammar file with one event for a message, its template and a sample of the log.

    Raises:
        UsageError: the message has no text of its own by which it could be told from others.
    """
    records = [read for example in message.examples if (read := _header(example.text))]
    if not records or not any(char.isalnum() for part in message.parts if part for char in part):
        raise UsageError(f"'{message.text}' has no text of its own; nothing could tell such a message from others")
    parts = _template(message, [text for text, _ in records])
    template = Template(_written(parts, typed=True), tuple(parts), _AT)
    words = [word.lower() for part in message.parts if part for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", part)]
    level = records[0][1]
    event = Event(
        name=Name(_unused("new." + "_".join(words[:_WORDS])[:_MOST_NAME], catalog), _AT),
        title=Prose(_written(_first(parts), typed=False), _AT),
        loggers=(Name(message.logger, _AT),) if re.fullmatch(r"[\w.]+", message.logger) else (),
        level=Name(level, _AT) if level in LEVELS and level != "DEBUG" else None,
        tags=(),
        matches=(Rendering(template, None, None, _AT),),
        insides=(),
        abouts=(),
        takes=(),
        samples=(Sample((message.examples[0].text,), (), _AT),),
        span=_AT,
    )
    return format_grammar(Grammar(Name(_GRAMMAR, _AT), "", (event,)))


def _header(line: str) -> tuple[str, str] | None:
    """The message and the level of a line."""
    found = next((found for form in FORMS if (found := re.match(form.regex, line))), None)
    return (found["message"], found["level"]) if found else None


def _unused(name: str, catalog: Catalog) -> str:
    number, found = 1, name
    while found in catalog.events:
        number += 1
        found = f"{name}_{number}"
    return found


def _template(message: Message, texts: Sequence[str]) -> list[Literal | Field]:
    """The parts with fields for what varies, of the narrowest types that all examples allow."""
    parts = [*message.parts, *([None] if message.is_cut else [])]
    if message.is_cut and message.parts[-1:] == (None,):
        parts.pop()
    cut = "^" + "".join("(.*?)" if part is None else re.escape(part) for part in parts) + "$"
    rows = [values.groups() for text in texts if (values := re.match(cut, text, re.DOTALL))]
    types = [_type([row[at] for row in rows]) for at in range(parts.count(None))]
    if message.is_cut:
        types[-1] = "text"
    found: list[Literal | Field] = []
    names: set[str] = set()
    before = ""
    for part in parts:
        if part is None:
            name = _named(before, names)
            found.append(Field(name, types[len(names) - 1], _AT))
        else:
            found.append(Literal(part))
            before = part
    shape = Compiler(Catalog()).shape(Template("", tuple(found), _AT), exception=True)
    if all(re.match(shape.regex, text) for text in texts[:1]):
        return found
    return [Field(part.name, "text", _AT) if isinstance(part, Field) else part for part in found]


def _first(parts: Sequence[Literal | Field]) -> list[Literal | Field]:
    """As many parts as make a title."""
    found: list[Literal | Field] = []
    length = 0
    for part in parts:
        if found and length + len(part.text if isinstance(part, Literal) else part.name) > _MOST_TITLE:
            break
        found.append(part)
        length += len(part.text if isinstance(part, Literal) else part.name)
    return found


def _type(values: Sequence[str]) -> str:
    return next((kind for kind, form in _KINDS if values and all(re.fullmatch(form, v) for v in values)), "text")


def _named(before: str, names: set[str]) -> str:
    """A name for a field by the last word before it."""
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", before)
    base = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", words[-1]).lower() if words else "value"
    base = f"{base}_value" if base in _TAKEN else base
    number, found = 1, base
    while found in names:
        number += 1
        found = f"{base}_{number}"
    names.add(found)
    return found


def _written(parts: Sequence[Literal | Field], *, typed: bool) -> str:
    """The template as it is written, or as a title has it: without types."""
    out = []
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if isinstance(part, Field):
            out.append(f"{{{part.name}:{part.type}}}" if typed else f"{{{part.name}}}")
        else:
            end = r"|$" if isinstance(following, Field) else ""
            # Where a letter or a field follows, a brace is written twice.
            out.append(re.sub(r"\{+(?=[A-Za-z]" + end + ")", lambda braces: braces[0] * 2, part.text))
    return "".join(out)
