"""Makes declarations out of the blocks of a grammar file.

What stands behind a clause word is read by `read(form, body)`, which `syntax` provides; texts after
a `|` are taken as they are. A mistake costs its declaration, but all mistakes of a block are found.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from logscope.errors import Diagnostic, Span
from logscope.language import scan
from logscope.language.split import CLAUSES, REPEATED, SINGLE, Block, Body, Clause, Text, canonical_places, split
from logscope.language.tree import (
    About,
    Actor,
    Attachment,
    Broken,
    Declaration,
    Event,
    Grammar,
    History,
    Inside,
    Interval,
    Machine,
    Name,
    Prose,
    Remark,
    Rendering,
    Rule,
    Sample,
    Source,
    Template,
    Type,
)

Read = Callable[[str, Body], Any]

_FORMS = {
    "kind": "kind", "key": "field", "alias": "fields", "label": "field",
    "logger": "loggers", "level": "level", "tag": "words", "takes": "takes",
    "opens": "choices", "closes": "choices", "of": "choices", "same": "keys", "nested": "nothing", "limit": "duration",
    "doing": "choices", "edge": "edge", "header": "header", "zone": "zone", "writer": "name",
    "severity": "severity", "find": "bindings", "when": "conditions",
    "without": "attachment", "count": "attachment", "proves": "attachment",
    "chances": "choice", "controls": "choices", "period": "choice",
    "slack": "duration", "yields": "nothing", "refs": "refs",
}  # fmt: skip
_REQUIRED = {
    "type": ("match",),
    "event": (),
    "interval": ("opens", "same"),
    "actor": ("title",),
    "rule": ("title", "severity", "find"),
    "source": ("title",),
    "machine": ("edge",),
}


class ClauseError(Exception):
    """A text that cannot be read; carries the diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def grammar(source: Text, read: Read) -> tuple[Grammar, list[Diagnostic]]:
    """The tree of a file and everything that is wrong with it, in no particular order."""
    blocks, trailing, diagnostics = split(source)
    names: list[Name] = []
    comments: tuple[str, ...] = ()
    declarations: list[Declaration] = []
    broken: list[Broken] = []
    for index, block in enumerate(blocks):
        builder = _Builder(block, read, diagnostics)
        name = builder.name()
        if block.keyword == "grammar":
            if name is not None:
                names.append(name)
            if index == 0:
                comments = block.comments
            else:
                message = "a file has one 'grammar NAME', before all other declarations"
                diagnostics.append(Diagnostic("LG113", message, block.span, "remove it, or move it to the top"))
        elif block.keyword not in CLAUSES:
            diagnostics.append(_unknown(block))
            if name is not None:
                broken.extend(Broken(keyword, name) for keyword in CLAUSES)
        else:
            if index == 0:
                message = f"expected 'grammar NAME' before the first declaration, found '{block.keyword}'"
                diagnostics.append(Diagnostic("LG113", message, block.span, "write 'grammar NAME' above it"))
            declaration = builder.declaration(name)
            if declaration is not None:
                declarations.append(declaration)
            elif name is not None:
                broken.append(Broken(block.keyword, name))
    if not blocks and not diagnostics:
        diagnostics.append(Diagnostic("LG113", "expected 'grammar NAME', found an empty file", source.span(0, 1)))
    stem = Name(PurePath(source.path).stem, source.span(0, 1))
    return (
        Grammar(names[0] if names else stem, source.path, tuple(declarations), comments, trailing, tuple(broken)),
        diagnostics,
    )


def _unknown(block: Block) -> Diagnostic:
    close = get_close_matches(block.keyword, CLAUSES, 1, 0.6)
    hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(CLAUSES)}"
    return Diagnostic("LG102", f"there is no declaration '{block.keyword}'", block.span, hint)


def _bars(body: Body) -> tuple[Body, list[tuple[str, Span]]]:
    """What stands before the first `|`, and the texts after it and after those of the following lines."""
    bar = body.find("|")
    head = Body.cut(body.source, body.start, body.start + (bar if bar >= 0 else len(body)))
    if bar < 0:
        raise ClauseError(Diagnostic("LG101", "expected '|' and text, found no '|'", body.span(len(body.rstrip()))))
    texts = []
    for line in Body.cut(body.source, body.start + bar, body.start + len(body)).lines():
        if not line.startswith("|"):
            raise ClauseError(Diagnostic("LG101", "expected '|' at the beginning of the line", line.span(0, len(line))))
        skip = 2 if line.startswith("| ") else 1
        texts.append((line[skip:], line.span(skip, max(1, len(line) - skip))))
    return head, texts


class _Builder:
    """Reads the clauses of one block."""

    def __init__(self, block: Block, read: Read, diagnostics: list[Diagnostic]) -> None:
        self.block = block
        self.read = read
        self.diagnostics = diagnostics
        self.broken = block.broken
        self.said: dict[str, list[Any]] = {word: [] for word in CLAUSES.get(block.keyword, ())}

    def name(self) -> Name | None:
        """The name of the declaration, or None if it has none."""
        try:
            name: Name = self.read("name", self.block.head)
        except ClauseError as mistake:
            if self.block.keyword in CLAUSES or self.block.keyword == "grammar":
                self._report(mistake.diagnostic)
            return None
        return name

    def declaration(self, name: Name | None) -> Declaration | None:
        """The declaration, or None if there is a mistake in it."""
        seen: set[str] = set()
        for clause in self.block.clauses:
            if clause.word in seen and clause.word in SINGLE:
                message = f"'{clause.word}' is given twice in one {self.block.keyword}"
                self._report(Diagnostic("LG112", message, clause.span, "keep one of them"))
            seen.add(clause.word)
            try:
                self._clause(clause)
            except ClauseError as mistake:
                self._report(mistake.diagnostic)
        if name is None:
            return None
        for word in _REQUIRED[self.block.keyword]:
            if word not in seen and not self.block.broken:
                message = f"{self.block.keyword} '{name.text}' has no '{word}'"
                self._report(Diagnostic("LG111", message, name.span, f"add the clause '{word}'"))
        return None if self.broken else self._make(name)

    def _report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
        self.broken = True

    def _clause(self, clause: Clause) -> None:
        word, body, said = clause.word, clause.body, self.said[clause.word]
        form = _FORMS.get(word)
        if form is not None:
            node = self.read(form, body)
            if isinstance(node, Attachment):
                self._parts_of(node, clause)
            if isinstance(node, tuple) and word not in REPEATED:
                said.extend(node)
            else:
                said.append(node)
        elif word in ("fires", "quiet"):
            said.append(self._history(clause))
        elif word == "expect":
            expectations = self.read("expectations", body)
            if self.said["sample"]:
                self.said["sample"][-1][1].extend(expectations)
            elif all(one.word != "sample" for one in self.block.clauses[: self.block.clauses.index(clause)]):
                raise ClauseError(Diagnostic("LG101", "expected a sample above 'expect'", clause.span))
        else:
            said.append(self._verbatim(word, body))

    def _parts_of(self, attachment: Attachment, clause: Clause) -> None:
        if clause.word == "count" and attachment.at_least is None:
            end = clause.body.span(len(clause.body.rstrip()))
            raise ClauseError(Diagnostic("LG101", "expected 'at least N', found the end of the clause", end))
        for part, value, owner in (("at least", attachment.at_least, "count"), ("means", attachment.means, "proves")):
            if value is not None and clause.word != owner:
                message = f"'{part}' belongs to '{owner}', found it in '{clause.word}'"
                raise ClauseError(Diagnostic("LG101", message, clause.span))

    def _verbatim(self, word: str, body: Body) -> Any:
        head, texts = _bars(body)
        first, span = texts[0]
        if not first.strip():
            raise ClauseError(Diagnostic("LG101", "expected text after '|'", span))
        if word == "sample":
            self._no_head(head)
            return texts, []
        if word == "match":
            kind, releases = self.read("head", head)
            if kind is not None and self.block.keyword != "type":
                raise ClauseError(Diagnostic("LG101", f"expected releases or '|', found '{kind.text}'", kind.span))
            return Rendering(self._template(texts), releases, kind, span)
        if word == "inside":
            place = self.read("place", head)
            return Inside(place, self._template(texts), place.span)
        if word == "about":
            self._one_line(texts)
            kind = self.read("kind", head)
            return About(kind, Prose(first, span), kind.span)
        self._no_head(head)
        if word == "thread":
            return self._template(texts)
        if word == "title":
            self._one_line(texts)
        return Prose("\n".join(text for text, _ in texts), span)

    def _no_head(self, head: Body) -> None:
        if head.strip():
            at = len(head) - len(head.lstrip())
            found = head.strip()
            raise ClauseError(Diagnostic("LG101", f"expected '|', found '{found}'", head.span(at, len(found))))

    def _one_line(self, texts: list[tuple[str, Span]]) -> None:
        if len(texts) > 1:
            raise ClauseError(Diagnostic("LG101", "expected one line of text, found a second one", texts[1][1]))

    def _template(self, texts: list[tuple[str, Span]]) -> Template:
        self._one_line(texts)
        template, diagnostics = scan.template(*texts[0])
        for diagnostic in diagnostics:
            self._report(diagnostic)
        return template

    def _history(self, clause: Clause) -> History:
        head_end = clause.body.find("\n")
        head = Body.cut(clause.body.source, clause.start, clause.start + head_end) if head_end >= 0 else clause.body
        certainty = self.read("certainty", head)
        if certainty and clause.word == "quiet":
            at = head.index(certainty)
            self._report(Diagnostic("LG101", f"expected a step, found '{certainty}'", head.span(at, len(certainty))))
        steps = []
        for line in Body.cut(clause.body.source, clause.start + len(head), clause.end).lines():
            try:
                steps.append(self.read("step", line))
            except ClauseError as mistake:
                self._report(mistake.diagnostic)
        if not steps and not self.broken:
            raise ClauseError(Diagnostic("LG101", f"expected steps below '{clause.word}'", clause.span))
        return History(tuple(steps), certainty, clause.span)

    def _remarks(self) -> tuple[Remark, ...]:
        places = canonical_places(self.block.keyword, [clause.word for clause in self.block.clauses])
        places.append(max(places, default=-1) + 1)
        remarks = [Remark(places[before], text) for before, text in self.block.remarks]
        return tuple(sorted(remarks, key=lambda remark: remark.before))

    def _one(self, word: str) -> Any:
        return self.said[word][0] if self.said[word] else None

    def _every(self, word: str) -> tuple[Any, ...]:
        return tuple(self.said[word])

    def _make(self, name: Name) -> Declaration | None:
        one, every = self._one, self._every
        span, comments, remarks = name.span, self.block.comments, self._remarks()
        if self.block.keyword == "type":
            return Type(
                name, one("kind"), one("key"), every("alias"), one("label"), every("match"), span, comments, remarks
            )
        samples = tuple(
            Sample(tuple(text for text, _ in texts), tuple(expect), texts[0][1])
            for texts, expect in self.said.get("sample", ())
        )
        if self.block.keyword == "event":
            return Event(
                name, one("title"), every("logger"), one("level"), every("tag"), every("match"), every("inside"),
                every("about"), every("takes"), samples, span, comments, remarks,
            )  # fmt: skip
        if self.block.keyword == "interval":
            return Interval(
                name, one("title"), every("tag"), every("opens"), every("closes"), every("same"), every("of"),
                bool(one("nested")), one("limit"), span, comments, remarks,
            )  # fmt: skip
        if self.block.keyword == "actor":
            return Actor(name, one("title"), every("thread"), every("doing"), span, comments, remarks)
        if self.block.keyword == "machine":
            return Machine(name, one("title"), one("kind"), every("edge"), span, comments, remarks)
        if self.block.keyword == "source":
            return Source(
                name, one("title"), one("header"), one("zone"), one("writer"), every("logger"), every("thread"),
                every("match"), samples, span, comments, remarks,
            )  # fmt: skip
        return Rule(
            name, one("title"), one("severity").text, every("find"), every("when"), every("without"), every("count"),
            every("proves"), one("chances"), every("controls"), one("period"), one("slack"), bool(one("yields")),
            one("because"), every("refuted"), every("blind"), every("remedy"), every("beware"), one("affects"),
            one("fixed"), every("refs"), every("fires"), every("quiet"), span, comments, remarks,
        )  # fmt: skip
