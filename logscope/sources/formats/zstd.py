"""Zstandard: `.zst`, read by the optional package zstandard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logscope.sources.content import DamagedError
from logscope.sources.inflate import decode_stepwise

_WINDOW = 128 << 20  # what `zstd --long` uses; a stranger may ask for 2 GiB


def accepts(head: bytes, name: str) -> bool:
    """Tell Zstandard by its magic number, or by that of a frame to be skipped, which some writers put first."""
    return head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50)


def decode(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Decode Zstandard; raises DamagedError at the end if not all was good, or if the package is missing."""
    try:
        import zstandard
    except ImportError:
        raise DamagedError(
            "is compressed with zstd, which needs the package zstandard: pip install 'logscope[zstd]'"
        ) from None
    maker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    yield from decode_stepwise(blocks, lambda: _Frame(maker.decompressobj()), zstandard.ZstdError, "zstd")


class _Frame:
    """One frame, with the manners of the decompressors of the standard library."""

    needs_input = True

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    @property
    def eof(self) -> bool:
        return bool(self._decoder.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._decoder.unused_data)

    def decompress(self, data: bytes, _limit: int) -> bytes:
        # Without a limit, but a block of Zstandard gives 128 KiB at most and takes three bytes at least.
        return bytes(self._decoder.decompress(data)) if data else b""
