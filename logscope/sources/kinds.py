"""What this package must be told of the kinds of logs; what kinds there are, others know."""

from __future__ import annotations

from typing import Protocol


class Kinds(Protocol):
    """Tells the kinds of logs, and which are written by one process."""

    def of(self, head: bytes) -> str:
        """The kind of a log by its first bytes, or "" if these do not tell."""
        ...

    def writer(self, kind: str) -> str:
        """The kind of log whose writer writes those of this kind too; the kind itself if that is so of no other."""
        ...


class _OneKind:
    def of(self, head: bytes) -> str:
        return ""

    def writer(self, kind: str) -> str:
        return kind


ONE_KIND: Kinds = _OneKind()
"""For those who want no logs told apart."""
