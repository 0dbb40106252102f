"""Events that two sources of one server hold both: a log and an excerpt of it, or a copy that was damaged.

Equal events of one time, thread and text in two sources are one event. Of two sources that tell nearly the same of a
time, the one that tells less is a copy: what it alone tells of that time comes of its damage.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.model import Problem

_NEARLY = 0.8  # of the events of each, from the first that they share to the last
_KEY = ("server", "time", "print")


def repeated(table: pl.DataFrame, prints: pl.DataFrame, names: Sequence[str]) -> tuple[pl.Series, list[Problem]]:
    """The ids of events that are to be left out, and a note for each source of which some are.

    `table` is that of an `EventSet`; `prints` (eid, print) are equal where all that a record says is; `names` are
    those of the sources.
    """
    rows = table.select("eid", "server", "source", "line", "time")
    if not _overlap(rows):
        return pl.Series("eid", [], dtype=pl.UInt32), []
    # The source that tells most of all is the one that is kept, as it is the least likely to be a copy.
    rows = rows.join(prints, on="eid").with_columns(pl.len().over("source").alias("size"))
    rows = rows.sort("size", "source", "line", descending=[True, False, False])
    # A source may itself hold a line twice: its second one is the same as another's second one.
    rows = rows.with_columns(pl.int_range(pl.len()).over(*_KEY, "source").alias("nth"))
    rows = rows.with_columns(pl.col("source").first().over(*_KEY, "nth").alias("kept"))
    shared = rows.filter(pl.col("source") != pl.col("kept"))
    dropped, notes = [shared["eid"]], []
    for source, kept, count in shared.group_by("source", "kept").len().sort("source", "kept").iter_rows():
        alone, other = _alone(rows, source, kept, count)
        dropped.append(alone)
        text = f"{count:,} of its events stand in {names[kept]} too and were counted once"
        notes.append(Problem(names[source], text))
        if len(alone):
            copy, whole = (names[source], names[kept]) if other == kept else (names[kept], names[source])
            text = f"{len(alone):,} events of it that {whole} does not hold were left out: it is a damaged copy"
            notes.append(Problem(copy, text))
    return pl.concat(dropped).unique().sort(), notes


def _overlap(rows: pl.DataFrame) -> bool:
    """Whether two sources of one server tell of one time."""
    spans = rows.group_by("server", "source").agg(pl.col("time").min().alias("since"), pl.col("time").max())
    spans = spans.sort("server", "since", "source")
    before = pl.col("time").cum_max().shift(1).over("server")
    return bool(spans.select((pl.col("since") <= before).any()).item())


def _alone(rows: pl.DataFrame, one: int, other: int, shared: int) -> tuple[pl.Series, int]:
    """The events that only the copy among two sources holds where both tell the same, and which is the whole."""
    both = rows.filter(pl.col("source").is_in([one, other]))
    both = both.with_columns((pl.len().over(*_KEY, "nth") > 1).alias("is_shared"))
    # By lines, since a damaged time may be any.
    shared_line = pl.col("line").filter("is_shared")
    common = both.filter(pl.col("line").is_between(shared_line.min().over("source"), shared_line.max().over("source")))
    counts = {source: common.filter(pl.col("source") == source).height for source in (one, other)}
    if shared < _NEARLY * max(counts.values()):
        return rows["eid"].clear(), other
    copy, whole = (other, one) if counts[other] < counts[one] else (one, other)
    alone = common.filter(pl.col("source") == copy, ~pl.col("is_shared"))
    return alone["eid"], whole
