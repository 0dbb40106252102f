"""The tree of an operation as text and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from logscope.cli.tables import table
from logscope.cli.wording import brief
from logscope.report.parts import words
from logscope.report.parts.times import SECOND, duration, iso, moment

if TYPE_CHECKING:
    from logscope.causes import Act

_HEADS = ("TIME", "LASTED", "WAITED", "WHAT", "WHO", "LINE")
_INDENT = "  "


def text(acts: Sequence[Act], tz: str, several_servers: bool, color: bool) -> str:
    """A table with a row for each step, those that it consists of or leads to indented below it."""
    rows = [row for act in acts for row in _rows(act, "", 0, tz, several_servers)]
    return table(_HEADS, rows, color=color)


def _rows(act: Act, above: str, depth: int, tz: str, several_servers: bool) -> Iterator[tuple[str, ...]]:
    who = words.who(act.actor, several_servers)
    is_point = act.tag == "failure"
    ending = words.ending(act.outcome)
    what = ("failure: " if is_point else "") + brief(act.title) + (f" ({ending})" if ending else "")
    lines = words.short_lines(line for line in (act.line, act.closed_by, act.asked_by) if line)
    asked = f", asked for by {lines.pop()}" if act.asked_by else ""
    yield (
        moment(act.start) + tz,
        "" if is_point else duration(act.end - act.start),
        "" if act.waited is None else duration(act.waited),
        _INDENT * depth + what,
        who if who != above and act.title != act.actor.name else "",
        " – ".join(lines) + asked,
    )
    for child in act.children:
        yield from _rows(child, who, depth + 1, tz, several_servers)


def plain(act: Act, tz: str) -> dict[str, Any]:
    """A step and those below it; times are ISO 8601, `waited` is seconds."""
    return {
        "is": act.tag,
        "of": act.of,
        "title": act.title,
        "actor": asdict(act.actor),
        "start": iso(act.start, tz),
        "end": iso(act.end, tz),
        "outcome": act.outcome,
        "waited": None if act.waited is None else act.waited / SECOND,
        "asked_by": act.asked_by,
        "line": act.line,
        "closed_by": act.closed_by,
        "steps": [plain(child, tz) for child in act.children],
    }
