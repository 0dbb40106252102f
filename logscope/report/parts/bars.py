"""The bars of intervals, whole, open at an end, or cut by the rim of the drawing."""

from __future__ import annotations

from logscope.model import Entry, Let
from logscope.report.parts import words
from logscope.report.parts.shapes import Bar, Scale

_TAIL = 26.0


def bar(scale: Scale, y: float, height: float, item: Let | Entry, style: str, title: str) -> Bar:
    """Lay out the bar of an interval.

    An end that the log does not tell, or that lies outside of the scale, fades out in pieces.
    """
    left, right = scale.x(item.start), scale.x(item.end)
    unbegun = item.outcome == "unbegun"
    open_left = unbegun or item.start < scale.start
    open_right = item.end > scale.end or (bool(words.ending(item.outcome)) and not unbegun)
    tail = min(_TAIL, (right - left) * 0.4)
    inner_left = left + (tail if open_left else 0.0)
    inner_right = right - (tail if open_right else 0.0)
    pieces = [(inner_left, max(inner_right - inner_left, 1.0))]
    if open_left:
        pieces += [(left + tail * at, tail * width) for at, width in ((0.0, 0.1), (0.32, 0.15), (0.67, 0.2))]
    if open_right:
        pieces += [(right - tail * at, tail * width) for at, width in ((0.1, 0.1), (0.47, 0.15), (0.87, 0.2))]
    return Bar(y, height, tuple(pieces), style, title, item.start, item.end)
