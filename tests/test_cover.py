"""The short texts that stand for many literals miss none of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_grammars import shipped

from logscope.language.template import cover
from logscope.pipeline import literals_for_analyze


@given(st.lists(st.text("ab ", min_size=1, max_size=14), max_size=12), st.text("ab ", max_size=90), st.integers(1, 9))
def test_every_literal_contains_one_of_the_cover(literals: list[str], sample: str, size: int) -> None:
    chosen = cover(literals, sample.encode(), size)
    assert all(any(text in literal for text in chosen) for literal in literals)
    assert len(chosen) <= len(set(literals))


def test_the_literals_of_analyze_need_few_texts() -> None:
    literals = literals_for_analyze(shipped()[0])
    assert len(cover(literals)) < len(literals) / 2


def test_what_stands_in_many_lines_is_no_cover() -> None:
    often = "the collector found nothing"
    literals = ["collector xyzzy", "collector plugh"]
    assert len(cover(literals)) == 1
    assert [text for text in cover(literals, f"{often}\n".encode() * 100) if text in often] == []
