"""What the readers of CI artifacts hand to each other.

Times are microseconds since 1970-01-01 of the clock of the machine that ran the tests, until `clocks`
or `join` say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from logscope.model import Problem

SECOND = 1_000_000
UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a run. `path` is where it stands, parts separated by `/`; `kind` is as of `recognise.kind_of`.

    `open` gives its decoded bytes in blocks of any size and may be called more than once.
    """

    name: str
    path: str
    kind: str
    open: Callable[[], Iterator[bytes]]


@dataclass(slots=True)
class Stretch:
    """A part of a test file's own log: one test, or what lies between two tests (`test` is empty then).

    `jobs` are the uuids of the jobs that were started or waited for, with the time when each was first
    seen; `names` are uuids and instance names of resources, `words` are parameter values in lower case.
    `ended` tells whether the end of the test was logged.
    """

    test: str
    start: int
    end: int
    jobs: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one row says of one test; `result` is as of `model.TestCase`, `seconds` None if not told.

    `suite` is the class that the test belongs to, `file` the test file, both empty if not told.
    """

    name: str
    result: str
    seconds: float | None = None
    text: str = ""
    suite: str = ""
    file: str = ""


@dataclass(slots=True)
class Case:
    """One test of a run with all that its artifacts tell.

    `reach` is where the window begins when the first pass of a file that was run twice, and the clean-up
    between the passes, are counted in (None if unknown); `jobs`, `names`, `words` are as of `Stretch`.
    """

    outcome: Outcome
    file: str
    start: int | None = None
    end: int | None = None
    precision: str = "none"
    reach: int | None = None
    jobs: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CleanUp:
    """The burst of deletions between two test files; it belongs to no test."""

    start: int
    end: int
    after: str  # the file that left behind what is deleted


@dataclass(slots=True)
class Run:
    """The tests of one run, in the order in which they ran.

    `zone` is the offset of the test machine's clock such as "+02:00", empty if the artifacts do not tell.
    """

    name: str
    cases: list[Case] = field(default_factory=list)
    cleanups: list[CleanUp] = field(default_factory=list)
    zone: str = ""
    problems: list[Problem] = field(default_factory=list)
