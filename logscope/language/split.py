"""Cuts the text of a grammar file into declarations and their clauses, without looking into them.

A declaration begins at column one with one of the words of `CLAUSES`; a clause begins with a
clause word at the beginning of a line and takes the lines that continue it. Every piece of text
is a `Body`, which knows where in the file it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from difflib import get_close_matches

from logscope.errors import Diagnostic, Span
from logscope.language.tree import RELATIONS

# The clause words of every declaration, in the canonical order.
CLAUSES: dict[str, tuple[str, ...]] = {
    "type": ("kind", "key", "alias", "label", "match"),
    "event": ("title", "logger", "level", "tag", "match", "inside", "about", "takes", "sample", "expect"),
    "interval": ("title", "tag", "opens", "closes", "of", "same", "nested", "limit"),
    "actor": ("title", "thread", "doing"),
    "rule": (
        "title", "severity", "find", "when", "without", "count", "proves", "chances", "controls", "period", "slack",
        "yields", "because", "refuted", "blind", "remedy", "beware", "affects", "fixed", "refs", "fires", "quiet",
    ),
    "source": ("title", "header", "zone", "writer", "logger", "thread", "match", "sample"),
    "machine": ("title", "kind", "edge"),
}  # fmt: skip
# Clauses of which each says a thing of its own; a repeated clause of another word goes on with the first.
REPEATED = frozenset((
    "match", "inside", "about", "takes", "sample", "thread", "without", "count", "proves", "edge",
    "refuted", "blind", "remedy", "beware", "fires", "quiet",
))  # fmt: skip
# Clauses that may stand only once.
SINGLE = frozenset((
    "kind", "key", "label", "title", "level", "same", "nested", "limit", "severity", "when", "chances", "period",
    "slack", "yields", "because", "affects", "fixed", "header", "zone", "writer",
))  # fmt: skip
_ALL = frozenset(word for clauses in CLAUSES.values() for word in clauses)
# Words that continue a clause when a line begins with them.
_CONTINUES = frozenset((
    "and", "or", "where", "within", "same", "other", "means", "at", "from", "in", "is", "ends", "on", *RELATIONS,
))  # fmt: skip
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_BINDS = re.compile(r"[\w-]+[ \t]*=")
_GOES_ON = re.compile(r"(?:[,=(>]|\b(?:and|or|where|within|same|other|means|from|in|on))[ \t]*$")


class Text:
    """The text of one file with the places of its lines."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def span(self, start: int, length: int) -> Span:
        """The span of `length` characters from offset `start`; it ends with its line at the latest."""
        line = bisect_right(self._starts, start)
        end = self.text.find("\n", start)
        rest = (len(self.text) if end < 0 else end) - start
        return Span(self.path, line, start - self._starts[line - 1] + 1, max(1, min(length, rest)))


class Body(str):
    """A piece of a file's text that knows where it stands; comment lines in it are blank."""

    __slots__ = ("source", "start")
    source: Text
    start: int

    @classmethod
    def cut(cls, source: Text, start: int, end: int) -> Body:
        """The text of `source` between two offsets."""
        text = re.sub(r"\n[ \t]*#[^\n]*", lambda found: "\n" + " " * (len(found[0]) - 1), source.text[start:end])
        body = cls(text)
        body.source = source
        body.start = start
        return body

    def span(self, at: int = 0, length: int = 1) -> Span:
        """The place in the file of `length` characters from index `at`."""
        return self.source.span(self.start + at, length)

    def lines(self) -> list[Body]:
        """The lines of this text that are not blank, each a `Body` without leading white space."""
        found = []
        for line in re.finditer(r"[^\s][^\n]*", self):
            found.append(Body.cut(self.source, self.start + line.start(), self.start + line.end()))
        return found


@dataclass(slots=True)
class Clause:
    """One clause: its word, where that stands, and everything behind it."""

    word: str
    span: Span
    start: int
    end: int
    body: Body = field(init=False)

    def close(self, source: Text) -> None:
        """Take the text between the clause word and the last line that belongs to the clause."""
        self.body = Body.cut(source, self.start, self.end)


@dataclass(slots=True)
class Block:
    """One declaration: its keyword, the rest of its first line, its clauses and comments.

    `remarks` are the comments within, each with the number of clauses that stand before it.
    """

    keyword: str
    span: Span
    head: Body
    comments: tuple[str, ...]
    clauses: list[Clause] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    broken: bool = False


def canonical_places(keyword: str, words: list[str]) -> list[int]:
    """For the clauses of one declaration in file order: which place each has in the canonical order.

    Clauses that go on with an earlier one, and `expect`, share its place.
    """
    order = {word: rank for rank, word in enumerate(CLAUSES[keyword])}
    keys: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        if word == "expect" and keys:
            keys.append(keys[-1])
        else:
            keys.append((order[word], index if word in REPEATED else 0))
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return [places[key] for key in keys]


def split(source: Text) -> tuple[list[Block], tuple[str, ...], list[Diagnostic]]:
    """The declarations of a file, the comments after the last one, and what is not in place."""
    splitter = _Splitter(source)
    offset = 0
    for line in source.text.split("\n"):
        splitter.line(line, offset)
        offset += len(line) + 1
    return splitter.finish()


class _Splitter:
    """Goes through the lines of a file once."""

    def __init__(self, source: Text) -> None:
        self.source = source
        self.blocks: list[Block] = []
        self.diagnostics: list[Diagnostic] = []
        self.pending: list[tuple[bool, str]] = []  # comments not yet placed, with whether they are indented
        self.block: Block | None = None
        self.clause: Clause | None = None
        self.skipping = False  # below a mistake: its lines belong to it
        self.last = ""

    def line(self, line: str, offset: int) -> None:
        """Place one line of the file."""
        text = line.lstrip(" \t")
        if not text.strip():
            if self.pending:
                self.pending.append((False, ""))
            return
        if text.startswith("#"):
            self.pending.append((text != line, text.rstrip()))
            return
        at = offset + len(line) - len(text)
        found = _WORD.match(text)
        word = found[0] if found else ""
        if at == offset and self._declares(word, text):
            self._open(word, at, offset + len(line))
        elif self.block is None:
            self._stray(word, at)
        else:
            self._clause_line(self.block, word, text, at, offset + len(line))

    def _declares(self, word: str, text: str) -> bool:
        if word in CLAUSES or word == "grammar":
            return True
        # Something at column one that cannot belong to the declaration above is a misspelt keyword.
        if self.block is not None and word in CLAUSES.get(self.block.keyword, _ALL):
            return False
        return re.fullmatch(r"[\w-]+[ \t]+[\w.-]+[ \t]*", text) is not None

    def _open(self, word: str, start: int, end: int) -> None:
        comments = self._comments()
        self._close()
        at = start + len(word)
        self.skipping = False
        self.block = Block(word, self.source.span(start, len(word)), Body.cut(self.source, at, end), comments)
        self.blocks.append(self.block)

    def _stray(self, word: str, at: int) -> None:
        if not self.skipping:
            self.diagnostics.append(
                Diagnostic(
                    "LG113",
                    "expected 'grammar NAME' before anything else",
                    self.source.span(at, len(word) or 1),
                    "the first declaration of a file is 'grammar NAME'",
                )
            )
        self.skipping = True
        self.pending.clear()

    def _clause_line(self, block: Block, word: str, text: str, at: int, end: int) -> None:
        clauses = CLAUSES.get(block.keyword, ())
        if self._binds(text) or word not in clauses:
            if self.skipping or (block.keyword not in CLAUSES and block.keyword != "grammar"):
                return
            if self.clause is not None and self._continues(word, text):
                self._remark(block, len(block.clauses) - 1)
                self.clause.end = end
                self.last = text
                return
            self.diagnostics.append(_unknown(block, word, self.source.span(at, len(word) or 1)))
            block.broken = True
            self.skipping = True
            return
        self._remark(block, len(block.clauses))
        self._end_clause()
        self.skipping = False
        start = at + len(word)
        self.clause = Clause(word, self.source.span(at, len(word)), start, end)
        block.clauses.append(self.clause)
        self.last = text[len(word) :]

    def _binds(self, text: str) -> bool:
        return self.clause is not None and self.clause.word == "find" and _BINDS.match(text) is not None

    def _continues(self, word: str, text: str) -> bool:
        if not word or self._binds(text) or word in _CONTINUES:
            return True
        return "|" not in self.last and (not self.last.strip() or _GOES_ON.search(self.last) is not None)

    def _comments(self) -> tuple[str, ...]:
        """The comments above a declaration; indented ones at the end of the one above stay there."""
        while self.block is not None and self.pending and (self.pending[0][0] or not self.pending[0][1]):
            text = self.pending.pop(0)[1]
            if text:
                self.block.remarks.append((len(self.block.clauses), text))
        while self.pending and not self.pending[-1][1]:
            self.pending.pop()
        texts = tuple(text for _, text in self.pending)
        self.pending.clear()
        return texts

    def _remark(self, block: Block, before: int) -> None:
        block.remarks.extend((before, text) for _, text in self.pending if text)
        self.pending.clear()

    def _end_clause(self) -> None:
        if self.clause is not None:
            self.clause.close(self.source)
        self.clause = None

    def _close(self) -> None:
        self._end_clause()
        self.block = None

    def finish(self) -> tuple[list[Block], tuple[str, ...], list[Diagnostic]]:
        """What was found, after the last line."""
        trailing = self._comments()
        self._close()
        return self.blocks, trailing, self.diagnostics


def _unknown(block: Block, word: str, span: Span) -> Diagnostic:
    if block.keyword == "grammar":
        return Diagnostic("LG102", "expected a declaration at column one", span, f"there are {', '.join(CLAUSES)}")
    clauses = CLAUSES[block.keyword]
    article = "an" if block.keyword[0] in "aei" else "a"
    close = get_close_matches(word, clauses, 1, 0.6)
    hint = f"did you mean '{close[0]}'?" if close else f"it has {', '.join(clauses)}"
    message = (
        f"{article} {block.keyword} has no clause '{word}'"
        if word
        else f"expected a clause of {article} {block.keyword}"
    )
    return Diagnostic("LG102", message, span, hint)
