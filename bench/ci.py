"""Writes simulated Trillian runs, and measures their scan with one and with two processes: `python -m bench.ci`.

The logs of the runs are filled up to their size with lines that no question needs. What is measured must give the
same bytes, and every failing test the verdict that is known of it; exits with 1 where it does not.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from bench.chatter import LOGID, RUN, Group, make_groups
from bench.cloud import Cloud
from bench.generate import POOL
from bench.run import DATA, LOGSCOPE, BenchError, Row, measure, table
from logscope.language.load import load, shipped_dir
from logscope.language.printer import clock
from tests.simulator.trillian import LOG, run_trillian, smoke_plan

TRUTH = "truth.json"
# Threads that work in the simulated cloud too; in a log one thread does one thing at a time.
TASKS = (b"(Network-Scavenger-1:", b"(UserVm-Scavenger-1:", b"(secstorage-1:")
RENAMED = ((b"(qtp1533908812-", b"(qtp1533908813-"), (b"(AgentManager-Handler-", b"(AgentManager-Handler-9"))


def filling() -> list[Group]:
    """What a log is filled up with: lines on threads that nobody else in it has."""
    found = []
    for group in make_groups(Cloud(1, "C"), POOL):
        if not any(task in text for _, text in group.lines for task in TASKS):
            found.append(Group(tuple((at, _renamed(text)) for at, text in group.lines), group.fresh))
    return found


def _renamed(text: bytes) -> bytes:
    for old, new in RENAMED:
        text = text.replace(old, new)
    return text


def filled(lines: list[tuple[int, bytes]], groups: list[Group], size: int, seed: int) -> bytes:
    """Lines (µs, text with its line feed) among others, together at least `size` bytes."""
    dice = random.Random(seed)
    first, last = lines[0][0], lines[-1][0]
    missing = size - sum(len(text) for _, text in lines)
    others: list[tuple[int, bytes]] = []
    while missing > 0:
        start, group = dice.randrange(first, last), dice.choice(groups)
        run, logid = (f"{dice.getrandbits(32):08x}".encode() for _ in range(2))
        for delay, text in group.lines:
            at = start + 1000 * delay
            text = text.replace(RUN.encode(), run).replace(LOGID.encode(), logid)
            others.append((at, clock(at).encode() + b" " + text.lstrip(b" ")))
            missing -= len(others[-1][1])
    others.sort(key=itemgetter(0))
    return b"".join(text for _, text in heapq.merge(lines, others, key=itemgetter(0)))


def write_runs(folder: Path, runs: int, size: int) -> None:
    """Write so many runs, with logs of at least `size` bytes, and the truth about their tests beside them."""
    catalog, groups = load([shipped_dir()])[0], filling()
    truth = []
    for seed in range(runs):
        run = run_trillian(catalog, seed, smoke_plan((0, 2, -7)[seed % 3]))
        place = folder / f"run-{seed:04}"
        lines = [(line.time, f"{line.whole}\n".encode()) for line in run.lines]
        for name, data in {**run.artifacts, LOG: filled(lines, groups, size, seed)}.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        truth += [[str(place), *test, *told] for test, told in run.expected.items()]
    (folder / TRUTH).write_text(json.dumps(sorted(truth)), encoding="utf-8")


def wrong(report: Path, truth: Path) -> int:
    """How many tests have another verdict, or another rule, than they should."""
    found = json.loads(report.read_text(encoding="utf-8"))
    told = set()
    for test in found["tests"]:
        if test["verdict"] != "passed":
            rules = {found["findings"][number]["rule"] for number in test["explained_by"]}
            told.add((test["run"], test["file"], test["name"], test["verdict"], "+".join(sorted(rules))))
    return len(told ^ {tuple(test) for test in json.loads(truth.read_text(encoding="utf-8"))})


def rows(folder: Path, scratch: Path) -> Iterator[Row]:
    """Measure the scan of a folder of runs."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 10**6
    runs = sum(path.is_dir() for path in folder.iterdir())
    reports = []
    for processes in (1, 2):
        report = scratch / f"{processes}.json"
        reports.append(report)
        scan = [*LOGSCOPE, "scan", str(folder), "--quiet", "--fail-on", "none", "-o", str(report)]
        (cost,) = measure([*scan, "--processes", str(processes)], times=1)
        yield Row(f"scan, {runs} runs, {size:.0f} MB, processes: {processes}", cost, size)
    yield Row("reports that differ", None, value=int(reports[0].read_bytes() != reports[1].read_bytes()), target=0)
    yield Row("tests judged wrongly", None, value=wrong(reports[0], folder / TRUTH), target=0)


def main(arguments: list[str] | None = None) -> int:
    """Write the runs that are not there yet, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.ci", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--size-mb", type=float, default=5, help="size of the log of each (default: 5)")
    options = parser.parse_args(arguments)
    folder = DATA / f"runs-{options.runs}-{options.size_mb:g}"
    if not (folder / TRUTH).exists():
        print(f"generating {folder.name}", file=sys.stderr)
        write_runs(folder, options.runs, int(options.size_mb * 10**6))
    with tempfile.TemporaryDirectory() as scratch:
        try:
            measured = list(rows(folder, Path(scratch)))
        except BenchError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 2
    print(table(measured))
    return int(any(row.missed for row in measured))


if __name__ == "__main__":
    sys.exit(main())
