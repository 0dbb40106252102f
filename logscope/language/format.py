"""Prints syntax trees in the canonical layout: what is printed parses to the same tree.

Clauses come in the canonical order, what stands behind their words in one column; a comment stays
before the clause that it stood before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from logscope.errors import LogscopeError
from logscope.language.tree import (
    Actor,
    Attachment,
    Binding,
    Choice,
    Comparison,
    Condition,
    Declaration,
    Edge,
    Event,
    Expectation,
    Grammar,
    History,
    Inside,
    Interval,
    Machine,
    Name,
    Path,
    Prose,
    Relation,
    Releases,
    Rendering,
    Rule,
    Sample,
    Source,
    Spec,
    Step,
    Takes,
    Template,
    Type,
    Value,
)

_Unit = tuple[str, list[str]]  # a clause word, and the lines of what stands behind it
_HISTORIES = ("fires", "quiet")


def format_grammar(grammar: Grammar) -> str:
    """The text of a grammar file in the canonical layout.

    Raises:
        LogscopeError: there are mistakes in the file, whose declarations would be lost.
    """
    if grammar.broken:
        raise LogscopeError(f"'{grammar.path}' has mistakes; correct what 'logscope grammar check' says of it first")
    parts = ["\n".join((*grammar.comments, f"grammar {grammar.name.text}"))]
    parts += ["\n".join((*one.comments, *_declaration(one))) for one in grammar.declarations]
    if grammar.trailing:
        parts.append("\n".join(grammar.trailing))
    return "\n\n".join(parts) + "\n"


def condition_text(condition: Condition) -> str:
    """A condition as it is written."""
    if isinstance(condition, Relation):
        return f"{condition.left.text} {condition.relation} {condition.right.text}{_within(condition.within)}"
    return f"{condition.left.text} {condition.operator} {_side(condition)}"


def choice_text(choice: Choice) -> str:
    """An event or interval with its conditions as it is written."""
    return choice.event.text + _where(choice.where)


def edge_text(edge: Edge) -> str:
    """A change of state as it is written."""
    return f"{_names(edge.sources)} -> {edge.target.text} on {' or '.join(map(choice_text, edge.choices))}"


def spec_text(spec: Spec) -> str:
    """What a binding stands for as it is written."""
    return f"{'any ' if spec.any_of_tag else ''}{spec.name.text}{_where(spec.where)}"


def attachment_text(attachment: Attachment) -> str:
    """A `without`, `count` or `proves` as it is written."""
    binding = attachment.binding
    text = f"{binding.name.text} = {spec_text(binding.spec)}{_within(attachment.within)}"
    if attachment.until is not None:
        text += f" between {attachment.anchor.text} and {attachment.until.text}"
    else:
        text += f" {attachment.relation} {attachment.anchor.text}"
    for word, keys in (("same", attachment.same), ("other", attachment.other)):
        if keys:
            text += f" {word} {_names(keys)}"
    if attachment.means is not None:
        text += f" means {attachment.means}"
    if attachment.at_least is not None:
        text += f" at least {attachment.at_least}"
    return text


def releases_text(releases: Releases) -> str:
    """Releases as they are written: `4.17..`, `4.4..4.20.0`, `4.11`."""
    return releases.first if releases.first == releases.last else f"{releases.first}..{releases.last}"


def duration_text(seconds: float) -> str:
    """A duration as it is written, in the unit that suits it."""
    exact = Decimal(repr(seconds))
    if exact and exact % 3600 == 0:
        return f"{exact / 3600:.0f}h"
    if exact > 3600 and exact % 60 == 0:
        return f"{exact / 60:.0f}min"
    if 0 < exact < 1 and exact * 1000 % 1 == 0:
        return f"{exact * 1000:.0f}ms"
    return f"{_plain(exact)}s"


def _plain(number: Decimal) -> str:
    return f"{number:f}".rstrip("0").rstrip(".") if number % 1 else f"{number:.0f}"


def _declaration(declaration: Declaration) -> Iterator[str]:
    yield f"{type(declaration).__name__.lower()} {declaration.name.text}"
    units = [unit for unit in _units(declaration) if unit[1]]
    width = max((len(word) for word, _ in units), default=0)
    for index in range(len(units) + 1):
        yield from (f"  {remark.text}" for remark in declaration.remarks if remark.before == index)
        if index < len(units):
            yield from _unit(*units[index], width)


def _unit(word: str, lines: Sequence[str], width: int) -> Iterator[str]:
    first, *others = lines
    pad = 0 if word in _HISTORIES else width
    yield f"  {word:<{pad}} {first}" if first else f"  {word}"
    indent = "    " if word in _HISTORIES else " " * (width + 3)
    yield from (indent + line for line in others)


def _units(declaration: Declaration) -> Iterator[_Unit]:
    """The clauses in the canonical order; one without lines is not said."""
    match declaration:
        case Type():
            yield "kind", _one(declaration.kind)
            yield "key", _one(declaration.key)
            yield "alias", _list(declaration.aliases)
            yield "label", _one(declaration.label)
            yield from _matches(declaration.matches)
        case Event():
            yield from _prose("title", (declaration.title,))
            yield "logger", _list(declaration.loggers)
            yield "level", _one(declaration.level)
            yield "tag", _list(declaration.tags)
            yield from _matches(declaration.matches)
            yield from _insides(declaration.insides)
            yield from (("about", [f"{a.kind.text} {_verbatim(a.id.text)}"]) for a in declaration.abouts)
            yield from (("takes", [_takes(takes)]) for takes in declaration.takes)
            yield from (("sample", _sample(sample)) for sample in declaration.samples)
        case Interval():
            yield from _prose("title", (declaration.title,))
            yield "tag", _list(declaration.tags)
            yield "opens", _choices(declaration.opens)
            yield "closes", _choices(declaration.closes)
            yield "of", _choices(declaration.of)
            yield "same", _list(declaration.same)
            yield "nested", [""] if declaration.nested else []
            yield "limit", _duration(declaration.limit)
        case Actor():
            yield from _prose("title", (declaration.title,))
            yield from (("thread", [_verbatim(thread.text)]) for thread in declaration.threads)
            yield "doing", _choices(declaration.doing)
        case Source():
            yield from _prose("title", (declaration.title,))
            yield from ((w, _one(getattr(declaration, w))) for w in ("header", "zone", "writer"))
            yield "logger", _list(declaration.loggers)
            yield from (("thread", [_verbatim(thread.text)]) for thread in declaration.threads)
            yield from _matches(declaration.matches)
            yield from (("sample", _sample(sample)) for sample in declaration.samples)
        case Machine():
            yield from _prose("title", (declaration.title,))
            yield "kind", _one(declaration.kind)
            yield from (("edge", [edge_text(edge)]) for edge in declaration.edges)
        case Rule():
            yield from _rule(declaration)


def _rule(rule: Rule) -> Iterator[_Unit]:
    yield from _prose("title", (rule.title,))
    yield "severity", [rule.severity]
    yield "find", _bindings(rule.find)
    yield "when", [f"{'and ' if index else ''}{condition_text(one)}" for index, one in enumerate(rule.when)]
    for word, attachments in (("without", rule.without), ("count", rule.counts), ("proves", rule.proves)):
        yield from ((word, [attachment_text(one)]) for one in attachments)
    yield "chances", _choices((rule.chances,) if rule.chances else ())
    yield "controls", _choices(rule.controls)
    yield "period", _choices((rule.period,) if rule.period else ())
    yield "slack", _duration(rule.slack)
    yield "yields", [""] if rule.yields else []
    yield from _prose("because", (rule.because,))
    yield from _prose("refuted", rule.refuted)
    yield from _prose("blind", rule.blind)
    yield from _prose("remedy", rule.remedy)
    yield from _prose("beware", rule.beware)
    yield from _prose("affects", (rule.affects,))
    yield from _prose("fixed", (rule.fixed,))
    yield "refs", _list(rule.refs)
    yield from (("fires", _history(history)) for history in rule.fires)
    yield from (("quiet", _history(history)) for history in rule.quiet)


def _one(name: Name | None) -> list[str]:
    return [name.text] if name else []


def _names(names: Iterable[Name]) -> str:
    return ", ".join(name.text for name in names)


def _list(names: Sequence[Name]) -> list[str]:
    return [_names(names)] if names else []


def _choices(choices: Sequence[Choice]) -> list[str]:
    return [" or ".join(map(choice_text, choices))] if choices else []


def _duration(seconds: float | None) -> list[str]:
    return [] if seconds is None else [duration_text(seconds)]


def _verbatim(text: str) -> str:
    return f"| {text}" if text else "|"


def _prose(word: str, texts: Sequence[Prose | None]) -> Iterator[_Unit]:
    for prose in texts:
        if prose is not None:
            yield word, [_verbatim(line) for line in prose.text.split("\n")]


def _headed(word: str, items: Sequence[tuple[str, Template]]) -> Iterator[_Unit]:
    """Templates with something before the `|`, which stand in one column."""
    width = max((len(head) for head, _ in items), default=0)
    for head, template in items:
        yield word, [f"{head:<{width}} " * (width > 0) + _verbatim(template.text)]


def _matches(matches: Sequence[Rendering]) -> Iterator[_Unit]:
    heads = []
    for match in matches:
        kind = [match.kind.text] if match.kind else []
        heads.append(" ".join([*kind, *([releases_text(match.releases)] if match.releases else [])]))
    return _headed("match", list(zip(heads, (match.template for match in matches), strict=True)))


def _insides(insides: Sequence[Inside]) -> Iterator[_Unit]:
    return _headed("inside", [(inside.place.text, inside.template) for inside in insides])


def _takes(takes: Takes) -> str:
    return f"{takes.kind.text} from {' or '.join(source.text for source in takes.sources)}"


def _sample(sample: Sample) -> list[str]:
    lines = [_verbatim(line) for line in sample.lines]
    if sample.expect:
        lines.append("expect " + ", ".join(f"{one.path.text} = {_value(one.value)}" for one in sample.expect))
    return lines


def _bindings(bindings: Sequence[Binding]) -> list[str]:
    width = max((len(binding.name.text) for binding in bindings), default=0)
    return [f"{binding.name.text:<{width}} = {spec_text(binding.spec)}" for binding in bindings]


def _within(seconds: float | None) -> str:
    return "" if seconds is None else f" within {duration_text(seconds)}"


def _where(comparisons: Sequence[Comparison]) -> str:
    return f" where {' and '.join(map(condition_text, comparisons))}" if comparisons else ""


def _side(comparison: Comparison) -> str:
    right = comparison.right
    if isinstance(right, tuple):
        return f"({', '.join(map(_value, right))})"
    if isinstance(right, Path):
        return right.text
    return str(right.value) if comparison.operator == "is" else _value(right)


def _value(value: Value) -> str:
    if isinstance(value.value, float):
        return duration_text(value.value)
    return str(value.value) if isinstance(value.value, int) else _quoted(value.value)


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _history(history: History) -> list[str]:
    times = [_time(step.seconds) for step in history.steps]
    actors = max((len(step.actor) for step in history.steps), default=0)
    events = max((len(step.event.text) for step in history.steps if step.event and step.fields), default=0)
    width = max(map(len, times), default=0)
    return [
        history.certainty,
        *(_step(step, time, width, actors, events) for step, time in zip(history.steps, times, strict=True)),
    ]


def _time(seconds: float) -> str:
    exact = Decimal(repr(seconds))
    return f"+{exact:.3f}" if exact * 1000 % 1 == 0 else f"+{exact:f}"


def _step(step: Step, time: str, width: int, actors: int, events: int) -> str:
    if step.event is None:
        return f"{time:<{width}} end"
    text = f"{time:<{width}} {step.actor:<{actors}} "
    if not step.fields:
        return text + step.event.text
    return f"{text}{step.event.text:<{events}}  {' '.join(map(_given, step.fields))}"


def _given(given: Expectation) -> str:
    value = given.value.value
    text = str(value)
    bare = isinstance(value, int) or (re.fullmatch(r'[^\s"]+', text) and not re.fullmatch(r"0|-?[1-9]\d*", text))
    return f"{given.path.text}={text if bare else _quoted(text)}"
