"""gzip: `.gz`, also several members one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.sources.inflate import GZIP, inflate


def accepts(head: bytes, name: str) -> bool:
    """Tell gzip by its magic number and its only method."""
    return head.startswith(b"\x1f\x8b\x08")


def decode(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Decode gzip; raises DamagedError at the end if not all was good."""
    return inflate(blocks, GZIP, "gzip")
