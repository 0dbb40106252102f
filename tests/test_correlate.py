"""Intervals: pairing against a stack kept by hand, and the named outcomes of lost ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_log import START, catalog, log_of, who

from logscope.language.printer import Who

KNOWN = catalog()
Step = tuple[float, Who, str, dict[str, str]]


def intervals(name: str, steps: list[Step]) -> list[tuple[float, float, str]]:
    rows = log_of(KNOWN, steps).correlator.intervals(name)
    return [
        ((start - START) / 1e6, (end - START) / 1e6, outcome)
        for start, end, outcome in rows.select("start", "end", "outcome").iter_rows()
    ]


def taken(at: float, name: str = "a", thing: int = 1, run: str = "") -> Step:
    return at, who(name, run or f"{ord(name):x}"), "thing.taken", {"thing": str(thing), "purpose": "x"}


def left(at: float, name: str = "a", thing: int = 1, run: str = "") -> Step:
    return at, who(name, run or f"{ord(name):x}"), "thing.left", {"thing": str(thing)}


def starts(at: float) -> Step:
    return at, Who("ms1", "main"), "server.starts", {}


@pytest.mark.parametrize(
    ("name", "steps", "expected"),
    [
        ("thing.hold", [taken(0), left(3)], [(0, 3, "closed")]),
        ("thing.hold", [taken(0), taken(1), left(2), left(3)], [(0, 3, "closed"), (1, 2, "closed")]),
        ("thing.hold", [taken(0), left(1), left(2)], [(0, 1, "closed")]),
        ("thing.hold", [taken(0), taken(1, "b"), left(2, "b"), left(3)], [(0, 3, "closed"), (1, 2, "closed")]),
        ("thing.hold", [taken(0), left(1, thing=2), left(3)], [(0, 3, "closed"), (0, 1, "unbegun")]),
        ("thing.hold", [taken(0), taken(5, thing=2, run="beef"), left(6, thing=2, run="beef")],
         [(0, 0, "lost"), (5, 6, "closed")]),
        ("thing.hold", [taken(0), starts(4)], [(0, 4, "cut-by-restart")]),
        ("thing.hold", [taken(0), taken(2, "b"), left(9, "b")], [(0, 9, "cut-by-end"), (2, 9, "closed")]),
        ("thing.use", [taken(0), taken(2, "b"), left(3, "b")], [(0, 2, "superseded"), (2, 3, "closed")]),
        ("thing.use", [left(3, "b"), taken(4), left(5)], [(3, 3, "unbegun"), (4, 5, "closed")]),
    ],
)  # fmt: skip
def test_outcome(name: str, steps: list[Step], expected: list[tuple[float, float, str]]) -> None:
    assert sorted(intervals(name, steps)) == sorted(expected)


moves = st.lists(
    st.tuples(st.sampled_from(["taken", "left"]), st.sampled_from("abc"), st.integers(1, 2)), min_size=1, max_size=30
)


@given(moves)
@settings(max_examples=60, deadline=None)
def test_nested_pairing_agrees_with_stacks(history: list[tuple[str, str, int]]) -> None:
    steps, stacks, expected = [], dict[tuple[str, int], list[int]](), []
    begun = set[tuple[str, int]]()
    for at, (move, name, thing) in enumerate(history):
        key = (name, thing)
        stack = stacks.setdefault(key, [])
        if move == "taken":
            steps.append(taken(at, name, thing))
            stack.append(at)
            begun.add(key)
        else:
            steps.append(left(at, name, thing))
            if stack:
                expected.append((stack.pop(), at, "closed"))
            elif key not in begun:
                expected.append((0, at, "unbegun"))
                begun.add(key)
    end = len(history) - 1
    expected += [(at, end, "cut-by-end") for stack in stacks.values() for at in stack]
    assert sorted(intervals("thing.hold", steps)) == sorted(expected)


@given(moves)
@settings(max_examples=40, deadline=None)
def test_flat_pairing_agrees_with_one_slot_a_key(history: list[tuple[str, str, int]]) -> None:
    steps, slots, expected, seen = [], dict[int, int](), [], set[int]()
    for at, (move, name, thing) in enumerate(history):
        steps.append(taken(at, name, thing) if move == "taken" else left(at, name, thing))
        if thing in slots:
            expected.append((slots.pop(thing), at, "superseded" if move == "taken" else "closed"))
        elif move == "left" and thing not in seen:
            expected.append((0, at, "unbegun"))
        if move == "taken":
            slots[thing] = at
        seen.add(thing)
    expected += [(at, len(history) - 1, "cut-by-end") for at in slots.values()]
    assert sorted(intervals("thing.use", steps)) == sorted(expected)


def test_jobs_that_a_thread_without_context_submits_are_no_family() -> None:
    handler = Who("ms1", "handler-1")
    steps = [(at, handler, "job.asked", {"job": str(7 + at), "thing": "1"}) for at in (0, 1)]
    steps += [(3 + n, who("a", f"{n}{n}", job=7 + n), "thing.poked", {"thing": "1"}) for n in (0, 1)]
    families = log_of(KNOWN, steps).events.of("thing.poked")["family"].to_list()
    assert families[0] != families[1]
