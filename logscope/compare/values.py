"""What a comparison comes to, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happened: of so many `chances` in so many `runs`."""

    runs: int
    chances: int
    fired: int


@dataclass(frozen=True, slots=True)
class Windows:
    """How long the chances of a rule lasted, in seconds; `count` is how many of them have both ends."""

    count: int
    median_s: float
    p95_s: float


@dataclass(frozen=True, slots=True)
class RuleChange:
    """One rule on both sides. `p` is how likely so large a difference is by luck; None where that cannot be said.

    `text` says it for people. The windows are None where no chance has both ends.
    """

    rule: str
    title: str
    severity: str
    base: Share
    candidate: Share
    p: float | None
    text: str
    base_windows: Windows | None
    candidate_windows: Windows | None


@dataclass(frozen=True, slots=True)
class CauseChange:
    """Findings of one cause: how many there are on each side; `title` is that of one of them."""

    cause: str
    rule: str
    severity: str
    title: str
    base: int
    candidate: int
    known: str


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A test that fails more or less often: in so many (`fired`) of the runs that have it (`chances`)."""

    name: str
    file: str
    base: Share
    candidate: Share
    p: float | None


@dataclass(slots=True)
class Comparison:
    """The outcome; `notes` say what a reader should know about it."""

    base: str
    candidate: str
    base_runs: int
    candidate_runs: int
    rules: list[RuleChange] = field(default_factory=list)
    new: list[CauseChange] = field(default_factory=list)
    gone: list[CauseChange] = field(default_factory=list)
    persisting: list[CauseChange] = field(default_factory=list)
    broken: list[CaseChange] = field(default_factory=list)
    fixed: list[CaseChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
