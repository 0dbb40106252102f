"""xz: `.xz`, also several streams one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.sources.inflate import decode_stepwise

_MEMORY = 256 << 20  # the dictionary of `xz -9` takes 64 MiB; a stranger may ask for 4 GiB


def accepts(head: bytes, name: str) -> bool:
    """Tell xz by its magic number."""
    return head.startswith(b"\xfd7zXZ\x00")


def decode(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Decode xz; raises DamagedError at the end if not all was good."""
    import lzma

    def start() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)

    return decode_stepwise(blocks, start, lzma.LZMAError, "xz")
