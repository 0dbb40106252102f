"""Texts as a terminal has room for them."""

from __future__ import annotations

import re

_CLASS = re.compile(r"\b(?:[a-z_][A-Za-z0-9_]*\.){2,}(?=[A-Z])")
_ELLIPSIS = "…"


def brief(text: str) -> str:
    """The text with classes called by their own names: `com.example.vm.Start` is `Start`."""
    return _CLASS.sub("", text)


def cut(text: str, width: int) -> str:
    """The first line of a text, at most `width` characters of it."""
    line = text.partition("\n")[0]
    return line if len(line) <= width else line[: width - 1] + _ELLIPSIS
