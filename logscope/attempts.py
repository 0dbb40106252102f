"""What was tried again and why, and what failed first inside an operation that failed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from logscope.actors import ACTOR
from logscope.demand import PLACE
from logscope.items import SCHEMA, VALUE, tagged
from logscope.model import Actor
from logscope.pipeline import Log
from logscope.records import FORMS

# Before runs had names, the job alone parts what one thread did after the other.
_RUN = (*ACTOR, "job")
_FORMS = [re.compile(form.regex) for form in FORMS]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """An event in words: when (µs), where (`SOURCE:LINE`), and the message with the exception that it brought."""

    title: str
    time: int
    line: str
    text: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try: with what, what failed first in it, and what the next one left out; None where the log does not tell."""

    tried: Told
    failed: Told | None
    avoided: Told | None


@dataclass(slots=True)
class Retried:
    """What an actor tried more than once. `caused_by` is what was behind it, empty if the log does not tell."""

    actor: Actor
    caused_by: str
    attempts: list[Attempt] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failed:
    """An operation that failed: the line that says so, and the first failure inside it, which may be the same."""

    actor: Actor
    caused_by: str
    failed: Told
    cause: Told


def retried(log: Log, families: list[str] | None = None) -> list[Retried]:
    """Operations that tried more than once, in order of their first try; of some families only if these are given."""
    tries = _with_subject(log, _of(log, "attempt", families))
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in tries.iter_rows(named=True):
        groups.setdefault((*(row[c] for c in _RUN), row["subject"]), []).append(row)
    again = {key: rows for key, rows in groups.items() if len(rows) > 1}
    failures, avoided = (
        _by_run(_of(log, "failure", families)),
        _by_run(_with_subject(log, _of(log, "avoids", families))),
    )
    plans: list[tuple[Row, list[tuple[Row, Row | None, Row | None]]]] = []
    for (*run, subject), rows in again.items():
        bounds = [row["order"] for row in rows[1:]]
        plan = []
        for row, after in zip(rows, [*bounds, None], strict=True):
            inside = [one for one in failures.get(tuple(run), ()) if _between(one, row["order"], after)]
            left_out = [one for one in avoided.get(tuple(run), ()) if _between(one, row["order"], after)]
            left_out = [one for one in left_out if one["subject"] == subject and after is not None]
            plan.append((row, inside[0] if inside else None, left_out[-1] if left_out else None))
        plans.append((rows[0], plan))
    told = _tell(log, [one for _, plan in plans for step in plan for one in step if one is not None])
    behind = log.causes.behind(_frame([first for first, _ in plans]))
    return [
        Retried(
            log.teller.actor(first),
            behind.get(first["family"], ""),
            [Attempt(*(told[one["item"]] if one else None for one in step)) for step in plan],  # type: ignore[arg-type]
        )
        for first, plan in plans
    ]


def failed(log: Log, families: list[str] | None = None) -> list[Failed]:
    """Operations that failed, in order; of some families only if these are given.

    The first failure of the family since the failing run began is its cause. Where several lines tell that an
    operation failed because of it, a work job's and then that of the job it worked for, the last of them counts.
    """
    ends = _of(log, "fails", families)
    begins = _starts(log, ends)
    by_family: dict[str, list[Row]] = {}
    for row in _of(log, "failure", families).iter_rows(named=True):
        by_family.setdefault(row["family"], []).append(row)
    found: dict[str, tuple[Row, Row]] = {}
    for row in ends.iter_rows(named=True):
        first = begins[tuple(row[c] for c in _RUN)]
        inside = (one for one in by_family.get(row["family"], ()) if first <= one["order"] <= row["order"])
        cause = next(inside, row)
        found.pop(cause["item"], None)
        found[cause["item"]] = (row, cause)
    told = _tell(log, [one for pair in found.values() for one in pair])
    behind = log.causes.behind(ends)
    return [
        Failed(log.teller.actor(row), behind.get(row["family"], ""), told[row["item"]], told[cause["item"]])
        for row, cause in found.values()
    ]


def _of(log: Log, tag: str, families: list[str] | None) -> pl.DataFrame:
    rows = log.items.of(tagged(tag), [])
    return rows if families is None else rows.filter(pl.col("family").is_in(families))


def _with_subject(log: Log, rows: pl.DataFrame) -> pl.DataFrame:
    """Add what an event is about: the value of the first place in its title."""
    parts = []
    for (of,), part in rows.partition_by("of", as_dict=True).items():
        title = log.catalog.events[str(of)].title
        places = PLACE.findall(title.text) if title else []
        valued = log.items.with_values(part, str(of), places[:1])
        subject = pl.col(VALUE + places[0]) if places else pl.lit(None, pl.String)
        parts.append(valued.select(*SCHEMA, subject.alias("subject")))
    empty = pl.DataFrame(schema={**SCHEMA, "subject": pl.String})
    return pl.concat([empty, *parts]).sort("order")


def _by_run(rows: pl.DataFrame) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows.sort("order").iter_rows(named=True):
        found.setdefault(tuple(row[c] for c in _RUN), []).append(row)
    return found


def _between(row: Row, first: int, last: int | None) -> bool:
    return first < row["order"] and (last is None or row["order"] < last)


def _starts(log: Log, rows: pl.DataFrame) -> dict[tuple[Any, ...], int]:
    """With which event (its order) the runs of some rows begin."""
    mine = log.events.table.join(rows.select(_RUN).unique(), on=_RUN, how="semi", nulls_equal=True)
    first = mine.group_by(_RUN).agg(pl.col("order").min())
    return {tuple(key): order for *key, order in first.iter_rows()}


def _frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def _tell(log: Log, rows: list[Row]) -> dict[str, Told]:
    """Events (as items) in words: item → told."""
    frame = _frame(rows).unique("item", keep="first", maintain_order=True)
    titles, places = log.teller.titles(frame), log.teller.places(frame["open_eid"])
    texts = log.texts.texts(frame["open_eid"].to_list())
    return {
        row["item"]: Told(titles[row["item"]], row["start"], places[row["open_eid"]], _message(texts[row["open_eid"]]))
        for row in frame.iter_rows(named=True)
    }


def _message(text: str) -> str:
    """The message of a record, and the exception's own line where that stands below it."""
    head, _, below = text.partition("\n")
    fitting = next((found for form in _FORMS if (found := form.match(head))), None)
    message = fitting["message"] if fitting else head
    exception = below.partition("\n")[0]
    return f"{message} {exception}" if exception and not exception[0].isspace() else message
