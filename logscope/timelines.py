"""Everything that happened to one resource, in order: events as points, intervals as spans."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.causes import Causes
from logscope.explain import Teller
from logscope.items import SCHEMA, Items, named
from logscope.language.catalog import Catalog
from logscope.model import Entry, EventSet, Resource, Timeline
from logscope.states import States


class Timelines:
    """Timelines of one log."""

    def __init__(
        self, events: EventSet, catalog: Catalog, items: Items, teller: Teller, causes: Causes, states: States
    ) -> None:
        self._events, self._catalog, self._items, self._teller = events, catalog, items, teller
        self._causes, self._states = causes, states

    def of(self, resources: Sequence[Resource]) -> list[Timeline]:
        """The timelines of some resources (canonical kind and id), in their order."""
        wanted = pl.DataFrame(
            [(n, r.kind, r.id) for n, r in enumerate(resources)],
            schema={"number": pl.UInt32, "kind": pl.String, "id": pl.String},
            orient="row",
        )
        owned = self._events.resources.join(wanted, on=["kind", "id"]).select("number", "eid").unique()
        rows = self._items_of(owned)
        states, titles = self._states.of(resources, owned)
        titles |= self._teller.titles(rows.unique("item")) if len(rows) else {}
        entries = self._entries(pl.concat([rows, states]), titles)
        return [Timeline(resource, entries.get(number, [])) for number, resource in enumerate(resources)]

    def _items_of(self, owned: pl.DataFrame) -> pl.DataFrame:
        """Items that concern the resources of `owned` (number, eid): columns of items and number."""
        mine = self._events.table.join(owned, on="eid", how="semi")
        names = set(mine["event"].unique().to_list())
        parts = []
        for name in sorted(names):
            rows = self._items.of(named(name), [])
            parts.append(rows.join(owned.rename({"eid": "open_eid"}), on="open_eid"))
        aside = set(self._catalog.intervals_tagged("aside"))
        for name, declared in self._catalog.intervals.items():
            if name not in aside and names & {c.event.text for c in (*declared.opens, *declared.of)}:
                rows = self._items.of(named(name), [])
                both = [rows.join(owned.rename({"eid": e}), on=e) for e in ("open_eid", "of_eid")]
                parts.append(pl.concat(both, how="diagonal").unique(["item", "number"]))
        empty = pl.DataFrame(schema={**SCHEMA, "number": pl.UInt32})
        return pl.concat([part.select(empty.columns) for part in parts]) if parts else empty

    def _entries(self, rows: pl.DataFrame, titles: dict[str, str]) -> dict[int, list[Entry]]:
        rows = rows.sort("number", "order", "is_point", "item")
        places = self._teller.places(pl.concat([rows["open_eid"], rows["close_eid"]]).drop_nulls().unique())
        behind = self._causes.behind(rows)
        found: dict[int, list[Entry]] = {}
        open_until: list[int] = []
        for row in rows.iter_rows(named=True):
            if row["number"] not in found:
                open_until = []
            entries = found.setdefault(row["number"], [])
            open_until = [end for end in open_until if end > row["start"]]
            kind = "event" if row["is_point"] else "interval"
            actor = self._teller.actor(row)
            cause = behind.get(row["family"], "")
            entries.append(
                Entry(
                    row["start"], row["end"], kind, row["of"], titles[row["item"]], actor, row["outcome"],
                    places.get(row["open_eid"], ""), places.get(row["close_eid"], ""), len(open_until),
                    cause if cause != actor.name else "",
                )
            )  # fmt: skip
            if not row["is_point"]:
                open_until.append(row["end"])
        return found
