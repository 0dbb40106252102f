"""Plain tables of text for a terminal or a file."""

from __future__ import annotations

from collections.abc import Sequence

from logscope.report.parts.visible import visible

_BOLD, _FAINT, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool = False) -> str:
    """Rows under their heads in columns as wide as they must be; what does not print is shown as an escape."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in [list(heads), *shown]) for at in range(len(heads))]
    lines = [_line(heads, widths)]
    if color:
        lines = [f"{_BOLD}{lines[0]}{_PLAIN}"]
    lines += [_line(row, widths) for row in shown]
    return "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
