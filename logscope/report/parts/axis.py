"""The time axis of a drawing: round steps, labels that have room."""

from __future__ import annotations

from logscope.report.parts.shapes import Line, Scale, Shape, Text, width
from logscope.report.parts.times import DAY, HOUR, MINUTE, SECOND, clock, date

SIZE = 11.0
HEIGHT = 34.0

_MILLISECOND = SECOND // 1000
STEPS = (
    *(factor * _MILLISECOND * power for power in (1, 10, 100) for factor in (1, 2, 5)),
    *(factor * SECOND for factor in (1, 2, 5, 10, 20)),
    *(factor * MINUTE for factor in (1, 2, 5, 10, 20)),
    *(factor * HOUR for factor in (1, 2, 6, 12)),
    *(factor * DAY * power for power in (1, 10, 100, 1000) for factor in (1, 2, 5)),
)


def ticks(scale: Scale, most: int) -> tuple[int, list[int]]:
    """The smallest round step that gives at most `most` ticks, and the ticks: multiples of it in the scale."""
    span = scale.end - scale.start
    step = next((step for step in STEPS if span // step + 1 <= most), STEPS[-1])
    first = -(-scale.start // step) * step
    return step, list(range(first, scale.end + 1, step))


def label(time: int, step: int) -> str:
    """What stands at a tick: the day at midnight, else the clock, as fine as the step is."""
    if step >= DAY or (step >= MINUTE and time % DAY == 0):
        return date(time)[5:]
    if step >= MINUTE:
        return clock(time)[:5]
    return clock(time)[:8] if step >= SECOND else clock(time)


def draw(scale: Scale, top: float, bottom: float, tz: str) -> list[Shape]:
    """Grid lines from `top` to `bottom`, and below them the labels and the date."""
    room = scale.right - scale.left
    step = STEPS[0]
    marks: list[int] = []
    for most in range(max(2, int(room // 60)), 1, -1):
        step, marks = ticks(scale, most)
        widest = max((width(label(mark, step), SIZE) for mark in marks), default=0.0)
        if step / (scale.end - scale.start) * room >= widest + 14:
            break
    shapes: list[Shape] = [Line(scale.left, bottom, scale.right, bottom, "axis")]
    for mark in marks:
        x = scale.x(mark)
        shapes.append(Line(x, top, x, bottom + 4, "grid"))
        text = label(mark, step)
        half = width(text, SIZE) / 2
        # A label moved inwards could run into its neighbour, one left at the rim would be cut.
        if scale.left / 2 <= x - half and x + half <= scale.right + scale.left / 2:
            shapes.append(Text(x, bottom + 15, ((text, "tick"),), "middle"))
    shapes.append(Text(scale.left, bottom + 30, ((_days(scale, tz), "tick day"),)))
    return shapes


def _days(scale: Scale, tz: str) -> str:
    first, last = date(scale.start), date(scale.end)
    days = first if first == last else f"{first} – {last}"
    return f"{days} (UTC{tz})" if tz else days
