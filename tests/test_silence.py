"""Silences, against a look at every line."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.silence import LEAST, silences

START = datetime(2026, 10, 28, 20)
MICROSECONDS = timedelta(microseconds=1)


def log_of(steps: list[int], tail: str = "") -> tuple[bytes, list[datetime]]:
    times = [START]
    for step in steps:
        times.append(times[-1] + timedelta(seconds=step))
    lines = [f"{time:%Y-%m-%d %H:%M:%S},000 INFO  [o.x.Y] (main:[]) (logid:) text{tail}\n" for time in times]
    return "".join(lines).encode(), times


def since_1970(time: datetime) -> int:
    return (time - datetime(1970, 1, 1)) // MICROSECONDS


distances = st.lists(st.sampled_from([0, 1, 20, 299, 300, 301, 4000]), max_size=40)


@given(distances, st.sampled_from(["", "\n\tat x.Y", "\n"]))
@settings(max_examples=150, deadline=None)
def test_silences_are_those_between_neighbours(steps: list[int], tail: str) -> None:
    data, times = log_of(steps, tail)
    expected = [(since_1970(a), since_1970(b)) for a, b in pairwise(times) if since_1970(b) - since_1970(a) >= LEAST]
    assert silences(data) == expected


@pytest.mark.parametrize(
    "data", [b"", b"no header\n", b"2026-99-99 99:99:99,999 x\n" * 2, b"x\n2026-10-28 20:00:00,000 y\n"]
)
def test_what_has_no_times_has_no_silences(data: bytes) -> None:
    assert silences(data) == []
