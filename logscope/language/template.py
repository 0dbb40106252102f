"""Templates compiled to regular expressions that polars' engine (Rust's, linear time) accepts.

A typed field becomes one group around an alternation of its type's renderings without inner groups:
the text of an entity is cut out whole and taken apart later, once per distinct text (`TypeReader`).
That keeps the number of groups small, and a type's alternatives never need names of their own.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from logscope.language.catalog import Catalog
from logscope.language.tree import PRIMITIVES, Field, Literal, Template

# In one release line the first line of an exception follows the message after one blank.
_CLASS = r"(?:[a-zA-Z_][a-zA-Z0-9_$]*\.)+[A-Z][a-zA-Z0-9_$]*(?:Exception|Error|Throwable)"
EXCEPTION = rf"(?: (?P<exception>{_CLASS}(?:[^a-zA-Z0-9_$].*)?))?"

_PRIMITIVE = {
    # Unicode classes such as \d make automata many times as large, and no log needs them.
    "int": r"-?[0-9]+",
    "word": r"\S+?",
    "name": r"[A-Za-z0-9_.$-]+?",
    "text": r"(?s:.*?)",
    "uuid": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
    "hex": r"[0-9a-fA-F]+",
}
_GREEDY = {"word": r"\S+", "name": r"[A-Za-z0-9_.$-]+", "text": r".*"}
_MIN_PREFIX = 4
# A text that stands in more than every two hundredth line or so lets too many through.
_BYTES_PER_ONE = 48 << 10
_FEW = 4
_VECTOR = 64  # texts

# Both engines know these escapes; re.escape would also escape blanks, which Rust's refuses in places.
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")


BLANKS = " \t\r"
"""What may end a line without being part of what it says: editors, terminals and copies add it and take it off."""


def readings(message: str) -> list[str]:
    """As what a message is tried: without the blanks at its end and, if it has some, with a single one.

    The second one is for templates that end with a blank, or with one and a field that is empty.
    """
    bare = message.rstrip(BLANKS)
    return [bare] if bare == message else [bare, f"{bare} "]


def quote(text: str) -> str:
    """Escape `text` so that it stands for itself in Rust's and Python's regular expressions."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to read a text: an anchored expression whose groups `f0`, `f1` … are `fields`."""

    regex: str
    fields: tuple[Field, ...]
    specificity: int


def literal_size(template: Template) -> int:
    """Number of literal characters: how specific a template is."""
    return sum(len(part.text) for part in template.parts if isinstance(part, Literal))


@lru_cache(maxsize=64)
def _expressions(catalog: Catalog) -> dict[str, str]:
    """The expressions of types made so far for one catalog."""
    return {}


class Compiler:
    """Compiles the templates of one catalog; expressions of types are made once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._types = _expressions(catalog)

    def type_expression(self, name: str) -> str:
        """The expression, without capturing groups, that fits any rendering of a type or primitive."""
        if name in PRIMITIVES:
            return _PRIMITIVE[name]
        if name not in self._types:
            matches = self._catalog.types[name].matches
            ordered = sorted(matches, key=lambda m: -literal_size(m.template))
            self._types[name] = "(?:" + "|".join(self._body(m.template) for m in ordered) + ")"
        return self._types[name]

    def shape(
        self, template: Template, *, anchored: bool = True, exception: bool = False, loose: bool = False
    ) -> Shape:
        """Compile one template; group `m` is the whole text, so that templates without fields tell too.

        A `loose` shape lets typed fields hold any text: it fits whatever the exact one fits and more, and
        costs a fraction, since the alternatives of a type make a large automaton.
        """
        fields = tuple(part for part in template.parts if isinstance(part, Field))
        if not anchored and fields and template.parts[-1] is fields[-1]:
            return self._open_ended(template, fields)
        body = self._body(template, grouped=True, loose=loose)
        body = f"^(?P<m>{body}){EXCEPTION if exception else ''}$" if anchored else f"(?P<m>{body})"
        return Shape(body, fields, literal_size(template))

    def _open_ended(self, template: Template, fields: tuple[Field, ...]) -> Shape:
        """A pattern that ends in a field and is held by nothing behind it: the field takes what it can."""
        head = self._body(Template("", template.parts[:-1], template.span), grouped=True)
        last = _GREEDY.get(fields[-1].type) or self.type_expression(fields[-1].type)
        return Shape(f"(?P<m>{head}(?P<f{len(fields) - 1}>{last}))", fields, literal_size(template))

    def _body(self, template: Template, *, grouped: bool = False, loose: bool = False) -> str:
        out, number = [], 0
        for part in template.parts:
            if isinstance(part, Literal):
                out.append(quote(part.text))
                continue
            is_free = loose and part.type not in PRIMITIVES
            expression = _PRIMITIVE["text"] if is_free else self.type_expression(part.type)
            out.append(f"(?P<f{number}>{expression})" if grouped else expression)
            number += 1
        return "".join(out)


@dataclass(frozen=True)
class EventTemplate:
    """One template of one event, ready for the bulk path."""

    event: str
    index: int
    template: Template
    shape: Shape
    loose: Shape

    @cached_property
    def prefix(self) -> str:
        """The literal that the message begins with, or empty when that is too short to route by."""
        first = self.template.parts[0] if self.template.parts else None
        text = first.text if isinstance(first, Literal) else ""
        return text if len(text) >= _MIN_PREFIX or len(self.template.parts) == 1 else ""

    @cached_property
    def literal(self) -> str:
        """The longest literal of the template: a line without it cannot fit."""
        return max((part.text for part in self.template.parts if isinstance(part, Literal)), key=len, default="")


def event_templates(catalog: Catalog, events: Collection[str] | None = None) -> list[EventTemplate]:
    """All templates of the named events (all when None), most specific first."""
    found = (t for name in catalog.events if events is None or name in events for t in _templates_of(catalog, name))
    return sorted(found, key=lambda t: (-t.shape.specificity, t.event, t.index))


@lru_cache(maxsize=4096)
def _templates_of(catalog: Catalog, name: str) -> list[EventTemplate]:
    compiler = Compiler(catalog)
    return [
        EventTemplate(
            name,
            index,
            rendering.template,
            compiler.shape(rendering.template, exception=True),
            compiler.shape(rendering.template, exception=True, loose=True),
        )
        for index, rendering in enumerate(catalog.events[name].matches)
    ]


def line_literals(
    templates: list[EventTemplate], needles: Mapping[str, Collection[str]] = MappingProxyType({})
) -> list[str]:
    """Literals of which every line that is asked for contains at least one.

    That is the longest literal of its template, or one of the event's `needles`, if it has any.
    A literal that contains another one is left out: the shorter one finds its lines too.
    """
    kept: list[str] = []
    asked = {text for t in templates for text in needles.get(t.event, (t.literal,))}
    for literal in sorted(asked, key=lambda text: (len(text), text)):
        if not any(other in literal for other in kept):
            kept.append(literal)
    return sorted(kept)


def cover(literals: list[str], sample: bytes = b"", size: int = 5) -> list[str]:
    """Few short texts of which every literal contains at least one, rare in lines like those of `sample`.

    The engine searches for some sixty texts at once with vector instructions and for more many times slower;
    what the short ones let through is searched for the literals themselves.
    """
    owners: dict[str, set[int]] = {}
    for number, literal in enumerate(literals):
        for at in range(max(1, len(literal) - size + 1)):
            owners.setdefault(literal[at : at + size], set()).add(number)
    seen = lru_cache(maxsize=None)(lambda text: sample.count(text.encode()))
    most = max(_FEW, len(sample) // _BYTES_PER_ONE)
    chosen = _chosen(literals, owners, seen, most)
    while len(chosen) > _VECTOR and most < len(sample):
        most *= 4
        chosen = _chosen(literals, owners, seen, most)
    return chosen


def _chosen(literals: list[str], owners: Mapping[str, set[int]], seen: Callable[[str], int], most: int) -> list[str]:
    """Greedy: always the text that the most literals, not yet covered, have in common, unless it is seen too often.

    A literal of nothing but frequent texts stands for itself.
    """
    chosen: list[str] = []
    left = set(range(len(literals)))
    # Counts only ever fall, so an entry whose count still holds is the best one.
    heap = [(-len(own), text) for text, own in owners.items()]
    heapq.heapify(heap)
    while left and heap:
        count, text = heapq.heappop(heap)
        still = len(owners[text] & left)
        if still < -count:
            if still:
                heapq.heappush(heap, (-still, text))
        elif seen(text) <= most:
            chosen.append(text)
            left -= owners[text]
    return sorted({*chosen, *(literals[number] for number in left)})


@dataclass(frozen=True, slots=True)
class TypeShape:
    """One rendering of a type with the kind of resource that it names ("" for none)."""

    kind: str
    shape: Shape


def type_shapes(catalog: Catalog, name: str) -> list[TypeShape]:
    """The renderings of a declared type, most specific first."""
    compiler = Compiler(catalog)
    declared = catalog.types[name]
    default = declared.kind.text if declared.kind else declared.name.text
    shapes = []
    for rendering in declared.matches:
        kind = rendering.kind.text if rendering.kind else default
        shapes.append(TypeShape("" if kind == "none" else kind, compiler.shape(rendering.template)))
    return sorted(shapes, key=lambda t: -t.shape.specificity)
