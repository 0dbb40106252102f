"""Every declaration of the shipped grammars keeps what it promises; one test a declaration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from logscope import selftest
from logscope.errors import Diagnostic
from logscope.language.catalog import Catalog
from logscope.language.check import check
from logscope.language.load import load, shipped_dir
from logscope.language.tree import Actor, Declaration, Event, Grammar, Interval, Rule, Type


@cache
def shipped() -> tuple[Catalog, list[Grammar]]:
    catalog, grammars, diagnostics = load([shipped_dir()])
    assert not [d for d in diagnostics if d.severity == "error"]
    return catalog, grammars


@cache
def mistakes() -> list[Diagnostic]:
    catalog, grammars = shipped()
    return [*check(catalog, grammars), *selftest.run(catalog, catalog.rules.values())]


def declarations() -> Iterator[tuple[Grammar, Declaration]]:
    for grammar in shipped()[1]:
        for declaration in grammar.declarations:
            yield grammar, declaration


def _id(value: object) -> str:
    if isinstance(value, Grammar):
        return value.path.rpartition("/")[2]
    return value.name.text if isinstance(value, Type | Event | Interval | Actor | Rule) else str(value)


@pytest.mark.parametrize(("grammar", "declaration"), list(declarations()), ids=_id)
def test_declaration_keeps_its_promises(grammar: Grammar, declaration: Declaration) -> None:
    first = declaration.span.line
    following = [d.span.line for d in grammar.declarations if d.span.line > first]
    last = min(following, default=1 << 30)
    mine = [d for d in mistakes() if d.span.path == grammar.path and first <= d.span.line < last]
    assert not mine, "mend the declaration, or the sample or history that is wrong"


@pytest.mark.parametrize("rule", list(shipped()[0].rules.values()), ids=_id)
def test_rule_tells_all_that_people_need(rule: Rule) -> None:
    assert rule.because
    assert rule.refs
    assert rule.refuted, "say what would refute it"
    assert rule.blind, "say what this log cannot show"
    assert rule.remedy
    assert rule.beware, "say which false alarms are known"
    assert len(rule.fires) >= 2
    assert len(rule.quiet) >= 3
