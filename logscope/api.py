"""A log as pandas frames, for analysis in Python: `logscope.read(paths)`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta, timezone
from functools import cached_property
from html import escape
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import polars as pl

from logscope import moments, pipeline, query, report
from logscope.demand import for_everything
from logscope.model import Finding, Report
from logscope.report.parts import words
from logscope.session import Question, Session, load_catalog, open_log

if TYPE_CHECKING:
    import pandas as pd

Places = str | PathLike[str] | Sequence[str | PathLike[str]]

_FINDING_COLUMNS: dict[str, Any] = {
    "rule": pl.String, "severity": pl.String, "certainty": pl.String, "resource": pl.String, "start": pl.Int64,
    "end": pl.Int64, "title": pl.String, "outcome": pl.String, "lines": pl.List(pl.String),
    "references": pl.List(pl.String), "fingerprint": pl.String, "cause": pl.String,
}  # fmt: skip
_ENTRY_COLUMNS: dict[str, Any] = {
    "start": pl.Int64, "end": pl.Int64, "kind": pl.String, "of": pl.String, "title": pl.String, "actor": pl.String,
    "outcome": pl.String, "depth": pl.Int64, "opened_by": pl.String, "closed_by": pl.String,
    "caused_by": pl.String,
}  # fmt: skip
_SHOWN_SOURCES = 20


def read(
    paths: Places,
    *,
    grammars: Places = (),
    tz: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Result:
    """Read logs: files, rotated sets, directories, archives, in any order.

    `grammars` are directories of grammar files besides the shipped ones. `tz` is the zone in which the
    log was written (`Europe/Berlin` or `+02:00`): with it times are aware of their zone. `since` and
    `until` are times as the log writes them, such as `2026-10-29 01:20`.

    Raises:
        UsageError: an argument is wrong.
        GrammarError: a grammar file is wrong; carries every mistake found.
        NothingReadError: nothing could be read.
    """
    catalog = load_catalog(_texts(grammars))
    question = Question(_texts(paths), since or "", until or "", (tz,) if tz else ())
    return Result(open_log(question, catalog, for_everything(catalog, all_fields=True)), tz or "")


class Result:
    """A log that was read. Every frame is made when it is first asked for.

    Times are datetimes, durations timedeltas, numbers whole numbers that may be missing (`Int64`).
    """

    def __init__(self, session: Session, zone: str) -> None:
        self._session, self._zone = session, zone

    @cached_property
    def events(self) -> pd.DataFrame:
        """All events by time.

        Columns: source, line, server, event, level, thread, run, job, origin, work, logid, actor,
        resources (list of `KIND:ID`), text (the whole record).
        """
        columns: dict[str, Any] = {name: kind for name, kind in query.EVENT_COLUMNS.items() if name != "fields"}
        frames = [frame.select(*columns) for frame in query.event_frames(self._session.log)]
        return self._pandas(pl.concat([pl.DataFrame(schema=columns), *frames])).set_index("time")

    def fields(self, event: str) -> pd.DataFrame:
        """The fields of one kind of event, by time: source, line, actor, and a column for each field path.

        Raises:
            UsageError: the grammars have no such event.
        """
        return self._pandas(query.fields_of(self._session.log, event)).set_index("time")

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """All intervals in order of their beginning.

        Columns: interval, title, start, end, duration, outcome, actor, server, thread, run, job, origin,
        opened_by, closed_by (`SOURCE:LINE`), resources (list of `KIND:ID`).
        """
        return self._pandas(query.intervals(self._session.log))

    @cached_property
    def findings(self) -> pd.DataFrame:
        """What the rules found, the worst first.

        Columns: rule, severity, certainty, resource, start, end, duration, title, outcome,
        lines (`SOURCE:LINE` of the evidence), references, fingerprint, cause.
        """
        rows = [_finding(finding) for finding in self._report.findings]
        return self._pandas(pl.DataFrame(rows, schema=_FINDING_COLUMNS, orient="row"))

    def timeline(self, resource: str) -> pd.DataFrame:
        """Everything that happened to one resource, by the time at which it began.

        `resource` is `KIND:ID`, a uuid or a name. Columns: end, duration, kind (`event` or `interval`),
        of, title, actor, outcome, depth, opened_by, closed_by (`SOURCE:LINE`), caused_by (the request or task behind
        the act, empty where the log tells none).

        Raises:
            UsageError: no such resource occurs; the message names similar ones.
        """
        log = self._session.log
        entries = log.timelines.of([query.find_resource(log, resource)])[0].entries
        rows = [
            (e.start, e.end, e.kind, e.of, e.title, e.actor.name, e.outcome, e.depth, e.line, e.closed_by, e.caused_by)
            for e in entries
        ]
        return self._pandas(pl.DataFrame(rows, schema=_ENTRY_COLUMNS, orient="row")).set_index("start")

    def report(self, format: str = "text") -> str:
        """The report in one of the formats of `logscope analyze --format`.

        Raises:
            UsageError: there is no such format.
        """
        return report.render(self._report, format)

    def _repr_html_(self) -> str:
        sources = "".join(
            f"<tr><td>{escape(one.name)}</td><td>{one.records:,} records</td><td>{one.events:,} events</td></tr>"
            for one in self._report.sources[:_SHOWN_SOURCES]
        )
        return f"<p>{escape(words.verdict(self._report))}</p><table>{sources}</table>"

    @cached_property
    def _report(self) -> Report:
        log = self._session.log
        return pipeline.analyze(log, list(log.catalog.rules.values()), self._session.tz)

    def _pandas(self, frame: pl.DataFrame) -> pd.DataFrame:
        """The frame for pandas: numbers exact, times as datetimes, a duration behind each end."""
        import pandas as pd
        import pyarrow as pa

        if "end" in frame.columns:
            place = frame.get_column_index("end") + 1
            frame = frame.insert_column(
                place, (frame["end"] - frame["start"]).cast(pl.Duration("us")).alias("duration")
            )
        times = [name for name in ("time", "start", "end") if name in frame.columns]
        frame = frame.with_columns(pl.col(times).cast(pl.Datetime("us")))
        exact = {pa.int64(): pd.Int64Dtype(), pa.uint32(): pd.Int64Dtype()}
        found: pd.DataFrame = frame.to_arrow().to_pandas(types_mapper=exact.get)
        for name, kind in frame.schema.items():
            if isinstance(kind, pl.List):
                found[name] = found[name].map(list)
        if self._session.tz:
            offset = timezone(timedelta(microseconds=moments.offset_length(self._session.tz)))
            named = offset if moments.is_offset(self._zone) else self._zone
            for name in times:
                found[name] = found[name].dt.tz_localize(offset).dt.tz_convert(named)
        return found


def _finding(finding: Finding) -> tuple[object, ...]:
    lines = [f"{one.source}:{one.line}" for one in finding.evidence]
    return (
        finding.rule, finding.severity, finding.certainty, str(finding.resource), finding.start, finding.end,
        finding.title, finding.outcome, lines, finding.references, finding.fingerprint, finding.cause,
    )  # fmt: skip


def _texts(places: Places) -> list[str]:
    given = [places] if isinstance(places, (str, PathLike)) else places
    return [fspath(place) for place in given]
