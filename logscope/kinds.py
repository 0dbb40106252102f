"""Which kind of file it is, by what stands at its beginning. What kinds there are is said in the grammars."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl

from logscope.language import tree
from logscope.language.catalog import Catalog
from logscope.language.template import BLANKS, Compiler, quote
from logscope.records import NO_HEADER, parse_headers, sniff

_LOOKED_AT = 200  # records


@dataclass(frozen=True, slots=True)
class _Signs:
    """What speaks for one source: expressions by the column of the records that they are held against."""

    name: str
    family: str
    signs: dict[str, list[str]]

    def speak(self, column: str, texts: pl.Series) -> pl.Series:
        """Which of the texts of a column speak for the source."""
        said = pl.repeat(False, len(texts), dtype=pl.Boolean, eager=True)
        for sign in self.signs[column]:
            said |= texts.str.contains(sign)
        return said


class Kinds:
    """Tells the kinds of files that a catalog declares."""

    def __init__(self, catalog: Catalog) -> None:
        compiler = Compiler(catalog)
        self._sources = catalog.sources
        self._signs = [_signs(source, compiler) for source in catalog.sources.values()]

    def of(self, head: bytes) -> str:
        """The kind of a file by its first bytes; "" if nothing in them speaks for any."""
        form = sniff(head)
        if form is NO_HEADER:
            return ""
        lines = pl.DataFrame({"text": head.decode("utf-8", "replace").splitlines()}, schema={"text": pl.String})
        records = (
            parse_headers(lines, form).head(_LOOKED_AT).with_columns(pl.col("message").str.strip_chars_end(BLANKS))
        )
        votes: Counter[str] = Counter()
        undecided = pl.repeat(True, len(records), dtype=pl.Boolean, eager=True)
        for column in ("message", "logger", "thread"):
            said = {
                one.name: undecided & one.speak(column, records[column])
                for one in self._signs
                if one.family == form.family
            }
            for name, records_of_it in said.items():
                votes[name] += int(records_of_it.sum())
                undecided = undecided & ~records_of_it
        best = max(self._sources, key=lambda name: votes[name], default="")
        return best if votes[best] else ""

    def writer(self, kind: str) -> str:
        """The kind of file whose writer writes those of this kind too; itself if it has one of its own."""
        declared = self._sources.get(kind)
        return declared.writer.text if declared and declared.writer else kind

    def is_gmt(self, kind: str) -> bool:
        """Whether files of this kind are written in GMT, whatever the zone of their machine is."""
        declared = self._sources.get(kind)
        return declared is not None and declared.zone is not None

    def names(self) -> list[str]:
        """All kinds, in the order of their declaration."""
        return list(self._sources)


def _signs(source: tree.Source, compiler: Compiler) -> _Signs:
    packages = "|".join(quote(name.text) for name in source.loggers)
    return _Signs(
        source.name.text,
        source.header.text if source.header else "log4j",
        {
            "message": [compiler.shape(match.template).regex for match in source.matches],
            "logger": [rf"^(?:{packages})(?:\.|$)"] if packages else [],
            "thread": [compiler.shape(thread).regex for thread in source.threads],
        },
    )
