"""Candidates to events: which template fits, what its fields hold, which resources it names.

Rows are handled in batches of some ten thousand candidates, so that the price of a regular
expression is paid once per batch and template, not once per line.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import polars as pl

from logscope.fitting import Router
from logscope.language.catalog import Catalog
from logscope.language.template import BLANKS, Compiler, event_templates, line_literals
from logscope.language.tree import PRIMITIVES, Event, Field
from logscope.model import EventSet
from logscope.reading import ALIAS, TypeReader

CORE = ("eid", "time", "source", "line", "server", "event", "level", "thread", "run", "job", "origin", "work", "logid")
_BATCH_ROWS = 100_000
_BATCH_BYTES = 48 << 20
_LINE_ENDS = f"(?m)[{BLANKS}]+$"
_NOT_FIELDS = ("row", "exception")


@dataclass(slots=True)
class _Parts:
    tables: list[pl.DataFrame] = field(default_factory=list)
    fields: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    resources: list[pl.DataFrame] = field(default_factory=list)
    aliases: list[pl.DataFrame] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    prints: list[pl.DataFrame] = field(default_factory=list)


class TextStore:
    """The original text of every event, compressed; unpacked only for those that are shown."""

    def __init__(self, blocks: list[bytes], bounds: list[int]) -> None:
        self._blocks, self._bounds = blocks, bounds

    def texts(self, eids: list[int]) -> dict[int, str]:
        """Original records (header line and the lines below it) by event id."""
        wanted = pl.Series(sorted(set(eids)), dtype=pl.UInt32)
        found: dict[int, str] = {}
        for number, block in enumerate(self._blocks):
            first = self._bounds[number - 1] if number else 0
            mine = wanted.filter((wanted >= first) & (wanted < self._bounds[number]))
            if len(mine):
                frame = pl.read_ipc(io.BytesIO(block)).filter(pl.col("eid").is_in(mine.implode()))
                found.update(
                    (eid, text if tail is None else f"{text}\n{tail}") for eid, text, tail in frame.iter_rows()
                )
        return found


@dataclass(slots=True)
class Extraction:
    """Everything extracted, before resources are made one (`identity` does that).

    `aliases`: kind, alias, id (or null), label; what each text said about one resource.
    `resources` of `events` has id (or null) and alias (or null) instead of a canonical id.
    `prints`: eid, print (u64); equal where two records say the same, whoever copied them; empty for a lone source.
    """

    events: EventSet
    aliases: pl.DataFrame
    texts: TextStore
    unknown: int
    prints: pl.DataFrame

    def without(self, eids: pl.Series) -> Extraction:
        """The same without some events."""
        gone, events = eids.implode(), self.events

        def rest(frame: pl.DataFrame) -> pl.DataFrame:
            return frame.filter(~pl.col("eid").is_in(gone))

        table = rest(events.table).drop("order").with_row_index("order")
        fields = {name: left for name, frame in events.fields.items() if len(left := rest(frame))}
        return replace(self, events=EventSet(table, fields, rest(events.resources)), prints=rest(self.prints))


class Extractor:
    """Collects candidates of any number of sources and turns them into events.

    `events` None asks for every event of the catalog; `paths` None keeps every field, else only those
    field paths; `needles` are texts of which a line of an event must contain one to be asked for;
    `is_alone` says that there is one source, so that no other can hold the same records.
    """

    def __init__(
        self,
        catalog: Catalog,
        events: Collection[str] | None,
        paths: Collection[str] | None = None,
        needles: Mapping[str, Collection[str]] = MappingProxyType({}),
        *,
        is_alone: bool = False,
    ) -> None:
        self._catalog = catalog
        self._is_alone = is_alone
        self._paths = paths
        self._templates = event_templates(catalog, events)
        self.literals = line_literals(self._templates, needles)
        self._reader = TypeReader(catalog)
        self._router = Router(self._templates, self._reader)
        self._insides = {
            name: [(i.place.text, Compiler(catalog).shape(i.template, anchored=False)) for i in event.insides]
            for name, event in catalog.events.items()
            if event.insides and (events is None or name in events)
        }
        self._parts = _Parts()
        self._pending: list[pl.DataFrame] = []
        self._pending_rows = self._pending_bytes = 0
        self._next = 0
        self.unknown = 0

    def add(self, records: pl.DataFrame) -> None:
        """Take records (with header fields, source, server, line, text, tail, message)."""
        self._pending.append(records)
        self._pending_rows += len(records)
        self._pending_bytes += int(records["text"].str.len_bytes().sum())
        if self._pending_rows >= _BATCH_ROWS or self._pending_bytes >= _BATCH_BYTES:
            self._flush()

    def finish(self) -> Extraction:
        """Everything added so far, in order; nothing of it is kept here."""
        self._flush()
        parts, self._parts = self._parts, _Parts()
        if parts.tables:
            table = pl.concat(parts.tables).sort("time", "server", "source", "line").with_row_index("order")
        else:
            table = pl.DataFrame(schema=_TABLE_SCHEMA).with_row_index("order")
        resources = pl.concat(parts.resources) if parts.resources else pl.DataFrame(schema=_RESOURCE_SCHEMA)
        aliases = pl.concat(parts.aliases).unique() if parts.aliases else pl.DataFrame(schema=_ALIAS_SCHEMA)
        fields = {name: pl.concat(frames, how="diagonal") for name, frames in parts.fields.items()}
        prints = pl.concat(parts.prints) if parts.prints else pl.DataFrame(schema=_PRINT_SCHEMA)
        texts = TextStore(parts.texts, parts.bounds)
        return Extraction(EventSet(table, fields, resources), aliases, texts, self.unknown, prints)

    def _flush(self) -> None:
        if not self._pending:
            return
        batch = pl.concat(self._pending).with_row_index("row")
        self._pending, self._pending_rows, self._pending_bytes = [], 0, 0
        fitted = self._router.route(batch.select("row", "message"))
        if not fitted:
            self.unknown += len(batch)
            return
        chosen = pl.concat([frame.select("row", pl.lit(name).alias("event")) for name, frame in fitted.items()])
        table = batch.join(chosen, on="row", how="inner").sort("row")
        self.unknown += len(batch) - len(table)
        table = table.with_columns((pl.int_range(pl.len(), dtype=pl.UInt32) + self._next).alias("eid"))
        self._next += len(table)
        self._parts.tables.append(_compact(table.select(CORE).cast(_TABLE_SCHEMA)))  # type: ignore[arg-type]
        if not self._is_alone:
            said = pl.struct("level", "thread", "run", "job", "logid", pl.col("message").str.strip_chars_end(BLANKS))
            self._parts.prints.append(table.select("eid", said.hash().alias("print")))
        block = io.BytesIO()
        table.select("eid", "text", "tail").write_ipc(block, compression="zstd")
        self._parts.texts.append(block.getvalue())
        self._parts.bounds.append(self._next)
        ids = table.select("row", "eid", "tail")
        frames = {name: self._look_inside(name, frame.join(ids, on="row")) for name, frame in fitted.items()}
        self._read_types(frames)

    def _look_inside(self, event: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Fill the fields of the event's `inside` clauses; the first that fits wins."""
        for place, shape in self._insides.get(event, ()):
            if place == "exception":
                below = pl.col("tail").fill_null("").str.replace_all(_LINE_ENDS, "")
                text = pl.concat_str(pl.col("exception").fill_null(""), below, separator="\n")
            elif place in frame.columns:
                text = pl.col(place)
            else:
                continue
            groups = frame.select(text.alias("t"))["t"].str.extract_groups(shape.regex).struct.unnest()
            new = []
            for number, item in enumerate(shape.fields):
                found = groups[f"f{number}"].alias(item.name)
                if item.name in frame.columns:
                    found = frame[item.name].fill_null(found)
                new.append(found)
            frame = frame.with_columns(new)
        return frame

    def _read_types(self, frames: dict[str, pl.DataFrame]) -> None:
        typed: dict[str, list[tuple[str, str]]] = {}
        for name, frame in frames.items():
            for column, type_name in _typed_fields(self._catalog.events[name]).items():
                if column in frame.columns:
                    typed.setdefault(type_name, []).append((name, column))
        for type_name, places in typed.items():
            texts = pl.concat([frames[name][column].alias("text") for name, column in places])
            below = self._reader.read(type_name, texts)
            self._learn(below)
            kept = [c for c in below.columns if c[0] != ALIAS]
            alias = pl.coalesce([pl.col(c) for c in below.columns if c[0] == ALIAS] or [pl.lit(None, pl.String)])
            below = below.select(*kept, alias.alias(ALIAS))
            for name, column in places:
                renamed = below.select(
                    pl.col("text").alias(column),
                    *(pl.col(c).alias(f"{column}.{c}") for c in below.columns if c != "text"),
                )
                frames[name] = frames[name].join(renamed, on=column, how="left")
        for name, frame in frames.items():
            self._keep(name, frame)

    def _learn(self, below: pl.DataFrame) -> None:
        for column in (c for c in below.columns if c[0] == ALIAS):
            said = below.filter(pl.col("kind") != "", pl.col(column).is_not_null())
            if len(said):
                self._parts.aliases.append(said.select("kind", pl.col(column).alias("alias"), "id", "label").unique())
        said = below.filter(pl.col("kind") != "", pl.col("label").is_not_null(), pl.col("id").is_not_null())
        if len(said):
            self._parts.aliases.append(said.select("kind", pl.lit("").alias("alias"), "id", "label").unique())

    def _keep(self, name: str, frame: pl.DataFrame) -> None:
        for kind in [c for c in frame.columns if c.endswith(".kind")]:
            path = kind.removesuffix(".kind")
            have = set(frame.columns)
            rows = frame.filter(pl.col(kind) != "").select(
                "eid",
                pl.lit(path).alias("field"),
                pl.col(kind).alias("kind"),
                pl.col(f"{path}.id").alias("id"),
                (pl.col(f"{path}.{ALIAS}") if f"{path}.{ALIAS}" in have else pl.lit(None, pl.String)).alias("alias"),
            )
            rows = rows.filter(pl.col("id").is_not_null() | pl.col("alias").is_not_null())
            if len(rows):
                self._parts.resources.append(_compact(rows))
        for about in self._catalog.events[name].abouts:
            given = [pl.lit(about.kind.text).alias("field"), pl.lit(about.kind.text).alias("kind")]
            ids = [pl.lit(about.id.text).alias("id"), pl.lit(None, pl.String).alias("alias")]
            self._parts.resources.append(frame.select("eid", *given, *ids))
        dropped = {*_NOT_FIELDS, "tail", "eid"}
        kept = [
            c
            for c in frame.columns
            if c not in dropped and ALIAS not in c and not c.endswith((".kind", ".label"))
            if self._paths is None or c in self._paths
        ]
        if kept:
            self._parts.fields.setdefault(name, []).append(_compact(frame.select("eid", *kept)))


def _compact(frame: pl.DataFrame) -> pl.DataFrame:
    """The same in memory of its own: texts that were cut out of lines keep all lines of their batch alive."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(pl.concat_str(name, pl.lit("")).alias(name) for name in texts)


def _typed_fields(event: Event) -> dict[str, str]:
    templates = [m.template for m in event.matches] + [i.template for i in event.insides]
    return {
        part.name: part.type
        for template in templates
        for part in template.parts
        if isinstance(part, Field) and part.type not in PRIMITIVES
    }


_TABLE_SCHEMA = {
    "eid": pl.UInt32, "time": pl.Int64, "source": pl.UInt32, "line": pl.UInt32, "server": pl.String,
    "event": pl.String, "level": pl.String, "thread": pl.String, "run": pl.String, "job": pl.Int64,
    "origin": pl.Int64, "work": pl.Int64, "logid": pl.String,
}  # fmt: skip
_RESOURCE_SCHEMA = {"eid": pl.UInt32, "field": pl.String, "kind": pl.String, "id": pl.String, "alias": pl.String}
_PRINT_SCHEMA = {"eid": pl.UInt32, "print": pl.UInt64}
_ALIAS_SCHEMA = {"kind": pl.String, "alias": pl.String, "id": pl.String, "label": pl.String}
