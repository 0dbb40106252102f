"""Where the time went as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from logscope import __version__
from logscope.cli.tables import table
from logscope.cli.wording import brief, cut
from logscope.report.parts import words
from logscope.report.parts.times import SECOND, duration, iso, moment

if TYPE_CHECKING:
    from logscope.attempts import Attempt, Failed, Retried, Told
    from logscope.slow import Held, Longest, Slow, Times

_SCHEMA = "logscope/slow/1"
_TIMES = ("COUNT", "TOTAL", "MEDIAN", "95 %", "LONGEST", "LINE OF THE LONGEST")
_TRIES = ("TIME", "WHO", "TRIED", "FAILED", "AVOIDED NEXT", "LINE")
_FAILED = ("TIME", "OPERATION", "CAUSED BY", "FIRST FAILURE", "LINE", "TEXT")
_TEXT_WIDTH = 300


def _text(slow: Slow, retried: Sequence[Retried], failed: Sequence[Failed], top: int, tz: str, color: bool) -> str:
    parts = [
        _section(("OPERATION", *_TIMES), [row for one in slow.operations for row in _times(one, 0)], color),
        _section(("COMMAND", *_TIMES), [row for one in slow.commands for row in _times(one, 0)], color),
        _section(("HELD FOR", "HOLD", "WHO", "SINCE", "LINE"), [_hold(one, tz) for one in slow.holds], color),
        _section(_TRIES, [row for one in retried[:top] for row in _tries(one, tz)], color, len(retried) - top),
        _section(_FAILED, [_failure(one, tz) for one in failed[:top]], color, len(failed) - top),
    ]
    return "\n".join(part for part in parts if part) or "no operation has both ends in this log\n"


def _section(heads: Sequence[str], rows: Sequence[Sequence[str]], color: bool, more: int = 0) -> str:
    if not rows:
        return ""
    return table(heads, rows, color=color) + (f"and {more:,} more\n" if more > 0 else "")


def _times(one: Times, depth: int) -> Iterator[tuple[str, ...]]:
    kind = f"{'  ' * depth}{one.tag}: " if depth else ""
    count = f"{one.count:,}" + (f" (+{one.unended:,} without an end)" if one.unended else "")
    lengths = [duration(length) if one.count else "" for length in (one.total, one.median, one.p95, one.max)]
    yield (kind + brief(one.what), count, *lengths, one.longest.line if one.longest else "")
    for part in one.parts:
        yield from _times(part, depth + 1)


def _hold(one: Held, tz: str) -> tuple[str, ...]:
    lines = " – ".join(words.short_lines((one.line, one.closed_by)))
    return duration(one.end - one.start), brief(one.title), words.who(one.actor, False), moment(one.start) + tz, lines


def _tries(one: Retried, tz: str) -> Iterator[tuple[str, ...]]:
    for number, attempt in enumerate(one.attempts, 1):
        yield (
            moment(attempt.tried.time) + tz,
            one.actor.name if number == 1 else "",
            f"{number}: {attempt.tried.title}",
            _reason(attempt.failed),
            attempt.avoided.title if attempt.avoided else "",
            ", ".join(words.short_lines(told.line for told in (attempt.tried, attempt.failed) if told)),
        )


def _reason(told: Told | None) -> str:
    return f"{told.title}: {cut(brief(told.text), _TEXT_WIDTH)}" if told else ""


def _failure(one: Failed, tz: str) -> tuple[str, ...]:
    lines = dict.fromkeys((one.cause.line, one.failed.line))
    return (
        moment(one.cause.time) + tz,
        one.actor.name,
        one.caused_by,
        one.cause.title,
        ", ".join(words.short_lines(lines)),
        cut(brief(one.cause.text), _TEXT_WIDTH),
    )


def _json(slow: Slow, retried: Sequence[Retried], failed: Sequence[Failed], top: int, tz: str, color: bool) -> str:
    shown = {
        "schema": _SCHEMA,
        "version": __version__,
        "tz": tz,
        "operations": [_plain_times(one, tz) for one in slow.operations],
        "commands": [_plain_times(one, tz) for one in slow.commands],
        "holds": [
            {
                "title": one.title,
                "actor": asdict(one.actor),
                "start": iso(one.start, tz),
                "end": iso(one.end, tz),
                "seconds": (one.end - one.start) / SECOND,
                "line": one.line,
                "closed_by": one.closed_by,
            }
            for one in slow.holds
        ],
        "retried": [
            {
                "actor": asdict(one.actor),
                "caused_by": one.caused_by,
                "attempts": [_plain_attempt(attempt, tz) for attempt in one.attempts],
            }
            for one in retried[:top]
        ],
        "failed": [
            {
                "actor": asdict(one.actor),
                "caused_by": one.caused_by,
                "failed": _plain_told(one.failed, tz),
                "cause": _plain_told(one.cause, tz),
            }
            for one in failed[:top]
        ],
    }
    return json.dumps(shown, indent=2) + "\n"


def _plain_times(one: Times, tz: str) -> dict[str, Any]:
    return {
        "is": one.tag,
        "what": one.what,
        "count": one.count,
        "without_end": one.unended,
        "total_s": one.total / SECOND,
        "median_s": one.median / SECOND,
        "p95_s": one.p95 / SECOND,
        "max_s": one.max / SECOND,
        "longest": _plain_longest(one.longest, tz),
        "parts": [_plain_times(part, tz) for part in one.parts],
    }


def _plain_longest(one: Longest | None, tz: str) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"title": one.title, "actor": asdict(one.actor), "start": iso(one.start, tz), "line": one.line}


def _plain_attempt(one: Attempt, tz: str) -> dict[str, Any]:
    return {
        "tried": _plain_told(one.tried, tz),
        "failed": _plain_told(one.failed, tz),
        "avoided": _plain_told(one.avoided, tz),
    }


def _plain_told(one: Told | None, tz: str) -> dict[str, Any] | None:
    return None if one is None else {**asdict(one), "time": iso(one.time, tz)}


FORMATS = {"text": _text, "json": _json}
