"""What the stages hand to each other, and the report that comes out at the end.

Times are integer microseconds since 1970-01-01 of the clock that wrote the log (the log names no
zone); durations are microseconds too unless a name says `seconds`. Frames are polars frames;
their columns are described where they are defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(slots=True)
class Problem:
    """Something that could not be read, for the report: where, what, and what to do if known."""

    source: str
    text: str


@dataclass(slots=True)
class Source:
    """One stream of log bytes and who wrote it.

    `open` gives the decompressed bytes in blocks of any size; it may be called more than once.
    `size` is the number of bytes that `open` takes from its file or archive (for progress), None if unknown; the
    iterator may have `consumed`, how many of them it has taken so far. `problems` is filled while reading.
    `shift` (µs) is what must be added to the times that stand in it to have those of the management server's clock.
    """

    name: str
    kind: str
    server: str
    open: Callable[[], Iterator[bytes]]
    size: int | None = None
    first: int | None = None
    problems: list[str] = field(default_factory=list)
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of one source: `data` ends with a line feed, `first_line` counts from 1."""

    data: bytes
    first_line: int


@dataclass
class EventSet:
    """Everything that was extracted, as frames.

    `table`: eid (u64, unique), time (i64 µs), source (u32, index into the sources), line (u32), server,
    event, level, thread, run (first context of the thread's run, or ""), job, origin (i64 or null),
    work (i64 or null), logid (strings); sorted by (time, server, source, line); `order` (u32) is that order.
    `fields`: event name → frame with eid and one string column per field path.
    `resources`: eid, field, kind, id (canonical, a string), label; one row per resource of an event.
    """

    table: pl.DataFrame
    fields: dict[str, pl.DataFrame]
    resources: pl.DataFrame
    # What was asked of these events before, by event and field path; `frames` keeps it.
    answers: dict[tuple[str, str], pl.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _tables(self) -> dict[str, pl.DataFrame]:
        parts = self.table.partition_by("event", as_dict=True, maintain_order=True)
        return {str(name): rows for (name,), rows in parts.items()}

    @cached_property
    def _ids(self) -> dict[tuple[str, str], pl.DataFrame]:
        owned = self.resources.join(self.table.select("eid", "event"), on="eid", maintain_order="left")
        owned = owned.select("event", "field", "eid", "id").unique(["eid", "field"], keep="first", maintain_order=True)
        parts = owned.partition_by("event", "field", as_dict=True, include_key=False)
        return {(str(event), str(field)): rows for (event, field), rows in parts.items()}

    @cached_property
    def _empty(self) -> pl.DataFrame:
        return self.table.clear()

    def of(self, event: str) -> pl.DataFrame:
        """The rows of `table` of one event, in their order."""
        return self._tables.get(event, self._empty)

    def ids(self, event: str, field: str) -> pl.DataFrame | None:
        """The resource of each of one kind of events that one field names, the first if it names several: eid, id.

        None if the field never names one.
        """
        return self._ids.get((event, field))

    @property
    def present(self) -> frozenset[str]:
        """Names of the events that occur."""
        return frozenset(self._tables)

    def with_resources(self, resources: pl.DataFrame) -> EventSet:
        """The same events with other resources."""
        other = EventSet(self.table, self.fields, resources)
        if "_tables" in self.__dict__:
            other.__dict__["_tables"] = self._tables
        return other


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: one run of one thread of one server, with its job. `name` is for people."""

    name: str
    server: str
    thread: str
    run: str
    job: int | None = None
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """What is acted on: kind and canonical id; `name` is how the log calls it, never a key."""

    kind: str
    id: str
    uuid: str = ""
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Let:
    """One bound name of a finding. An event has `start == end` and no `closed_by`.

    `of` is the event or interval name, `title` says it for people, `outcome` is how an interval
    ended (see docs/language.md), `opened_by`/`closed_by` are `SOURCE:LINE`.
    """

    name: str
    kind: str  # "interval" or "event"
    of: str
    title: str
    actor: Actor
    start: int
    end: int
    outcome: str
    opened_by: str
    closed_by: str = ""
    role: str = "find"  # "find" or "proves"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One claim of a finding and the lines (`SOURCE:LINE`) that carry it."""

    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One original record behind a finding."""

    source: str
    line: int
    time: int
    actor: str
    event: str
    text: str


@dataclass(slots=True)
class Finding:
    """One occurrence of a rule. `doubts` say why it is only possible; margins are seconds."""

    rule: str
    severity: str
    certainty: str  # "certain" or "possible"
    fingerprint: str
    cause: str
    resource: Resource
    start: int
    end: int
    title: str
    let: list[Let]
    then: list[Sentence]
    because: str
    margins: dict[str, float]
    evidence: list[Evidence]
    outcome: str
    references: list[str]
    doubts: list[str] = field(default_factory=list)
    remedy: str = ""
    known: str = ""  # why it is known already, as the baseline says; empty when it is not


@dataclass(slots=True)
class Failure:
    """A failed operation that the log tells; `explained_by` is an index into the findings.

    `saved` is where the log tells that the same was done after all, `SOURCE:LINE` or empty.
    """

    event: str
    title: str
    resource: Resource | None
    time: int
    line: str  # SOURCE:LINE
    actor: Actor
    explained_by: int | None = None
    saved: str = ""


@dataclass(slots=True)
class Incident:
    """Findings that share a cause and lie close in time, with the failures they explain."""

    id: str
    title: str
    resources: list[Resource]
    findings: list[int]
    start: int
    end: int
    failures: list[int]


@dataclass(slots=True)
class Exposure:
    """How exposed a log was to what a rule looks for; durations are seconds, None where the log does not tell.

    `median`, `p95` and `longest` are of the windows in which it could have been hit, `period` is the time from one
    run of the acting task to the next, and `expected` how many hits the two make by chance. `near` came within a
    minute of a window without falling in, `nearest` is how close. `controls` is how often the check was seen at work.
    """

    median: float | None = None
    p95: float | None = None
    longest: float | None = None
    period: float | None = None
    expected: float | None = None
    near: int = 0
    nearest: float | None = None
    controls: int = 0


@dataclass(slots=True)
class RuleStatus:
    """What a rule came to: `fired`, `quiet`, or `not-evaluated` with the reason.

    `chance` is what the rule calls one of its chances ("destroy"); `windows` are how long those lasted that
    are intervals and have both ends, in seconds from the shortest to the longest, at most a thousand of them.
    """

    rule: str
    title: str
    severity: str
    status: str
    missing: list[str]
    reason: str
    chances: int
    fired: int
    chance: str = ""
    windows: list[float] = field(default_factory=list)
    exposure: Exposure | None = None


@dataclass(slots=True)
class SourceSummary:
    """What was read from one source; `first` and `last` are the times of its records."""

    name: str
    kind: str
    server: str
    lines: int
    records: int
    events: int
    first: int | None
    last: int | None
    problems: list[str]


@dataclass(slots=True)
class Coverage:
    """All records by fate; `unreadable_lines` were not valid UTF-8 and were read with replacements."""

    records: int = 0
    recognised: int = 0
    not_asked_for: int = 0
    unknown: int = 0
    unreadable_lines: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a timeline: an event (`start == end`) or an interval, who did it, where it stands."""

    start: int
    end: int
    kind: str  # "interval" or "event"
    of: str
    title: str
    actor: Actor
    outcome: str
    line: str  # SOURCE:LINE of the event or of the opening
    closed_by: str = ""
    depth: int = 0
    caused_by: str = ""  # the request or the actor behind it, where the log tells and it is not the actor itself


@dataclass(slots=True)
class Timeline:
    """Everything that happened to one resource, in order."""

    resource: Resource
    entries: list[Entry]


@dataclass(slots=True)
class TestCase:
    """A test of a CI run. `start` and `end` are of the clock that wrote the log, None if unknown.

    `seconds` is None where the artifacts do not tell. `explained_by` are indexes into the findings, the
    best explanation first. `text` is the first line of the failure, `why` says how it was joined with
    the log and what else is known, `run` is the run whose artifacts tell of it.
    """

    name: str
    file: str
    result: str  # "success", "failure", "error" or "skipped"
    seconds: float | None
    start: int | None
    end: int | None
    precision: str  # "ms", "file" (the window is its whole file's) or "none"
    verdict: str  # "passed", "explained", "likely", "unexplained" or "no-log"
    explained_by: list[int]
    text: str
    why: str = ""
    run: str = ""


@dataclass(slots=True)
class Report:
    """The outcome of one run: a plain value, from which every output format is rendered."""

    version: str
    tz: str  # offset such as "+02:00", or "" when times stay as written
    sources: list[SourceSummary]
    coverage: Coverage
    findings: list[Finding]
    incidents: list[Incident]
    failures: list[Failure]
    rules: list[RuleStatus]
    timelines: list[Timeline]
    problems: list[Problem]
    tests: list[TestCase] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)  # what a reader should know though all could be read
