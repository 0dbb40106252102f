"""Which template fits a message, and what stands in its fields: in bulk, and in linear time.

A template is literals with fields between them. Most messages are cut at the literals, from left to
right: that costs a fraction of a regular expression and finds the same places. Only where that does
not decide (a text that is not ASCII, an exception that may follow, a field of the wrong kind that
another cut might mend) the expression is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from logscope.language.template import BLANKS, EventTemplate, quote
from logscope.language.tree import PRIMITIVES, Field, Literal
from logscope.reading import TypeReader

# What an exception's name ends with: a message without these words has none behind it.
_THROWN = "Exception|Error|Throwable"
# For texts that are ASCII, so that short classes will do.
_WHOLE = {
    "int": "^-?[0-9]+$",
    "word": "^[^ \t\n\x0b\x0c\r]+$",
    "name": "^[A-Za-z0-9_.$-]+$",
    "uuid": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    "hex": "^[0-9a-fA-F]+$",
}
_GREEDY = ("int", "hex")
_DIGITS = frozenset("0123456789abcdefABCDEF")

Fitted = dict[str, list[pl.DataFrame]]
"""Per event the frames of its templates: row, a column per field, exception (its first line, or null)."""


class _Cuts:
    """How the message of a template is cut at its literals; the expressions are made once.

    `fields` are (name, type). A cut frame has a column `f0`, `f1` … for each, `whole`: whether all literals are
    there, and `fits`: whether also all fields of primitive types are of their kind.
    """

    def __init__(self, prefix: str, fields: Sequence[tuple[Field, str]]) -> None:
        self.fields = [(field.name, field.type) for field, _ in fields]
        rest = pl.col("rest")
        whole = [pl.col("message").str.starts_with(prefix) if fields else pl.col("message") == prefix]
        self._steps = [[pl.col("message").str.slice(len(prefix)).alias("rest")]]
        self._again = [*self._steps]
        for number, (_, literal) in enumerate(fields):
            column, at = f"f{number}", pl.col("at")
            if number < len(fields) - 1:
                self._steps.append([rest.str.find(literal, literal=True).alias("at")])
                self._steps.append([rest.str.head(at).alias(column), rest.str.slice(at + len(literal)).alias("rest")])
                whole.append(rest.is_not_null())
                found = rest.str.slice(at + 1).str.contains(literal, literal=True)
                self._again.append(self._steps[-2])
                self._again.append([found.alias(f"again{number}"), rest.str.slice(at + len(literal)).alias("rest")])
            else:
                whole.append(rest.str.ends_with(literal))
                self._steps.append([(rest.str.head(-len(literal)) if literal else rest).alias(column)])
        self._steps.append([pl.all_horizontal(whole).fill_null(False).alias("whole")])
        kinds = [
            pl.col(f"f{n}").str.contains(_WHOLE[kind]) for n, (_, kind) in enumerate(self.fields) if kind in _WHOLE
        ]
        self._steps.append([pl.all_horizontal(pl.col("whole"), *kinds).fill_null(False).alias("fits")])

    @classmethod
    def of(cls, template: EventTemplate) -> _Cuts | None:
        """The cuts of a template, None if its fields are not parted by literals that tell where they end."""
        parts = template.template.parts
        prefix = parts[0].text if parts and isinstance(parts[0], Literal) else ""
        rest = parts[1:] if prefix else parts
        fields = []
        for field, literal in zip(rest[::2], [*rest[1::2], Literal("")], strict=False):
            if not isinstance(field, Field) or not isinstance(literal, Literal):
                return None
            if field.type in _GREEDY and literal.text[:1] in _DIGITS:
                return None
            fields.append((field, literal.text))
        return cls(prefix, fields)

    def cut(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with their fields and `fits`."""
        return _in_steps(rows, self._steps)

    def again(self, rows: pl.DataFrame) -> pl.Series:
        """Which of some rows that are whole could be cut at another place too."""
        elsewhere = pl.any_horizontal(pl.lit(False), pl.col("^again[0-9]+$"))
        return _in_steps(rows, self._again).select(elsewhere).to_series()


def _in_steps(rows: pl.DataFrame, steps: Sequence[Sequence[pl.Expr]]) -> pl.DataFrame:
    frame = rows.lazy()
    for step in steps:
        frame = frame.with_columns(step)
    # There is nothing to optimise, and to look for it takes longer than the work on a small batch.
    return frame.collect(optimizations=pl.QueryOptFlags.none())


class Router:
    """Finds the most specific template of each message without trying all of them.

    Templates that begin with a literal are found by the message's beginning; the few that begin
    with a field by a literal inside it.
    """

    def __init__(self, templates: list[EventTemplate], reader: TypeReader) -> None:
        self._fitter = _Fitter(reader)
        self._inner = [t for t in templates if not t.prefix]
        prefixed = [t for t in templates if t.prefix]
        prefixes = sorted({t.prefix for t in prefixed}, key=lambda text: (-len(text), text))
        self._routes = {p: [t for t in prefixed if p.startswith(t.prefix)] for p in prefixes}
        self._prefix_regex = "^(" + "|".join(quote(p) for p in prefixes) + ")" if prefixes else ""
        self._inner_regex = "|".join(quote(t.literal) for t in self._inner)

    @property
    def likely(self) -> str:
        """An expression that every message contains that some template fits."""
        return "|".join(filter(None, (self._prefix_regex, self._inner_regex)))

    def route(self, messages: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """Fit messages (row, message); gives per event a frame: row, its fields, exception.

        Messages are read as `template.readings` says.
        """
        raw = messages["message"]
        text = raw.str.strip_chars_end(BLANKS)
        bare = messages.with_columns(text)
        out = self._route(bare)
        blank = raw.str.len_bytes() != text.str.len_bytes()
        if blank.any():
            fitted = pl.concat([pl.DataFrame(schema={"row": messages.schema["row"]}), *_rows(out)])
            left = bare.filter(blank).join(fitted, on="row", how="anti").with_columns(pl.col("message") + " ")
            for name, frames in self._route(left).items():
                out.setdefault(name, []).extend(frames)
        return {name: pl.concat(frames, how="diagonal") for name, frames in sorted(out.items())}

    def _route(self, messages: pl.DataFrame) -> Fitted:
        text = messages["message"]
        none = pl.Series([None] * len(text), dtype=pl.String)
        prefix = text.str.extract(self._prefix_regex, 1) if self._prefix_regex else none
        inner = text.str.contains(self._inner_regex) if self._inner_regex else none.is_not_null()
        plain = (text.str.len_bytes() == text.str.len_chars()) & ~text.str.contains(_THROWN)
        work = messages.with_columns(prefix.alias("prefix"), inner.alias("inner"), plain.alias("plain"))
        work = work.filter(prefix.is_not_null() | inner)
        out: Fitted = {}
        for (start, has_inner), rows in work.partition_by("prefix", "inner", as_dict=True).items():
            templates = self._routes.get(str(start), []) if start is not None else []
            if has_inner:
                templates = sorted([*templates, *self._inner], key=lambda t: (-t.shape.specificity, t.event, t.index))
            rest = rows.select("row", "message", "plain")
            for template in templates:
                if rest.is_empty():
                    break
                rest = self._fitter.fit(template, rest, out)
        return out


def _rows(fitted: Fitted) -> list[pl.DataFrame]:
    return [frame.select("row") for frames in fitted.values() for frame in frames]


class _Fitter:
    """Fits one template at a time; what has to be made of a template is made once."""

    def __init__(self, reader: TypeReader) -> None:
        self._reader = reader
        self._cuts: dict[tuple[str, int], _Cuts | None] = {}

    def fit(self, template: EventTemplate, rows: pl.DataFrame, out: Fitted) -> pl.DataFrame:
        """Add the rows (row, message, plain) that the template fits to `out`, give back the others."""
        key = (template.event, template.index)
        if key not in self._cuts:
            self._cuts[key] = _Cuts.of(template)
        cuts = self._cuts[key]
        plain = rows["plain"] if cuts is not None else pl.repeat(False, len(rows), eager=True)
        left = []
        if cuts is not None and plain.any():
            left.append(self._cut(template, cuts, rows if plain.all() else rows.filter(plain), out))
        if not plain.all():
            left.append(self._express(template, rows.filter(~plain) if plain.any() else rows, out))
        return left[0] if len(left) == 1 else pl.concat(left)

    def _cut(self, template: EventTemplate, cuts: _Cuts, rows: pl.DataFrame, out: Fitted) -> pl.DataFrame:
        cut = cuts.cut(rows)
        good = cut["fits"]
        for number, (_, kind) in enumerate(cuts.fields):
            if kind not in PRIMITIVES and good.any():
                candidates = cut[f"f{number}"].zip_with(good, pl.repeat(None, len(rows), dtype=pl.String, eager=True))
                good = good & self._reader.fits(kind, candidates).fill_null(False)
        _put(template.event, cut, [(name, f"f{n}") for n, (name, _) in enumerate(cuts.fields)], good, out)
        doubtful = cut["whole"] & ~good
        if not doubtful.any():
            return rows.filter(~good)
        # Cut at another place the texts may fit after all; only the exact expression can tell.
        asked = rows.filter(doubtful)
        again = cuts.again(asked)
        left = [rows.filter(~good & ~doubtful), asked.filter(~again)]
        if again.any():
            left.append(self._express(template, asked.filter(again), out, loosely=False))
        return pl.concat(left)

    def _express(
        self, template: EventTemplate, rows: pl.DataFrame, out: Fitted, *, loosely: bool = True
    ) -> pl.DataFrame:
        """Fit by regular expressions: a loose one first, which is cheap, the exact one where that is in doubt."""
        if loosely and not rows["message"].str.contains(template.literal, literal=True).any():
            return rows
        shape = template.loose if loosely else template.shape
        groups = rows["message"].str.extract_groups(shape.regex).struct.unnest()
        likely = groups["m"].is_not_null()
        if not likely.any():
            return rows
        fits = likely
        if loosely:
            for number, item in enumerate(shape.fields):
                if item.type not in PRIMITIVES:
                    fits = fits & self._reader.fits(item.type, groups[f"f{number}"]).fill_null(False)
        named = [(item.name, f"f{number}") for number, item in enumerate(shape.fields)]
        _put(template.event, pl.concat([rows.select("row"), groups], how="horizontal"), named, fits, out)
        doubtful = likely & ~fits
        if not doubtful.any():
            return rows.filter(~fits)
        rest = self._express(template, rows.filter(doubtful), out, loosely=False)
        return pl.concat([rows.filter(~likely), rest])


def _put(event: str, cut: pl.DataFrame, named: Sequence[tuple[str, str]], fits: pl.Series, out: Fitted) -> None:
    """Keep the rows that fit: their fields under their names, and the exception if there is a column of it."""
    if fits.any():
        thrown = pl.col("exception") if "exception" in cut.columns else pl.lit(None, pl.String).alias("exception")
        found = cut.filter(fits).select("row", *(pl.col(column).alias(name) for name, column in named), thrown)
        out.setdefault(event, []).append(found)
