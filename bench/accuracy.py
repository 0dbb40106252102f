"""Measures the rules against simulated histories whose races are known: a table of what was told right and wrong."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from logscope.demand import for_rules
from logscope.language.catalog import Catalog
from logscope.language.load import load, shipped_dir
from logscope.pipeline import analyze, read_log
from tests.simulator.history import Settings, simulate
from tests.simulator.judge import Tally, judge
from tests.simulator.log import START

COLUMNS: tuple[tuple[str, Callable[[Tally], int]], ...] = (
    ("races", lambda t: t.found + t.missed + t.not_evaluated),
    ("near misses", lambda t: t.near_misses),
    ("certain right", lambda t: t.certain_right),
    ("certain wrong", lambda t: t.certain_wrong + t.overclaimed),
    ("possible right", lambda t: t.possible_right),
    ("possible wrong", lambda t: t.possible_wrong),
    ("missed", lambda t: t.missed),
    ("not evaluated", lambda t: t.not_evaluated),
)


@dataclass(slots=True)
class Outcome:
    """What one history came to."""

    seed: int
    tallies: dict[str, Tally]
    lines: int
    resources: int
    notes: list[str] = field(default_factory=list)


@cache
def _catalog() -> Catalog:
    return load([shipped_dir()])[0]


def measure(seed: int) -> Outcome:
    """Simulate one history, judge its log by all rules, and hold the findings against the truth."""
    catalog = _catalog()
    rules = list(catalog.rules.values())
    history = simulate(catalog, seed, Settings(servers=2 if seed % 4 == 0 else 1, trace=seed % 5 == 0))
    report = analyze(read_log(history.sources(), [], catalog, for_rules(catalog, rules)), rules)
    verdict = judge(report, history.races, history.near_misses)
    outcome = Outcome(seed, verdict.tallies, sum(map(len, history.lines.values())), history.resources)
    for word, findings in (("false", verdict.false), ("overclaimed", verdict.overclaimed)):
        for finding in findings:
            at = f"{(finding.start - START) / 1e6:.3f}-{(finding.end - START) / 1e6:.3f}"
            outcome.notes.append(f"{word} {finding.rule} {finding.certainty} {finding.resource} {at}")
    for race in verdict.missed:
        where = " ".join(sorted(race.resources))
        outcome.notes.append(f"missed {race.rule} {where} {race.at / 1e6:.3f} margin {race.margin:.3f} {race.proof}")
    return outcome


def table(tallies: dict[str, Tally]) -> str:
    """One row a rule, and their sum."""
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    rows = [(name, *(str(count(tally)) for _, count in COLUMNS)) for name, tally in sorted(tallies.items())]
    rows = [("rule", *(name for name, _ in COLUMNS)), *rows, ("all", *(str(count(whole)) for _, count in COLUMNS))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells))
    possible = whole.possible_right + whole.possible_wrong
    precision = whole.possible_right / possible if possible else 1.0
    return "\n".join([*lines, "", f"precision of possible findings: {precision:.3f}"])


def _outcomes(seeds: range, processes: int) -> Iterator[Outcome]:
    if processes == 1:
        yield from map(measure, seeds)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(measure, seeds, chunksize=4)


def main(arguments: list[str] | None = None) -> int:
    """Measure, and write the table and the disagreements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", type=Path, help="a file for the table and all disagreements")
    options = parser.parse_args(arguments)
    tallies: dict[str, Tally] = {}
    notes: list[str] = []
    lines = resources = 0
    for outcome in _outcomes(range(options.first, options.first + options.histories), options.processes):
        for name, tally in outcome.tallies.items():
            tallies.setdefault(name, Tally()).add(tally)
        notes += [f"seed {outcome.seed}: {note}" for note in outcome.notes]
        lines, resources = lines + outcome.lines, resources + outcome.resources
    head = f"{options.histories} histories, {lines} lines, {resources // options.histories} resources each on average"
    text = f"{head}\n\n{table(tallies)}\n"
    sys.stdout.write(text)
    if options.table:
        options.table.write_text(text + "\n" + "\n".join(notes) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
