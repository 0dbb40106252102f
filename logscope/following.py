"""The original lines of a resource or of one operation, whatever threads, files and servers they are on.

Two passes: the first finds the records (`Wanted`), the second reads their lines.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from logscope.errors import UsageError
from logscope.language.template import BLANKS
from logscope.lines import chunks
from logscope.model import Source
from logscope.pipeline import Log, Progress, Window
from logscope.records import Selector
from logscope.scan import form_of, headers, starts_record, whole_records

_JOB = "job"
_COMMAND = "command"
_LARGEST_JOB = (1 << 63) - 1

Wanted = dict[int, dict[int, int]]
"""Per source (its index) the line on which each wanted record begins, with its time in µs."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it stands in its source (`number` from 1); `is_context` if only its neighbour was asked for."""

    number: int
    data: bytes
    is_context: bool


@dataclass(slots=True)
class Stretch:
    """Adjacent lines of one source (its index): one record, or records with their context. Time in µs."""

    source: int
    time: int
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Family:
    """What tells that a line belongs to an operation; `events` are ids of events that name one of its jobs.

    `logids` are those that its runs carry somewhere: a run's first line may still carry that of the
    work that its thread did before. `logid` is the one asked for, or empty.
    """

    runs: set[tuple[str, str]]
    jobs: set[int]
    logids: set[str]
    keys: set[str]
    events: pl.Series
    logid: str = ""


def records_of_events(log: Log, eids: pl.Series, window: Window) -> Wanted:
    """The records of the given events that lie in the window."""
    wanted: Wanted = {}
    rows = _within(log.events.table.filter(pl.col("eid").is_in(eids.implode())), window)
    for source, line, time in rows.select("source", "line", "time").iter_rows():
        wanted.setdefault(source, {})[line] = time
    return wanted


def records_of_job(
    log: Log, sources: Sequence[Source], job: int, window: Window, progress: Progress | None = None
) -> Wanted:
    """The records of the whole operation that a job belongs to.

    Raises:
        UsageError: no line of this log belongs to such a job.
    """
    if job > _LARGEST_JOB:
        return _found(f"job:{job}", {})
    table = log.events.table
    submits = table.filter(pl.col("event").is_in(log.catalog.events_tagged("submits")))
    submitted = log.events.resources.filter(pl.col("kind") == _JOB, pl.col("id") == str(job))["eid"]
    own = table.filter((pl.col("job") == job) | (pl.col("origin") == job))["family"]
    family = _family(log, [*own, *submits.filter(pl.col("eid").is_in(submitted.implode()))["family"]])
    family.jobs.add(job)
    return _found(f"job:{job}", _select(log, sources, family, window, progress))


def records_of_logid(
    log: Log, sources: Sequence[Source], logid: str, window: Window, progress: Progress | None = None
) -> Wanted:
    """The records of the operations whose logid it is, and all others that carry it.

    Raises:
        UsageError: no line of this log carries the logid.
    """
    rows = log.events.table.filter(pl.col("run") != "").select("server", "run", "logid", "family")
    runs = [((server, run), carried) for server, run, carried, _ in rows.iter_rows()]
    mine = {run for run, usual in _usual_logids(runs).items() if usual == logid}
    family = _family(log, [row[3] for row in rows.filter(pl.col("logid") == logid).iter_rows() if row[:2] in mine])
    family.logid = logid
    return _found(f"logid:{logid}", _select(log, sources, family, window, progress))


def _found(what: str, wanted: Wanted) -> Wanted:
    if not any(wanted.values()):
        raise UsageError(
            f"no line of this log belongs to {what}; it may lie outside of the log or of the time asked for"
        )
    return wanted


def _family(log: Log, families: Iterable[str]) -> _Family:
    rows = log.events.table.filter(pl.col("family").is_in(list(set(families))))
    named = log.events.resources.join(rows.select("eid", "event"), on="eid")
    submits = log.catalog.events_tagged("submits")
    submitted = named.filter(pl.col("kind") == _JOB, pl.col("event").is_in(submits))["id"]
    # What is larger than a number of the database can be becomes null.
    numbers = submitted.cast(pl.Int64, strict=False).drop_nulls()
    jobs = {*rows["job"].drop_nulls(), *rows["origin"].drop_nulls(), *numbers}
    about = log.events.resources.filter(pl.col("kind") == _JOB, pl.col("id").is_in([str(job) for job in jobs]))
    return _Family(
        runs={run for run in rows.select("server", "run").iter_rows() if run[1]},
        jobs=jobs,
        logids=set(rows["logid"]) - {""},
        keys=set(named.filter(pl.col("kind") == _COMMAND)["id"]),
        events=about["eid"],
    )


def _usual_logids(carried: Iterable[tuple[tuple[str, str], str]]) -> dict[tuple[str, str], str]:
    """The logid that each run carries most often."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for run, logid in carried:
        counts.setdefault(run, Counter())[logid] += 1
    return {run: max(logids, key=lambda one: (logids[one], one)) for run, logids in counts.items()}


def _select(log: Log, sources: Sequence[Source], family: _Family, window: Window, progress: Progress | None) -> Wanted:
    literals = {*(run for _, run in family.runs), *(f"job-{job}" for job in family.jobs), *family.logids, *family.keys}
    if family.logid:
        literals.add(family.logid)
    selector = Selector(sorted(literals))
    candidates: list[tuple[int, int, int, bool, str, tuple[str, int, int]]] = []
    carried: list[tuple[tuple[str, str], str]] = []
    for number, source in enumerate(sources):
        told = (lambda count, name=source.name: progress(name, count)) if progress else None
        form, stream = whole_records(source, told)
        runs = [run for server, run in family.runs if server == source.server]
        for chunk in stream:
            rows = _verified(headers(selector, chunk, form, source.shift), family, runs, window)
            for line, time, run, logid, is_own, said in rows.iter_rows():
                candidates.append((number, line, time, is_own, logid, (source.server, time, said)))
                if is_own and run:
                    carried.append(((source.server, run), logid))
    usual = {logid for run, logid in _usual_logids(carried).items() if run in family.runs}
    logids = (usual | {family.logid}) - {""}
    wanted = records_of_events(log, family.events, window)
    # What a copy or a part that overlaps holds too is given once, from where its event was taken.
    holder = {said: number for number, line, *_, said in candidates if line in wanted.get(number, ())}
    for number, line, time, is_own, logid, said in candidates:
        if (is_own or logid in logids) and holder.setdefault(said, number) == number:
            wanted.setdefault(number, {})[line] = time
    return wanted


def _verified(records: pl.DataFrame, family: _Family, runs: Sequence[str], window: Window) -> pl.DataFrame:
    """The records whose header (or text, for keys of commands) says what their line was selected by."""
    jobs = sorted(family.jobs)
    is_own = pl.col("run").is_in(runs) | pl.col("job").is_in(jobs) | pl.col("origin").is_in(jobs)
    if family.keys:
        keys = "|".join(re.escape(key) for key in sorted(family.keys))
        is_own |= pl.col("message").str.contains(rf"\b(?:{keys})\b")
    is_own = is_own.fill_null(False).alias("is_own")
    said = pl.col("message").str.strip_chars_end(BLANKS)
    carries = pl.col("logid").is_in(sorted({*family.logids, family.logid}))
    return (
        _within(records, window)
        .filter(is_own | carries)
        .select("line", "time", "run", "logid", is_own, pl.struct("thread", "run", "logid", said).hash().alias("said"))
    )


def _within(records: pl.DataFrame, window: Window) -> pl.DataFrame:
    if window.since is not None:
        records = records.filter(pl.col("time") >= window.since)
    if window.until is not None:
        records = records.filter(pl.col("time") <= window.until)
    return records


def stretches(
    sources: Sequence[Source], wanted: Wanted, context: int = 0, progress: Progress | None = None
) -> list[Stretch]:
    """The lines of the wanted records with `context` lines around them, in order of time.

    Lines of one source stay in the order of the source. Without context each record is a stretch of its own.
    """
    found: list[Stretch] = []
    for number, source in enumerate(sources):
        if wanted.get(number):
            told = (lambda count, name=source.name: progress(name, count)) if progress else None
            found += _Reader(number, wanted[number], context).read(source, told)
    # Within a source time may go back by some milliseconds; its own order is the truth.
    latest: dict[int, int] = {}
    for stretch in found:
        stretch.time = latest[stretch.source] = max(stretch.time, latest.get(stretch.source, stretch.time))
    return sorted(found, key=lambda stretch: (stretch.time, sources[stretch.source].name))


class _Reader:
    """Reads the lines of wanted records out of one source."""

    def __init__(self, number: int, wanted: dict[int, int], context: int) -> None:
        self._number, self._wanted, self._context = number, wanted, context
        self._found: list[Stretch] = []
        self._before: deque[Line] = deque(maxlen=context)
        self._owed = 0
        self._is_inside = False

    def read(self, source: Source, told: Callable[[int], None] | None) -> list[Stretch]:
        coming = deque(sorted(self._wanted))
        starts: Callable[[bytes], bool] | None = None
        for chunk in chunks(source, progress=told):
            starts = starts or starts_record(form_of(chunk))
            after = chunk.first_line + chunk.data.count(b"\n")
            is_idle = not self._is_inside and not self._owed
            if is_idle and (not coming or coming[0] - self._context >= after):
                if not coming:
                    break
                self._before.clear()
                continue
            for number, data in enumerate(chunk.data.split(b"\n")[:-1], chunk.first_line):
                self._take(number, data, starts)
            while coming and coming[0] < after:
                coming.popleft()
        return self._found

    def _take(self, number: int, data: bytes, starts: Callable[[bytes], bool]) -> None:
        if number in self._wanted:
            self._is_inside = True
            self._open(number)
        elif self._is_inside and starts(data):
            self._is_inside = False
        if self._is_inside:
            self._found[-1].lines.append(Line(number, data, False))
            self._owed = self._context
        elif self._owed:
            self._found[-1].lines.append(Line(number, data, True))
            self._owed -= 1
        elif self._context:
            self._before.append(Line(number, data, True))

    def _open(self, number: int) -> None:
        first = self._before[0].number if self._before else number
        if not (self._context and self._found and self._found[-1].lines[-1].number == first - 1):
            self._found.append(Stretch(self._number, self._wanted[number]))
        self._found[-1].lines += self._before
        self._before.clear()
