"""The original records behind a finding, made fit to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from logscope.model import Evidence
from logscope.report.parts.visible import visible_lines

# A record may hold a whole command with its payload, or the stack trace of an exception.
_MOST_CHARACTERS = 4000
_MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Shown:
    """The lines of a record as (number, text), and what was left out of it, in words or empty."""

    lines: list[tuple[int, str]]
    left_out: str


def shown(evidence: Evidence) -> Shown:
    """Number the lines of a record and cut what is too long; the JSON report has it whole."""
    lines = visible_lines(evidence.text)
    kept = [line[:_MOST_CHARACTERS] for line in lines[:_MOST_LINES]]
    characters = sum(len(line) - len(cut) for line, cut in zip(lines, kept, strict=False))
    parts = []
    if characters:
        parts.append(f"{characters:,} characters")
    if len(lines) > len(kept):
        parts.append(f"{len(lines) - len(kept):,} lines")
    left_out = f"{' and '.join(parts)} left out here" if parts else ""
    return Shown(list(enumerate(kept, evidence.line)), left_out)
