"""What the simulated cloud writes: lines with their writers, in the texts of one release."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from logscope.language.catalog import Catalog
from logscope.language.printer import Printer, Who, clock
from logscope.language.tree import Field, Rendering, Template

START = 1_792_200_000_000_000  # 2026-10-16 20:40:00
MILLISECOND = 1_000
# A line's time is taken when it is logged, and the line is written a little later.
MOST_DELAY = 2 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Actor:
    """One run of one thread; `family` is the same for all who work for one request."""

    server: str
    thread: str
    run: str
    family: int
    job: int | None = None
    origin: int | None = None
    logid: str = ""

    @property
    def who(self) -> Who:
        """The actor as the header of a line shows it."""
        return Who(self.server, self.thread, self.run, self.job, self.origin, self.logid)


@dataclass(slots=True)
class Line:
    """One record: its time (µs as written), its server, the text behind the time, and who wrote it."""

    time: int
    server: str
    text: str
    thread: str
    written: int
    event: str = ""

    @property
    def whole(self) -> str:
        """The record as it stands in the file, without its last line feed."""
        return f"{clock(self.time)} {self.text}"


@dataclass(slots=True)
class Clock:
    """How far the clock of a server is ahead, µs."""

    ahead: int = 0


class Log:
    """Takes what actors say. Events that the release does not print, and TRACE if it is off, are left out."""

    def __init__(self, catalog: Catalog, release: str, dice: random.Random, *, trace: bool) -> None:
        self._catalog, self._dice, self._trace = catalog, dice, trace
        self._printer = Printer(catalog, release)
        self._places = _places(catalog, release)
        self._threads: dict[tuple[str, str], int] = {}
        self.release = _number(release)
        self.clocks: dict[str, Clock] = {}
        self.lines: list[Line] = []
        self.is_closed = False  # nothing is written any more, whatever processes do when they are thrown away

    def say(self, now: int, actor: Actor, event: str, fields: Mapping[str, object]) -> None:
        """Write an event; fields for which the release has no place are left out."""
        declared = self._catalog.events[event]
        renderings = self._places.get(event, [])
        if self.is_closed or not renderings or (declared.level and declared.level.text == "TRACE" and not self._trace):
            return
        asked = {path.partition(".")[0] for path in fields}
        places = max(renderings, key=lambda names: len(names & asked))
        given = {path: str(value) for path, value in fields.items() if path.partition(".")[0] in places}
        text = self._printer.line(now + START, actor.who, event, given)
        self._write(now, actor, text[len("yyyy-MM-dd HH:mm:ss,SSS ") :], event)

    def prints(self, event: str) -> bool:
        """Whether the release writes such an event at all."""
        return bool(self._places.get(event))

    def chatter(self, now: int, actor: Actor, level: str, logger: str, message: str) -> None:
        """Write a line that is no event."""
        context = actor.who.context(bracketed=self.release >= (4, 20))
        self._write(now, actor, f"{level:<5} [{logger}] ({actor.thread}:{context}) (logid:{actor.logid}) {message}", "")

    def _write(self, now: int, actor: Actor, text: str, event: str) -> None:
        thread = (actor.server, actor.thread)
        ahead = self.clocks.setdefault(actor.server, Clock()).ahead
        written = max(now + self._dice.randrange(MOST_DELAY), self._threads.get(thread, -1) + 1)
        self._threads[thread] = written
        time = (START + now + ahead) // MILLISECOND * MILLISECOND
        self.lines.append(Line(time, actor.server, text, actor.thread, written, event))

    def in_file_order(self) -> dict[str, list[Line]]:
        """The lines of each server in the order in which they were written."""
        found: dict[str, list[Line]] = {}
        for line in sorted(self.lines, key=lambda line: line.written):
            found.setdefault(line.server, []).append(line)
        return found


@cache
def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _places(catalog: Catalog, release: str) -> dict[str, list[set[str]]]:
    """For every event the fields of each of its texts that the release prints."""
    found: dict[str, list[set[str]]] = {}
    for name, event in catalog.events.items():
        inside = set[str]().union(*(_fields(inside.template) for inside in event.insides))
        found[name] = [_fields(m.template) | inside for m in event.matches if _prints(m, release)]
    return found


def _prints(rendering: Rendering, release: str) -> bool:
    span = rendering.releases
    if span is None:
        return True
    low = _number(span.first) if span.first else (0,)
    high = _number(span.last) if span.last else (99,)
    return low <= _number(release) <= (*high, 99)


def _fields(template: Template) -> set[str]:
    return {part.name for part in template.parts if isinstance(part, Field)}
