"""The lane of the resource: what else happened to it in the stretch of time that is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logscope.model import Actor, Entry
from logscope.report.parts import words
from logscope.report.parts.bars import bar
from logscope.report.parts.shapes import Mark, Scale, Shape, Text, width
from logscope.report.parts.times import duration, stretch
from logscope.report.parts.visible import visible

_BAR = 15.0
_SIZE = 10.0
_ROWS = 6
_MOST_EVENTS = 200
_TICK = "M-1,-6H1V6H-1Z"


def draw_resource(
    bars: list[Shape],
    texts: list[Shape],
    scale: Scale,
    y: float,
    entries: Sequence[Entry],
    styles: Mapping[Actor, str],
) -> float:
    """Draw the entries that lie in the scale, the intervals packed into rows, the events below them in one row.

    The shapes go to the layers `bars` and `texts`; `styles` are the classes of the actors' colours.
    Gives the height that is reached.
    """
    shown = [entry for entry in entries if entry.start <= scale.end and entry.end >= scale.start]
    rows: list[int] = []  # end of the last interval in each row
    left_out = 0
    for entry in sorted((e for e in shown if e.kind == "interval"), key=lambda e: (e.start, -e.end)):
        row = next((row for row, end in enumerate(rows) if end < entry.start), len(rows))
        if row == _ROWS:
            left_out += 1
            continue
        rows[row:] = [entry.end, *rows[row + 1 :]]
        style = styles.get(entry.actor, "actor-other")
        shape = bar(scale, y + row * (_BAR + 3), _BAR, entry, style, _tell(entry))
        bars.append(shape)
        left, room = shape.pieces[0]
        title = visible(entry.title)
        if width(title, _SIZE) + 12 <= room:
            texts.append(Text(left + 6, shape.y + 11, ((title, f"within small {style}"),)))
    y += len(rows) * (_BAR + 3)
    events = [entry for entry in shown if entry.kind != "interval"]
    for entry in events[:_MOST_EVENTS]:
        style = f"tick-mark {styles.get(entry.actor, 'actor-other')}"
        bars.append(Mark(scale.x(entry.start), y + 9, _TICK, style, _tell(entry), entry.start))
    y += 16 if events else 0
    left_out += max(len(events) - _MOST_EVENTS, 0)
    if left_out:
        texts.append(Text(scale.left, y + 12, ((f"{left_out:,} more are not drawn", "muted"),)))
        y += 16
    return y


def _tell(entry: Entry) -> str:
    length = f", {duration(entry.end - entry.start)}" if entry.kind == "interval" else ""
    how = f", {words.ending(entry.outcome)}" if words.ending(entry.outcome) else ""
    return f"{entry.title}, {stretch(entry.start, entry.end)}{length}{how}, by {entry.actor.name}"
