"""How much a file may unpack to. Archives come from strangers: they are never trusted to be what they say."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.sources.content import DamagedError

MAX_DEPTH = 4  # archives in archives, and compressions over one another
MAX_MEMBERS = 100_000  # of one file, in all its archives together
MAX_RATIO = 2000  # deflate cannot exceed 1032, and log text seldom exceeds 100
FREE_BYTES = 100 << 20  # below this a ratio says nothing: it costs a moment at most
MAX_STREAM = 64 << 30  # bytes of one log


class Budget:
    """What may still be unpacked out of a file of `size` bytes."""

    def __init__(self, size: int) -> None:
        self._left = max(FREE_BYTES, MAX_RATIO * size)

    def spend(self, count: int) -> None:
        """Count unpacked bytes; raises DamagedError when they are more than an honest file holds."""
        self._left -= count
        if self._left < 0:
            raise DamagedError(f"unpacks to more than {MAX_RATIO} times its size; what goes beyond is left out")

    def watch(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Pass blocks on and count them; raises DamagedError when they are more than an honest file holds."""
        for block in blocks:
            self.spend(len(block))
            yield block


def bounded(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Pass blocks on; raises DamagedError when a log grows beyond MAX_STREAM bytes."""
    total = 0
    for block in blocks:
        total += len(block)
        if total > MAX_STREAM:
            raise DamagedError(f"is longer than {MAX_STREAM >> 30} GiB; what goes beyond is left out")
        yield block
