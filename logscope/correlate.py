"""Events to intervals: what began, what ended it, and how.

Pairing is done in frames: per key a running count of openings and closings, clamped at zero, gives
each opening the depth at which its closing must stand (brackets matched without a loop).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from logscope.actors import ACTOR
from logscope.frames import choose, column
from logscope.language.catalog import Catalog
from logscope.language.tree import Choice, Interval
from logscope.model import EventSet

SCHEMA = {
    "iid": pl.UInt32, "interval": pl.String, "start": pl.Int64, "end": pl.Int64, "start_order": pl.UInt32,
    "end_order": pl.UInt32, "outcome": pl.String, "open_eid": pl.UInt32, "of_eid": pl.UInt32, "close_eid": pl.UInt32,
    "server": pl.String, "thread": pl.String, "run": pl.String, "job": pl.Int64, "origin": pl.Int64,
    "family": pl.String,
}  # fmt: skip
_WHO = ("server", "thread", "run", "job", "origin", "family")
_KEY = "k:"


@dataclass(slots=True)
class Horizon:
    """When the log of each server begins and ends (µs): what lies outside is unknown, not absent.

    Unknown is also what lies in its `gaps`, and in which order things happened in times that it has twice (`repeated`).
    """

    first: dict[str, int]
    last: dict[str, int]
    gaps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    repeated: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


class Correlator:
    """Builds the intervals of one EventSet; each is built once."""

    def __init__(self, events: EventSet, catalog: Catalog, horizon: Horizon) -> None:
        self._events, self._catalog, self._horizon = events, catalog, horizon
        self._built: dict[str, pl.DataFrame] = {}
        table = events.table
        self._restarts = table.filter(pl.col("event").is_in(catalog.events_tagged("restart"))).select(
            "server", pl.col("order").alias("restart_order"), pl.col("time").alias("restart_time")
        )

    def intervals(self, name: str) -> pl.DataFrame:
        """All intervals of one declaration, in order of their beginning; columns as in `SCHEMA`.

        `start` and `end` are µs, `open_eid` is null for `unbegun`, `close_eid` unless `closed`.
        """
        if name not in self._built:
            self._built[name] = self._build(self._catalog.intervals[name])
        return self._built[name]

    def _build(self, declared: Interval) -> pl.DataFrame:
        if not any(c.event.text in self._events.present for c in (*declared.opens, *declared.closes)):
            return pl.DataFrame(schema=SCHEMA)
        # Key columns are called "k:…", so that none collides with a column of who acts.
        keys = [_KEY + key.text for key in declared.same]
        opens = self._rows(declared.opens, keys).with_columns(pl.lit(1, pl.Int32).alias("step"))
        closes = self._rows(declared.closes, keys).with_columns(pl.lit(-1, pl.Int32).alias("step"))
        whole = closes.drop_nulls(keys)
        partial = closes.join(whole, on="eid", how="anti")
        opens = opens.drop_nulls(keys)
        # An event that both closes and opens (a state line) closes first.
        rows = pl.concat([whole, opens]).sort(*keys, "order", "step")
        paired = _pair_nested(rows, keys) if declared.nested else _pair_flat(rows, keys)
        frame = self._joined(paired, {c.event.text for c in (*declared.opens, *declared.closes)})
        frame = self._close_by_part(frame, partial, keys)
        frame = self._cut(frame, _KEY + "actor" in keys, declared.limit)
        frame = self._about(frame, declared.of, [k for k in keys if k != _KEY + "actor"])
        frame = frame.sort("start", "start_order", "end_order", nulls_last=True)
        frame = frame.with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("iid"), pl.lit(declared.name.text).alias("interval")
        )
        return frame.select(*SCHEMA).cast(SCHEMA)  # type: ignore[arg-type]

    def _rows(self, choices: tuple[Choice, ...], keys: list[str]) -> pl.DataFrame:
        rows = choose(self._events, choices)
        names = sorted({choice.event.text for choice in choices})
        for key in keys:
            values = column(self._events, names, key.removeprefix(_KEY)).rename({"value": key})
            rows = rows.join(values, on="eid", how="left")
        return rows.select("eid", "order", "time", *keys)

    def _joined(self, paired: pl.DataFrame, events: set[str]) -> pl.DataFrame:
        """Who opened (or, for `unbegun`, who closed), with the times of both ends."""
        table = pl.concat([self._events.of(name).select("eid", *_WHO) for name in sorted(events)])
        who = paired.with_columns(pl.coalesce("open_eid", "close_eid").alias("eid"))
        return who.join(table, on="eid", how="left").drop("eid")

    def _close_by_part(self, frame: pl.DataFrame, partial: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Close what is still open by ends that carry only some of the keys (the end of the job, say)."""
        shared = [k for k in keys if len(partial) and not partial[k].null_count()]
        if not {_KEY + "actor", _KEY + "job"} & set(shared):
            return frame
        ends = partial.sort("order").select(
            pl.col("eid").alias("p_eid"), pl.col("order").alias("p_order"), pl.col("time").alias("p_time"), *shared
        )
        found = frame.sort("start_order", nulls_last=True).join_asof(
            ends, left_on="start_order", right_on="p_order", by=shared, strategy="forward", check_sortedness=False
        )
        is_ended = pl.col("p_eid").is_not_null() & pl.col("close_eid").is_null() & pl.col("open_eid").is_not_null()
        is_ended &= pl.col("end_order").is_null() | (pl.col("p_order") < pl.col("end_order"))
        return found.with_columns(
            pl.when(is_ended).then("p_eid").otherwise("close_eid").alias("close_eid"),
            pl.when(is_ended).then("p_order").otherwise("end_order").alias("end_order"),
            pl.when(is_ended).then("p_time").otherwise("end").alias("end"),
            pl.when(is_ended).then(pl.lit("closed")).otherwise("outcome").alias("outcome"),
        ).drop("p_eid", "p_order", "p_time")

    def _cut(self, frame: pl.DataFrame, is_by_actor: bool, limit: float | None) -> pl.DataFrame:
        """Give every interval without a logged end its named outcome."""
        frame = self._cut_by_restart(frame)
        if is_by_actor:
            frame = self._cut_by_reuse(frame)
        first = pl.col("server").replace_strict(self._horizon.first, default=None, return_dtype=pl.Int64)
        last = pl.col("server").replace_strict(self._horizon.last, default=None, return_dtype=pl.Int64)
        is_open = pl.col("end").is_null()
        frame = frame.with_columns(
            pl.when(is_open).then(pl.lit("cut-by-end")).otherwise("outcome").alias("outcome"),
            # A time that was damaged may be one before the log.
            pl.coalesce("start", pl.min_horizontal(first, "end")).alias("start"),
            pl.when(is_open).then(pl.max_horizontal(last, "start")).otherwise("end").alias("end"),
        )
        if limit is not None:
            bound = pl.col("start") + round(limit * 1_000_000)
            is_over = (pl.col("end") > bound) & (pl.col("outcome") != "unbegun")
            frame = frame.with_columns(
                pl.when(is_over).then(pl.lit("limit")).otherwise("outcome").alias("outcome"),
                pl.when(is_over).then(bound).otherwise("end").alias("end"),
                pl.when(is_over).then(None).otherwise("close_eid").alias("close_eid"),
            )
        return frame

    def _cut_by_restart(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self._restarts.is_empty() or frame.is_empty():
            return frame
        frame = frame.sort("start_order", nulls_last=True).join_asof(
            self._restarts.sort("restart_order"), left_on="start_order", right_on="restart_order", by="server",
            strategy="forward", allow_exact_matches=False, check_sortedness=False,
        )  # fmt: skip
        is_cut = pl.col("restart_order").is_not_null() & pl.col("open_eid").is_not_null()
        is_cut &= pl.col("end_order").is_null() | (pl.col("restart_order") < pl.col("end_order"))
        return frame.with_columns(
            pl.when(is_cut).then(pl.lit("cut-by-restart")).otherwise("outcome").alias("outcome"),
            pl.when(is_cut).then("restart_order").otherwise("end_order").alias("end_order"),
            pl.when(is_cut).then("restart_time").otherwise("end").alias("end"),
            pl.when(is_cut).then(None).otherwise("close_eid").alias("close_eid"),
        ).drop("restart_order", "restart_time")

    @cached_property
    def _last_lines(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """By run: order and time of its last event; by thread: the order of its last."""
        table = self._events.table.filter(pl.col("run") != "").sort("order")
        last = table.group_by(ACTOR).agg(
            pl.col("order").max().alias("run_order"), pl.col("time").last().alias("run_time")
        )
        return last, table.group_by("server", "thread").agg(pl.col("order").max().alias("thread_order"))

    def _cut_by_reuse(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A thread that went on to another run ended whatever its old run had open."""
        if frame.is_empty():
            return frame
        last, final = self._last_lines
        frame = frame.join(last, on=ACTOR, how="left").join(final, on=["server", "thread"], how="left")
        is_lost = pl.col("end").is_null() & (pl.col("thread_order") > pl.col("run_order"))
        return frame.with_columns(
            pl.when(is_lost).then(pl.lit("lost")).otherwise("outcome").alias("outcome"),
            pl.when(is_lost).then("run_order").otherwise("end_order").alias("end_order"),
            pl.when(is_lost).then("run_time").otherwise("end").alias("end"),
        ).drop("run_order", "run_time", "thread_order")

    def _about(self, frame: pl.DataFrame, choices: tuple[Choice, ...], keys: list[str]) -> pl.DataFrame:
        if not choices:
            return frame.with_columns(pl.lit(None, pl.UInt32).alias("of_eid"))
        ranked = [self._rows((one,), keys).with_columns(pl.lit(rank).alias("rank")) for rank, one in enumerate(choices)]
        about = pl.concat(ranked).drop_nulls(keys).sort("rank", "order")
        about = about.unique(keys, keep="first", maintain_order=True)
        return frame.join(about.select(*keys, pl.col("eid").alias("of_eid")), on=keys, how="inner")


def _pair_nested(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    total = pl.col("step").cum_sum().over(keys)
    rows = rows.with_columns(total.alias("total"))
    low = pl.min_horizontal(pl.col("total").cum_min().over(keys), pl.lit(0))
    rows = rows.with_columns(low.alias("low"))
    before = pl.col("low").shift(1).over(keys).fill_null(0)
    level = pl.when(pl.col("step") > 0).then(pl.col("total") - pl.col("low")).otherwise(pl.col("total") + 1 - before)
    rows = rows.with_columns(level.alias("level"), (pl.col("step") > 0).cum_sum().over(keys).alias("opened"))
    inside = rows.filter(pl.col("level") > 0)
    slot = [*keys, "level"]
    paired = inside.with_columns(
        pl.col(c).shift(-1).over(slot).alias(f"next_{c}") for c in ("eid", "time", "order", "step")
    ).filter(pl.col("step") > 0)
    found = _shaped(paired, pl.col("next_step") < 0, pl.lit(False), keys)
    return pl.concat([found, _unbegun(rows.filter(pl.col("level") <= 0), keys)])


def _pair_flat(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Pair an opening with the next step of its key, whichever that is; `rows` are sorted by `keys`."""
    goes_on = pl.all_horizontal(pl.col(key) == pl.col(key).shift(-1) for key in keys)
    goes_on_before = pl.all_horizontal(pl.col(key) == pl.col(key).shift(1) for key in keys).fill_null(False)
    columns = ("eid", "time", "order", "step")
    rows = rows.with_columns(
        *(pl.when(goes_on).then(pl.col(c).shift(-1)).alias(f"next_{c}") for c in columns),
        (~goes_on_before).alias("is_first"),
    )
    opens = rows.filter(pl.col("step") > 0)
    found = _shaped(opens, pl.col("next_step") < 0, pl.col("next_step") > 0, keys)
    return pl.concat([found, _as_unbegun(rows.filter("is_first", pl.col("step") < 0), keys)])


def _shaped(rows: pl.DataFrame, is_closed: pl.Expr, is_superseded: pl.Expr, keys: list[str]) -> pl.DataFrame:
    is_ended = (is_closed | is_superseded).fill_null(False)
    outcome = pl.when(is_closed).then(pl.lit("closed")).when(is_superseded).then(pl.lit("superseded"))
    return rows.select(
        pl.col("time").alias("start"),
        pl.when(is_ended).then("next_time").alias("end"),
        pl.col("order").alias("start_order"),
        pl.when(is_ended).then("next_order").alias("end_order"),
        outcome.otherwise(pl.lit(None, pl.String)).alias("outcome"),
        pl.col("eid").alias("open_eid"),
        pl.when(is_closed).then("next_eid").alias("close_eid"),
        *keys,
    )


def _unbegun(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Ends before any opening of their key: of what began before the log did. Only the first counts."""
    return _as_unbegun(rows.filter(pl.col("opened") == 0).unique(keys, keep="first", maintain_order=True), keys)


def _as_unbegun(ends: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return ends.select(
        pl.lit(None, pl.Int64).alias("start"),
        pl.col("time").alias("end"),
        pl.lit(None, pl.UInt32).alias("start_order"),
        pl.col("order").alias("end_order"),
        pl.lit("unbegun").alias("outcome"),
        pl.lit(None, pl.UInt32).alias("open_eid"),
        pl.col("eid").alias("close_eid"),
        *keys,
    )
