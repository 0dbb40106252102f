"""From syntax trees to the catalog, and what is in it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.diagnostics import render
from logscope.errors import Diagnostic
from logscope.language.catalog import Catalog
from logscope.language.check import check
from logscope.language.dump import dump
from logscope.language.paths import (
    event_fields,
    event_kinds,
    interval_fields,
    interval_kinds,
    kinds_of,
    tagged,
    type_fields,
)
from logscope.language.resolve import resolve
from logscope.language.syntax import parse

TYPES = """grammar types
type vm
  alias uuid
  label name
  match | VM {"id":{id:int},"name":"{name:instance}","uuid":"{uuid:uuid}"}
  match | {instance:instance}
type instance
  kind none
  match | i-{account:int}-{id:int}-VM
type key
  kind lock
  match vm   | vm{id:int}
  match host | host{number:int}
  match none | {id:word}
type flag
  kind none
  match | flag {value:word}
"""
EVENTS = """grammar events
event begin
  tag   change
  match | Begin of {vm:vm} for {purpose:word}
  match | Start of {vm:vm}
  inside exception | lock {lock:key}
event end
  match | End {code:int}
  takes host from begin or work
event end.other
  match | End for {code:word} and {flag:flag}
interval work
  tag    change
  opens  begin
  closes end or end.other
  same   actor
"""


def catalog(*texts: str) -> tuple[Catalog, list[Diagnostic]]:
    grammars = []
    found: list[Diagnostic] = []
    for number, text in enumerate(texts):
        grammar, diagnostics = parse(text, f"{number}.lsg")
        grammars.append(grammar)
        found += diagnostics
    resolved, diagnostics = resolve(grammars)
    return resolved, found + diagnostics


def codes(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [one.code for one in diagnostics]


def test_a_catalog_holds_all_files_by_name() -> None:
    resolved, diagnostics = catalog(TYPES, EVENTS)
    assert not diagnostics
    assert list(resolved.types) == ["vm", "instance", "key", "flag"]
    assert list(resolved.events) == ["begin", "end", "end.other"]
    assert tagged(resolved, "change") == ["begin", "work"]


def test_subfields_come_from_all_renderings_and_their_types() -> None:
    resolved, _ = catalog(TYPES)
    assert type_fields(resolved, "vm") == {
        "id": "int", "name": "instance", "name.account": "int", "name.id": "int", "uuid": "uuid",
        "instance": "instance", "instance.account": "int", "instance.id": "int",
    }  # fmt: skip


def test_a_typed_field_with_a_kind_has_an_id() -> None:
    resolved, _ = catalog(TYPES, "grammar x\ntype zone\n  key uuid\n  match | zone {uuid:uuid}\n")
    assert type_fields(resolved, "zone") == {"uuid": "uuid", "id": "uuid"}
    assert type_fields(resolved, "key") == {"id": "text", "number": "int"}
    assert type_fields(resolved, "flag") == {"value": "word"}
    assert kinds_of(resolved.types["key"]) == {"vm", "host"}


def test_fields_and_kinds_of_an_event() -> None:
    resolved, _ = catalog(TYPES, EVENTS)
    fields = event_fields(resolved, "begin")
    assert (fields["vm"], fields["vm.id"], fields["purpose"], fields["lock.number"]) == ("vm", "int", "word", "int")
    assert event_kinds(resolved, "begin") == {"vm", "host"}
    assert event_fields(resolved, "end") == {"code": "int", "host": "host", "host.id": "text"}
    assert event_kinds(resolved, "end") == {"host"}


def test_an_interval_has_the_fields_of_its_events() -> None:
    resolved, _ = catalog(TYPES, EVENTS)
    fields = interval_fields(resolved, "work")
    assert fields["vm.id"] == "int"
    assert fields["host.id"] == "text"
    assert fields["code"] == "text"  # a number in one event, a word in the other
    assert interval_kinds(resolved, "work") == {"vm", "host"}


def test_what_refers_to_a_mistake_is_left_out_without_a_word() -> None:
    resolved, diagnostics = catalog(
        TYPES.replace("flag {value:word}", "flag {value"),
        EVENTS + 'actor someone\n  title | someone\n  doing end.other where flag.value = "x"\n',
    )
    assert codes(diagnostics) == ["LG105"]
    assert list(resolved.events) == ["begin"]  # `end` takes a resource from the interval that `end.other` closes
    assert not resolved.intervals
    assert not resolved.actors


def test_a_mistake_in_another_file_is_told_in_the_order_of_the_files() -> None:
    _, diagnostics = catalog(EVENTS, "grammar late\nevent begin\n  match | x {a:nothing}\n")
    assert [one.span.path for one in diagnostics] == sorted(one.span.path for one in diagnostics)
    assert "LG107" in codes(diagnostics)
    assert "LG104" in codes(diagnostics)


def test_unused_is_asked_only_of_whole_catalogs() -> None:
    grammar, _ = parse(TYPES, "types.lsg")
    resolved, _ = resolve([grammar])
    assert codes(check(resolved, [grammar])) == ["LG305", "LG305", "LG305"]
    broken, _ = parse(TYPES + "event x\n  match {a}\n", "types.lsg")
    resolved, _ = resolve([broken])
    assert not check(resolved, [broken])


WORDS = sorted({word for text in (TYPES, EVENTS) for word in text.split()})
edits = st.tuples(st.sampled_from(["drop", "repeat", "swap", "replace", "cut"]), st.integers(0, 99), st.integers(0, 99))


def edited(text: str, changes: list[tuple[str, int, int]]) -> str:
    lines = text.split("\n")
    for change, first, second in changes:
        line, other = first % len(lines), second % len(lines)
        match change:
            case "drop":
                lines[line] = ""
            case "repeat":
                lines.insert(line, lines[other])
            case "swap":
                lines[line], lines[other] = lines[other], lines[line]
            case "replace":
                words = lines[line].split(" ")
                words[second % len(words)] = WORDS[second % len(WORDS)]
                lines[line] = " ".join(words)
            case _:
                lines[line] = lines[line][: second % 20]
    return "\n".join(lines)


@settings(max_examples=150, deadline=None)
@given(st.lists(edits, max_size=4), st.lists(edits, max_size=4))
def test_whatever_is_wrong_the_catalog_is_sound(
    types: list[tuple[str, int, int]], events: list[tuple[str, int, int]]
) -> None:
    texts = {"types.lsg": edited(TYPES, types), "events.lsg": edited(EVENTS, events)}
    grammars = []
    found: list[Diagnostic] = []
    for path, text in texts.items():
        grammar, diagnostics = parse(text, path)
        grammars.append(grammar)
        found += diagnostics
    resolved, diagnostics = resolve(grammars)
    found += diagnostics + check(resolved, grammars)
    dump(resolved)  # looks up every name that is used
    for one in found:
        assert render(one, texts[one.span.path]).startswith(f"{one.span.path}:{one.span.line}:")
    for name, interval in resolved.intervals.items():
        assert {choice.event.text for choice in (*interval.opens, *interval.closes)} <= set(resolved.events), name
