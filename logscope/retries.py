"""What failed first and was done after all: failures that a later try of the same operation made good."""

from __future__ import annotations

import polars as pl

from logscope.language.catalog import Catalog
from logscope.model import EventSet

SUCCESS = "success"
_REACH = 15 * 60 * 1_000_000  # µs; what succeeds later than that is no longer the same try


def saved(events: EventSet, catalog: Catalog, failed: pl.Series) -> dict[int, int]:
    """The failures (event ids) after which the same job family succeeded with the same resource: failure → success."""
    owned = events.resources.filter(pl.col("kind") != "job").select("eid", "kind", "id").unique()
    rows = events.table.select("eid", "order", "time", "family", "event").join(owned, on="eid")
    failures = rows.filter(pl.col("eid").is_in(failed.implode())).sort("order")
    successes = rows.filter(pl.col("event").is_in(catalog.events_tagged(SUCCESS))).sort("order")
    found = failures.join_asof(
        successes.select("order", "kind", "id", "family", pl.col("eid").alias("by"), pl.col("time").alias("then")),
        on="order", by=["family", "kind", "id"], strategy="forward", check_sortedness=False,
    )  # fmt: skip
    found = found.filter(pl.col("by").is_not_null(), pl.col("then") - pl.col("time") <= _REACH).sort("by")
    return dict(found.unique("eid", keep="first", maintain_order=True).select("eid", "by").iter_rows())
