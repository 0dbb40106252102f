"""Every diagnostic code, with the page that `logscope grammar explain CODE` prints.

LG1xx are mistakes of spelling and of names, LG2xx samples and histories that come out otherwise
than they should, LG3xx declarations that make no sense. A code never changes its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill, indent

from logscope.errors import UsageError


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of mistake: what it is and why it is one, an example, and what to do about it."""

    code: str
    title: str
    why: str
    example: str
    remedy: str

    def page(self) -> str:
        """The page of the code as Markdown, without its heading."""
        why, remedy = (
            fill(text, 100, break_long_words=False, break_on_hyphens=False) for text in (self.why, self.remedy)
        )
        return f"{why}\n\n{indent(self.example, '    ')}\n\n{remedy}\n"


def explain(code: str) -> str:
    """The page of a code, with its title.

    Raises:
        UsageError: there is no such code.
    """
    found = CODES.get(code.upper())
    if found is None:
        raise UsageError(f"there is no diagnostic code '{code}'; the codes are {', '.join(CODES)}")
    return f"{found.code}: {found.title}\n\n{found.page()}"


def markdown() -> str:
    """All pages as one Markdown document."""
    head = (
        "# Diagnostics of grammar files\n\n"
        "What `logscope grammar check` and `logscope grammar test` say about a grammar file, by code.\n"
        "`logscope grammar explain CODE` prints one of these pages.\n"
        "This file is made from `logscope/language/codes.py`.\n"
    )
    return head + "".join(f"\n## {code.code}: {code.title}\n\n{code.page()}" for code in CODES.values())


_ALL = (
    Code(
        "LG101",
        "a clause cannot be read",
        "What stands behind a clause word is not what this clause takes. The message says what was expected at the "
        "caret and what stands there.",
        "when knock.door.id == stay.door.id",
        "Write what is expected; docs/language.md has every clause with an example. Conditions compare with a single "
        "`=`, texts stand in double quotes, a duration has a unit (`60s`).",
    ),
    Code(
        "LG102",
        "unknown declaration or clause",
        "A line at column one begins with a word that declares nothing, or a line within a declaration begins with a "
        "word that is no clause of it and does not go on with the clause above.",
        "event door.opened\n  matchs | Opened {door:door}",
        "Correct the word. A line goes on with the clause above if it begins with `|`, with `and`, `or` or `where`, or "
        "if the line above ends with a comma.",
    ),
    Code(
        "LG103",
        "unknown event, interval or source",
        "A declaration names an event, an interval or a source that no grammar file declares. A name that is declared "
        "with a mistake counts as known, so that the mistake is told once.",
        "closes door.closd",
        "Correct the name, or declare the event. `logscope grammar dump` lists what is declared.",
    ),
    Code(
        "LG104",
        "unknown type",
        "The type of a field is neither a primitive (int, word, name, text, uuid, hex) nor declared with `type`.",
        "match | Opened {door:dor}",
        "Correct the type, or declare it.",
    ),
    Code(
        "LG105",
        "a field or place cannot be read",
        "`{` and a letter begin a field of a template or a place of a title, and what follows is none. Names are of "
        "small letters, digits and `_`.",
        'match | Opened {id: {door:door}, side: "{side:word}"}',
        "Write `{name}` or `{name:type}`, in a title `{path}`. For a literal brace before a letter write `{{`.",
    ),
    Code(
        "LG106",
        "unknown field",
        "A path names a field that the event, interval or type does not have. An event has the fields of its "
        "templates, and below a typed field those of the type; an interval has those of its opening, `of` and closing "
        "events.",
        "same door.idd, actor",
        "Correct the path; the hint shows what there is.",
    ),
    Code(
        "LG107",
        "a name is given twice",
        "Two declarations of one kind, an event and an interval, or two bindings of a rule have the same name, in one "
        "file or in two.",
        "event door.opened\n  match | Opened {door:door}\nevent door.opened\n  match | {door:door} is open now",
        "Rename or remove one. One event may have several templates: give it several `match` clauses.",
    ),
    Code(
        "LG108",
        "unknown binding",
        "A condition, an attachment or a title uses a name that `find` does not bind. What `without`, `count` and "
        "`proves` bind may be absent, so nothing else can refer to it.",
        "find  stay = door.open\nwhen  sty.duration > 60s",
        "Correct the name, or bind it in `find`. What is asked of an attachment stands in its own `where`.",
    ),
    Code(
        "LG109",
        "unknown tag",
        "A rule asks for `any TAG`, and no event and no interval carries that tag: the rule could never fire.",
        "find touch = any chnage",
        "Correct the tag, or give it to the events that are meant.",
    ),
    Code(
        "LG110",
        "unknown kind of resource",
        "`takes`, `about` or a machine names a kind of resource that no type has.",
        "takes dor from door.opened",
        "Use the kind of a declared type: its name, or what its `kind` says.",
    ),
    Code(
        "LG111",
        "a clause is missing",
        "The declaration lacks a clause without which it has no meaning: a type its `match`, an interval its `opens` "
        "and `same`, an actor its `title` and a `thread` or `doing`, a rule its `title`, `severity` and `find`, a "
        "source its `title` and a `logger`, `thread` or `match`.",
        "rule door-left-open\n  title | Door {stay.door.id} was left open\n  find  stay = door.open",
        "Add the clause.",
    ),
    Code(
        "LG112",
        "a clause is given twice",
        "The clause can be said only once in a declaration, and the second one would contradict the first.",
        "severity high\nseverity low",
        "Keep one of them.",
    ),
    Code(
        "LG113",
        "`grammar NAME` is not in its place",
        "Each file begins with one declaration `grammar NAME`; only comments may stand above it.",
        "type door\n  match | door {id:int}\ngrammar doors",
        "Write `grammar NAME` at the top, and only there.",
    ),
    Code(
        "LG114",
        "the file is not text",
        "The file cannot be read, is not UTF-8, or has a NUL character in it. Nothing else is said about it until it "
        "can be read.",
        "title | caf\\xe9",
        "Save the file as UTF-8.",
    ),
    Code(
        "LG115",
        "a field has two meanings",
        "A field stands twice in one template, or is of a declared type in one template and of another type in the "
        "next. A path must mean one thing wherever a rule uses it.",
        "match | Went from {door:door} to {door:door}",
        "Give the fields different names, or the same type.",
    ),
    Code(
        "LG116",
        "a name is reserved",
        "The name means something in every grammar: a primitive cannot be declared as a type, and a plain field "
        "cannot have the name of what every event has (actor, server, thread, job, level and so on).",
        "match | Asked {server:word}",
        "Choose another name. A field of a declared type may be called `job`: its path is `job.id`.",
    ),
    Code(
        "LG117",
        "an event where an interval is needed, or the other way round",
        "Intervals are opened and closed by events, only intervals have an outcome and a duration, and nothing can "
        "lie within a moment.",
        "find  stay = door.opened\n      knock = door.knocked\nwhen  knock during stay",
        "Name an event or an interval as the message says.",
    ),
    Code(
        "LG118",
        "a type contains itself",
        "A rendering of the type has a field whose type leads back to it, so no text could ever fit it.",
        "type door\n  match | door of {room:room}\ntype room\n  match | room behind {door:door}",
        "Give the inner field a type of its own, with the renderings that really occur there.",
    ),
    Code(
        "LG201",
        "a sample fits no template",
        "A sample must be read by a template of its own event, or be told for its own source by a `logger`, `thread` "
        "or `match`. The lines below the sample of an event show how far each template got.",
        "match  | Opened {door:door}\nsample | 2026-10-29 01:20:23,709 DEBUG … Closed door 5",
        "Correct the template or the sample, or add a template for this text.",
    ),
    Code(
        "LG202",
        "a sample is read as another event",
        "A more specific template of another event fits the sample, so the event it belongs to would never see such "
        "a line. For a source: its sample is told for another one.",
        "event a\n  match  | Opened {what:text}\n  sample | … Opened door 5\nevent b\n  match  | Opened door {id:int}",
        "Make the templates differ: more text of its own in the one, or less `text` in the other.",
    ),
    Code(
        "LG203",
        "a sample is read otherwise than expected",
        "A field of the sample, or the resource of a kind, has another value than `expect` says.",
        "sample | … Opened door 5\n       expect door.id = 6",
        "Correct the expectation, or the type of the field: `word` and `text` take as little as fits.",
    ),
    Code(
        "LG204",
        "a sample fits two events",
        "Templates of two events fit the sample and neither is more specific, so it is not said which event it is.",
        "match | {what:word} door 5\nmatch | Opened {what:word} 5",
        "Make one of the templates more specific, or make one event of the two.",
    ),
    Code(
        "LG205",
        "a rule does not fire",
        "The history of a `fires` block was printed as a log and read again, and the rule found nothing in it, or a "
        "finding of another certainty than the block asks for.",
        "fires certain\n  +0.000 A door.opened  door=5\n  +5.000 A door.knocked door=5",
        "Correct the history (should the second step be by another actor, `B`?) or the rule.",
    ),
    Code(
        "LG206",
        "a rule fires on a quiet history",
        "The history of a `quiet` block shows what only looks like the race, and the rule reports it.",
        "quiet\n  +0.000 A door.opened  door=5\n  +5.000 B door.knocked door=5",
        "Tighten `when`, or correct the history.",
    ),
    Code(
        "LG207",
        "a template has no sample",
        "No sample of the event is read by this template, so nothing shows that it fits real lines.",
        "match  | Opened {door:door}\nmatch  | {door:door} is open now\nsample | … Opened door 5",
        "Add a log line that this template reads.",
    ),
    Code(
        "LG208",
        "a history cannot be printed",
        "Histories become log lines by the templates of their events. A step sets a field that no template of its "
        "event has a place for, or a value that does not fit there.",
        "fires\n  +0.000 A door.opened door=5 colour=red",
        "Correct the field or its value, or add a template that has the field.",
    ),
    Code(
        "LG301",
        "an event has no template",
        "An event is a record whose message fits a template. A text that occurs only in exceptions is looked for with "
        "`inside exception` by the event whose record carries the exception.",
        "event door.refused\n  inside exception | refused by {door:door}",
        "Add a `match` with the message, or move the `inside` to the event that is logged.",
    ),
    Code(
        "LG302",
        "an event has fewer samples than templates",
        "Each template needs a log line that shows what it reads; samples are the tests of an event. A source needs "
        "one by which it is told.",
        "event door.opened\n  match | Opened {door:door}",
        "Add a `sample` with a whole log line for each template.",
    ),
    Code(
        "LG303",
        "two templates are the same",
        "The templates have the same texts and the same types in the same order, so they fit the same messages, "
        "whatever their fields are called. The logger does not tell events apart.",
        "event a\n  match | Opened {door:door}\nevent b\n  match | Opened {entry:door}",
        "Keep one event; a condition on the thread or on a field belongs into what uses it.",
    ),
    Code(
        "LG304",
        "a rule is not explained or not tested",
        "A rule says why what it finds is a race (`because`) and where that is known from (`refs`), and shows a "
        "history in which it fires and one that only looks alike (`fires`, `quiet`).",
        "rule door-left-open\n  title    | Door {stay.door.id} left open\n  severity low\n  find     stay = door.open",
        "Add the clause.",
    ),
    Code(
        "LG305",
        "a declaration is never used",
        "No template has a field of the type, or nothing refers to the interval and it has neither a title nor a tag. "
        "This is a warning.",
        "type window\n  match | window {id:int}",
        "Remove it, or use it.",
    ),
    Code(
        "LG306",
        "two fields without text between them",
        "Nothing says where the first field ends and the second begins, so the first would always be as short as can "
        "be.",
        "match | Opened {side:word}{name:text}",
        "Make one field of them, or put the text that parts them between them.",
    ),
    Code(
        "LG307",
        "a template would fit almost everything",
        "The template has no letter and no digit of its own and no field of a declared type, so it says nothing about "
        "the message.",
        "match | {what:text}: {detail:text}",
        "Add the text that all such messages have in common.",
    ),
    Code(
        "LG308",
        "releases in the wrong order",
        "The first release of a range is later than the last one. Releases are compared number by number: 4.9 comes "
        "before 4.11.",
        "match 4.17..4.4 | Opened {door:door}",
        "Swap them; leave a side empty if it is open (`4.17..`).",
    ),
    Code(
        "LG309",
        "conditions that contradict each other",
        "Two conditions of `when` can never hold together, or a binding is related to itself: the rule would never "
        "fire.",
        "when knock during stay\n     and knock after stay",
        "Keep one of them, or make two rules.",
    ),
    Code(
        "LG310",
        "a binding is tied to nothing",
        "No condition ties the binding to the first one, directly or over others, so each of one would be combined "
        "with each of the other.",
        "find  stay = door.open\n      knock = door.knocked\nwhen  stay.duration > 60s",
        "Say in `when` how it stands to the others: the same resource, and a relation in time.",
    ),
    Code(
        "LG311",
        "`within` without a distance",
        "`within` limits how far apart two things lie; only `before` and `after` leave a distance between them.",
        "when knock during stay within 60s",
        "Remove `within`, or use `before` or `after`.",
    ),
    Code(
        "LG312",
        "an interval never ends",
        "The interval has no `closes`, no `limit`, and no key in `same` that ends on its own (the actor, thread or "
        "job).",
        "interval door.open\n  opens door.opened\n  same  door.id",
        "Add `closes` or `limit`, or `actor` to `same`.",
    ),
    Code(
        "LG313",
        "a history goes back in time",
        "A step of a history is earlier than the one above it.",
        "fires\n  +5.000 A door.opened  door=5\n  +1.000 B door.knocked door=5",
        "Put the steps in order.",
    ),
)
CODES: dict[str, Code] = {code.code: code for code in _ALL}
