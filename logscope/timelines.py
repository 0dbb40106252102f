"""Everything that happened to one resource, in order: events as points, intervals as spans."""

from __future__ import annotations

import polars as pl

from logscope.correlate import Correlator
from logscope.errors import Span
from logscope.explain import Teller
from logscope.items import Items
from logscope.language.tree import Catalog, Name, Spec
from logscope.model import Entry, EventSet, Resource, Timeline


class Timelines:
    """Timelines of one log; `only` restricts them to these events and intervals' events."""

    def __init__(
        self, events: EventSet, catalog: Catalog, items: Items, correlator: Correlator, teller: Teller
    ) -> None:
        self._events, self._catalog, self._items, self._teller = events, catalog, items, teller
        self._correlator = correlator
        self._present = set(events.table["event"].unique().to_list())

    def of(self, resource: Resource) -> Timeline:
        """The timeline of one resource (canonical kind and id)."""
        owned = self._events.resources.filter(pl.col("kind") == resource.kind, pl.col("id") == resource.id)
        eids = owned["eid"].unique()
        names = self._events.table.filter(pl.col("eid").is_in(eids.implode()))["event"].unique().to_list()
        parts = []
        for name in sorted(names):
            rows = self._items.of(_spec(name), [])
            parts.append(rows.filter(pl.col("open_eid").is_in(eids.implode())))
        for name, declared in self._catalog.intervals.items():
            involved = {c.event.text for c in (*declared.opens, *declared.of)}
            if involved & set(names):
                rows = self._items.of(_spec(name), [])
                mine = pl.col("open_eid").is_in(eids.implode()) | pl.col("of_eid").is_in(eids.implode())
                parts.append(rows.filter(mine))
        parts = [part for part in parts if len(part)]
        return Timeline(resource, self._entries(pl.concat(parts)) if parts else [])

    def _entries(self, rows: pl.DataFrame) -> list[Entry]:
        rows = rows.sort("order", "is_point", "item")
        titles = self._teller.titles(rows)
        places = self._places(rows)
        entries, open_until = [], list[int]()
        for row in rows.iter_rows(named=True):
            open_until = [end for end in open_until if end > row["start"]]
            kind = "event" if row["is_point"] else "interval"
            entries.append(
                Entry(
                    row["start"], row["end"], kind, row["of"], titles[row["item"]], self._teller.actor(row),
                    row["outcome"], places.get(row["open_eid"], ""), places.get(row["close_eid"], ""), len(open_until),
                )
            )  # fmt: skip
            if not row["is_point"]:
                open_until.append(row["end"])
        return entries

    def _places(self, rows: pl.DataFrame) -> dict[int, str]:
        eids = pl.concat([rows["open_eid"], rows["close_eid"]]).drop_nulls().unique()
        return self._teller.places(eids)


def _spec(name: str) -> Spec:
    span = Span("", 0, 0)
    return Spec(Name(name, span), False, (), span)
