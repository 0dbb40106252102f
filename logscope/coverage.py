"""What share of a log the grammars understand, and which messages they do not.

Every record is held against all templates. Of those that fit none, the messages are counted with their
numbers and identifiers masked; what else varies in them is for `mining` to find.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from logscope.errors import NothingReadError
from logscope.fitting import Router
from logscope.language.catalog import Catalog
from logscope.language.template import event_templates
from logscope.model import Chunk, Problem, Source
from logscope.pipeline import Progress
from logscope.reading import TypeReader
from logscope.records import HeaderForm, Selector
from logscope.scan import in_order, read_part, whole_records

MASKED_LENGTH = 300  # characters of a message; what differs only behind them is one message
PLACEHOLDER = "\ue000"
"""Stands for a number or an identifier in a masked message: a character that is nobody's."""
CUT = "\ue001"
"""Ends a masked message that goes on."""

_MASK = (
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?-u:\b)[0-9a-fA-F]*[0-9][0-9a-fA-F]*(?:-[0-9a-fA-F]+)*(?-u:\b)|[0-9]+"
)
_CLASS = r"([^.$]*)(?:\$[^.]*)?$"  # of a logger, without packages and inner classes
_BATCH_ROWS = 100_000
_MOST_MASKS = 200_000
_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Share:
    """How many records of a group there are, and how many of them the grammars recognise."""

    name: str
    records: int
    recognised: int


@dataclass(slots=True)
class Covered:
    """What was counted.

    `unknown`: logger, mask, count, source (index), line, text (one whole line), the commonest first.
    Shares are by kind of source, and by logger (its class alone, the most unknown records first); `events` are the
    recognised records by event, the commonest first. `rare` records are of messages that are too many to be kept.
    """

    sources: list[Source]
    records: int
    recognised: int
    kinds: list[Share]
    loggers: list[Share]
    events: list[tuple[str, int]]
    unknown: pl.DataFrame
    rare: int
    problems: list[Problem] = field(default_factory=list)


def cover(
    sources: Sequence[Source], problems: Sequence[Problem], catalog: Catalog, progress: Progress | None = None
) -> Covered:
    """Hold every record of the sources against the grammars.

    Raises:
        NothingReadError: no source gave a single record.
    """
    counter = _Counter(catalog)
    found = list(problems)
    with ThreadPoolExecutor(_WORKERS) as pool:
        for number, source in enumerate(sources):
            told = partial(progress, source.name) if progress else None
            form, stream = whole_records(source, told)
            before = counter.records
            for records in in_order(pool, partial(_read, form, counter.likely), stream):
                counter.add(number, records)
            counter.flush(number)
            found += [Problem(source.name, text) for text in source.problems]
            if counter.records == before:
                found.append(Problem(source.name, "no line has a recognised header, so none of it was understood"))
    if not counter.records:
        what = "; ".join(f"{p.source}: {p.text}" if p.source else p.text for p in found) or "no source was given"
        raise NothingReadError(f"nothing could be read: {what}")
    return counter.covered(list(sources), found)


@dataclass(frozen=True, slots=True)
class _Records:
    """Of one chunk: those that a template may fit, and the others, counted by logger and mask."""

    likely: pl.DataFrame
    others: pl.DataFrame


def _read(form: HeaderForm, likely: str, chunk: Chunk) -> _Records:
    records = read_part(Selector(None), chunk, form).records.select("line", "text", "logger", "message")
    is_likely = records["message"].str.contains(likely)
    return _Records(records.filter(is_likely), _masked(records.filter(~is_likely)))


def _masked(records: pl.DataFrame) -> pl.DataFrame:
    """The records counted by logger and masked message, with the line and text of the first of each."""
    mask = pl.col("message").str.head(MASKED_LENGTH).str.replace_all(_MASK, PLACEHOLDER)
    end = pl.when(pl.col("message").str.len_chars() > MASKED_LENGTH).then(pl.lit(CUT)).otherwise(pl.lit(""))
    counted = records.with_columns((mask + end).alias("mask")).group_by("logger", "mask", maintain_order=True)
    # Through Python strings: the texts of whole chunks would be kept for the sake of a few.
    few = counted.agg(pl.len().alias("count"), pl.col("line").first(), pl.col("text").first())
    return few.with_columns(pl.Series("text", few["text"].to_list(), dtype=pl.String))


class _Counter:
    """Counts records by what they are."""

    def __init__(self, catalog: Catalog) -> None:
        self._router = Router(event_templates(catalog), TypeReader(catalog))
        self.likely = self._router.likely
        self.records = 0
        self._waiting: list[pl.DataFrame] = []
        self._events: Counter[str] = Counter()
        self._tallies: list[pl.DataFrame] = []
        self._unknown: list[pl.DataFrame] = []
        self._kept = self._rare = 0

    def add(self, source: int, records: _Records) -> None:
        """Take the records of one chunk of the source of that number."""
        self._keep(source, records.others)
        self._waiting.append(records.likely)
        if sum(map(len, self._waiting)) >= _BATCH_ROWS:
            self.flush(source)

    def flush(self, source: int) -> None:
        """Fit the records of a source that were put off; to be called before those of the next one."""
        if not self._waiting:
            return
        batch = pl.concat(self._waiting).with_row_index("row")
        self._waiting = []
        known = [pl.DataFrame(schema={"row": pl.UInt32})]
        for event, rows in self._router.route(batch.select("row", "message")).items():
            self._events[event] += len(rows)
            known.append(rows.select("row"))
        recognised = batch.join(pl.concat(known), on="row", how="semi")
        self._tally(source, recognised.group_by("logger").agg(pl.len().alias("count")), is_known=True)
        self._keep(source, _masked(batch.join(recognised, on="row", how="anti").drop("row")))

    def _keep(self, source: int, masked: pl.DataFrame) -> None:
        self._tally(source, masked.group_by("logger").agg(pl.col("count").sum()), is_known=False)
        self._unknown.append(masked.with_columns(pl.lit(source, pl.UInt32).alias("source")))
        self._kept += len(masked)
        if self._kept > 2 * _MOST_MASKS:
            self._join()

    def _tally(self, source: int, counted: pl.DataFrame, *, is_known: bool) -> None:
        self.records += int(counted["count"].sum())
        place = [pl.lit(source, pl.UInt32).alias("source"), pl.lit(is_known).alias("is_known")]
        self._tallies.append(counted.with_columns(place))

    def _join(self) -> pl.DataFrame:
        """Join equal messages; of too many the rarest are given up but for their number."""
        first = pl.col("source", "line", "text").sort_by("source", "line").first()
        joined = pl.concat(self._unknown).group_by("logger", "mask").agg(pl.col("count").sum(), first)
        kept = joined.sort("count", "source", "line", descending=[True, False, False]).head(_MOST_MASKS)
        self._rare += int(joined["count"].sum()) - int(kept["count"].sum())
        self._unknown, self._kept = [kept.select(self._unknown[0].columns)], len(kept)
        return kept

    def covered(self, sources: list[Source], problems: list[Problem]) -> Covered:
        """Everything that was counted."""
        unknown = self._join()
        kinds = pl.Series("kind", [source.kind for source in sources], dtype=pl.String)
        tallies = pl.concat(self._tallies).with_columns(
            kinds.gather(pl.concat(self._tallies)["source"]), pl.col("logger").str.extract(_CLASS).alias("class")
        )
        return Covered(
            sources=sources,
            records=self.records,
            recognised=self._events.total(),
            kinds=_shares(tallies, "kind"),
            loggers=_shares(tallies, "class"),
            events=sorted(self._events.items(), key=lambda pair: (-pair[1], pair[0])),
            unknown=unknown,
            rare=self._rare,
            problems=problems,
        )


def _shares(tallies: pl.DataFrame, name: str) -> list[Share]:
    """The shares of the groups, those with most unknown records first."""
    known = pl.col("count").filter(pl.col("is_known")).sum()
    counted = tallies.group_by(name).agg(pl.col("count").sum().alias("records"), known.alias("recognised"))
    ordered = counted.sort(pl.col("recognised").cast(pl.Int64) - pl.col("records"), name)
    return [Share(*row) for row in ordered.select(pl.col(name).fill_null(""), "records", "recognised").iter_rows()]
