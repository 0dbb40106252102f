"""Questions to an EventSet that several stages ask: a column of some events, a choice of events."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.language.tree import Choice, Comparison, Path, Value
from logscope.model import EventSet

# Pseudo fields that stand in the table itself; `actor` is put together from three columns.
_TABLE_FIELDS = ("family", "server", "thread", "run", "job", "logid", "level")
_NO_VALUES = pl.DataFrame(schema={"eid": pl.UInt32, "value": pl.String})
ACTOR_TEXT = pl.concat_str("server", "thread", "run", separator="|", ignore_nulls=True)


def column(events: EventSet, names: Sequence[str], path: str) -> pl.DataFrame:
    """The values of one field path over the named events: eid, value (string).

    `KIND.id` or a typed field's `.id` is the canonical id; an event without the field has no row.
    """
    parts = [_values(events, name, path) for name in names if name in events.present]
    parts = [part for part in parts if len(part)]
    return pl.concat(parts) if len(parts) > 1 else parts[0] if parts else _NO_VALUES


def _values(events: EventSet, name: str, path: str) -> pl.DataFrame:
    """One value for each event of one name that has any: eid, value."""
    if (name, path) not in events.answers:
        events.answers[name, path] = _looked_up(events, name, path)
    return events.answers[name, path]


def _looked_up(events: EventSet, name: str, path: str) -> pl.DataFrame:
    if path == "actor" or path in _TABLE_FIELDS:
        value = ACTOR_TEXT if path == "actor" else pl.col(path).cast(pl.String)
        return events.of(name).select("eid", value.alias("value"))
    found = events.ids(name, path.removesuffix(".id")) if path.endswith(".id") or "." not in path else None
    frame = events.fields.get(name)
    if frame is None or path not in frame.columns or (found is not None and len(found) == len(events.of(name))):
        return _NO_VALUES if found is None else found.rename({"id": "value"})
    said = frame.select("eid", pl.col(path).alias("value")).drop_nulls()
    if found is None:
        return said
    return pl.concat([found.rename({"id": "value"}), said]).unique("eid", keep="first", maintain_order=True)


def compare(left: pl.Expr, operator: str, right: pl.Expr | Value | tuple[Value, ...]) -> pl.Expr:
    """A comparison of the grammar language as an expression over string columns; null is never true."""
    if operator == "in":
        assert isinstance(right, tuple)
        return left.is_in([str(v.value) for v in right]).fill_null(False)
    if operator == "is":
        assert isinstance(right, Value)
        return left.is_not_null() if right.value == "known" else left.is_null()
    if operator in ("starts", "ends"):
        assert isinstance(right, Value)
        text = str(right.value)
        return (left.str.starts_with(text) if operator == "starts" else left.str.ends_with(text)).fill_null(False)
    assert not isinstance(right, tuple)
    other = pl.lit(str(right.value)) if isinstance(right, Value) else right
    if operator in ("=", "!="):
        return (left == other if operator == "=" else left != other).fill_null(False)
    low, high = left.cast(pl.Float64, strict=False), other.cast(pl.Float64, strict=False)
    found = {"<": low < high, "<=": low <= high, ">": low > high, ">=": low >= high}[operator]
    return found.fill_null(False)


def choose(events: EventSet, choices: Sequence[Choice]) -> pl.DataFrame:
    """The events that a clause `EVENT where … or EVENT where …` means: eid, event, order, time."""
    parts = [_chosen(events, c.event.text, c.where) for c in choices if c.event.text in events.present]
    if not parts:
        return pl.DataFrame(schema={"eid": pl.UInt32, "event": pl.String, "order": pl.UInt32, "time": pl.Int64})
    found = pl.concat(parts)
    names = [choice.event.text for choice in choices]
    return found if len(set(names)) == len(names) else found.unique("eid", keep="first", maintain_order=True)


def _chosen(events: EventSet, name: str, where: Sequence[Comparison]) -> pl.DataFrame:
    kept = ("eid", "event", "order", "time")
    rows = events.of(name).select(kept)
    for condition in where:
        values = column(events, [name], condition.left.text)
        joined = rows.join(values, on="eid", how="left")
        right = condition.right
        if isinstance(right, Path):
            joined = joined.join(column(events, [name], right.text).rename({"value": "other"}), on="eid", how="left")
            keep = compare(pl.col("value"), condition.operator, pl.col("other"))
        else:
            keep = compare(pl.col("value"), condition.operator, right)
        rows = joined.filter(keep).select(kept)
    return rows
