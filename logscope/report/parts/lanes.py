"""The drawing of a finding: a lane for every actor and one for the resource, over one time axis.

Every bound name has rows of its own in its actor's lane, so no label can run into another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from logscope.model import Actor, Entry, Finding, Let, Resource
from logscope.report.parts import axis, words
from logscope.report.parts.bars import bar
from logscope.report.parts.resource_lane import draw_resource
from logscope.report.parts.shapes import Drawing, Line, Mark, Scale, Shape, Text, fit, width
from logscope.report.parts.times import duration, moment, stretch
from logscope.report.parts.visible import visible
from logscope.report.parts.window import window

WIDE = 860.0
NARROW = 340.0

SIZE = 12.0
SMALL = 11.0
BAR = 20.0
RIM = 10.0

DIAMOND = "M0,-8L8,0L0,8L-8,0Z"
CROSS = "M-7,-4.5L-4.5,-7L0,-2.5L4.5,-7L7,-4.5L2.5,0L7,4.5L4.5,7L0,2.5L-4.5,7L-7,4.5L-2.5,0Z"
BADGE = "M-8,-8H8V8H-8Z"


@dataclass(slots=True)
class Canvas:
    """Layers of one drawing from back to front, and the height used so far."""

    scale: Scale
    near: int  # times of this day are shown without their date
    y: float = 0.0
    bars: list[Shape] = field(default_factory=list)
    lines: list[Shape] = field(default_factory=list)
    marks: list[Shape] = field(default_factory=list)
    texts: list[Shape] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Left rim of what may be drawn."""
        return self.scale.left

    @property
    def right(self) -> float:
        """Right rim of what may be drawn."""
        return self.scale.right

    def text(self, x: float, runs: Sequence[tuple[str, str]], anchor: str = "start", full: str = "") -> None:
        """Put text with its baseline at the current height."""
        self.texts.append(Text(x, self.y, tuple(runs), anchor, full))

    def inside(self, x: float, room: float) -> float:
        """The nearest place to `x` from which `room` pixels are inside of the drawing."""
        return max(self.left, min(x, self.right - room))


def letters(finding: Finding) -> dict[Actor, str]:
    """A letter for every actor of a finding, in the order of the bound names."""
    actors = dict.fromkeys(let.actor for let in finding.let)
    return {actor: chr(ord("A") + number % 26) for number, actor in enumerate(actors)}


def style(letter: str) -> str:
    """Class of the colour of the actor with this letter."""
    return f"actor-{(ord(letter) - ord('A')) % 6}"


def draw(name: str, finding: Finding, entries: Sequence[Entry], across: float, tz: str, several: bool) -> Drawing:
    """Lay out a finding `across` pixels wide.

    `entries` is the timeline of the finding's resource, `several` whether there is more than one server.
    """
    scale = Scale(*window(finding.let), RIM, across - RIM)
    inside = [time for let in finding.let for time in (let.start, let.end) if scale.start <= time <= scale.end]
    canvas = Canvas(scale, min(inside, default=finding.start))
    names = letters(finding)
    styles = {actor: style(letter) for actor, letter in names.items()}
    overlap = _overlap(finding)
    cuts = sorted({*overlap, *(let.start for let in finding.let if let.kind != "interval" and let.role == "find")})
    for actor, letter in names.items():
        _header(canvas, letter, actor, several)
        for let in finding.let:
            if let.actor == actor and let.kind == "interval":
                _interval(canvas, let, styles[actor], cuts)
            elif let.actor == actor:
                _event(canvas, let)
        _separate(canvas)
    _resource(canvas, finding.resource)
    known = entries or _as_entries(finding)
    canvas.y = draw_resource(canvas.bars, canvas.texts, scale, canvas.y, known, styles)
    bottom = canvas.y + 10
    for let in finding.let:
        if let.kind != "interval":
            canvas.lines.append(Line(scale.x(let.start), 4, scale.x(let.start), bottom, f"at {let.role}"))
    for cut in overlap:
        canvas.lines.append(Line(scale.x(cut), 4, scale.x(cut), bottom, "at overlap"))
    ground = axis.draw(scale, 4, bottom, tz)
    shapes = [*ground, *canvas.bars, *canvas.lines, *canvas.marks, *canvas.texts]
    return Drawing(name, across, bottom + axis.HEIGHT, finding.title, _describe(finding), scale, shapes)


def _overlap(finding: Finding) -> list[int]:
    """Beginning and end of what the first two intervals of a finding share, if they share something."""
    intervals = [let for let in finding.let if let.kind == "interval" and let.role == "find"]
    if len(intervals) < 2:
        return []
    start = max(let.start for let in intervals[:2])
    end = min(let.end for let in intervals[:2])
    return [start, end] if start < end else []


def _header(canvas: Canvas, letter: str, actor: Actor, several: bool) -> None:
    canvas.y += 20
    canvas.marks.append(Mark(canvas.left + 8, canvas.y - 4, BADGE, f"badge {style(letter)}", f"actor {letter}"))
    canvas.text(canvas.left + 8, [(letter, "letter")], "middle")
    left = canvas.left + 24
    # The thread has room of its own where the name ends with it.
    plain = actor.name.removesuffix(f", {actor.thread}")
    where = words.joined(("" if actor.thread in plain else actor.thread, actor.server if several else ""))
    name = fit(plain, canvas.right - left, SIZE, bold=True)
    used = width(name, SIZE, bold=True) + 10
    if where and left + used + width(visible(where), SMALL) <= canvas.right:
        canvas.text(left, [(name, "strong"), (f"  {visible(where)}", "muted")])
        return
    canvas.text(left, [(name, "strong")], full="" if name == visible(plain) else actor.name)
    if where:
        canvas.y += 15
        canvas.text(left, [(fit(where, canvas.right - left, SMALL), "muted")], full=where)


def _resource(canvas: Canvas, resource: Resource) -> None:
    canvas.y += 20
    kind = str(resource)
    shown = fit(kind, canvas.right - canvas.left, SIZE, bold=True)
    used = width(shown, SIZE, bold=True) + 10
    runs = [(shown, "strong")]
    room = canvas.right - canvas.left - used
    if resource.name and room > 40:
        runs.append((f"  {fit(resource.name, room, SMALL)}", "muted"))
    canvas.text(canvas.left, runs, full=f"{kind} {resource.name}".strip())
    canvas.y += 8


def _separate(canvas: Canvas) -> None:
    canvas.y += 10
    canvas.lines.append(Line(0, canvas.y, canvas.right + RIM, canvas.y, "lane"))


def _named(canvas: Canvas, let: Let, x: float) -> None:
    """The bound name and its title, as near to `x` as there is room."""
    name = _name(canvas, let)
    used = width(name, SIZE, bold=True) + 8
    title = fit(let.title, canvas.right - canvas.left - used, SIZE)
    at = canvas.inside(x, used + width(title, SIZE))
    canvas.text(at, [(name, "strong"), (f"  {title}", "plain")], full=_tell(let, canvas.near))


def _name(canvas: Canvas, let: Let) -> str:
    return fit(let.name, (canvas.right - canvas.left) / 3, SIZE, bold=True)


def _interval(canvas: Canvas, let: Let, colour: str, cuts: Sequence[int]) -> None:
    scale = canvas.scale
    left, right = scale.x(let.start), scale.x(let.end)
    canvas.y += 20
    _named(canvas, let, left)
    canvas.y += 6
    canvas.bars.append(bar(scale, canvas.y, BAR, let, colour, _tell(let, canvas.near)))
    length = duration(let.end - let.start)
    inside = [scale.x(cut) for cut in cuts if let.start < cut < let.end]
    edges = [left, *inside, right]
    widest = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    fits = widest[1] - widest[0] >= width(length, SIZE) + 16
    if fits:
        canvas.texts.append(Text(sum(widest) / 2, canvas.y + 14, ((length, f"within {colour}"),), "middle"))
    canvas.y += BAR + 13
    _times(canvas, let, left, right, "" if fits else length)
    if words.ending(let.outcome):
        canvas.y += 14
        note = fit(words.ending(let.outcome), canvas.right - canvas.left, SMALL)
        canvas.text(canvas.inside(left, width(note, SMALL)), [(note, "note")])
    if let.role == "find" and inside:
        _margins(canvas, let, [cut for cut in cuts if let.start < cut < let.end])


def _times(canvas: Canvas, let: Let, left: float, right: float, length: str) -> None:
    """Beginning and end below their ends of the bar, or both together where the bar is too short."""
    start, end = moment(let.start, canvas.near), moment(let.end, canvas.near)
    if not length and right - left >= width(start, SMALL) + width(end, SMALL) + 14:
        canvas.text(left, [(start, "time")])
        canvas.text(right, [(end, "time")], "end")
        return
    both = stretch(let.start, let.end, canvas.near)
    rows = [f"{both} ({length})"] if length else [both]
    if width(rows[0], SMALL) > canvas.right - canvas.left:
        rows = [both, length]
    for number, row in enumerate(row for row in rows if row):
        canvas.y += 13 * min(number, 1)
        canvas.text(canvas.inside(left, width(row, SMALL)), [(row, "time")])


def _margins(canvas: Canvas, let: Let, cuts: Sequence[int]) -> None:
    """Lines with arrows below a bar that say how far inside of it the cuts lie."""
    scale = canvas.scale
    points = [let.start, *cuts, let.end]
    canvas.y += 12
    line = canvas.y
    taken: list[float] = []  # right end of the last label in each row
    for number, (start, end) in enumerate(pairwise(points)):
        left, right = scale.x(start), scale.x(end)
        canvas.lines.append(Line(left, line, right, line, "margin"))
        canvas.lines.extend(Line(x, line - 4, x, line + 4, "margin") for x in (left, right))
        length = ("at least " if _is_open(let, number, len(points) - 2) else "") + duration(end - start)
        wordy = length + (" after the start" if number == 0 else " before the end" if end == let.end else "")
        text = wordy if width(wordy, SMALL) <= right - left - 8 else length
        room = width(text, SMALL)
        at = canvas.inside((left + right - room) / 2, room)
        row = next((row for row, taken_to in enumerate(taken) if taken_to + 8 <= at), len(taken))
        taken[row:] = [at + room, *taken[row + 1 :]]
        canvas.texts.append(Text(at + room / 2, line + 15 + 13 * row, ((text, "margin"),), "middle"))
    canvas.y = line + 15 + 13 * (len(taken) - 1)


def _is_open(let: Let, number: int, last: int) -> bool:
    return (number == 0 and let.outcome == "unbegun") or (number == last and let.outcome == "cut-by-end")


def _event(canvas: Canvas, let: Let) -> None:
    x = canvas.scale.x(let.start)
    canvas.y += 22
    form, name = (CROSS, "proves") if let.role == "proves" else (DIAMOND, "find")
    canvas.marks.append(Mark(x, canvas.y - 4, form, f"sign {name}", _tell(let, canvas.near), let.start))
    time = moment(let.start, canvas.near)
    bound = _name(canvas, let)
    head = width(bound, SIZE, bold=True) + width(time, SMALL) + 8
    title = visible(let.title)
    whole = head + 8 + width(title, SIZE)
    runs = [(bound, "strong"), (f"  {time}", "time")]
    right, left = canvas.right - x - 14, x - 14 - canvas.left
    if max(right, left) >= whole:
        runs.append((f"  {title}", "plain"))
        _beside(canvas, x, right >= whole, runs, let)
        return
    if max(right, left) < head:
        runs, title = runs[:1], f"{time}  {title}"
    _beside(canvas, x, right >= head or right >= left, runs, let)
    canvas.y += 15
    shown = fit(title, canvas.right - canvas.left, SIZE)
    canvas.text(canvas.inside(x + 14, width(shown, SIZE)), [(shown, "plain")], full="" if shown == title else title)


def _beside(canvas: Canvas, x: float, to_right: bool, runs: Sequence[tuple[str, str]], let: Let) -> None:
    canvas.text(x + 14 if to_right else x - 14, runs, "start" if to_right else "end", _tell(let, canvas.near))


def _as_entries(finding: Finding) -> list[Entry]:
    return [
        Entry(let.start, let.end, let.kind, let.of, let.title, let.actor, let.outcome, let.opened_by)
        for let in finding.let
    ]


def _tell(let: Let, near: int) -> str:
    length = f", {duration(let.end - let.start)}" if let.kind == "interval" else ""
    how = f", {words.ending(let.outcome)}" if words.ending(let.outcome) else ""
    return f"{let.name}: {let.title}, {stretch(let.start, let.end, near)}{length}{how}"


def _describe(finding: Finding) -> str:
    return ". ".join(f"{_tell(let, finding.start)}, by {let.actor.name}" for let in finding.let) + "."
