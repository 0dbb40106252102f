"""States of resources that follow from events, and events that a resource's state does not allow.

A machine of a grammar says which events lead from which state to which. Where the log does not tell the states
themselves, they are inferred; and whether it does or not, an event out of order is worth a look.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from logscope.correlate import Horizon
from logscope.demand import PLACE
from logscope.explain import Teller
from logscope.frames import choose
from logscope.items import SCHEMA, Items, named
from logscope.language.tree import Edge, Machine
from logscope.model import EventSet, Resource

Row = dict[str, Any]


@dataclass(slots=True)
class _Course:
    """How one resource went through the states of one machine: rows as items, with their titles."""

    rows: list[Row] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row, title: str) -> None:
        self.rows.append(row)
        self.titles[row["item"]] = title


class States:
    """The states of resources in one log, by machines all of whose events were looked for in it."""

    def __init__(
        self, events: EventSet, machines: Iterable[Machine], items: Items, teller: Teller, horizon: Horizon
    ) -> None:
        self._events, self._machines, self._items, self._teller = events, tuple(machines), items, teller
        self._last = max(horizon.last.values(), default=0)

    def of(self, resources: Sequence[Resource], owned: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, str]]:
        """The states of resources, and the events that they did not allow: rows, and their titles by `item`.

        `owned` has the `number` of a resource (in their order) and the `eid` of an event about it. The rows have
        the columns of `items.SCHEMA` and `number`: a state is an interval from event to event, of machines with a
        title only; an event out of order is a point.
        """
        rows: list[Row] = []
        titles: dict[str, str] = {}
        for machine in self._machines:
            kind = (machine.kind or machine.name).text
            numbers = [number for number, resource in enumerate(resources) if resource.kind == kind]
            if not numbers:
                continue
            mine = owned.filter(pl.col("number").is_in(numbers))
            moves = self._moves(machine, mine)
            told = self._teller.titles(moves) if len(moves) else {}
            for (number,), course in moves.partition_by("number", as_dict=True, maintain_order=True).items():
                found = self._course(machine, resources[int(number)], course, told)
                rows += [{**row, "number": number} for row in found.rows]
                titles |= found.titles
        return pl.DataFrame(rows, schema={**SCHEMA, "number": pl.UInt32}), titles

    def _moves(self, machine: Machine, owned: pl.DataFrame) -> pl.DataFrame:
        """The events of a machine about the resources: items in order, `number`, and the `edges` that each fits."""
        fits = [
            choose(self._events, edge.choices).select("eid", pl.lit(index).alias("edge"))
            for index, edge in enumerate(machine.edges)
        ]
        edges = pl.concat(fits).join(owned.select("eid").unique(), on="eid", how="semi")
        edges = edges.group_by("eid").agg(pl.col("edge").sort().alias("edges"))
        names = dict.fromkeys(choice.event.text for edge in machine.edges for choice in edge.choices)
        parts = [self._items.of(named(name), []).rename({"open_eid": "eid"}) for name in names]
        rows = pl.concat(parts).join(owned, on="eid").join(edges, on="eid", how="left")
        return rows.rename({"eid": "open_eid"}).sort("number", "order", "item")

    def _course(self, machine: Machine, resource: Resource, moves: pl.DataFrame, told: dict[str, str]) -> _Course:
        course = _Course()
        state, since = "", None
        for row in moves.iter_rows(named=True):
            edges = [machine.edges[index] for index in row["edges"] or ()]
            allowed = [edge for edge in edges if not state or any(state == source.text for source in edge.sources)]
            if not allowed:
                was = _called(machine, resource, state) if state else f"{resource} is in no known state"
                what = "out of order" if edges else "no such change is known"
                course.add(_point(machine, row), f"{told[row['item']]}: {what}, {was}")
            after = _target(allowed or edges)
            if after in ("", state):
                continue
            if since is not None:
                self._close(course, machine, resource, state, since, row)
            state, since = after, row
        if since is not None:
            self._close(course, machine, resource, state, since, None)
        return course

    def _close(
        self, course: _Course, machine: Machine, resource: Resource, state: str, since: Row, until: Row | None
    ) -> None:
        if machine.title is None:
            return
        end = max(self._last, since["start"]) if until is None else until["start"]
        row = {
            **_only(since),
            "item": f"state {machine.name.text} {resource} {since['order']}",
            "of": machine.name.text,
            "is_point": False,
            "end": end,
            "outcome": "closed" if until else "cut-by-end",
            "close_eid": until["open_eid"] if until else None,
        }
        course.add(row, _called(machine, resource, state))


def _target(edges: Sequence[Edge]) -> str:
    """Where edges lead, if all lead to one state."""
    targets = {edge.target.text for edge in edges}
    return targets.pop() if len(targets) == 1 else ""


def _called(machine: Machine, resource: Resource, state: str) -> str:
    if machine.title is None:
        return f"{resource} is {state}"
    values = {"id": resource.id, "state": state}
    return PLACE.sub(lambda place: values.get(place[1], "?"), machine.title.text)


def _point(machine: Machine, row: Row) -> Row:
    return {**_only(row), "item": f"state {machine.name.text} {row['item']}"}


def _only(row: Row) -> Row:
    return {column: row[column] for column in SCHEMA}
