"""Findings held against what really happened."""

from __future__ import annotations

from dataclasses import dataclass, field

from logscope.model import Finding, Report

from .log import START
from .truth import Race

# Lines are written up to some milliseconds after what they tell of, and clocks of servers differ.
DOUBT = 60_000


@dataclass(slots=True)
class Tally:
    """How often the findings of one rule were right; `overclaimed`: certain, though nothing came of the race."""

    certain_right: int = 0
    certain_wrong: int = 0
    overclaimed: int = 0
    possible_right: int = 0
    possible_wrong: int = 0
    found: int = 0
    missed: int = 0
    missed_certain: int = 0
    not_evaluated: int = 0
    near_misses: int = 0

    def add(self, other: Tally) -> None:
        """Sum up."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(slots=True)
class Verdict:
    """The tallies of one history by rule, and what was wrong: findings without a race, races without a finding."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    false: list[Finding] = field(default_factory=list)
    overclaimed: list[Finding] = field(default_factory=list)
    missed: list[Race] = field(default_factory=list)


def judge(report: Report, races: list[Race], near_misses: dict[str, int]) -> Verdict:
    """Hold the findings of a report against the races of its history."""
    verdict = Verdict({status.rule: Tally() for status in report.rules})
    for status in report.rules:
        verdict.tallies[status.rule].near_misses = near_misses.get(status.rule, 0)
    silent = {status.rule for status in report.rules if status.status == "not-evaluated"}
    seen: set[int] = set()
    for finding in report.findings:
        tally = verdict.tallies[finding.rule]
        fitting = [n for n, race in enumerate(races) if _tells(finding, race)]
        seen.update(fitting)
        is_certain = finding.certainty == "certain"
        if not fitting:
            verdict.false.append(finding)
            if is_certain:
                tally.certain_wrong += 1
            else:
                tally.possible_wrong += 1
        elif not is_certain:
            tally.possible_right += 1
        elif any(races[n].proof for n in fitting):
            tally.certain_right += 1
        else:
            tally.overclaimed += 1
            verdict.overclaimed.append(finding)
    for number, race in enumerate(races):
        tally = verdict.tallies.setdefault(race.rule, Tally())
        if number in seen:
            tally.found += 1
        elif race.rule in silent:
            tally.not_evaluated += 1
        else:
            tally.missed += 1
            tally.missed_certain += bool(race.proof)
            verdict.missed.append(race)
    return verdict


def _tells(finding: Finding, race: Race) -> bool:
    if finding.rule != race.rule or str(finding.resource) not in race.resources:
        return False
    first, last = race.at + START, (race.at if race.until is None else race.until) + START
    return finding.start - DOUBT <= last and first <= finding.end + DOUBT
