"""Syntax tree of the grammar language; every node keeps its span.

The nodes say what was written (`docs/language.md`). `resolve` finds what names mean, `check` whether that makes sense.
"""

from __future__ import annotations

from dataclasses import dataclass

from logscope.errors import Span

PRIMITIVES = ("int", "word", "text", "uuid", "hex", "name")
PSEUDO_FIELDS = (
    "actor", "family", "server", "thread", "run", "job", "logid", "level", "resource", "outcome", "duration",
)  # fmt: skip
RELATIONS = ("during", "contains", "overlaps", "meets", "before", "after", "starts", "finishes", "equals")
SEVERITIES = ("low", "medium", "high", "critical")
OUTCOMES = ("failed", "recovered", "masked-by-retry", "avoided")
HEADERS = ("log4j", "access")  # what the lines of a source begin with
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written: of an event, a type, a field path such as `network.id`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Releases:
    """`4.4..4.20.0`, `4.17..`, `..4.6` or `4.11`; an empty side is open."""

    first: str
    last: str
    span: Span


@dataclass(frozen=True, slots=True)
class Literal:
    """Verbatim text inside a template."""

    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """`{name:type}` inside a template; without a type it is `text`."""

    name: str
    type: str
    span: Span


@dataclass(frozen=True, slots=True)
class Template:
    """CloudStack's own log template with its places named. `text` is what was written."""

    text: str
    parts: tuple[Literal | Field, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Prose:
    """Verbatim text for people after a `|`, its lines parted by line feeds; titles may hold `{path}` places."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rendering:
    """One `match` of a type or an event. `kind` overrides the type's kind (types only)."""

    template: Template
    releases: Releases | None
    kind: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Value:
    """A literal in a condition or an expectation: a string, an integer or a number of seconds."""

    value: str | int | float
    span: Span


@dataclass(frozen=True, slots=True)
class Path:
    """A field path in a condition: `purpose` in a `where`, `work.network.id` in a `when`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`; `in` has a tuple of values on the right, `is` the word known/unknown."""

    left: Path
    operator: str
    right: Path | Value | tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Relation:
    """`left REL right [within seconds]` between two bindings of a rule."""

    left: Name
    relation: str
    right: Name
    within: float | None
    span: Span


Condition = Comparison | Relation


@dataclass(frozen=True, slots=True)
class Choice:
    """An event with conditions on its own fields: `event where a = "x" and b = 1`."""

    event: Name
    where: tuple[Comparison, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Inside:
    """A pattern looked for anywhere within a field, or within the record's exception."""

    place: Name
    template: Template
    span: Span


@dataclass(frozen=True, slots=True)
class Takes:
    """A resource that the text does not name, taken from another event or an open interval."""

    kind: Name
    sources: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class About:
    """A resource that every occurrence of an event concerns although no text names it."""

    kind: Name
    id: Prose
    span: Span


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a path of a sample or a history must hold."""

    path: Path
    value: Value


@dataclass(frozen=True, slots=True)
class Sample:
    """A log line (with its continuation lines) and what it must parse to."""

    lines: tuple[str, ...]
    expect: tuple[Expectation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment within a declaration; it stands before the clause of that index, in the canonical order."""

    before: int
    text: str


@dataclass(frozen=True, slots=True)
class Type:
    """A kind of thing that messages name, with every shape in which it is printed."""

    name: Name
    kind: Name | None
    key: Name | None
    aliases: tuple[Name, ...]
    label: Name | None
    matches: tuple[Rendering, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """A record that means something, with the texts that say it."""

    name: Name
    title: Prose | None
    loggers: tuple[Name, ...]
    level: Name | None
    tags: tuple[Name, ...]
    matches: tuple[Rendering, ...]
    insides: tuple[Inside, ...]
    abouts: tuple[About, ...]
    takes: tuple[Takes, ...]
    samples: tuple[Sample, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """What lies between an opening and a closing event on the same keys."""

    name: Name
    title: Prose | None
    tags: tuple[Name, ...]
    opens: tuple[Choice, ...]
    closes: tuple[Choice, ...]
    same: tuple[Name, ...]
    of: tuple[Choice, ...]
    nested: bool
    limit: float | None
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Actor:
    """How an actor is called: by its thread's name, by what it does, or by both."""

    name: Name
    title: Prose
    threads: tuple[Template, ...]
    doing: tuple[Choice, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """What a binding stands for: an event or interval by name, or `any TAG`."""

    name: Name
    any_of_tag: bool
    where: tuple[Comparison, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Binding:
    """A name of a rule and what it stands for."""

    name: Name
    spec: Spec
    span: Span


@dataclass(frozen=True, slots=True)
class Attachment:
    """`NAME = SPEC [within T] RELATION BINDING [same KEYS] [other KEYS] [means OUTCOME] [at least N]`.

    With `between ANCHOR and UNTIL` in place of the relation, it comes after the one and before the other.
    """

    binding: Binding
    within: float | None
    relation: str
    anchor: Name
    same: tuple[Name, ...]
    other: tuple[Name, ...]
    means: str | None
    at_least: int | None
    span: Span
    until: Name | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a history: `+7.941 B network.orphan.found network.id=209`."""

    seconds: float
    actor: str
    event: Name | None
    fields: tuple[Expectation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class History:
    """A `fires` or `quiet` block; `certainty` is what a finding must be, or empty."""

    steps: tuple[Step, ...]
    certainty: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """A bad pattern: what to look for, why it is bad, and histories that prove it."""

    name: Name
    title: Prose
    severity: str
    find: tuple[Binding, ...]
    when: tuple[Condition, ...]
    without: tuple[Attachment, ...]
    counts: tuple[Attachment, ...]
    proves: tuple[Attachment, ...]
    chances: Choice | None
    controls: tuple[Choice, ...]
    period: Choice | None
    slack: float | None
    yields: bool
    because: Prose | None
    refuted: tuple[Prose, ...]
    blind: tuple[Prose, ...]
    remedy: tuple[Prose, ...]
    beware: tuple[Prose, ...]
    affects: Prose | None
    fixed: Prose | None
    refs: tuple[Name, ...]
    fires: tuple[History, ...]
    quiet: tuple[History, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of log file: what its lines look like, by what it is told from others, whose clock it has."""

    name: Name
    title: Prose
    header: Name | None
    zone: Name | None
    writer: Name | None
    loggers: tuple[Name, ...]
    threads: tuple[Template, ...]
    matches: tuple[Rendering, ...]
    samples: tuple[Sample, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """`FROM, FROM -> TO on EVENT or EVENT`: events of one resource that lead from one state to the next."""

    sources: tuple[Name, ...]
    target: Name
    choices: tuple[Choice, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Machine:
    """The states of a kind of resource, and which events may change them."""

    name: Name
    title: Prose | None
    kind: Name | None
    edges: tuple[Edge, ...]
    span: Span
    comments: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


Declaration = Type | Event | Interval | Actor | Rule | Source | Machine


@dataclass(frozen=True, slots=True)
class Broken:
    """A declaration with a mistake: only its name is kept, so that its users are not blamed for it."""

    keyword: str
    name: Name


@dataclass(frozen=True, slots=True)
class Grammar:
    """One file with its sound declarations. A comment keeps its `#`; an empty one is a blank line between two."""

    name: Name
    path: str
    declarations: tuple[Declaration, ...]
    comments: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
