"""References to issues: only a form that is known becomes a link."""

from __future__ import annotations

import re

_ISSUE = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)#([0-9]+)", re.ASCII)


def address(reference: str) -> str:
    """Address of `owner/repository#number`, empty for anything else."""
    parts = _ISSUE.fullmatch(reference)
    return f"https://github.com/{parts[1]}/issues/{parts[2]}" if parts else ""
