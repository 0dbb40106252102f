"""The formats that logs are packed in. The folder is the registry: a new format is one new file in it.

Such a file has `accepts(head, name)`, which decides by the first bytes, and one of

- `decode(blocks)`: the bytes of a compressed stream, in blocks; or
- `members(content)`: the members of an archive, in the order in which they stand in it.

Both give all that can be read and then raise DamagedError if that was not everything.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from logscope.sources.content import Content

Decode = Callable[[Iterator[bytes]], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its name as written there, its raw bytes, and how these are decoded (None: as they are).

    `skipped` says why it cannot be read ("a link", "encrypted"), or is empty.
    """

    name: str
    content: Content
    decode: Decode | None = None
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how it is told, and how it is read (`decode` or `members`). `seeks`: it needs a seekable content."""

    name: str
    accepts: Callable[[bytes, str], bool]
    decode: Decode | None
    members: Callable[[Content], Iterator[Member]] | None
    seeks: bool


def format_of(head: bytes, name: str) -> Format | None:
    """Tell the format from the first bytes; None when they are in none, as plain text is."""
    return next((one for one in _formats() if one.accepts(head, name)), None)


@cache
def _formats() -> tuple[Format, ...]:
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.append(
            Format(
                info.name,
                module.accepts,
                getattr(module, "decode", None),
                getattr(module, "members", None),
                getattr(module, "SEEKS", False),
            )
        )
    return tuple(found)
