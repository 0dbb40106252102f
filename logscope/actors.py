"""Who acts: runs of threads, the job family they belong to, and what people call them."""

from __future__ import annotations

import re
from functools import lru_cache

import polars as pl

from logscope.frames import choose
from logscope.language.catalog import Catalog
from logscope.language.template import Compiler
from logscope.model import EventSet

ACTOR = ("server", "thread", "run")


def with_families(events: EventSet, catalog: Catalog) -> EventSet:
    """Add the column `family` to the table: one text per API job with all that works for it.

    A job belongs to its origin, a run of a thread to its job, and a job to the actor that submitted it
    (events with the tag `submits`), whatever the job's own number says: jobs made by background tasks
    have an origin that never logs.
    """
    table = events.table
    sets: dict[str, str] = {}

    def find(node: str) -> str:
        path = []
        while (up := sets.get(node, node)) != node:
            path.append(node)
            node = up
        for item in path:
            sets[item] = node
        return node

    def union(one: str, two: str) -> None:
        low, high = sorted((find(one), find(two)))
        sets[high] = low

    runs = table.select(*ACTOR, "job", "origin").unique().filter(pl.col("job").is_not_null()).sort(*ACTOR, "job")
    for server, thread, run, job, origin in runs.iter_rows():
        if run:
            union(_actor_node(server, thread, run), f"job-{job}")
        if origin is not None:
            union(f"job-{job}", f"job-{origin}")
    submits = table.filter(pl.col("event").is_in(catalog.events_tagged("submits")))
    jobs = events.resources.filter(pl.col("kind") == "job").select("eid", "id")
    submitted = submits.join(jobs, on="eid").select(*ACTOR, "job", "id").unique().sort(*ACTOR, "id")
    for server, thread, run, job, child in submitted.iter_rows():
        # A thread without a context does many things in turn; what it submits has nothing in common.
        if job is not None or run:
            parent = f"job-{job}" if job is not None else _actor_node(server, thread, run)
            union(parent, f"job-{child}")
    keys = table.select(*ACTOR, "job").unique()
    families = [
        find(f"job-{job}" if job is not None else _actor_node(server, thread, run))
        for server, thread, run, job in keys.iter_rows()
    ]
    keys = keys.with_columns(pl.Series("family", families, dtype=pl.String))
    table = table.join(keys, on=[*ACTOR, "job"], how="left", nulls_equal=True).sort("order")
    return EventSet(table, events.fields, events.resources)


def _actor_node(server: str, thread: str, run: str) -> str:
    return f"{server}|{thread}|{run}"


@lru_cache(maxsize=1024)
def _threads(catalog: Catalog, name: str) -> list[re.Pattern[str]]:
    """What the threads of a declared actor are called."""
    compiler = Compiler(catalog)
    return [re.compile(compiler.shape(template).regex) for template in catalog.actors[name].threads]


class ActorNames:
    """Names actors by the grammars' `actor` declarations."""

    def __init__(self, events: EventSet, catalog: Catalog) -> None:
        self._titles = {name: item.title.text for name, item in catalog.actors.items()}
        self._known: dict[tuple[str, str, str, int | None, int | None], str] = {}
        about = events.resources.filter(pl.col("kind") != "job").unique("eid", keep="first", maintain_order=True)
        self._threads = [
            (name, t) for name, a in catalog.actors.items() if not a.doing for t in _threads(catalog, name)
        ]
        self._doing: dict[tuple[str, str, str], tuple[str, int]] = {}
        self._about: dict[tuple[str, str, str], str] = {}
        for name, actor in catalog.actors.items():
            chosen = choose(events, actor.doing)
            if chosen.is_empty():
                continue
            shapes = _threads(catalog, name)
            rows = chosen.select("eid").join(events.table, on="eid")
            first = rows.filter(pl.col("run") != "").sort("order").unique(ACTOR, keep="first", maintain_order=True)
            first = first.join(about.select("eid", "kind", "id"), on="eid", how="left").sort("order")
            for server, thread, run, order, kind, id in first.select(*ACTOR, "order", "kind", "id").iter_rows():
                key = (server, thread, run)
                known = self._doing.get(key)
                is_named = not shapes or any(shape.match(thread) for shape in shapes)
                if is_named and (known is None or order < known[1]):
                    self._doing[key] = (name, order)
                    self._about[key] = f"{kind} {id}" if kind is not None else ""

    def name(self, server: str, thread: str, run: str, job: int | None, origin: int | None) -> str:
        """What people call this actor, such as `VM start (job-4251 of job-4248, vm 612)`."""
        who = (server, thread, run, job, origin)
        if who not in self._known:
            self._known[who] = self._name(server, thread, run, job, origin)
        return self._known[who]

    def title(self, server: str, thread: str, run: str) -> str:
        """What people call whatever acts as this actor does, such as `VM start`."""
        if (doing := self._doing.get((server, thread, run))) is not None:
            return self._titles[doing[0]]
        return next((self._titles[name] for name, shape in self._threads if shape.match(thread)), thread)

    def _name(self, server: str, thread: str, run: str, job: int | None, origin: int | None) -> str:
        title = self.title(server, thread, run)
        if job is None:
            return f"{title}, {thread}" if title != thread else thread
        about = self._about.get((server, thread, run), "")
        details = [f"job-{job}" + (f" of job-{origin}" if origin is not None else ""), about]
        return f"{title} ({', '.join(d for d in details if d)})"
