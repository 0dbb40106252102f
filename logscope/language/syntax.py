"""Reads grammar files: text → syntax tree, with every mistake at its place.

The only module, besides the oracle, that knows pyparsing. Each expression of `_forms` reads what
stands behind one kind of clause word and makes nodes of it; verbatim text never comes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from typing import Any, cast

import pyparsing as pp

from logscope.errors import Diagnostic, Span
from logscope.language import build
from logscope.language.split import Body, Text
from logscope.language.tree import (
    HEADERS,
    LEVELS,
    OUTCOMES,
    RELATIONS,
    SEVERITIES,
    Attachment,
    Binding,
    Choice,
    Comparison,
    Edge,
    Expectation,
    Grammar,
    Name,
    Path,
    Relation,
    Releases,
    Spec,
    Step,
    Takes,
    Value,
)

_UNITS = {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600)}
_CONNECTIVES = ("and", "or", "where", "within", "from", "same", "other", "means", "in", "is")
_NOT_RESERVED = rf"(?!(?:{'|'.join(_CONNECTIVES)})(?![\w.-]))"
_FOUND = re.compile(r'"[^"\n]*"?|[\w.@-]+|\S')


def parse(text: str, path: str) -> tuple[Grammar, list[Diagnostic]]:
    """The tree of one grammar file, and the mistakes in it in the order of the file.

    A declaration with a mistake is not in the tree, only its name is (`Grammar.broken`).
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    nul = text.find("\0")
    source = Text(text.replace("\0", " "), path)
    grammar, diagnostics = build.grammar(source, read)
    if nul >= 0:
        hint = "save the file as UTF-8"
        return grammar, [Diagnostic("LG114", "expected text, found a NUL character", source.span(nul, 1), hint)]
    return grammar, sorted(diagnostics, key=lambda one: one.span)


def read(form: str, body: Body) -> Any:
    """The node that `body` spells in one of the forms of clauses.

    Raises:
        build.ClauseError: with the diagnostic, if the text is not of that form.
    """
    try:
        return _forms()[form].parse_string(body, parse_all=True)[0]
    except pp.ParseBaseException as error:
        raise build.ClauseError(_diagnostic(error, body)) from None


def _diagnostic(error: pp.ParseBaseException, body: Body) -> Diagnostic:
    at = error.loc
    while at < len(body) and body[at].isspace():
        at += 1
    expected = error.msg.removeprefix("Expected ").replace("end of text", "the end of the clause")
    found = _FOUND.match(body, at)
    if found is None:
        # The mistake is what is missing: point behind the last thing that is there.
        end = len(body.rstrip())
        return Diagnostic("LG101", f"expected {expected}, found the end of the clause", body.span(end))
    word = found[0]
    return Diagnostic("LG101", f"expected {expected}, found '{word}'", body.span(at, len(word)), _hint(body, at, word))


def _hint(body: Body, at: int, word: str) -> str:
    if word == "=" and body[at - 1] == "=":
        return "a condition compares with a single '='"
    if word in _CONNECTIVES and body[at + len(word) :].lstrip().startswith("="):
        return f"'{word}' is a word of the language; choose another name"
    close = get_close_matches(word, (*_CONNECTIVES, *RELATIONS, "any", "known", "unknown", "least"), 1, 0.75)
    return f"did you mean '{close[0]}'?" if close and close[0] != word else ""


def _cover(first: Span, last: Span) -> Span:
    if first.line != last.line:
        return first
    return Span(first.path, first.line, first.column, last.column + last.length - first.column)


def _token(pattern: str, what: str, make: Callable[[str, Span], Any]) -> pp.ParserElement:
    """A token of one regular expression; `make` gets its text and its place."""

    def action(body: str, at: int, tokens: pp.ParseResults) -> list[Any]:
        return [make(tokens[0], cast(Body, body).span(at, len(tokens[0])))]

    return pp.Regex(pattern).set_name(what).set_parse_action(action)


def _word(words: tuple[str, ...], what: str) -> pp.ParserElement:
    return _token(rf"(?:{'|'.join(words)})(?![\w.-])", what, Name)


def _key(word: str) -> pp.ParserElement:
    """A word that only guides the reading."""
    return pp.Regex(rf"{word}(?![\w.-])").set_name(f"'{word}'").suppress()


def _all(element: pp.ParserElement, separator: str | pp.ParserElement = ",") -> pp.ParserElement:
    """One or more, separated, as one tuple."""
    part = pp.Literal(separator).set_name(f"'{separator}'").suppress() if isinstance(separator, str) else separator
    return (element + pp.ZeroOrMore(part - element)).set_parse_action(lambda tokens: [tuple(tokens)])


def _seconds(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()  # type: ignore[union-attr]
    return float(Decimal(number) * _UNITS[unit])


def _number(text: str, span: Span) -> Value:
    if text[-1].isalpha():
        return Value(_seconds(text), span)
    return Value(float(text) if "." in text else int(text), span)


def _string(text: str, span: Span) -> Value:
    return Value(re.sub(r"\\(.)", r"\1", text[1:-1]), span)


def _bare(text: str, span: Span) -> Value:
    return Value(int(text) if re.fullmatch(r"0|-?[1-9]\d*", text) else text, span)


def _releases(text: str, span: Span) -> Releases:
    first, dots, last = text.partition("..")
    return Releases(first, last if dots else first, span)


def _comparison(tokens: pp.ParseResults) -> Comparison:
    left, operator, right = tokens
    end = right[-1] if isinstance(right, tuple) else right
    return Comparison(left, operator, right, _cover(left.span, end.span))


def _relation(tokens: pp.ParseResults) -> Relation:
    left, relation, right, *within = tokens
    return Relation(left, relation.text, right, within[0] if within else None, _cover(left.span, right.span))


def _choice(tokens: pp.ParseResults) -> Choice:
    name, *where = tokens
    return Choice(name, where[0] if where else (), name.span)


def _spec(tokens: pp.ParseResults) -> Spec:
    tag, name, *where = tokens
    return Spec(name, tag, where[0] if where else (), name.span)


def _attachment(body: str, at: int, tokens: pp.ParseResults) -> Attachment:
    binding, *rest = tokens
    within = rest.pop(0) if isinstance(rest[0], float) else None
    relation, anchor, *parts = rest
    until = parts.pop(0) if parts and isinstance(parts[0], Name) else None
    said: dict[str, Any] = {}
    for word, value in parts:
        if word in said:
            raise pp.ParseFatalException(body, at, f"Expected '{word}' only once")
        said[word] = value
    return Attachment(
        binding,
        within,
        relation.text,
        anchor,
        said.get("same", ()),
        said.get("other", ()),
        said.get("means"),
        said.get("at"),
        _cover(binding.span, (until or anchor).span),
        until,
    )


def _step(body: str, at: int, tokens: pp.ParseResults) -> Step:
    seconds, actor, *rest = tokens
    span = cast(Body, body).span(at, len(body.rstrip()) - at)
    if not rest:
        return Step(seconds, "", None, (), span)
    return Step(seconds, actor, rest[0], tuple(rest[1:]), span)


@cache
def _forms() -> dict[str, pp.ParserElement]:
    """What may stand behind a clause word, by name of the form."""
    word = _token(r"[a-z][a-z0-9_-]*(?![\w.-])", "a word", Name)
    name = _token(rf"{_NOT_RESERVED}[a-z][a-z0-9_-]*(?:\.[a-z0-9_][a-z0-9_-]*)*", "a name", Name)
    event = name.copy().set_name("an event")
    subject = name.copy().set_name("an event or interval")
    bound = _token(rf"{_NOT_RESERVED}[a-z][a-z0-9_]*(?![\w.-])", "the name of a binding", Name)
    route = r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*"
    field = _token(_NOT_RESERVED + route, "a field", Path)
    key = _token(_NOT_RESERVED + route, "a field or a word such as 'actor'", Name)
    string = _token(r'"(?:[^"\\\n]|\\["\\])*"', "a string in double quotes", _string)
    number = _token(r"-?\d+(?:\.\d+)?(?:(?:ms|s|min|h)\b)?(?![\w.])", "a number or duration", _number)
    value = (string | number).set_name("a string, a number or a duration")
    duration = _token(r"\d+(?:\.\d+)?(?:ms|s|min|h)\b", "a duration such as 60s", lambda text, span: _seconds(text))

    known = _token(r"(?:known|unknown)\b", "'known' or 'unknown'", Value)
    operator = pp.Regex(r"!=|<=|>=|=|<|>").set_name("a comparison such as '='")
    comparison = (
        field
        + (
            operator - (value | field).set_name("a value or a field")
            | pp.Regex(r"in\b") - (pp.Suppress("(") + _all(value) + pp.Suppress(")")).set_name("values in parentheses")
            | pp.Regex(r"(?:starts|ends)\b") + string
            | pp.Regex(r"is\b") - known
        ).set_name("a comparison such as '='")
    ).set_parse_action(_comparison)
    comparisons = _all(comparison, _key("and"))
    where = _key("where") - comparisons

    within = _key("within") - duration
    relation = _word(RELATIONS, "a relation such as 'during'")
    related = (bound + relation - bound + pp.Optional(within)).set_parse_action(_relation)
    condition = (related | comparison).set_name("a condition such as 'strike during work' or 'a.id = b.id'")

    choice = (event + pp.Optional(where)).set_parse_action(_choice)
    tagged = _key("any").add_parse_action(lambda: [True]) - word.copy().set_name("a tag")
    spec = ((tagged | pp.Empty().add_parse_action(lambda: [False]) + subject) + pp.Optional(where)).set_parse_action(
        _spec
    )
    binding = (
        bound + pp.Suppress("=").set_name("'='") - spec.set_name("an event, an interval or 'any TAG'")
    ).set_parse_action(lambda tokens: Binding(tokens[0], tokens[1], _cover(tokens[0].span, tokens[1].span)))
    part = (
        (pp.Regex(r"same\b|other\b") - _all(key))
        | (pp.Regex(r"means\b") - pp.one_of(OUTCOMES).set_name(f"one of {', '.join(OUTCOMES)}"))
        | (
            pp.Regex(r"at\b")
            - _key("least")
            - pp.Regex(r"\d+").set_name("a number").add_parse_action(lambda t: int(t[0]))
        )
    ).set_parse_action(lambda tokens: [(tokens[0], tokens[1])])
    # "after" stands for what comes after the first of the two; "until" says that it comes before the second.
    after = _token(r"between(?![\w.-])", "'between'", lambda text, span: Name("after", span))
    between = after - bound - _key("and") - bound
    place = (pp.Optional(within) + relation - bound) | between
    attachment = (binding + place + pp.ZeroOrMore(part)).set_parse_action(_attachment)

    expected = (
        _token(route, "a field or a kind", Path)
        + pp.Suppress("=").set_name("'='")
        - (string | _token(r"-?\d+(?![\w.])", "a number", _number)).set_name("a string or an integer")
    ).set_parse_action(lambda tokens: Expectation(*tokens))
    given = (
        _token(route, "FIELD=VALUE", Path)
        - pp.Suppress("=").set_name("'='")
        - (string | _token(r'[^\s"]+', "a value", _bare))
    ).set_parse_action(lambda tokens: Expectation(*tokens))
    time = pp.Regex(r"\+\d+(?:\.\d+)?(?![\w.])").set_name("a step such as '+1.5 A EVENT'")
    time.set_parse_action(lambda tokens: float(tokens[0]))
    step_actor = pp.Regex(r"[A-Z]\w*(?:\.\d+)?(?:@[\w-]+)?(?![\w.@-])").set_name("an actor such as 'A'")
    step = time - (pp.Regex(r"end\b") | step_actor - event + pp.ZeroOrMore(given)).set_name(
        "an actor such as 'A', or 'end'"
    )

    kind = word.copy().set_name("a kind")
    releases = _token(
        r"\d+(?:\.\d+)*(?:\.\.(?:\d+(?:\.\d+)*)?)?(?![\w.])|\.\.\d+(?:\.\d+)*(?![\w.])",
        "releases such as 4.17..",
        _releases,
    )
    head = pp.Optional(kind, None) + pp.Optional(releases, None)
    state = _token(r"[A-Z][A-Za-z0-9_]*(?![\w.-])", "a state such as 'Starting'", Name)
    arrow = pp.Literal("->").set_name("'->'").suppress()
    edge = _all(state) + arrow - state + _key("on") - _all(choice, _key("or"))
    return {
        form: element.parse_with_tabs()
        for form, element in {
            "word": word,
            "words": _all(word),
            "kind": kind,
            "field": _token(r"[a-z][a-z0-9_]*(?![\w.-])", "a field", Name),
            "fields": _all(_token(r"[a-z][a-z0-9_]*(?![\w.-])", "a field", Name)),
            "place": _token(route, "a field or 'exception'", Name),
            "name": name,
            "keys": _all(key),
            "loggers": _all(_token(r"[\w.$]+", "the name of a logger", Name)),
            "level": _word(LEVELS, "a level"),
            "header": _word(HEADERS, "a header (" + ", ".join(HEADERS) + ")"),
            "zone": _word(("GMT",), "'GMT'"),
            "severity": _word(SEVERITIES, "a severity (" + ", ".join(SEVERITIES) + ")"),
            "duration": duration,
            "head": head.set_parse_action(lambda tokens: [tuple(tokens)]),
            "choice": choice.copy(),
            "choices": _all(choice, _key("or")),
            "takes": (kind + _key("from") - _all(subject, _key("or"))).set_parse_action(
                lambda tokens: Takes(tokens[0], tokens[1], tokens[0].span)
            ),
            "bindings": pp.OneOrMore(binding).set_parse_action(lambda tokens: [tuple(tokens)]),
            "attachment": attachment,
            "conditions": _all(condition, _key("and")),
            "expectations": _all(expected),
            "refs": _all(_token(r"[^\s,]+", "a reference such as apache/cloudstack#14522", Name)),
            "edge": edge.set_parse_action(lambda tokens: Edge(tokens[0], tokens[1], tokens[2], tokens[0][0].span)),
            "certainty": (pp.Optional(pp.one_of("certain possible"), "")).set_name("'certain' or 'possible'"),
            "step": step.set_parse_action(_step),
            "nothing": pp.Empty().set_parse_action(lambda: [True]),
        }.items()
    }
