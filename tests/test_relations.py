"""Relations against their definition written out, and overlap against pandas' IntervalIndex."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.language.tree import RELATIONS
from logscope.relations import MICROSECONDS, holds, margins

Ends = tuple[int, int]
ends = st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))
SLACK = 1


def by_definition(relation: str, a: Ends, b: Ends, order: tuple[int, int]) -> bool:
    (a1, a2), (b1, b2) = a, b
    return {
        "during": b1 < a1 and a2 < b2,
        "contains": a1 < b1 and b2 < a2,
        "overlaps": a1 <= b1 < a2 and order[0] < order[1],
        "meets": abs(a2 - b1) <= SLACK,
        "before": a2 <= b1 and order[0] < order[1],
        "after": a1 >= b2 and order[0] > order[1],
        "starts": abs(a1 - b1) <= SLACK,
        "finishes": abs(a2 - b2) <= SLACK,
        "equals": abs(a1 - b1) <= SLACK and abs(a2 - b2) <= SLACK,
    }[relation]


def frame(pairs: list[tuple[Ends, Ends]]) -> pl.DataFrame:
    rows = [
        {"a.start": a[0], "a.end": a[1], "a.order": int(a > b), "b.start": b[0], "b.end": b[1], "b.order": int(a <= b)}
        for a, b in pairs
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("relation", RELATIONS)
@given(st.lists(st.tuples(ends, ends), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_expression_agrees_with_definition(relation: str, pairs: list[tuple[Ends, Ends]]) -> None:
    found = frame(pairs).select(pl.all_horizontal(holds(relation, "a", "b", None, SLACK))).to_series().to_list()
    assert found == [by_definition(relation, a, b, (int(a > b), int(a <= b))) for a, b in pairs]


@given(st.lists(ends.filter(lambda e: e[1] > e[0]), min_size=1, max_size=12), st.integers(0, 18))
@settings(max_examples=60, deadline=None)
def test_points_inside_agree_with_pandas(spans: list[Ends], point: int) -> None:
    index = pd.IntervalIndex.from_tuples(spans, closed="neither")
    pairs = [((point, point), span) for span in spans]
    found = frame(pairs).select(pl.all_horizontal(holds("during", "a", "b", None, 0))).to_series().to_list()
    assert found == index.contains(point).tolist()


@given(st.lists(ends.filter(lambda e: e[1] > e[0]), min_size=1, max_size=12), ends.filter(lambda e: e[1] > e[0]))
@settings(max_examples=60, deadline=None)
def test_shared_time_agrees_with_pandas(spans: list[Ends], other: Ends) -> None:
    index = pd.IntervalIndex.from_tuples(spans, closed="neither")
    expected = index.overlaps(pd.Interval(*other, closed="neither")).tolist()
    first = frame([(other, span) for span in spans])
    second = frame([(span, other) for span in spans])
    relations = [f.select(pl.all_horizontal(holds("overlaps", "a", "b", None, 0))).to_series() for f in (first, second)]
    same = pl.Series([span == other for span in spans])
    assert (relations[0] | relations[1] | same).to_list() == expected


def test_within_limits_the_distance_of_the_nearer_ends() -> None:
    pairs = [((10 * MICROSECONDS, 11 * MICROSECONDS), (0, 9 * MICROSECONDS))]
    for seconds, expected in ((0.5, False), (1.0, True)):
        found = frame(pairs).select(pl.all_horizontal(holds("after", "a", "b", seconds, 0))).to_series().to_list()
        assert found == [expected]


def test_margins_tell_how_deep_a_strike_was() -> None:
    strike, work = (7_941_000, 7_941_000), (0, 38_321_000)
    assert margins("during", strike, work) == {"after_start": 7.941, "before_end": 30.38}
    assert margins("contains", work, strike) == {"after_start": 7.941, "before_end": 30.38}
    assert margins("before", (0, 1_000_000), (3_000_000, 4_000_000)) == {"gap": 2.0}
