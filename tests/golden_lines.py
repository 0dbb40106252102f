"""The golden lines: what each record of `fixtures/golden/lines.log` must be read as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parent / "fixtures" / "golden"


@dataclass(frozen=True, slots=True)
class GoldenLine:
    """`event` is None for an ordinary line; `resources` are those that must be among the record's."""

    line: int
    event: str | None
    resources: tuple[str, ...]


def expected() -> list[GoldenLine]:
    rows = json.loads((GOLDEN / "expected.json").read_text())
    return [GoldenLine(row["line"], row["event"], tuple(row["resources"])) for row in rows]


def text() -> str:
    """The file with its separators blanked, so that line numbers stay."""
    lines = (GOLDEN / "lines.log").read_text().split("\n")
    return "\n".join("" if line.startswith("# group") else line for line in lines)
