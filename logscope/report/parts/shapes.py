"""Shapes of a drawing, how wide text is, and how it is made to fit.

Drawings are laid out here in pixels; `templates/_drawing.svg.j2` writes them as SVG.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from unicodedata import east_asian_width

from logscope.report.parts.visible import visible

# Widths in ems of DejaVu Sans, about the widest font that a browser takes for text without serifs.
_WIDTHS = {
    char: ems
    for ems, chars in (
        (0.30, "'IJijl"),
        (0.38, " ,./:;\\f|()-[]t"),
        (0.46, '!r"'),
        (0.53, "*_`?csz"),
        (0.77, "&ABCDGHKNOQRUVXZ"),
        (0.87, "#+<=>M^w~"),
        (1.02, "%@Wm"),
    )
    for char in chars
}
_ASCII, _OTHER, _FULL = 0.64, 0.8, 1.1
_BOLD = 1.13


@dataclass(frozen=True, slots=True)
class Text:
    """Runs of (text, class) on the baseline `y`; `anchor` is start, middle or end; `full` if it was shortened."""

    x: float
    y: float
    runs: tuple[tuple[str, str], ...]
    anchor: str = "start"
    full: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; `style` is a class of the style sheet."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign at a moment: `form` is path data around (0, 0). `time` is the moment it stands for."""

    x: float
    y: float
    form: str
    style: str
    title: str
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval: `pieces` are (x, width), more than one where an end is open."""

    y: float
    height: float
    pieces: tuple[tuple[float, float], ...]
    style: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """Shapes that lead to an anchor of the page."""

    target: str
    shapes: tuple[Shape, ...]


Shape = Text | Line | Mark | Bar | Link


@dataclass(slots=True)
class Drawing:
    """A finished drawing. Its scale is told so that a reader (and a test) can measure in it."""

    name: str
    width: float
    height: float
    title: str
    description: str
    scale: Scale
    shapes: list[Shape] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps the moments `start` … `end` to the pixels `left` … `right`."""

    start: int
    end: int
    left: float
    right: float

    def x(self, time: int) -> float:
        """Pixel of a moment; one outside of the scale lands on its edge."""
        clamped = min(max(time, self.start), self.end)
        return self.left + (clamped - self.start) / (self.end - self.start) * (self.right - self.left)


def width(text: str, size: float, bold: bool = False) -> float:
    """Width of text at a font size in pixels: an estimate for wide fonts, so that nothing runs into another."""
    ems = sum(_WIDTHS.get(char) or _other_width(char) for char in text)
    return ems * size * (_BOLD if bold else 1.0)


def _other_width(char: str) -> float:
    if char.isascii():
        return _ASCII
    return _FULL if east_asian_width(char) in "WF" else _OTHER


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, with what does not print made visible, cut with an ellipsis where it is wider than `room`."""
    text = visible(text)
    if width(text, size, bold) <= room:
        return text
    room -= width("…", size, bold)
    kept = 0
    for char in text:
        room -= width(char, size, bold)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"
