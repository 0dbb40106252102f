"""Histories of a few steps, printed through the grammars and judged by one rule."""

from __future__ import annotations

from collections.abc import Iterable

from test_grammars import shipped

from logscope.demand import for_rules
from logscope.language.printer import Printer, Who
from logscope.model import Report
from logscope.pipeline import analyze, read_text

START = 1_800_000_000_000_000
Step = tuple[float, Who, str, dict[str, str]]
"""Seconds after `START`, who, the event, and its fields."""


def judged(steps: Iterable[Step], rule: str) -> Report:
    """What one rule makes of the lines of some steps, which may come in any order."""
    catalog = shipped()[0]
    printer, rules = Printer(catalog), [catalog.rules[rule]]
    ordered = sorted(steps, key=lambda step: step[0])
    lines = [printer.line(START + round(at * 1_000_000), who, event, fields) for at, who, event, fields in ordered]
    return analyze(read_text("\n".join(lines) + "\n", catalog, for_rules(catalog, rules)), rules)
