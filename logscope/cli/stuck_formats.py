"""What was open as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from logscope import __version__
from logscope.cli.tables import table
from logscope.cli.wording import brief, cut
from logscope.report.parts import words
from logscope.report.parts.times import SECOND, duration, iso, moment

if TYPE_CHECKING:
    from logscope.stuck import Key, Last, Open, Stuck

_SCHEMA = "logscope/stuck/1"
_HEADS = ("SINCE", "FOR", "WHAT", "WHO", "CAUSED BY", "WAITED FOR BY", "LINE")
_LAST_HEADS = ("LAST LINE OF", "SILENT FOR", "LINE", "TEXT")
_TEXT_WIDTH = 300
_MOST_WAITERS = 3


def _text(found: Stuck, lasts: Mapping[Key, Last], tz: str, color: bool) -> str:
    several = len({one.actor.server for one in (*found.open, *found.cut)}) > 1
    when = moment(found.at) + tz
    parts = [f"nothing was open at {when}\n"]
    if found.open:
        shown = _table(found.open, found.at, tz, several, color)
        parts = [f"{words.plural(len(found.open), 'thing')} open at {when}\n\n{shown}"]
    if found.cut:
        parts.append(f"cut off by a restart\n\n{_table(found.cut, found.at, tz, several, color)}")
    rows = _last_rows(found, lasts, several)
    if rows:
        parts.append(table(_LAST_HEADS, rows, color=color))
    return "\n".join(parts)


def _table(every: Sequence[Open], at: int, tz: str, several: bool, color: bool) -> str:
    return table(_HEADS, [_row(one, at, tz, several) for one in every], color=color)


def _row(one: Open, at: int, tz: str, several: bool) -> tuple[str, ...]:
    since = moment(one.start) + tz if one.is_begun else "before the log"
    least = "" if one.is_begun else "≥ "
    waiting = [
        f"{brief(waiter.title)} ({duration(waiter.until - waiter.start)})" for waiter in one.waiting[:_MOST_WAITERS]
    ]
    more = len(one.waiting) - _MOST_WAITERS
    return (
        since,
        least + duration(one.until - one.start),
        brief(one.title) + _ending(one, at),
        words.who(one.actor, several),
        one.caused_by,
        "; ".join([*waiting, f"{more:,} more"] if more > 0 else waiting),
        one.line,
    )


def _ending(one: Open, at: int) -> str:
    """How it went on after the time that is asked about, if the log tells."""
    if one.end is None or one.end <= at:
        return ""
    how = words.ending(one.outcome) or "ended"
    return f" ({how}, {duration(one.end - at)} later)"


def _last_rows(found: Stuck, lasts: Mapping[Key, Last], several: bool) -> list[tuple[str, ...]]:
    owners = {one.owner: one for one in (*found.open, *found.cut)}
    return [
        (
            words.who(one.actor, several),
            duration(max(0, one.until - lasts[owner].time)),
            lasts[owner].line,
            cut(lasts[owner].text, _TEXT_WIDTH),
        )
        for owner, one in owners.items()
        if owner in lasts
    ]


def _json(found: Stuck, lasts: Mapping[Key, Last], tz: str, color: bool) -> str:
    shown = {
        "schema": _SCHEMA,
        "version": __version__,
        "tz": tz,
        "at": iso(found.at, tz),
        "open": [_plain(one, lasts, tz) for one in found.open],
        "cut": [_plain(one, lasts, tz) for one in found.cut],
    }
    return json.dumps(shown, indent=2) + "\n"


def _plain(one: Open, lasts: Mapping[Key, Last], tz: str) -> dict[str, Any]:
    last = lasts.get(one.owner)
    return {
        "is": one.tag,
        "of": one.of,
        "title": one.title,
        "resources": one.resources,
        "actor": asdict(one.actor),
        "since": iso(one.start, tz) if one.is_begun else None,
        "seconds": (one.until - one.start) / SECOND,
        "end": None if one.end is None else iso(one.end, tz),
        "outcome": one.outcome,
        "line": one.line,
        "caused_by": one.caused_by,
        "waiting": [
            {
                "title": waiter.title,
                "actor": asdict(waiter.actor),
                "since": iso(waiter.start, tz),
                "seconds": (waiter.until - waiter.start) / SECOND,
                "line": waiter.line,
            }
            for waiter in one.waiting
        ],
        "last": None if last is None else {"time": iso(last.time, tz), "line": last.line, "text": last.text},
    }


FORMATS = {"text": _text, "json": _json}
