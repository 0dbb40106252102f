"""Prints events through the grammars' own templates: the reverse of extraction.

Histories in `fires` and `quiet` blocks, simulations and tests become log lines this way, so what
they test is the whole way from a line to a finding.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from logscope.language.catalog import Catalog
from logscope.language.tree import PRIMITIVES, Event, Field, Literal, Rendering, Template

_DEFAULTS = {"int": "1", "word": "x", "name": "x", "text": "x", "hex": "0a", "uuid": ""}
_THROWN = "java.lang.RuntimeException: "


class UnprintableError(Exception):
    """A value that no template of the event has a place for; `str()` says which."""


@dataclass(frozen=True, slots=True)
class Who:
    """The writer of a printed line, as the header shows it."""

    server: str
    thread: str
    run: str = ""
    job: int | None = None
    origin: int | None = None
    logid: str = "00000000"

    def context(self, *, bracketed: bool) -> str:
        """The nested context: `[ctx-1, job-1/job-2]` or `ctx-1 job-1/job-2`."""
        words = [self.run] if self.run else []
        if self.job is not None:
            words.append(f"job-{self.origin}/job-{self.job}" if self.origin is not None else f"job-{self.job}")
        if bracketed:
            return "[" + ", ".join(words) + "]"
        return " ".join(words) or "null"


class Printer:
    """Prints events of one catalog in the texts of one release ("" for the newest)."""

    def __init__(self, catalog: Catalog, release: str = "") -> None:
        self._catalog, self._release = catalog, _number(release) if release else None
        self._bracketed = not release or _number(release) >= (4, 20)

    def line(self, microseconds: int, who: Who, event: str, fields: Mapping[str, str]) -> str:
        """One record without its line feed. Raises UnprintableError for a field that has no place."""
        declared = self._catalog.events[event]
        level = declared.level.text if declared.level else "DEBUG"
        logger = declared.loggers[0].text if declared.loggers else "Logger"
        head = (
            f"{clock(microseconds)} {level:<5} [o.x.{logger}] ({who.thread}:{who.context(bracketed=self._bracketed)})"
        )
        return f"{head} (logid:{who.logid}) {self.message(declared, fields)}"

    def message(self, event: Event, fields: Mapping[str, str]) -> str:
        """The text of an event; fields that its `inside` clauses read stand where these look."""
        rendering = self._choose(event.matches, fields)
        places = {part.name for part in rendering.template.parts if isinstance(part, Field)}
        given, thrown = dict(fields), ""
        left = {path for path in fields if path.partition(".")[0] not in places}
        for inside in event.insides:
            own = {part.name for part in inside.template.parts if isinstance(part, Field)}
            here = {path for path in left if path.partition(".")[0] in own}
            if not here:
                continue
            text = self._fill(inside.template, fields)
            if inside.place.text == "exception":
                thrown = f" {_THROWN}{text}"
            else:
                given[inside.place.text] = given.get(inside.place.text, "") + text
            left -= here
        if left:
            raise UnprintableError(f"event '{event.name.text}' has no place for {', '.join(sorted(left))}")
        return self._fill(rendering.template, given) + thrown

    def _choose(self, renderings: tuple[Rendering, ...], fields: Mapping[str, str], below: str = "") -> Rendering:
        """The rendering of the wanted release that has a place for most of the given fields."""

        def rank(numbered: tuple[int, Rendering]) -> tuple[int, int, int]:
            number, rendering = numbered
            names = {part.name for part in rendering.template.parts if isinstance(part, Field)}
            wanted = {p.removeprefix(below).partition(".")[0] for p in fields if p.startswith(below)}
            return len(wanted & names), int(self._prints(rendering)), -number

        return max(enumerate(renderings), key=rank)[1]

    def _prints(self, rendering: Rendering) -> bool:
        span = rendering.releases
        if span is None:
            return True
        if self._release is None:
            return not span.last
        low = _number(span.first) if span.first else (0,)
        high = _number(span.last) if span.last else (99,)
        return low <= self._release <= (*high, 99)

    def _fill(self, template: Template, fields: Mapping[str, str], below: str = "", owner: str = "") -> str:
        out = []
        for part in template.parts:
            if isinstance(part, Literal):
                out.append(part.text)
            elif part.type in PRIMITIVES:
                value = fields.get(below + part.name)
                out.append(_default(part, owner) if value is None else value)
            else:
                out.append(self._render(part, fields, below, owner))
        return "".join(out)

    def _render(self, part: Field, fields: Mapping[str, str], below: str, owner: str) -> str:
        """A typed field: from its id (`network=209` or `network=vm:7`) and its given parts."""
        path = below + part.name
        declared = self._catalog.types[part.type]
        key = declared.key.text if declared.key else "id"
        whole = fields.get(path) or fields.get(f"{path}.id")
        inner = {p: v for p, v in fields.items() if p.startswith(path + ".") and p != f"{path}.id"}
        kind, _, id = whole.rpartition(":") if whole else ("", "", "")
        own_kind = declared.kind.text if declared.kind else declared.name.text
        renderings = declared.matches
        if kind:
            named = tuple(m for m in renderings if (m.kind.text if m.kind else own_kind) == kind)
            renderings = named or renderings
        if owner and not whole and not inner and owner.partition(":")[0] != own_kind:
            # Nobody said what else is mentioned here, so if possible nothing is.
            renderings = tuple(m for m in renderings if m.template.text == "null") or renderings
            owner = ""
        inherited = owner if not whole and not inner else f"{kind or own_kind}:{id}"
        id = id or owner.rpartition(":")[2]
        if id:
            inner[f"{path}.{key}"] = id
        chosen = self._choose(renderings, inner, path + ".")
        return self._fill(chosen.template, inner, path + ".", inherited)


def _default(part: Field, owner: str) -> str:
    if part.type == "uuid":
        return str(uuid.UUID(bytes=hashlib.md5(f"{owner}/{part.name}".encode(), usedforsecurity=False).digest()))
    return _DEFAULTS[part.type]


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def clock(microseconds: int) -> str:
    """`yyyy-MM-dd HH:mm:ss,SSS` of a time in microseconds."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d}"
