"""One resource whatever the rendering: aliases learnt from lines that carry two names of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from logscope.model import EventSet, Resource

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(slots=True)
class Identity:
    """What the log says about resources.

    `ids`: kind, alias, id; an alias that the log gives to two resources is not in it.
    `uuids` and `labels`: (kind, id) → uuid, (kind, id) → name for people.
    """

    ids: pl.DataFrame
    uuids: dict[tuple[str, str], str]
    labels: dict[tuple[str, str], str]

    def resource(self, kind: str, id: str) -> Resource:
        """The resource with all that is known about it."""
        return Resource(kind, id, self.uuids.get((kind, id), ""), self.labels.get((kind, id), ""))

    def by_alias(self, alias: str) -> list[tuple[str, str]]:
        """(kind, id) of the resources that the log calls `alias` (a uuid or a name, exactly)."""
        found = self.ids.filter(pl.col("alias") == alias).select("kind", "id").unique().sort("kind", "id").rows()
        labelled = [key for key, label in sorted(self.labels.items()) if label == alias]
        return list(dict.fromkeys([*found, *labelled]))


def unify(events: EventSet, aliases: pl.DataFrame) -> tuple[EventSet, Identity]:
    """Give every resource its canonical id.

    That is its database id where a text has it or an alias leads to it, else the alias itself: what
    stays unresolved is shown as such and joins nothing else. Names chosen by users never join.
    """
    pairs = aliases.filter(pl.col("id").is_not_null(), pl.col("alias") != "").select("kind", "alias", "id").unique()
    counted = pairs.group_by("kind", "alias").agg(pl.col("id").first(), pl.len().alias("n"))
    ids = counted.filter(pl.col("n") == 1).select("kind", "alias", "id").sort("kind", "alias")
    resources = (
        events.resources.join(ids.rename({"id": "learnt"}), on=["kind", "alias"], how="left")
        .select("eid", "field", "kind", pl.coalesce("id", "learnt", "alias").alias("id"))
        .unique()
        .sort("eid", "field", "kind", "id")
    )
    uuids = {
        (kind, id): alias for kind, alias, id in ids.select("kind", "alias", "id").iter_rows() if _UUID.fullmatch(alias)
    }
    named = aliases.filter(pl.col("label").is_not_null(), pl.col("label") != "")
    named = named.join(ids.rename({"id": "learnt"}), on=["kind", "alias"], how="left")
    named = named.select("kind", pl.coalesce("id", "learnt").alias("id"), "label").drop_nulls().unique()
    labels = {(kind, id): label for kind, id, label in named.sort("kind", "id", "label").iter_rows()}
    return EventSet(events.table, events.fields, resources), Identity(ids, uuids, labels)
