"""Which stretch of time a finding's drawing shows."""

from __future__ import annotations

from collections.abc import Sequence

from logscope.model import Let
from logscope.report.parts.times import SECOND

_MILLISECOND = SECOND // 1000
# An interval this many times longer than everything else would leave no width to that.
_OVERLONG = 40
# Shares of the stretch that are left free at either side; more where a bar goes on beyond.
_RIM = 0.04
_WIDE_RIM = 0.15

_LOOSE_STARTS = frozenset({"unbegun"})
_LOOSE_ENDS = frozenset({"cut-by-end", "cut-by-restart", "limit", "lost"})


def window(lets: Sequence[Let]) -> tuple[int, int]:
    """First and last moment to show, with a rim.

    All firm ends are inside. Ends that the log does not tell, and both ends of an interval beside which
    the others would shrink to nothing, are left outside if they lie far off.
    """
    firm, loose = _ends(lets)
    if not firm or max(firm) == min(firm):
        firm, loose = firm + loose, []
    first, last = min(firm), max(firm)
    reach = 2 * (last - first)
    near = [time for time in loose if first - reach <= time <= last + reach]
    beyond = len(near) < len(loose)
    first, last = min([first, *near]), max([last, *near])
    if first == last:
        return first - SECOND // 2, last + SECOND // 2
    rim = max(int((last - first) * (_WIDE_RIM if beyond else _RIM)), _MILLISECOND)
    return first - rim, last + rim


def _ends(lets: Sequence[Let]) -> tuple[list[int], list[int]]:
    firm: list[int] = []
    loose: list[int] = []
    for let in lets:
        overlong = _is_overlong(let, lets)
        (loose if overlong or let.outcome in _LOOSE_STARTS else firm).append(let.start)
        (loose if overlong or let.outcome in _LOOSE_ENDS else firm).append(let.end)
    return firm, loose


def _is_overlong(let: Let, lets: Sequence[Let]) -> bool:
    others = [other for other in lets if other is not let]
    if not any(other.start < other.end for other in others):
        return False
    rest = max(other.end for other in others) - min(other.start for other in others)
    return let.end - let.start > _OVERLONG * rest
