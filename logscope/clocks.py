"""How far apart the clocks of two servers are, by commands that went from one to the other and their answers.

A command arrives after it left and so does its answer: that bounds the offset of the clocks from both sides.
"""

from __future__ import annotations

import polars as pl

from logscope.language.catalog import Catalog
from logscope.model import EventSet, Problem, SourceSummary

TAGS = ("asks", "asked", "replies", "replied")
_COMMAND = "command"
_MILLISECOND = 1_000
_ANOTHER_ZONE = 15 * 60 * 1_000_000  # µs; no clock is that wrong by itself


def compare(events: EventSet, catalog: Catalog, sources: list[SourceSummary]) -> list[Problem]:
    """What the commands tell of the clocks of servers that answered other servers, one note for each."""
    commands = events.resources.filter(pl.col("kind") == _COMMAND).select("eid", "id").unique()
    steps = []
    for tag in TAGS:
        rows = events.table.filter(pl.col("event").is_in(catalog.events_tagged(tag))).select("eid", "server", "time")
        # What occurs twice cannot be paired.
        named = rows.join(commands, on="eid").unique("id", keep="none")
        steps.append(named.select("id", pl.col("server").alias(f"{tag}_by"), pl.col("time").alias(tag)))
    asks, asked, replies, replied = steps
    pairs = asks.join(asked, on="id").join(replies, on="id").join(replied, on="id")
    pairs = pairs.filter(
        pl.col("asks_by") == pl.col("replied_by"),
        pl.col("asked_by") == pl.col("replies_by"),
        pl.col("asks_by") != pl.col("asked_by"),
    )
    bounds = pairs.group_by("asks_by", "asked_by").agg(
        (pl.col("asked") - pl.col("asks")).min().alias("most"),
        (pl.col("replies") - pl.col("replied")).max().alias("least"),
        pl.len().alias("count"),
    )
    by_server = {source.server: source for source in reversed(sources)}
    return [
        Problem(by_server[there].name, _told(here, by_server[there].kind, most, least, count))
        for here, there, most, least, count in bounds.sort("asked_by", "asks_by").iter_rows()
    ]


def _told(here: str, kind: str, most: int, least: int, count: int) -> str:
    commands = "1 command" if count == 1 else f"{count:,} commands"
    middle, doubt = (most + least) // 2, abs(most - least) // 2
    if abs(middle) <= max(doubt, _MILLISECOND):
        return f"its clock agrees with that of {here} to {_seconds(max(doubt, _MILLISECOND))} (by {commands})"
    way = "ahead of" if middle > 0 else "behind"
    text = f"its clock is {_seconds(abs(middle))} {way} that of {here}"
    if most >= least:
        text += f", give or take {_seconds(doubt)} (by {commands})"
    else:
        text += f", and the difference changes by {_seconds(doubt * 2)} or more (by {commands})"
    text += "; nothing was corrected by that"
    if abs(middle) >= _ANOTHER_ZONE:
        text += f"; if it is in another time zone, give --tz {kind}=ZONE"
    return text


def _seconds(length: int) -> str:
    return f"{length / 1_000_000:,.3f} s"
