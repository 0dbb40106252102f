"""Finds the messages behind texts that differ in names: which parts of them are fixed, and which vary.

Drain groups the masked messages of a log; what is common to a group is found here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from logscope.coverage import CUT, PLACEHOLDER, Covered

MOST_MINED = 20_000  # distinct masked messages, the commonest
_MOST_EXAMPLES = 20  # of one message, to see what varies
_DEPTH, _SIMILARITY, _CHILDREN = 5, 0.6, 100
_HOLE = "<*>"


@dataclass(frozen=True, slots=True)
class Example:
    """One record of a message: its first line, and where it stands (`SOURCE:LINE`)."""

    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message that no template fits. `parts` are its fixed texts and None for what varies, in turns or not.

    `is_cut`: it goes on behind the last part. `logger` is the class alone.
    """

    parts: tuple[str | None, ...]
    is_cut: bool
    logger: str
    count: int
    examples: tuple[Example, ...]

    @property
    def text(self) -> str:
        """The message for people, with `<*>` for what varies."""
        return "".join(_HOLE if part is None else part for part in self.parts) + (" …" if self.is_cut else "")


@dataclass(frozen=True, slots=True)
class Mined:
    """The messages, the commonest first. `left` records are of messages too rare to be looked into.

    `is_joined` is False where Drain is not installed: messages that differ in names then stand apart.
    """

    messages: list[Message]
    left: int
    is_joined: bool


def mine(covered: Covered) -> Mined:
    """Find the messages among the unknown records of a log."""
    rows = covered.unknown.head(MOST_MINED)
    classes = rows["logger"].str.extract(r"([^.$]*)(?:\$[^.]*)?$").fill_null("")
    groups, is_joined = _grouped(classes.to_list(), rows["mask"].to_list())
    numbered = rows.with_columns(pl.Series("group", groups, dtype=pl.UInt32), classes.alias("class"))
    found = []
    for members in numbered.partition_by("group", maintain_order=True):
        found.append(_message(members, covered))
    found.sort(key=lambda message: (-message.count, message.logger, message.text))
    left = covered.rare + int(covered.unknown["count"].sum()) - int(rows["count"].sum())
    return Mined(found, left, is_joined)


def _grouped(classes: Sequence[str], masks: Sequence[str]) -> tuple[list[int], bool]:
    """A number for each mask, the same for those of one message."""
    try:
        from drain3.drain import Drain
    except ImportError:
        return list(range(len(masks))), False
    miner = Drain(_DEPTH, _SIMILARITY, _CHILDREN, parametrize_numeric_tokens=False)
    # The class stands first, so that messages of two are never joined.
    texts = [f"{name or '-'} {mask}" for name, mask in zip(classes, masks, strict=True)]
    return [miner.add_log_message(text)[0].cluster_id for text in texts], True


def _message(members: pl.DataFrame, covered: Covered) -> Message:
    shown = members.head(_MOST_EXAMPLES)
    is_cut = any(mask.endswith(CUT) for mask in shown["mask"])
    places = shown.select("source", "line", "text").iter_rows()
    examples = tuple(Example(text, f"{covered.sources[source].name}:{line}") for source, line, text in places)
    parts = _parts(shown["mask"].to_list(), is_cut)
    return Message(parts, is_cut, members["class"][0], int(members["count"].sum()), examples)


def _parts(masks: Sequence[str], is_cut: bool) -> tuple[str | None, ...]:
    """What is common to masked messages of as many words each, and None for what is not."""
    # A word, a blank, a word …: words stand at even places. The last word of a message that is cut may be half a one.
    rows = [re.split(r"(\s+)", mask.removesuffix(CUT)) for mask in masks]
    words = len(rows[0]) - 2 if is_cut and len(rows[0]) > 2 else len(rows[0])
    found = ""
    for place in range(words):
        column = [row[place] if place < len(row) else "" for row in rows]
        found += column[0] if place % 2 or len(set(column)) == 1 else _common(column)
    return tuple(None if part[0] == PLACEHOLDER else part for part in re.split(f"({PLACEHOLDER}+)", found) if part)


def _common(words: Sequence[str]) -> str:
    """The signs that all words begin and end with, around a placeholder."""
    left = _beginning(words)
    right = _beginning([word[len(left) :][::-1] for word in words])[::-1]
    return f"{left}{PLACEHOLDER}{right}"


def _beginning(words: Sequence[str]) -> str:
    """What all words begin with, as far as the last sign in it that is neither letter nor digit."""
    first, last = min(words), max(words)
    same = next((at for at, (one, two) in enumerate(zip(first, last, strict=False)) if one != two), len(first))
    return re.sub(rf"[\w{PLACEHOLDER}]*$", "", first[:same])
