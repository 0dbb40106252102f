"""Bytes to lines, for files that people and CI systems wrote: any bytes, lines of any length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# What stands further right in a line is never looked at; a response of a list call can be some MB long.
_LONGEST = 1 << 20
# GitHub writes the time, in UTC with seven decimals, before each line of a job log.
GITHUB_TIME = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ?")


def lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Give the lines without their ends; bytes that are no UTF-8 are replaced, the rest of an endless line is cut."""
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for piece in whole:
            yield _text(parts, size, piece)
            parts, size = [], 0
        if rest and size < _LONGEST:
            parts.append(rest[: _LONGEST - size])
            size += len(parts[-1])
    if parts:
        yield _text(parts, size, b"")


def without_github_times(texts: Iterable[str]) -> Iterator[str]:
    """Take the time that GitHub puts before each line of a job log away."""
    for text in texts:
        stamp = GITHUB_TIME.match(text)
        yield text[stamp.end() :] if stamp else text


def first_line(text: str) -> str:
    """Give the first line that is not blank, without white space around it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """Give the last line that is not blank, without white space around it."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def _text(parts: list[bytes], size: int, piece: bytes) -> str:
    data = b"".join([*parts, piece[: _LONGEST - size]]) if parts else piece[:_LONGEST]
    return data.decode("utf-8", "replace").removesuffix("\r")
