"""What is printed parses to the same tree; printing twice is printing once."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logscope.errors import LogscopeError, Span
from logscope.language import codec, scan
from logscope.language import tree as t
from logscope.language.format import duration_text, format_grammar
from logscope.language.syntax import parse

GRAMMARS = sorted((FilePath(__file__).parent.parent / "grammars").glob("*.lsg"))
AT = Span("generated.lsg", 1, 1)


def without_spans(node: Any) -> Any:
    """The tree with every span replaced by one and the same."""
    if isinstance(node, Span):
        return AT
    if isinstance(node, tuple):
        return tuple(without_spans(one) for one in node)
    if dataclasses.is_dataclass(node):
        values = [getattr(node, member.name) for member in dataclasses.fields(node)]
        return type(node)(*map(without_spans, values))  # type: ignore[operator]
    return node


RESERVED = {"and", "or", "where", "within", "from", "same", "other", "means", "in", "is", "any"}
line = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
spoken = line.filter(lambda text: text.strip() != "")
word = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True).filter(lambda text: text not in RESERVED)
simple = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(lambda text: text not in RESERVED)
dotted = st.lists(word, min_size=1, max_size=3).map(".".join)
route = st.lists(simple, min_size=1, max_size=3).map(".".join)
long_route = st.lists(simple, min_size=2, max_size=3).map(".".join)
seconds = st.one_of(
    st.integers(1, 10**7).map(lambda number: number / 1000), st.integers(0, 10**5).map(float), st.just(1e-7)
)


def names(texts: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[tuple[t.Name, ...]]:
    return st.lists(texts.map(lambda text: t.Name(text, AT)), min_size=least, max_size=3).map(tuple)


def many(one: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(one, min_size=least, max_size=3).map(tuple)


def name(texts: st.SearchStrategy[str]) -> st.SearchStrategy[t.Name]:
    return texts.map(lambda text: t.Name(text, AT))


spans = st.just(AT)
paths = route.map(lambda text: t.Path(text, AT))
texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12).map(lambda text: t.Value(text, AT))
integers = st.integers(-(10**6), 10**6).map(lambda number: t.Value(number, AT))
values = st.one_of(texts, integers, seconds.map(lambda number: t.Value(number, AT)))
prose = spoken.map(lambda text: t.Prose(text, AT))
long_prose = st.tuples(spoken, st.lists(line, max_size=2)).map(
    lambda parts: t.Prose("\n".join([parts[0], *parts[1]]), AT)
)
fields = st.one_of(
    simple.map(lambda text: f"{{{text}}}"), st.tuples(simple, word).map(lambda two: f"{{{two[0]}:{two[1]}}}")
)
template_text = st.lists(
    st.one_of(fields, line, st.sampled_from(["{{a", '{"id": ', "|", "}", " "])), min_size=1, max_size=6
)
templates = (
    template_text.map("".join)
    .filter(lambda text: text.strip() != "")
    .map(lambda text: scan.template(text, AT))
    .filter(lambda read: not read[1])
    .map(lambda read: without_spans(read[0]))
)
number = st.from_regex(r"[1-9](\.[0-9]{1,2}){0,2}", fullmatch=True)
releases = st.one_of(
    number.map(lambda one: t.Releases(one, one, AT)),
    number.map(lambda one: t.Releases(one, "", AT)),
    number.map(lambda one: t.Releases("", one, AT)),
    st.tuples(number, number).map(lambda two: t.Releases(*two, AT)),
)


def comparisons(left: st.SearchStrategy[t.Path]) -> st.SearchStrategy[t.Comparison]:
    def made(operator: str, right: st.SearchStrategy[Any]) -> st.SearchStrategy[t.Comparison]:
        return st.builds(t.Comparison, left, st.just(operator), right, spans)

    return st.one_of(
        *(made(operator, st.one_of(values, paths)) for operator in ("=", "!=", "<", "<=", ">", ">=")),
        *(made(operator, texts) for operator in ("starts", "ends")),
        made("in", many(values, 1)),
        made("is", st.sampled_from(["known", "unknown"]).map(lambda text: t.Value(text, AT))),
    )


where = many(comparisons(paths))
choices = st.builds(t.Choice, name(dotted), where, spans)
relations = st.builds(
    t.Relation, name(simple), st.sampled_from(t.RELATIONS), name(simple), st.one_of(st.none(), seconds), spans
)
conditions = st.one_of(relations, comparisons(long_route.map(lambda text: t.Path(text, AT))))
specs = st.one_of(
    st.builds(t.Spec, name(dotted), st.just(False), where, spans),
    st.builds(t.Spec, name(word), st.just(True), where, spans),
)
bindings = st.builds(t.Binding, name(simple), specs, spans)


def attachments(means: st.SearchStrategy[Any], at_least: st.SearchStrategy[Any]) -> st.SearchStrategy[t.Attachment]:
    keys = names(route), names(route), means, at_least, spans
    limit = st.one_of(st.none(), seconds)
    related = st.builds(t.Attachment, bindings, limit, st.sampled_from(t.RELATIONS), name(simple), *keys)
    between = st.builds(t.Attachment, bindings, st.none(), st.just("after"), name(simple), *keys, name(simple))
    return st.one_of(related, between)


expectations = st.builds(t.Expectation, paths, st.one_of(texts, integers))
samples = st.builds(
    t.Sample,
    st.tuples(spoken, st.lists(line, max_size=2)).map(lambda two: (two[0], *two[1])),
    many(expectations),
    spans,
)
actors = st.from_regex(r"[A-D](\.[1-3])?(@ms[12])?", fullmatch=True)
steps = st.one_of(
    st.builds(t.Step, seconds, actors, name(dotted.filter(lambda text: text != "end")), many(expectations), spans),
    st.builds(t.Step, seconds, st.just(""), st.none(), st.just(()), spans),
)
fires = st.builds(t.History, many(steps, 1), st.sampled_from(["", "certain", "possible"]), spans)
quiet = st.builds(t.History, many(steps, 1), st.just(""), spans)
remark = line.map(lambda text: f"#{text}".rstrip())
comment_lines = st.lists(remark, max_size=3).map(tuple)
paragraphs = st.one_of(comment_lines, st.tuples(remark, st.just(""), remark))


def renderings(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[t.Rendering]:
    return st.builds(t.Rendering, templates, st.one_of(st.none(), releases), kinds, spans)


maybe_word = st.one_of(st.none(), name(word))
maybe_simple = st.one_of(st.none(), name(simple))
types = st.builds(
    t.Type, name(dotted), maybe_word, maybe_simple, names(simple), maybe_simple, many(renderings(maybe_word), 1), spans
)
events = st.builds(
    t.Event, name(dotted), st.one_of(st.none(), prose), names(st.from_regex(r"[A-Z][A-Za-z.$]{0,8}", fullmatch=True)),
    st.one_of(st.none(), name(st.sampled_from(t.LEVELS))), names(word), many(renderings(st.none())),
    many(st.builds(t.Inside, name(route), templates, spans)),
    many(st.builds(t.About, name(word), prose, spans)),
    many(st.builds(t.Takes, name(word), names(dotted, 1), spans)), many(samples), spans,
)  # fmt: skip
intervals = st.builds(
    t.Interval, name(dotted), st.one_of(st.none(), prose), names(word), many(choices, 1), many(choices),
    names(route, 1), many(choices), st.booleans(), st.one_of(st.none(), seconds), spans,
)  # fmt: skip
named_actors = st.builds(t.Actor, name(dotted), prose, many(templates), many(choices), spans)
rules = st.builds(
    t.Rule, name(dotted), prose, st.sampled_from(t.SEVERITIES), many(bindings, 1), many(conditions),
    many(attachments(st.none(), st.none())), many(attachments(st.none(), st.integers(0, 9))),
    many(attachments(st.one_of(st.none(), st.sampled_from(t.OUTCOMES)), st.none())),
    st.one_of(st.none(), choices), many(choices), st.one_of(st.none(), choices), st.one_of(st.none(), seconds),
    st.booleans(), st.one_of(st.none(), long_prose), many(long_prose), many(long_prose), many(long_prose),
    many(long_prose), st.one_of(st.none(), long_prose), st.one_of(st.none(), long_prose),
    names(st.from_regex(r"[a-z]{1,4}/[a-z]{1,4}#[0-9]{1,4}", fullmatch=True)), many(fires), many(quiet), spans,
)  # fmt: skip


sources = st.builds(
    t.Source, name(dotted), prose, st.one_of(st.none(), name(st.sampled_from(t.HEADERS))),
    st.one_of(st.none(), name(st.just("GMT"))), st.one_of(st.none(), name(dotted)),
    names(st.from_regex(r"[a-z][A-Za-z.$]{0,8}", fullmatch=True)), many(templates), many(renderings(st.none())),
    many(st.builds(dataclasses.replace, samples, expect=st.just(()))), spans,
)  # fmt: skip


state = name(st.from_regex(r"[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True))
edges = st.builds(t.Edge, many(state, 1), state, many(choices, 1), spans)
machines = st.builds(t.Machine, name(dotted), st.one_of(st.none(), prose), maybe_word, many(edges, 1), spans)


@st.composite
def declarations(draw: st.DrawFn) -> Any:
    made = draw(st.one_of(types, events, intervals, named_actors, rules, sources, machines))
    alone = format_grammar(t.Grammar(t.Name("g", AT), AT.path, (made,)))
    clauses = len(re.findall(r"(?m)^  [a-z]", alone))
    remarks = draw(st.lists(st.builds(t.Remark, st.integers(0, clauses), remark), max_size=3))
    placed = tuple(sorted(remarks, key=lambda one: one.before))
    return dataclasses.replace(made, comments=draw(paragraphs), remarks=placed)


grammars = st.builds(
    t.Grammar, name(dotted), st.just(AT.path), many(declarations()), paragraphs, paragraphs, st.just(())
)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(grammars)
def test_a_printed_tree_parses_to_itself(grammar: t.Grammar) -> None:
    text = format_grammar(grammar)
    read, diagnostics = parse(text, AT.path)
    assert not diagnostics, text
    assert without_spans(read) == grammar, text
    assert format_grammar(read) == text


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(grammars)
def test_a_tree_comes_back_from_json(grammar: t.Grammar) -> None:
    assert codec.decode(codec.encode(grammar), AT.path) == grammar


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.name)
def test_shipped_grammars_survive_printing(path: FilePath) -> None:
    grammar, diagnostics = parse(path.read_text(encoding="utf-8"), path.name)
    assert not diagnostics
    text = format_grammar(grammar)
    again, _ = parse(text, path.name)
    assert without_spans(again) == without_spans(grammar)
    assert format_grammar(again) == text
    assert codec.decode(codec.encode(grammar), path.name) == grammar


def test_the_canonical_layout() -> None:
    text = """\
# Networks.
grammar network

# All there is.
type network
  alias uuid
  match 4.17.. | Network {"id": {id:int}, "uuid": "{uuid:uuid}"}
  match        | {id:int}

event network.begin
  # The old text had a blank at its end.
  match  ..4.11 | Begin of {network:network}\x20
  match         | Begin of {network:network}
  sample | 2026-10-29 01:20:23,709 DEBUG Begin of 209
         | at a place
         expect network.id = 209

rule network-found
  title    | Network {work.network.id} found
  severity high
  find     work   = network.work
           strike = any change where purpose in ("a", "b")
  when     strike.network.id = work.network.id
           and strike during work
  proves   refusal = network.refused within 90s after work same family, network.id means failed
  slack    20ms
  yields
  because  | It takes no lock.
           | It should.
  fires certain
    +0.000  A       network.begin  network=209
    +10.500 B.2@ms2 network.found  network=209 purpose="a b"
    +60.000 end

# The end.
"""
    grammar, diagnostics = parse(text, "network.lsg")
    assert not diagnostics
    assert format_grammar(grammar) == text


def test_layout_is_repaired_and_comments_stay() -> None:
    text = """\
grammar   network
rule a
  severity high
  # about the title
  title | A {work.actor}
  fires
      +0 A network.begin
    # within the history
      +1 B network.found network=209
  find work = network.work
  # at the end
# of the file"""
    grammar, _ = parse(text, "network.lsg")
    assert (
        format_grammar(grammar)
        == """\
grammar network

rule a
  # about the title
  title    | A {work.actor}
  severity high
  find     work = network.work
  # within the history
  fires
    +0.000 A network.begin
    +1.000 B network.found  network=209
  # at the end

# of the file
"""
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.02, "20ms"),
        (0.0205, "0.0205s"),
        (1.5, "1.5s"),
        (60.0, "60s"),
        (600.0, "600s"),
        (3600.0, "1h"),
        (5400.0, "90min"),
        (0.0, "0s"),
    ],
)
def test_durations_have_one_spelling(number: float, text: str) -> None:
    assert duration_text(number) == text


def test_a_file_with_mistakes_is_not_printed() -> None:
    grammar, _ = parse("grammar network\ntype network\n  match {id}\n", "network.lsg")
    with pytest.raises(LogscopeError, match=r"'network\.lsg' has mistakes"):
        format_grammar(grammar)
