"""From the text of a grammar file to its tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.errors import Span
from logscope.language import scan
from logscope.language.syntax import parse
from logscope.language.tree import (
    Comparison,
    Event,
    Field,
    Interval,
    Literal,
    Path,
    Prose,
    Relation,
    Rule,
    Template,
    Value,
)

AT = Span("x.lsg", 7, 12)


def declaration(text: str) -> Any:
    grammar, diagnostics = parse(f"grammar x\n{text}", "x.lsg")
    assert not diagnostics
    (found,) = grammar.declarations
    return found


def parts(text: str) -> list[tuple[str, ...]]:
    template, diagnostics = scan.template(text, AT)
    assert not diagnostics
    return [(part.text,) if isinstance(part, Literal) else (part.name, part.type) for part in template.parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", [("plain",)]),
        ("{id:int}", [("id", "int")]),
        ("{what}", [("what", "text")]),
        ('Network {"id": {id:int}}', [('Network {"id": ',), ("id", "int"), ("}",)]),
        ("VM {{id: {id:int}}", [("VM {id: ",), ("id", "int"), ("}",)]),
        ("{{{id:int}", [("{",), ("id", "int")]),
        ("{{{{a", [("{{a",)]),
        ("{} { {1} }{", [("{} { {1} }{",)]),
        ("{a}{b:net-work}", [("a", "text"), ("b", "net-work")]),
        (r"[a-z]+\d (x|y) $", [(r"[a-z]+\d (x|y) $",)]),
    ],
)
def test_braces_in_templates(text: str, expected: list[tuple[str, ...]]) -> None:
    assert parts(text) == expected


def test_a_field_knows_its_place() -> None:
    template, _ = scan.template("Begin of {network:network}", AT)
    assert template.parts[1] == Field("network", "network", Span("x.lsg", 7, 21, 17))


@pytest.mark.parametrize("text", ["{Id}", "{id", "{id:}", "{id:Int}", "{a b}", "{a.b}", "{id:int:x}"])
def test_a_broken_field_is_told_with_its_place(text: str) -> None:
    template, (diagnostic,) = scan.template(f"of {text} to", AT)
    assert diagnostic.code == "LG105"
    assert (diagnostic.span.line, diagnostic.span.column) == (7, 15)
    assert template.parts == (Literal(f"of {text} to"),)


def test_places_of_a_title() -> None:
    names, diagnostics = scan.places(Prose("{work.network.id} and {{this} by {actor}", AT))
    assert [name.text for name in names] == ["work.network.id", "actor"]
    assert names[1].span == Span("x.lsg", 7, 46, 5)
    assert not diagnostics


@given(st.text(max_size=60).filter(lambda text: "\n" not in text))
def test_any_text_is_a_template_or_has_a_diagnostic(text: str) -> None:
    template, diagnostics = scan.template(text, AT)
    spelt = "".join(
        part.text.replace("{", "{{") if isinstance(part, Literal) else f"{{{part.name}:{part.type}}}"
        for part in template.parts
    )
    again, _ = scan.template(spelt, AT)
    if not diagnostics and "{" not in text:
        assert again.parts == template.parts
    assert isinstance(template, Template)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["grammar x", "event a.b", "rule r", "type t", "interval i", "actor q", " match", " sample", "|",
             " | x {a:int}", " find a = b", " when", " and", " fires", " +1 A b", " # note", "# note", "\t", "", "same",
             "\0", "\ufeff", "=", ' where a = "', " within 5", " title | {x", "é", "\r", " expect a = 1", "}",
             " proves a = b after c means"]
        )
    ).map("\n".join)
)  # fmt: skip
def test_any_text_gives_a_tree_and_diagnostics_within_it(text: str) -> None:
    grammar, diagnostics = parse(text, "x.lsg")
    lines = text.replace("\r\n", "\n").split("\n")
    for one in diagnostics:
        assert 1 <= one.span.line <= len(lines)
        assert 1 <= one.span.column <= len(lines[one.span.line - 1]) + 1
    if grammar.broken:
        assert diagnostics


def test_verbatim_text_keeps_everything_but_one_blank() -> None:
    event = declaration(
        "event a\n  match |  two blanks, | a bar, # no comment \n  sample |none\n         |\n         | \t tab"
    )
    assert event.matches[0].template.text == " two blanks, | a bar, # no comment "
    assert event.samples[0].lines == ("none", "", "\t tab")


def test_clauses_go_on_over_lines() -> None:
    rule = declaration(
        """rule r
  title | T
  severity
    high
  find
    a = x
      where p = "1"
      and q in ("2",
                3)
    slack = y
  when a.n = slack.n and
       a during slack
  and a.duration >= 1.5s
  without c = z
    within 2min
    before a
    same n,
      family
  refs a/b#1,
       c/d#2
"""
    )
    assert isinstance(rule, Rule)
    assert [binding.name.text for binding in rule.find] == ["a", "slack"]
    assert len(rule.find[0].spec.where) == 2
    assert len(rule.when) == 3
    assert isinstance(rule.when[1], Relation)
    assert isinstance(rule.when[2], Comparison)
    assert rule.when[2].right == Value(1.5, Span("x.lsg", 14, 21, 4))
    assert rule.without[0].within == 120.0
    assert [key.text for key in rule.without[0].same] == ["n", "family"]
    assert [ref.text for ref in rule.refs] == ["a/b#1", "c/d#2"]


def test_clause_words_are_reserved_only_at_the_beginning_of_a_line() -> None:
    interval = declaration(
        'interval i\n  opens opens where title = "x" and limit is unknown or closes\n  same same_as, key\n'
    )
    assert isinstance(interval, Interval)
    assert [choice.event.text for choice in interval.opens] == ["opens", "closes"]


def test_starts_is_a_comparison_and_a_relation() -> None:
    rule = declaration('rule r\n title | T\n severity low\n find a = b\n when a.name starts "r-" and a starts a\n')
    first, second = rule.when
    assert (first.operator, second.relation) == ("starts", "starts")


def test_a_value_and_its_path_know_their_places() -> None:
    event = declaration(
        'event a\n  match | x\n  sample | x\n    expect n.id = 209,\n           purpose = "a \\"b\\" \\\\"\n'
    )
    assert isinstance(event, Event)
    first, second = event.samples[0].expect
    assert (first.path, first.value) == (Path("n.id", Span("x.lsg", 5, 12, 4)), Value(209, Span("x.lsg", 5, 19, 3)))
    assert second.value.value == 'a "b" \\'


@pytest.mark.parametrize(
    ("given", "value"),
    [("209", 209), ("-5", -5), ("0123", "0123"), ("0d3c", "0d3c"), ('"2 3"', "2 3"), ("a=b", "a=b"), ("0", 0)],
)
def test_values_of_a_step(given: str, value: str | int) -> None:
    rule = declaration(
        f"rule r\n title | T\n severity low\n find a = b\n fires\n  +1.25 A.2@ms2 b.c x={given}\n  +60 end\n"
    )
    step, end = rule.fires[0].steps
    assert (step.seconds, step.actor, step.event.text, step.fields[0].value.value) == (1.25, "A.2@ms2", "b.c", value)
    assert (end.seconds, end.actor, end.event, end.fields) == (60.0, "", None, ())


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [("4.17..", "4.17", ""), ("..4.6", "", "4.6"), ("4.11", "4.11", "4.11"), ("4.4..4.20.0", "4.4", "4.20.0")],
)
def test_releases(written: str, first: str, last: str) -> None:
    of = declaration(f"type t\n  match vpc {written} | x\n")
    assert (of.matches[0].releases.first, of.matches[0].releases.last, of.matches[0].kind.text) == (first, last, "vpc")


def test_line_ends_of_other_systems_and_a_mark_at_the_beginning_change_nothing() -> None:
    text = "grammar x\n\n# note\nevent a\n\tmatch\t| x {n:int}\n\tsample\t| 2 x\n"
    plain, _ = parse(text, "x.lsg")
    other, diagnostics = parse("\ufeff" + text.replace("\n", "\r\n"), "x.lsg")
    assert not diagnostics
    assert other == plain


def test_comments_stand_where_they_stood() -> None:
    text = (
        "# file\n\n# head\ngrammar x\n# of a\nevent a\n  # of match\n  match | x\n  # at the end\n"
        "# of b\nevent b\n# last\n"
    )
    grammar, _ = parse(text, "x.lsg")
    a, b = grammar.declarations
    assert grammar.comments == ("# file", "", "# head")
    assert a.comments == ("# of a",)
    assert [(remark.before, remark.text) for remark in a.remarks] == [(0, "# of match"), (1, "# at the end")]
    assert b.comments == ("# of b",)
    assert grammar.trailing == ("# last",)


def test_a_mistake_costs_its_declaration_only() -> None:
    grammar, diagnostics = parse("grammar x\nevent a\n  match {x}\nevent b\n  match | x\n", "x.lsg")
    assert [one.name.text for one in grammar.declarations] == ["b"]
    assert [(one.keyword, one.name.text) for one in grammar.broken] == [("event", "a")]
    assert len(diagnostics) == 1
