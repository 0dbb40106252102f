"""Allen's relations between two bound things as comparisons of their ends.

Ends that touch prove nothing, so inclusion is strict; an event is an interval of no length.
Reference: J. F. Allen, "Maintaining knowledge about temporal intervals", CACM 26(11), 1983.
"""

from __future__ import annotations

import polars as pl

MICROSECONDS = 1_000_000


def holds(relation: str, left: str, right: str, within: float | None, slack: int) -> list[pl.Expr]:
    """Comparisons that are true together when LEFT stands in `relation` to RIGHT.

    `left` and `right` prefix the columns `start`, `end`, `order`; `within` is in seconds, `slack` in µs.
    """
    ls, le, lo = (pl.col(f"{left}.{c}") for c in ("start", "end", "order"))
    rs, re, ro = (pl.col(f"{right}.{c}") for c in ("start", "end", "order"))
    limit = None if within is None else round(within * MICROSECONDS)
    if relation == "during":
        found = [ls > rs, le < re]
        distance = ls - rs
    elif relation == "contains":
        found = [ls < rs, le > re]
        distance = rs - ls
    elif relation == "overlaps":
        # The first to begin is the left one, so that a pair is found once.
        found = [ls <= rs, le > rs, lo < ro]
        distance = rs - ls
    elif relation == "meets":
        found = [(le - rs).abs() <= slack]
        distance = (le - rs).abs()
    elif relation == "before":
        found = [le <= rs, lo < ro]
        distance = rs - le
    elif relation == "after":
        found = [ls >= re, lo > ro]
        distance = ls - re
    elif relation == "starts":
        found = [(ls - rs).abs() <= slack]
        distance = (ls - rs).abs()
    elif relation == "finishes":
        found = [(le - re).abs() <= slack]
        distance = (le - re).abs()
    else:  # equals
        found = [(ls - rs).abs() <= slack, (le - re).abs() <= slack]
        distance = (ls - rs).abs()
    if limit is not None:
        found.append(distance <= limit)
    return found


def margins(relation: str, left: tuple[int, int], right: tuple[int, int]) -> dict[str, float]:
    """How far inside (or apart) the ends lie, in seconds; what tells how close it was."""
    (ls, le), (rs, re) = left, right
    if relation == "contains":
        (ls, le), (rs, re) = (rs, re), (ls, le)
    if relation in ("during", "contains"):
        return {"after_start": (ls - rs) / MICROSECONDS, "before_end": (re - le) / MICROSECONDS}
    if relation == "overlaps":
        return {"after_start": (rs - ls) / MICROSECONDS, "before_end": (le - rs) / MICROSECONDS}
    if relation in ("before", "meets"):
        return {"gap": (rs - le) / MICROSECONDS}
    if relation == "after":
        return {"gap": (ls - re) / MICROSECONDS}
    return {}
