"""Failures that say the same but for numbers and names of their own, told once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from logscope.model import Failure, Report
from logscope.report.parts.times import moment, stretch

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Alike:
    """The failures of one kind that no finding explains, or one that a finding does; in the order of their times."""

    members: list[Failure]

    @property
    def first(self) -> Failure:
        """The earliest."""
        return self.members[0]

    @property
    def title(self) -> str:
        """What failed; without what differs, if there are several."""
        return self.first.title if len(self.members) == 1 else shape(self.first.title)

    @property
    def when(self) -> str:
        """A moment, or the stretch from the first to the last."""
        if len(self.members) == 1:
            return moment(self.first.time)
        return stretch(self.first.time, self.members[-1].time)

    @property
    def times(self) -> str:
        """`12 times`, or nothing for one."""
        return f"{len(self.members):,} times" if len(self.members) > 1 else ""


def shape(title: str) -> str:
    """A title without the numbers and UUIDs in it."""
    return _NUMBER.sub("N", _UUID.sub("…", title))


def unexplained(report: Report) -> list[Alike]:
    """What no finding explains, like things together, in the order of their first times."""
    return _gathered(failure for failure in report.failures if failure.explained_by is None)


def explained(report: Report) -> list[Alike]:
    """What a finding explains, each by itself."""
    return [Alike([failure]) for failure in report.failures if failure.explained_by is not None]


def _gathered(failures: Iterable[Failure]) -> list[Alike]:
    found: dict[tuple[str, str, bool], list[Failure]] = {}
    for failure in failures:
        found.setdefault((failure.event, shape(failure.title), bool(failure.saved)), []).append(failure)
    return [Alike(sorted(members, key=lambda failure: failure.time)) for members in found.values()]


def why(one: Alike) -> str:
    """What explains it, and whether it was done after all."""
    number = one.first.explained_by
    told = "not explained by any rule" if number is None else f"explained by #{number + 1}"
    return f"{told}, and done after all" if one.first.saved else told
