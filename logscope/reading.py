"""Takes the texts of typed fields apart: once per distinct text, in bulk.

A text such as `Network {"id": 209, "name": "a", …}` gives a kind, an id, its fields, a label and the
aliases by which other lines may call the same resource.
"""

from __future__ import annotations

import polars as pl

from logscope.language.catalog import Catalog
from logscope.language.template import TypeShape, type_shapes
from logscope.language.tree import PRIMITIVES

_MOST_KNOWN = 200_000  # texts of a type; a bound for memory only
ALIAS = "@"  # columns of aliases are called "@uuid"; a field name cannot hold this sign


class _Known:
    """The texts of one type that were read before, and where in `frame` each stands."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._frame = pl.DataFrame({name: pl.Series([], dtype=pl.String) for name in ("text", "kind", "id", "label")})

    def add(self, read: pl.DataFrame) -> None:
        """Add texts that are new, with what was read in them."""
        for place, text in enumerate(read["text"], len(self.places)):
            self.places[text] = place
        self._frame = pl.concat([self._frame, read], how="diagonal", rechunk=True)

    def rows(self, places: list[int]) -> pl.DataFrame:
        """The rows at some places, without those texts that nothing fits."""
        return self._frame[pl.Series(places, dtype=pl.UInt32)].filter(pl.col("kind").is_not_null())


class TypeReader:
    """Reads texts of the declared types of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._shapes: dict[str, list[TypeShape]] = {}
        self._known: dict[str, _Known] = {}

    def read(self, type_name: str, texts: pl.Series) -> pl.DataFrame:
        """Read distinct texts of one type.

        Gives one row per text that fits: text, kind ("" for no resource), id (or null), label (or
        null), one column per field path below the type, and one per alias ("@uuid" …).
        """
        known = self._known.get(type_name)
        if known is None or len(known.places) > _MOST_KNOWN:
            known = self._known[type_name] = _Known()
        asked = texts.drop_nulls().unique(maintain_order=True)
        new = asked.filter(pl.Series([text not in known.places for text in asked], dtype=pl.Boolean))
        if len(new):
            known.add(self._read(type_name, new.alias("text").to_frame()))
        return known.rows([known.places[text] for text in asked])

    def fits(self, type_name: str, texts: pl.Series) -> pl.Series:
        """Which texts some rendering of the type fits."""
        return texts.is_in(self.read(type_name, texts)["text"].implode())

    def _read(self, type_name: str, rest: pl.DataFrame) -> pl.DataFrame:
        """Read new texts; those that nothing fits are kept without a kind, so as not to be tried again."""
        if type_name not in self._shapes:
            self._shapes[type_name] = type_shapes(self._catalog, type_name)
        parts = []
        for shape in self._shapes[type_name]:
            if rest.is_empty():
                break
            groups = rest["text"].str.extract_groups(shape.shape.regex).struct.unnest()
            fits = groups["m"].is_not_null()
            if not fits.any():
                continue
            parts.append(self._take_apart(type_name, shape, rest.filter(fits), groups.filter(fits)))
            rest = rest.filter(~fits)
        none = pl.lit(None, pl.String)
        parts.append(rest.select("text", none.alias("kind"), none.alias("id"), none.alias("label")))
        return pl.concat(parts, how="diagonal")

    def _take_apart(self, type_name: str, shape: TypeShape, texts: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
        declared = self._catalog.types[type_name]
        frame = texts.with_columns(groups[f"f{i}"].alias(f.name) for i, f in enumerate(shape.shape.fields))
        key = declared.key.text if declared.key else "id"
        inner_ids: list[str] = []
        for item in shape.shape.fields:
            if item.type in PRIMITIVES:
                continue
            below = self.read(item.type, frame[item.name])
            renamed = {c: f"{item.name}.{c}" for c in below.columns if c not in ("text", "label") and c[0] != ALIAS}
            is_same = self._inner_kind(item.type) in (shape.kind, "none")
            # What wraps another text of its own kind (or a mere name) is called by the inner one's aliases.
            aliases = [c for c in below.columns if c[0] == ALIAS and is_same and c not in frame.columns]
            below = below.select(
                pl.col("text").alias(item.name), *(pl.col(a).alias(b) for a, b in renamed.items()), *aliases
            )
            frame = frame.join(below, on=item.name, how="left")
            if is_same and f"{item.name}.id" in frame.columns:
                inner_ids.append(f"{item.name}.id")
        ids = [pl.col(key)] if key in frame.columns else [pl.col(c) for c in inner_ids]
        wanted = [a.text for a in declared.aliases] or ["uuid"]
        label = declared.label.text if declared.label else ""
        return frame.with_columns(
            pl.lit(shape.kind).alias("kind"),
            (pl.coalesce(ids) if ids else pl.lit(None, pl.String)).alias("id"),
            (pl.col(label) if label in frame.columns else pl.lit(None, pl.String)).alias("label"),
            *(pl.col(a).alias(ALIAS + a) for a in wanted if a in frame.columns),
        )

    def _inner_kind(self, type_name: str) -> str:
        declared = self._catalog.types[type_name]
        return declared.kind.text if declared.kind else declared.name.text
