"""What a rule binds: events and intervals in one shape, with the values that the rule compares."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.correlate import Correlator
from logscope.errors import Span
from logscope.frames import ACTOR_TEXT, choose, column, compare
from logscope.language.catalog import Catalog
from logscope.language.tree import Choice, Name, Path, Spec
from logscope.model import EventSet

SCHEMA = {
    "item": pl.String, "of": pl.String, "is_point": pl.Boolean, "start": pl.Int64, "end": pl.Int64,
    "order": pl.UInt32, "outcome": pl.String, "open_eid": pl.UInt32, "of_eid": pl.UInt32, "close_eid": pl.UInt32,
    "server": pl.String, "thread": pl.String, "run": pl.String, "job": pl.Int64, "origin": pl.Int64,
    "family": pl.String,
}  # fmt: skip
VALUE = "v:"


class Items:
    """Makes the items of bindings out of one EventSet."""

    def __init__(self, events: EventSet, catalog: Catalog, correlator: Correlator) -> None:
        self._events, self._catalog, self._correlator = events, catalog, correlator
        self._owned: pl.DataFrame | None = None
        self._made: dict[tuple[str, tuple[str, ...]], pl.DataFrame] = {}

    def missing(self, spec: Spec) -> list[str]:
        """Names of the events without which the spec has no items; empty when one of them occurs."""
        names = self._opening_events(spec)
        return [] if self._events.present & set(names) else names

    def of(self, spec: Spec, paths: Sequence[str]) -> pl.DataFrame:
        """All items of a spec: columns as in `SCHEMA`, and one column `v:PATH` per path (string).

        Asked for `resource`, an item has a row for each of its resources.
        """
        wanted = sorted({*paths, *(c.left.text for c in spec.where), *_right_paths(spec)})
        present = self._events.present
        names = [name for name in self._events_named(spec) if name in present]
        names += [name for name in self._intervals_named(spec) if self._can_occur(name)]
        parts = [self._all_of(name, tuple(wanted)) for name in names]
        if not parts:
            empty = {**SCHEMA, **{VALUE + path: pl.String for path in wanted}}
            return pl.DataFrame(schema=empty)
        if len(parts) == 1 and not spec.where and wanted == [*paths]:
            return parts[0]
        frame = pl.concat(parts, how="diagonal")
        for condition in spec.where:
            left = pl.col(VALUE + condition.left.text)
            right = condition.right
            other = pl.col(VALUE + right.text) if isinstance(right, Path) else right
            frame = frame.filter(compare(left, condition.operator, other))
        return frame.select(*SCHEMA, *(VALUE + path for path in paths)).sort("order", "item", maintain_order=True)

    def chosen(self, choices: Sequence[Choice]) -> pl.DataFrame:
        """Events of a choice: eid, event."""
        return choose(self._events, choices)

    def _events_named(self, spec: Spec) -> list[str]:
        if spec.any_of_tag:
            return self._catalog.events_tagged(spec.name.text)
        return [spec.name.text] if spec.name.text in self._catalog.events else []

    def _intervals_named(self, spec: Spec) -> list[str]:
        if spec.any_of_tag:
            return self._catalog.intervals_tagged(spec.name.text)
        return [spec.name.text] if spec.name.text in self._catalog.intervals else []

    def _can_occur(self, name: str) -> bool:
        declared = self._catalog.intervals[name]
        return any(c.event.text in self._events.present for c in (*declared.opens, *declared.closes))

    def _opening_events(self, spec: Spec) -> list[str]:
        names = self._events_named(spec)
        for name in self._intervals_named(spec):
            declared = self._catalog.intervals[name]
            names = [*names, *(c.event.text for c in declared.of or declared.opens)]
        return list(dict.fromkeys(names))

    def _all_of(self, name: str, paths: tuple[str, ...]) -> pl.DataFrame:
        """All items of one event or interval; kept, for several rules ask for the same."""
        if (name, paths) not in self._made:
            make = self._events_of if name in self._catalog.events else self._intervals_of
            self._made[name, paths] = make(name, paths).sort("order", "item", maintain_order=True)
        return self._made[name, paths]

    def _events_of(self, name: str, paths: Sequence[str]) -> pl.DataFrame:
        frame = self._events.of(name).select(
            pl.concat_str(pl.lit("e"), pl.col("eid")).alias("item"),
            pl.lit(name).alias("of"),
            pl.lit(True).alias("is_point"),
            pl.col("time").alias("start"),
            pl.col("time").alias("end"),
            "order",
            pl.lit("").alias("outcome"),
            pl.col("eid").alias("open_eid"),
            pl.lit(None, pl.UInt32).alias("of_eid"),
            pl.lit(None, pl.UInt32).alias("close_eid"),
            "server", "thread", "run", "job", "origin", "family",
        )  # fmt: skip
        return self.with_values(frame, name, paths)

    def _intervals_of(self, name: str, paths: Sequence[str]) -> pl.DataFrame:
        rows = self._correlator.intervals(name)
        frame = rows.select(
            pl.concat_str(pl.lit(f"{name}#"), pl.col("iid")).alias("item"),
            pl.col("interval").alias("of"),
            pl.lit(False).alias("is_point"),
            "start", "end", pl.coalesce("start_order", "end_order").alias("order"),
            "outcome", "open_eid", "of_eid", "close_eid", "server", "thread", "run", "job", "origin", "family",
        )  # fmt: skip
        return self.with_values(frame, name, paths)

    def with_values(self, frame: pl.DataFrame, of: str, paths: Sequence[str]) -> pl.DataFrame:
        """Add a column `v:PATH` per path to items that are all of one event or interval."""
        owners = {"open_eid": [of]}
        if (declared := self._catalog.intervals.get(of)) is not None:
            owners = {
                "open_eid": [c.event.text for c in declared.opens],
                "of_eid": [c.event.text for c in declared.of],
                "close_eid": [c.event.text for c in declared.closes],
            }
        whole = frame.lazy()
        for path in paths:
            name = VALUE + path
            if path == "resource":
                whole = self._with_resources(whole, list(owners), name)
            elif path == "actor":
                whole = whole.with_columns(ACTOR_TEXT.alias(name))
            elif path == "duration":
                seconds = (pl.col("end") - pl.col("start")) / 1_000_000
                whole = whole.with_columns(seconds.cast(pl.String).alias(name))
            elif path in SCHEMA:
                whole = whole.with_columns(pl.col(path).cast(pl.String).alias(name))
            else:
                found = []
                for owner, names in owners.items():
                    values = column(self._events, names, path)
                    if len(values):
                        values = values.rename({"eid": owner, "value": f"{name}@{owner}"})
                        whole = whole.join(values.lazy(), on=owner, how="left", maintain_order="left")
                        found.append(f"{name}@{owner}")
                value = pl.coalesce(found) if found else pl.lit(None, pl.String)
                whole = whole.with_columns(value.alias(name)).drop(found)
        return whole.collect() if paths else frame

    def _with_resources(self, frame: pl.LazyFrame, owners: list[str], name: str) -> pl.LazyFrame:
        if self._owned is None:
            text = pl.concat_str("kind", pl.lit(":"), "id").alias(name)
            self._owned = self._events.resources.select("eid", text).unique()
        parts = [frame.join(self._owned.rename({"eid": owner}).lazy(), on=owner, how="inner") for owner in owners]
        return pl.concat(parts).unique(["item", name], keep="first", maintain_order=True)


def _right_paths(spec: Spec) -> list[str]:
    return [c.right.text for c in spec.where if isinstance(c.right, Path)]


def named(name: str) -> Spec:
    """What binds all events or intervals called `name`."""
    return _spec(name, of_tag=False)


def chosen_alone(choice: Choice) -> Spec:
    """What binds all events or intervals that a choice means."""
    return Spec(choice.event, False, choice.where, choice.span)


def tagged(tag: str) -> Spec:
    """What binds all events and intervals that carry a tag."""
    return _spec(tag, of_tag=True)


def _spec(name: str, *, of_tag: bool) -> Spec:
    span = Span("", 0, 0)
    return Spec(Name(name, span), of_tag, (), span)
