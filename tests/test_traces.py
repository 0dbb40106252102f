"""Whole logs with a known outcome: each folder of `fixtures/traces` is one case.

`expected.json` is written with `--update-golden` and read by a person; `case.toml` says where the case comes from.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from test_grammars import shipped

from logscope.demand import for_rules
from logscope.model import Report, Source
from logscope.pipeline import analyze, read_log

TRACES = sorted((Path(__file__).parent / "fixtures" / "traces").iterdir())


def judged(data: bytes) -> Report:
    catalog = shipped()[0]
    rules = list(catalog.rules.values())
    source = Source("management-server.log", "management-server", "ms1", lambda: iter([data]))
    return analyze(read_log([source], [], catalog, for_rules(catalog, rules)), rules)


def told(report: Report) -> str:
    findings = [
        {
            "rule": f.rule,
            "certainty": f.certainty,
            "resource": str(f.resource),
            "title": f.title,
            "start": f.start,
            "end": f.end,
            "outcome": f.outcome,
            "margins": f.margins,
            "doubts": f.doubts,
            "then": [[s.text, *s.lines] for s in f.then],
        }
        for f in report.findings
    ]
    failures = [[f.event, str(f.resource), f.line, f.explained_by] for f in report.failures]
    fired = {r.rule: [r.status, r.chances, r.fired] for r in report.rules if r.status != "not-evaluated"}
    return json.dumps({"findings": findings, "failures": failures, "rules": fired}, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_trace_is_judged_as_expected(trace: Path, golden: Callable[[str, str], None]) -> None:
    report = judged((trace / "management-server.log").read_bytes())
    golden(told(report), f"traces/{trace.name}/expected.json")


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_a_shorter_log_makes_nothing_more_certain(trace: Path) -> None:
    lines = (trace / "management-server.log").read_bytes().splitlines(keepends=True)
    certain = {(f.rule, str(f.resource)) for f in judged(b"".join(lines)).findings if f.certainty == "certain"}
    for size in range(1, len(lines), max(1, len(lines) // 12)):
        shorter = judged(b"".join(lines[:size]))
        assert {(f.rule, str(f.resource)) for f in shorter.findings if f.certainty == "certain"} <= certain
