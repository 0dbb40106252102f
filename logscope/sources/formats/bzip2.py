"""bzip2: `.bz2`, also several streams one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.sources.inflate import decode_stepwise


def accepts(head: bytes, name: str) -> bool:
    """Tell bzip2 by its magic number and that of its first block (or of its end, when it is empty)."""
    return head[:3] == b"BZh" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90")


def decode(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Decode bzip2; raises DamagedError at the end if not all was good."""
    import bz2

    return decode_stepwise(blocks, bz2.BZ2Decompressor, OSError, "bzip2")
