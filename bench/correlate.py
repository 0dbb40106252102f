"""Measures how long correlating and judging takes by itself: `python -m bench.correlate LOG`.

A dense log of 1.4 GB (`python -m bench.generate -o bench/data/dense.log --size-mb 1360 --dense`) has a million events
that rules ask for, on more than a hundred thousand resources.
"""

from __future__ import annotations

import argparse
import resource
import sys
from time import perf_counter, process_time

from logscope.demand import for_rules
from logscope.language.load import load, shipped_dir
from logscope.pipeline import analyze, read_log
from logscope.sources import discover


def main() -> int:
    """Read a log, judge it by all rules, and write what each of the two took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    sources, problems = discover([parser.parse_args().log])
    catalog = load([shipped_dir()])[0]
    rules = list(catalog.rules.values())
    spent = [(perf_counter(), process_time())]
    log = read_log(sources, problems, catalog, for_rules(catalog, rules))
    spent.append((perf_counter(), process_time()))
    events, resources = log.events.table.height, log.events.resources.select("kind", "id").n_unique()
    print(f"{events:,} events on {resources:,} resources")
    report = analyze(log, rules)
    spent.append((perf_counter(), process_time()))
    for what, before, after in zip(("reading", "judging"), spent, spent[1:], strict=False):
        print(f"{what}  {after[0] - before[0]:6.2f} s, {after[1] - before[1]:6.2f} s of the processors")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(report.findings)} findings, peak memory {peak:,.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
