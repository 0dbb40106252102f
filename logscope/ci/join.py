"""Joins the failing tests of a run with what the log tells: by job, by resource, by time, in this order.

A job is the same thing in both: the test's own log names its uuid, and the first block of that uuid is
the log id of the job's threads. Resources are what the test's requests and responses name. Time comes
last: the clocks of the two machines may differ by a second, or by whole hours of their zones.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from logscope.ci.values import SECOND, Case, Run
from logscope.model import Failure, Finding, Problem, Report, TestCase

_DOUBT = SECOND
_QUARTER = 15 * 60 * SECOND
_EXPLAINING = frozenset({"failed", "unknown"})
_FAILED = frozenset({"failure", "error"})
# What more test files than this name (the zone, the hosts) says nothing of any one of them.
_MOST_FILES = 3
_MOST_TOLD = 3
_BY_JOB, _BY_RESOURCE, _BY_KIND, _BY_TIME = 4, 3, 2, 1
_LOGID = 8


@dataclass(frozen=True, slots=True)
class Trace:
    """By what a finding or failure can be told to belong to a test.

    `jobs` are log ids and uuids of its jobs, `names` uuid and name of its resource, all in lower case.
    """

    jobs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


@dataclass(slots=True)
class Traces:
    """The traces of a report's findings and failures, in their order; `seen` is when each job (log id
    or uuid) was first written of, µs of the log's clock."""

    findings: list[Trace] = field(default_factory=list)
    failures: list[Trace] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Clock:
    """What must be added to a time of the tests to get the log's, and how far that may be off, µs."""

    offset: int = 0
    doubt: int = _DOUBT


@dataclass(frozen=True, slots=True)
class _Link:
    """One way in which a finding belongs to a test: how strong, and in words."""

    strength: int
    how: str


def join(run: Run, report: Report, traces: Traces) -> tuple[list[TestCase], list[Problem]]:
    """Judge the tests of a run by the report on its log; times become the log's.

    Gives the tests, and notes on the clocks where they matter.
    """
    clock, notes = _clock(run, report, traces)
    judge = _Judge(run, report, traces, clock)
    tests = [judge.test(case) for case in run.cases]
    return tests, notes or _apart(run, report, clock, tests)


def in_clean_up(run: Run, report: Report, traces: Traces) -> dict[int, str]:
    """Give the findings that began in a clean-up between two test files: index → the file that it followed."""
    clock, _ = _clock(run, report, traces)
    found = {}
    for index, finding in enumerate(report.findings):
        for burst in run.cleanups:
            if burst.start + clock.offset <= finding.start and finding.end <= burst.end + clock.offset:
                found[index] = burst.after
    return found


def _clock(run: Run, report: Report, traces: Traces) -> tuple[_Clock, list[Problem]]:
    """Compare the times of jobs that both sides tell of."""
    apart = []
    for case in run.cases:
        for uuid, time in case.jobs.items():
            seen = traces.seen.get(uuid, traces.seen.get(uuid[:_LOGID]))
            if seen is not None:
                apart.append(seen - time)
    if not apart:
        return _Clock(), []
    middle = round(median(apart))
    offset = round(middle / _QUARTER) * _QUARTER
    rest = abs(middle - offset)
    notes = []
    if offset:
        sign = "ahead of" if offset < 0 else "behind"
        text = f"the tests' clock is {_duration(abs(offset))} {sign} the log's; their times are given in the log's"
        notes.append(Problem(run.name, text))
    if rest > 2 * _DOUBT:
        text = f"the clocks of the tests and of the log are {rest / SECOND:.1f} s apart; windows are widened by that"
        notes.append(Problem(run.name, text))
    return _Clock(offset, max(_DOUBT, rest)), notes


def _duration(micros: int) -> str:
    hours, minutes = divmod(micros // (60 * SECOND), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _apart(run: Run, report: Report, clock: _Clock, tests: Sequence[TestCase]) -> list[Problem]:
    spans = [(test.start, test.end or test.start) for test in tests if test.start is not None]
    covered = [(s.first, s.last) for s in report.sources if s.first is not None and s.last is not None]
    if not spans or not covered:
        return []
    if any(
        start <= last + clock.doubt and end >= first - clock.doubt for start, end in spans for first, last in covered
    ):
        return []
    zone = f" (their clock is at UTC{run.zone})" if run.zone else ""
    text = "the log does not cover the time of the tests: no test lies in it, unless the clocks are of different zones"
    return [Problem(run.name, text + zone)]


class _Judge:
    """Judges the tests of one run."""

    def __init__(self, run: Run, report: Report, traces: Traces, clock: _Clock) -> None:
        self._run, self._report, self._traces, self._clock = run, report, traces, clock
        self._common = _common(run.cases)
        self._kinds = [_compounds(finding.rule) for finding in report.findings]

    def test(self, case: Case) -> TestCase:
        offset = self._clock.offset
        row = case.outcome
        start = None if case.start is None else case.start + offset
        end = None if case.end is None else case.end + offset
        test = TestCase(
            row.name, case.file, row.result, row.seconds, start, end, case.precision, "passed", [], row.text,
            run=self._run.name,
        )  # fmt: skip
        if row.result in _FAILED:
            reach = start if case.reach is None else case.reach + offset
            self._explain(case, test, reach)
        return test

    def _explain(self, case: Case, test: TestCase, reach: int | None) -> None:
        links = {n: link for n in range(len(self._report.findings)) if (link := self._link(n, case, test, reach))}
        if links:
            strength = max(link.strength for link in links.values())
            best = [n for n, link in links.items() if link.strength == strength]
            best.sort(key=lambda n: self._rank(n, test))
            test.explained_by = best
            test.verdict = "explained" if self._is_sure(best[0], strength) else "likely"
            test.why = links[best[0]].how
        elif not self._is_covered(test):
            test.verdict = "no-log"
            test.why = "no log of this run was given" if not self._report.sources else "no log covers its time"
        else:
            test.verdict = "unexplained"
            test.why = self._nearest(case, test)

    def _link(self, number: int, case: Case, test: TestCase, reach: int | None) -> _Link | None:
        finding, trace = self._report.findings[number], self._traces.findings[number]
        if finding.outcome == "avoided":
            return None
        job = next((uuid for uuid in case.jobs if {uuid, uuid[:_LOGID]} & trace.jobs), "")
        if job:
            return _Link(_BY_JOB, f"by its job {job}")
        if test.start is None or not self._overlaps(finding, reach, test.end):
            return None
        before = "" if self._overlaps(finding, test.start, test.end) else ", before its last pass"
        names = sorted(trace.names & case.names - self._common)
        if names:
            return _Link(_BY_RESOURCE, f"by {names[0]}, which it names{before}")
        words = sorted(self._kinds[number] & case.words)
        if words:
            return _Link(_BY_KIND, f"by what it asks for ({words[0]}){before}")
        is_plain = finding.certainty == "certain" and finding.outcome == "failed"
        if is_plain and not before and not self._is_of_another(trace, case):
            return _Link(_BY_TIME, "by time" + ("" if test.precision == "ms" else ", known to its file only"))
        return None

    def _overlaps(self, what: Finding, start: int | None, end: int | None) -> bool:
        doubt = self._clock.doubt
        return (start is None or what.end >= start - doubt) and (end is None or what.start <= end + doubt)

    def _is_of_another(self, trace: Trace, case: Case) -> bool:
        """Tell whether the finding is about a job that another test started."""
        return any(
            {uuid, uuid[:_LOGID]} & trace.jobs for other in self._run.cases if other is not case for uuid in other.jobs
        )

    def _is_sure(self, number: int, strength: int) -> bool:
        finding = self._report.findings[number]
        if finding.outcome not in _EXPLAINING:
            return False
        return strength == _BY_JOB or (strength > _BY_TIME and finding.certainty == "certain")

    def _rank(self, number: int, test: TestCase) -> tuple[bool, bool, int, int]:
        finding = self._report.findings[number]
        distance = 0 if test.end is None else abs(test.end - finding.end)
        return finding.certainty != "certain", finding.outcome != "failed", distance, number

    def _is_covered(self, test: TestCase) -> bool:
        if test.start is None:
            return bool(self._report.sources)
        return any(
            source.first is not None
            and source.last is not None
            and test.start <= source.last + self._clock.doubt
            and (test.end is None or test.end >= source.first - self._clock.doubt)
            for source in self._report.sources
        )

    def _nearest(self, case: Case, test: TestCase) -> str:
        """Say which failed operations are nearest: those of its jobs, else those of its time."""
        keys = {key for uuid in case.jobs for key in (uuid, uuid[:_LOGID])}
        pairs = list(zip(self._report.failures, self._traces.failures, strict=True))
        own = [failure for failure, trace in pairs if trace.jobs & keys]
        if own:
            return f"no rule explains it; its jobs met: {_told(own)}"
        if test.start is None:
            return "no rule explains it; when it ran is not known"
        if test.end is not None:
            start, end = test.start - self._clock.doubt, test.end + self._clock.doubt
            at_the_time = [failure for failure, _ in pairs if start <= failure.time <= end]
            if at_the_time:
                return f"no rule explains it; meanwhile: {_told(at_the_time)}"
        return "no rule explains it, and the log tells of no failed operation in its time"


def _common(cases: Iterable[Case]) -> set[str]:
    files: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        for name in case.names:
            files[name].add(case.file)
    return {name for name, named_by in files.items() if len(named_by) > _MOST_FILES}


def _compounds(rule: str) -> set[str]:
    """Give what stands in a rule's name, two or more of its words run together, as parameter values are."""
    words = re.split(r"[^a-z]+", rule.lower())
    pairs = ((first, last) for first in range(len(words)) for last in range(first + 2, len(words) + 1))
    return {"".join(words[first:last]) for first, last in pairs}


def _told(failures: Sequence[Failure]) -> str:
    texts = [f"{failure.title} ({failure.line})" for failure in failures[:_MOST_TOLD]]
    counts = Counter(failure.title for failure in failures[_MOST_TOLD:])
    more = f"; and {counts.total()} more" if counts else ""
    return "; ".join(texts) + more
