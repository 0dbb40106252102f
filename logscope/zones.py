"""Brings the times of all files onto the clock of the management server, as far as zones tell how.

A line names no zone. Some layouts write GMT, and people may know the zone of a machine; where the management
server's own zone is not known, the others' times stand as they are written, and a note says so.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from logscope import moments
from logscope.errors import UsageError
from logscope.kinds import Kinds
from logscope.model import Problem, Source
from logscope.sources import DEFAULT_KIND

_LOOKED_AT = 1 << 20  # bytes of a log in which its zone may be told
# A Java date in a message: the clock of the server with the name of its zone. Of others than these two it is not
# sure what they mean.
_JAVA_DATE = re.compile(rb"\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d ([A-Z]{3,5}) \d{4}\b")
_SURE = {b"UTC", b"GMT"}
_YEARLESS = 1_009_843_200_000_000  # 2002: no log is older than CloudStack, and lines without a year read as of 2000


@dataclass(frozen=True, slots=True)
class Zones:
    """The zone of the management server ("" if not known), and those of other kinds of files."""

    server: str = ""
    others: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str], kinds: Kinds) -> Zones:
        """The zones that `ZONE` and `KIND=ZONE` give.

        Raises:
            UsageError: there is no such zone or kind, or a zone is given twice.
        """
        found: dict[str, str] = {}
        for text in texts:
            kind, given, zone = text.rpartition("=")
            if given and kind not in kinds.names():
                near = difflib.get_close_matches(kind, kinds.names(), 1)
                hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(kinds.names())}"
                raise UsageError(f"there is no kind of log '{kind}'; {hint}")
            moments.check_zone(zone)
            key = "" if kind == DEFAULT_KIND else kind
            if key in found and found[key] != zone:
                raise UsageError(f"two zones are given for {kind or DEFAULT_KIND}: {found[key]} and {zone}")
            found[key] = zone
        return cls(found.pop("", ""), found)


def settle(sources: Sequence[Source], zones: Zones, kinds: Kinds) -> list[Problem]:
    """Set the `shift` of the sources, and give what a reader should know about their times.

    Raises:
        UsageError: a zone's clocks change within a log, so that no one shift is right.
    """
    notes: list[Problem] = []
    servers = [source for source in sources if _zone(source, zones, kinds) == ""]
    foreign = [source for source in sources if source not in servers]
    if foreign and servers:
        server = zones.server or _told(source for source in servers if kinds.writer(source.kind) == DEFAULT_KIND)
        for source in foreign:
            notes.append(_shifted(source, _zone(source, zones, kinds), server))
    dated = [source.first for source in sources if source.first is not None and source.first >= _YEARLESS]
    for source in sources:
        if dated and source.first is not None and source.first < _YEARLESS:
            notes.append(_with_year(source, dated))
    return notes


def _zone(source: Source, zones: Zones, kinds: Kinds) -> str:
    """The zone of a source, "" if it is the management server's or is not known to be another."""
    writer = kinds.writer(source.kind)
    given = zones.others.get(source.kind, "")
    return given or ("GMT" if kinds.is_gmt(source.kind) else zones.others.get(writer, ""))


def _told(servers: Iterable[Source]) -> str:
    """The zone that the logs of management servers tell themselves, "" if they do not."""
    names: set[bytes] = set()
    for source in servers:
        data = b""
        for block in source.open():
            data += block
            if len(data) >= _LOOKED_AT:
                break
        names |= set(_JAVA_DATE.findall(data))
    return "UTC" if names and names <= _SURE else ""


def _shifted(source: Source, zone: str, server: str) -> Problem:
    if not server:
        text = f"its times are {zone} and stand as they are written; give --tz ZONE, the management server's, to bring"
        return Problem(source.name, f"{text} them onto its clock")
    time = source.first or 0
    here, there = (moments.offset_length(moments.offset(one, time, time)) for one in (server, zone))
    _move(source, here - there)
    if here == there:
        return Problem(source.name, f"its times are {zone}, as those of the management server are")
    text = moments.offset_text(here - there)
    return Problem(source.name, f"its times are {zone}; {text} brings them onto the clock of the management server")


def _with_year(source: Source, dated: Sequence[int]) -> Problem:
    """Put a source whose lines have no year into the year in which it lies nearest to the others."""
    written = source.first or 0
    first = datetime(1970, 1, 1) + timedelta(microseconds=written)
    begin = min(dated)
    year = (datetime(1970, 1, 1) + timedelta(microseconds=begin)).year
    shifts = []
    for candidate in (year - 1, year, year + 1):
        # A log of 29 February is not moved into a year that has none.
        if not (first.month == 2 and first.day == 29 and candidate % 4):
            shifts.append((first.replace(year=candidate) - first) // timedelta(microseconds=1))
    shift = min(shifts, key=lambda one: abs(written + one - begin))
    _move(source, shift)
    found = (first + timedelta(microseconds=shift)).year
    return Problem(source.name, f"its lines have no year; they were taken to be of {found}, as the others are")


def _move(source: Source, shift: int) -> None:
    source.shift += shift
    if source.first is not None:
        source.first += shift
