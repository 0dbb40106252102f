"""Where the time went: operations by their steps, commands, and the locks that were held longest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from logscope.demand import PLACE
from logscope.items import VALUE
from logscope.language.catalog import Catalog
from logscope.language.tree import PRIMITIVES, Field
from logscope.model import Actor, Resource
from logscope.pipeline import Log

_OPERATION, _HOLD, _COMMAND = "operation", "hold", "command"
_ANY, _UNKNOWN = "*", "?"
_P95 = 0.95


@dataclass(frozen=True, slots=True)
class Longest:
    """The one that lasted longest: what it is called, who did it, when it began (µs), its line (`SOURCE:LINE`)."""

    title: str
    actor: Actor
    start: int
    line: str


@dataclass(slots=True)
class Times:
    """How long things of one kind lasted; lengths are µs, `tag` is as in `causes.STEPS`.

    `count` are those with both ends in the log, and the lengths are theirs; `unended` the others. `what` is their
    title without what differs from one to the other; `parts` are the kinds of steps in them, the longest first.
    """

    tag: str
    what: str
    count: int
    unended: int
    total: int
    median: int
    p95: int
    max: int
    longest: Longest | None
    parts: list[Times] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Held:
    """One hold of a lock; times are µs, lines are `SOURCE:LINE`."""

    title: str
    actor: Actor
    start: int
    end: int
    line: str
    closed_by: str


@dataclass(slots=True)
class Slow:
    """Operations and commands by kind, the longest in all first, and the longest of each kind of hold."""

    operations: list[Times]
    commands: list[Times]
    holds: list[Held]


def measure(log: Log, top: int, about: Resource | None = None) -> Slow:
    """Sum up the steps of all operations, or of those in which one resource or job has a part.

    An operation is a family of jobs with all that works for it: its time goes from the beginning of its first step
    to the end of its last one. It is called by its first step if that is an operation and told in full, else by
    who takes it. Of each list at most `top` are given.
    """
    rows = _with_keys(_named(log, steps_about(log, about)))
    first = rows.unique("key", keep="first", maintain_order=True)
    labels = [
        what if tag == _OPERATION and _UNKNOWN not in what else log.names.title(*who)
        for what, tag, *who in first.select("what", "tag", "server", "thread", "run").iter_rows()
    ]
    first = first.with_columns(pl.Series("label", labels, dtype=pl.String))
    rows = rows.join(first.select("key", "label", pl.col("item").alias("first")), on="key", maintain_order="left")
    operations = _times(log, _whole(rows), ["what"], top)
    parts = rows.filter((pl.col("item") != pl.col("first")) | (pl.col("tag") != _OPERATION))
    for one in operations:
        one.parts = _times(log, parts.filter(pl.col("label") == one.what), ["tag", "what"], top)
    commands = _times(log, rows.filter(pl.col("tag") == _COMMAND), ["tag", "what"], top)
    return Slow(operations, commands, _longest_holds(log, rows, top))


def steps_about(log: Log, about: Resource | None) -> pl.DataFrame:
    """The steps of operations that a resource has a part in, or all: columns as of `Causes.steps`."""
    steps = log.causes.steps
    if about is None:
        return steps
    families = families_about(log, about)
    owned = log.events.resources.filter(pl.col("kind") == about.kind, pl.col("id") == about.id)["eid"].implode()
    is_named = pl.any_horizontal(pl.col(c).is_in(owned) for c in ("open_eid", "of_eid", "close_eid"))
    return steps.filter(pl.col("family").is_in(families) | is_named)


def families_about(log: Log, about: Resource) -> list[str]:
    """The families in which a resource has a part; threads without runs have none."""
    if about.kind == "job" and about.id.isdecimal():
        return log.causes.families_of(int(about.id))
    owned = log.events.resources.filter(pl.col("kind") == about.kind, pl.col("id") == about.id)["eid"].implode()
    mine = log.events.table.filter(pl.col("eid").is_in(owned), (pl.col("run") != "") | pl.col("job").is_not_null())
    return mine["family"].unique().sort().to_list()


def _with_keys(rows: pl.DataFrame) -> pl.DataFrame:
    """Add to steps the `key` of their operation, their `length` (µs), and whether they have both ends; in order."""
    has_family = (pl.col("run") != "") | pl.col("job").is_not_null()
    return rows.with_columns(
        pl.when(has_family).then("family").otherwise("item").alias("key"),
        (pl.col("end") - pl.col("start")).alias("length"),
        (pl.col("outcome") == "closed").alias("is_ended"),
    ).sort("start", "order", "item")


def _named(log: Log, rows: pl.DataFrame) -> pl.DataFrame:
    """Add `what` to steps: their title with `*` for ids, and for numbers at the end of a name."""
    parts = [_named_alike(log, str(of), part) for (of,), part in rows.partition_by("of", as_dict=True).items()]
    return pl.concat(parts) if parts else rows.with_columns(pl.lit("").alias("what"))


def _named_alike(log: Log, of: str, rows: pl.DataFrame) -> pl.DataFrame:
    declared = log.catalog.intervals[of]
    text = declared.title.text if declared.title else of
    paths = [path for path in dict.fromkeys(PLACE.findall(text)) if not _is_id(log.catalog, of, path)]
    pieces: list[pl.Expr] = []
    for number, piece in enumerate(PLACE.split(text)):
        if number % 2 == 0:
            pieces.append(pl.lit(piece))
        elif piece in paths:
            pieces.append(pl.col(VALUE + piece).fill_null(_UNKNOWN).str.replace(r"[0-9]+$", _ANY))
        else:
            pieces.append(pl.lit(_ANY))
    valued = log.items.with_values(rows, of, paths)
    return valued.with_columns(pl.concat_str(pieces).alias("what")).select(*rows.columns, "what")


def _is_id(catalog: Catalog, interval: str, path: str) -> bool:
    """Whether a place in a title stands for the id of a resource."""
    declared = catalog.intervals[interval]
    events = [catalog.events[choice.event.text] for choice in (*declared.opens, *declared.of, *declared.closes)]
    templates = [m.template for event in events for m in event.matches]
    templates += [inside.template for event in events for inside in event.insides]
    fields = [part for template in templates for part in template.parts if isinstance(part, Field)]
    return path.endswith(".id") or any(one.name == path and one.type not in PRIMITIVES for one in fields)


def _whole(rows: pl.DataFrame) -> pl.DataFrame:
    """A row for each operation with the columns of its first step, but from its first step to its last one."""
    is_deciding = (pl.col("tag") == _OPERATION) | (pl.col("item") == pl.col("first"))
    whole = rows.group_by("key", maintain_order=True).agg(
        pl.col("end").filter(pl.col("is_ended")).max().alias("last"),
        pl.col("is_ended").filter(is_deciding).all().alias("all_ended"),
        pl.all().first(),
    )
    return whole.with_columns(
        pl.lit(_OPERATION).alias("tag"),
        pl.col("label").alias("what"),
        pl.col("all_ended").alias("is_ended"),
        (pl.col("last") - pl.col("start")).alias("length"),
    )


def _times(log: Log, rows: pl.DataFrame, keys: list[str], top: int) -> list[Times]:
    """The kinds of rows by the time that they lasted together."""
    ended = pl.col("length").filter(pl.col("is_ended"))
    summed = rows.group_by(keys).agg(
        pl.col("is_ended").sum().alias("count"),
        (~pl.col("is_ended")).sum().alias("unended"),
        ended.sum().alias("total"),
        ended.median().alias("median"),
        ended.quantile(_P95, "linear").alias("p95"),
        ended.max().alias("max"),
        pl.col("item")
        .filter(pl.col("is_ended"))
        .sort_by(ended, descending=True, maintain_order=True)
        .first()
        .alias("longest"),
        pl.col("tag").first().alias("kind"),
    )
    summed = summed.sort("total", "unended", "what", "kind", descending=[True, True, False, False]).head(top)
    longest = rows.join(summed.select(pl.col("longest").alias("item")).drop_nulls(), on="item", how="semi")
    told = {row["item"]: one for row, one in _told(log, longest)}
    return [
        Times(
            row["kind"], row["what"], row["count"], row["unended"], row["total"], round(row["median"] or 0),
            round(row["p95"] or 0), row["max"] or 0, told.get(row["longest"]),
        )
        for row in summed.iter_rows(named=True)
    ]  # fmt: skip


def _told(log: Log, rows: pl.DataFrame) -> list[tuple[dict[str, Any], Longest]]:
    rows = rows.unique("item", keep="first", maintain_order=True)
    titles, places = log.teller.titles(rows), log.teller.places(rows["open_eid"].drop_nulls())
    return [
        (row, Longest(titles[row["item"]], log.teller.actor(row), row["start"], places.get(row["open_eid"], "")))
        for row in rows.iter_rows(named=True)
    ]


def _longest_holds(log: Log, rows: pl.DataFrame, top: int) -> list[Held]:
    """The longest holds; those of each kind in turn, lest one kind fill the list."""
    holds = rows.filter(pl.col("tag") == _HOLD, pl.col("is_ended")).sort("length", "item", descending=[True, False])
    rank = pl.int_range(pl.len()).over("of").alias("rank")
    chosen = holds.with_columns(rank).sort("rank", "length", descending=[False, True], maintain_order=True).head(top)
    chosen = chosen.sort("length", descending=True, maintain_order=True)
    places = log.teller.places(chosen["close_eid"].drop_nulls())
    return [
        Held(one.title, one.actor, row["start"], row["end"], one.line, places.get(row["close_eid"], ""))
        for row, one in _told(log, chosen)
    ]
