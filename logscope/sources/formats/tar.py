"""tar: old, ustar, GNU and pax archives, read from front to back."""

from __future__ import annotations

from collections.abc import Iterator

from logscope.sources.content import Content, DamagedError, PartContent, read_range
from logscope.sources.formats import Member

_BLOCK = 512
_MAX_NAME = 1 << 20
_SEARCH = 1 << 20  # a multiple of _BLOCK
_SKIPPED = {b"1": "a link", b"2": "a link", b"3": "a device", b"4": "a device", b"6": "a pipe", b"S": "a sparse file"}
_FILES = (b"0", b"\0", b"7")


def accepts(head: bytes, name: str) -> bool:
    """Tell tar by the checksum of its first header: old archives have no magic number."""
    return len(head) >= _BLOCK and _valid(head[:_BLOCK])


def members(content: Content) -> Iterator[Member]:
    """Give the files, links and devices; raises DamagedError where the archive breaks or ends without its end mark."""
    position = 0
    damage = ""
    name, size = "", None  # what an extension header says of the member after it
    while True:
        header = read_range(content, position, _BLOCK)
        if header.count(0) == _BLOCK:
            break
        if len(header) < _BLOCK:
            damage = damage or "the archive ends early; what was readable is reported"
            break
        if not _valid(header):
            damage = damage or f"the archive is damaged at byte {position:,}; what was readable is reported"
            position = _next_header(content, position)
            name, size = "", None
            continue
        position += _BLOCK
        kind = header[156:157]
        length = _number(header[124:136])
        if kind == b"L":
            name = read_range(content, position, min(length, _MAX_NAME)).rstrip(b"\0").decode("utf-8", "replace")
        elif kind == b"x":
            name, size = _extended(read_range(content, position, min(length, _MAX_NAME)), name)
        else:
            length = length if size is None else size
            if kind in _FILES or kind in _SKIPPED:
                part = PartContent(content, position, length)
                yield Member(name or _name(header), part, skipped=_SKIPPED.get(kind, ""))
            name, size = "", None
            if kind in (b"1", b"2"):
                length = 0
        position += (length + _BLOCK - 1) // _BLOCK * _BLOCK
    if damage:
        raise DamagedError(damage)


def _next_header(content: Content, position: int) -> int:
    """Find the next header behind a damaged one, or else the end; only headers with a magic number are looked for."""
    start = position + _BLOCK
    while block := read_range(content, start, _SEARCH):
        for place in range(0, len(block), _BLOCK):
            if block[place + 257 : place + 262] == b"ustar" and _valid(block[place : place + _BLOCK]):
                return start + place
        start += len(block)
    return start


def _valid(header: bytes) -> bool:
    digits = header[148:156].strip(b" \0")
    try:
        expected = int(digits, 8)
    except ValueError:
        return False
    return expected == sum(header) - sum(header[148:156]) + 8 * 32


def _number(field: bytes) -> int:
    if field[0] & 0x80:
        return max(0, int.from_bytes(field, "big", signed=False) & ((1 << 88) - 1))
    try:
        return max(0, int(field.strip(b" \0") or b"0", 8))
    except ValueError:
        return 0


def _name(header: bytes) -> str:
    name = header[:100].split(b"\0")[0]
    if header[257:262] == b"ustar" and header[263:265] == b"00":
        prefix = header[345:500].split(b"\0")[0]
        name = prefix + b"/" + name if prefix else name
    return name.decode("utf-8", "replace")


def _extended(records: bytes, name: str) -> tuple[str, int | None]:
    """Read `LENGTH KEY=VALUE` records; gives the name and the size that they set."""
    size = None
    while records:
        digits = records.split(b" ", 1)[0]
        if not digits.isdigit() or not len(digits) < int(digits) <= len(records):
            break
        key, _, value = records[len(digits) + 1 : int(digits) - 1].partition(b"=")
        if key == b"path":
            name = value.decode("utf-8", "replace")
        elif key == b"size" and value.isdigit():
            size = int(value)
        records = records[int(digits) :]
    return name, size
