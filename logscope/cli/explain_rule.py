"""A rule as a page of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from logscope.cli.rules import in_general
from logscope.language.catalog import Catalog
from logscope.language.format import attachment_text, choice_text, condition_text, spec_text
from logscope.language.tree import Attachment, Choice, History, Interval, Prose, Rule, Spec

_WIDTH = 100
_INDENT = "  "
_WORD = 8  # columns for a clause word


def page(catalog: Catalog, rule: Rule) -> str:
    """Everything that the grammars say about a rule."""
    parts = [
        [f"{rule.name.text} ({rule.severity})", "", *_wrapped(in_general(rule.title.text))],
        _prose("Why it is a race", filter(None, [rule.because])),
        ["What is looked for", *_hanging(_pattern(catalog, rule), _WORD + 3)],
        ["What must be in the log", *_hanging(_needs(catalog, rule), 2)],
        _prose("What would refute it", rule.refuted),
        _prose("What the log cannot show", rule.blind),
        _prose("When it is wrong", rule.beware),
        _prose("What to do", rule.remedy),
        _prose("Affected", filter(None, [rule.affects])),
        _prose("Fixed", filter(None, [rule.fixed])),
        ["References", *_indented([ref.text for ref in rule.refs])] if rule.refs else [],
        *([_heading(one), *_indented(_steps(one))] for one in rule.fires[:1]),
        *(["Counter-example: it stays quiet", *_indented(_steps(one))] for one in rule.quiet[:1]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _prose(heading: str, texts: Iterable[Prose]) -> list[str]:
    lines = [line for prose in texts for line in _wrapped(" ".join(prose.text.split()))]
    return [heading, *lines] if lines else []


def _wrapped(text: str) -> list[str]:
    return [_INDENT + line for line in wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def _hanging(lines: Iterable[str], behind: int) -> list[str]:
    """Lines with what does not fit below them, `behind` columns further in."""
    below = _INDENT + " " * behind
    return [
        part
        for line in lines
        for part in wrap(
            line,
            _WIDTH + len(below),
            initial_indent=_INDENT,
            subsequent_indent=below,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def _indented(lines: Iterable[str]) -> list[str]:
    return [_INDENT + line for line in lines]


def _heading(history: History) -> str:
    return f"Example in which it fires{f' ({history.certainty})' if history.certainty else ''}"


def _pattern(catalog: Catalog, rule: Rule) -> Iterator[str]:
    for number, binding in enumerate(rule.find):
        what = f"{binding.name.text} = {spec_text(binding.spec)}{_meaning(catalog, binding.spec)}"
        yield f"{'' if number else 'find':<{_WORD}} {what}"
    for number, condition in enumerate(rule.when):
        yield f"{'' if number else 'when':<{_WORD}} {'and ' if number else ''}{condition_text(condition)}"
    attached = (("without", rule.without), ("count", rule.counts), ("proves", rule.proves))
    for word, attachments in attached:
        for one in attachments:
            yield f"{word:<{_WORD}} {attachment_text(one)}{_meaning(catalog, one.binding.spec)}"


def _meaning(catalog: Catalog, spec: Spec) -> str:
    declared = catalog.intervals.get(spec.name.text) or catalog.events.get(spec.name.text)
    return f"  ({in_general(declared.title.text)})" if declared is not None and declared.title is not None else ""


def _needs(catalog: Catalog, rule: Rule) -> list[str]:
    """Each binding with the events that it is made of, and the level at which these are logged."""
    attachments: Sequence[Attachment] = (*rule.without, *rule.counts, *rule.proves)
    lines: list[str] = []
    for binding in (*rule.find, *(one.binding for one in attachments)):
        lines += [f"{binding.name.text}: {line}" for line in _events(catalog, binding.spec)]
    return lines


def _events(catalog: Catalog, spec: Spec) -> list[str]:
    if spec.any_of_tag:
        count = len(catalog.events_tagged(spec.name.text)) + len(catalog.intervals_tagged(spec.name.text))
        return [f"any of the {count:,} events and intervals with the tag '{spec.name.text}'"]
    interval = catalog.intervals.get(spec.name.text)
    if interval is None:
        return [_level(catalog, spec.name.text)]
    return [*_ends(catalog, interval, "opens", interval.opens), *_ends(catalog, interval, "closes", interval.closes)]


def _ends(catalog: Catalog, interval: Interval, word: str, choices: Sequence[Choice]) -> list[str]:
    return [f"{interval.name.text} {word} {choice_text(one)}{_at(catalog, one.event.text)}" for one in choices]


def _level(catalog: Catalog, event: str) -> str:
    return f"{event}{_at(catalog, event)}"


def _at(catalog: Catalog, event: str) -> str:
    level = catalog.events[event].level
    return f" ({level.text if level else 'DEBUG'})"


def _steps(history: History) -> list[str]:
    rows = []
    for step in history.steps:
        event = step.event.text if step.event else "end"
        fields = " ".join(f"{field.path.text}={field.value.value}" for field in step.fields)
        rows.append((f"+{step.seconds:.3f}", step.actor if step.event else "", event, fields))
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
