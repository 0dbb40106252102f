"""Decoders that give every byte up to the place where a stream breaks."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

from logscope.sources.content import BLOCK, DamagedError

_OUTPUT = 4 << 20  # at most this much at once, however well the input was compressed
_RESCUE_STEPS = (4096, 64, 1)
_STEP = 512  # small enough to lose nothing before a break, large enough to cost nothing against the decoding
GZIP = 31  # zlib's number for "with a gzip header and checksum"
RAW = -15  # and for "without either"


def inflate(blocks: Iterator[bytes], window: int, title: str) -> Iterator[bytes]:
    """Decode deflate: gzip members one after the other (`GZIP`), or one bare stream (`RAW`).

    Raises DamagedError at the end if the stream breaks, ends early, or is followed by something else.
    """
    decoder = zlib.decompressobj(window)
    total = 0
    data = b""
    for block in blocks:
        data = data + block if data else block
        full = False  # zlib may hold back output for want of room, though it has taken all input
        while data or (full and not decoder.eof):
            if decoder.eof:
                if window == RAW:
                    return
                data = data.lstrip(b"\0")  # tapes and block devices fill up with zeros
                if len(data) < 2:
                    break
                if not data.startswith(b"\x1f\x8b"):
                    raise DamagedError(f"the {title} stream ends after {total:,} bytes and something else follows")
                decoder = zlib.decompressobj(window)
            before = decoder.copy()
            try:
                output = decoder.decompress(data, _OUTPUT)
            except zlib.error as error:
                rescued = _rescue(before, data)
                yield rescued
                raise DamagedError(_broken(title, total + len(rescued), error)) from error
            total += len(output)
            yield output
            full = len(output) == _OUTPUT
            data = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise DamagedError(f"the {title} stream ends early after {total:,} bytes; what was readable is reported")
    if data:
        raise DamagedError(f"the {title} stream ends after {total:,} bytes and something else follows")


def _rescue(decoder: Any, data: bytes) -> bytes:
    """Decode up to the very byte that breaks the stream."""
    output = []
    position = 0
    for step in _RESCUE_STEPS:
        while position < len(data):
            before = decoder.copy()
            try:
                piece = decoder.decompress(data[position : position + step])
            except zlib.error:
                decoder = before
                break
            output.append(piece)
            position += step
    return b"".join(output)


def decode_stepwise(
    blocks: Iterator[bytes], start: Callable[[], Any], broken: type[Exception] | tuple[type[Exception], ...], title: str
) -> Iterator[bytes]:
    """Decode with a decompressor of the standard library's kind, streams one after the other.

    It has `decompress(data, max_length)`, `needs_input`, `eof` and `unused_data`, and `start` makes a new one.
    Raises DamagedError at the end if the stream breaks, ends early, or is followed by something else.
    """
    decoder = start()
    ready: list[bytes] = []
    size = total = streams = 0
    damage = ""
    try:
        for piece in _steps(blocks):
            data = piece
            while True:
                if decoder.eof:
                    data = data.lstrip(b"\0")  # xz fills up with zeros, and so do tapes
                    if not data:
                        break
                    decoder = start()
                output = decoder.decompress(data, _OUTPUT)
                total += len(output)
                size += len(output)
                ready.append(output)
                if size >= BLOCK:
                    yield b"".join(ready)
                    ready, size = [], 0
                streams += decoder.eof
                if not decoder.eof and decoder.needs_input:
                    break
                data = decoder.unused_data if decoder.eof else b""
    except broken as error:
        damage = _broken(title, total, error)
        if streams and not decoder.eof:
            damage = f"the {title} stream ends after {total:,} bytes and something else or damage follows"
    except DamagedError as error:
        damage = str(error)
    if ready:
        yield b"".join(ready)
    if damage:
        raise DamagedError(damage)
    if not decoder.eof:
        raise DamagedError(f"the {title} stream ends early after {total:,} bytes; what was readable is reported")


def _steps(blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        for start in range(0, len(block), _STEP):
            yield block[start : start + _STEP]


def _broken(title: str, total: int, error: Exception) -> str:
    text = str(error)
    if "data check" in text or "CRC" in text:
        return f"the {title} stream of {total:,} bytes fails its checksum; it is reported as it is"
    return f"the {title} stream is damaged after {total:,} bytes; what was readable is reported"
