"""A comparison as text, as Markdown, as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from logscope.compare.judge import shown
from logscope.compare.values import CaseChange, CauseChange, Comparison, RuleChange, Share, Windows
from logscope.report.parts.verdicts import general
from logscope.report.parts.visible import visible
from logscope.report.parts.words import plural

SCHEMA = "logscope/compare/1"

_MARKUP = re.compile(r"[\\`*{}\[\]<>|~&$!#@]|(?<!\w)_|_(?!\w)")


def render(comparison: Comparison, name: str) -> str:
    """Give the comparison in one of `FORMATS`."""
    return FORMATS[name](comparison)


def _text(comparison: Comparison) -> str:
    return "\n".join(visible(line) for line in _lines(comparison, heading="{}", item="  {}", plain=str)) + "\n"


def _markdown(comparison: Comparison) -> str:
    def plain(text: str) -> str:
        return _MARKUP.sub(r"\\\g<0>", visible(text))

    text = "\n".join(_lines(comparison, heading="\n**{}**\n", item="- {}", plain=plain)).strip()
    return re.sub("\n{3,}", "\n\n", text) + "\n"


def _lines(comparison: Comparison, heading: str, item: str, plain: Callable[[str], str]) -> Iterator[str]:
    sides = [(comparison.base, comparison.base_runs), (comparison.candidate, comparison.candidate_runs)]
    before, after = (f"{name} ({plural(runs, 'run')})" for name, runs in sides)
    yield heading.format(plain(f"Before: {before}; after: {after}"))
    yield heading.format("Rules")
    silent = [rule for rule in comparison.rules if not (rule.base.chances or rule.candidate.chances)]
    for rule in comparison.rules:
        if rule not in silent:
            yield item.format(plain(_rule(rule)))
    if silent:
        yield item.format(plain(f"{plural(len(silent), 'rule')} without a chance on either side"))
    yield from _causes("New findings", comparison.new, heading, item, plain)
    yield from _causes("Findings that are gone", comparison.gone, heading, item, plain)
    yield from _causes("Findings that persist", comparison.persisting, heading, item, plain)
    yield from _tests("Tests that fail more often", comparison.broken, heading, item, plain)
    yield from _tests("Tests that fail less often", comparison.fixed, heading, item, plain)
    if comparison.notes:
        yield heading.format("Notes")
        yield from (item.format(plain(note)) for note in comparison.notes)


def _rule(rule: RuleChange) -> str:
    told = f"{rule.rule}: {rule.text}"
    before, after = rule.base_windows, rule.candidate_windows
    if before is None and after is None:
        return told
    medians = " before, ".join(f"{one.median_s:.3f} s" if one else "unknown" for one in (before, after))
    highest = " before, ".join(f"{one.p95_s:.3f} s" if one else "unknown" for one in (before, after))
    return f"{told}; windows: median {medians} after; 95th percentile {highest} after"


def _causes(
    title: str, changes: Sequence[CauseChange], heading: str, item: str, plain: Callable[[str], str]
) -> Iterator[str]:
    if changes:
        yield heading.format(title)
    for change in changes:
        known = f", known: {change.known}" if change.known else ""
        told = f"{change.rule} ({change.severity}): {change.base:,} before, {change.candidate:,} after{known}"
        yield item.format(plain(f"{told}; for example: {change.title}"))


def _tests(
    title: str, changes: Sequence[CaseChange], heading: str, item: str, plain: Callable[[str], str]
) -> Iterator[str]:
    if changes:
        yield heading.format(title)
    for change in changes:
        before, after = (_failed(share) for share in (change.base, change.candidate))
        p = f" (p = {shown(change.p)})" if change.p is not None else ""
        yield item.format(plain(f"{change.name} ({change.file}): {before} before, {after} after{p}"))


def _failed(share: Share) -> str:
    return f"failed {share.fired:,} of {plural(share.chances, 'time')}" if share.chances else "did not run"


def _json(comparison: Comparison) -> str:
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "base": {"name": comparison.base, "runs": comparison.base_runs},
        "candidate": {"name": comparison.candidate, "runs": comparison.candidate_runs},
        "rules": [_rule_json(rule) for rule in comparison.rules],
        "findings": {
            name: [
                {
                    "cause": change.cause,
                    "rule": change.rule,
                    "severity": change.severity,
                    "title": change.title,
                    "base": change.base,
                    "candidate": change.candidate,
                    "known": change.known,
                }
                for change in changes
            ]
            for name, changes in (
                ("new", comparison.new),
                ("gone", comparison.gone),
                ("persisting", comparison.persisting),
            )
        },
        "tests": {
            name: [
                {
                    "name": change.name,
                    "file": change.file,
                    "base": _failed_json(change.base),
                    "candidate": _failed_json(change.candidate),
                    "p": _rounded(change.p),
                }
                for change in changes
            ]
            for name, changes in (("broken", comparison.broken), ("fixed", comparison.fixed))
        },
        "notes": comparison.notes,
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _rule_json(rule: RuleChange) -> dict[str, Any]:
    return {
        "rule": rule.rule,
        "title": general(rule.title),
        "severity": rule.severity,
        "base": {"runs": rule.base.runs, "chances": rule.base.chances, "fired": rule.base.fired},
        "candidate": {"runs": rule.candidate.runs, "chances": rule.candidate.chances, "fired": rule.candidate.fired},
        "p": _rounded(rule.p),
        "text": rule.text,
        "windows": {"base": _windows_json(rule.base_windows), "candidate": _windows_json(rule.candidate_windows)},
    }


def _windows_json(windows: Windows | None) -> dict[str, Any] | None:
    if windows is None:
        return None
    return {"count": windows.count, "median_s": windows.median_s, "p95_s": windows.p95_s}


def _failed_json(share: Share) -> dict[str, int]:
    return {"runs": share.runs, "ran": share.chances, "failed": share.fired}


def _rounded(p: float | None) -> float | None:
    # Enough to tell any two tables apart that a test bed makes; more would differ between releases of the library.
    return None if p is None else float(f"{p:.6g}")


FORMATS: dict[str, Callable[[Comparison], str]] = {"text": _text, "md": _markdown, "json": _json}
