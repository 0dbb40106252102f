"""zip: read by its directory, or from member to member when the directory is lost."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from logscope.sources.content import Content, ContentFile, DamagedError, PartContent, read_range
from logscope.sources.formats import Decode, Member, bzip2, xz, zstd
from logscope.sources.inflate import RAW, inflate

SEEKS = True
_LOCAL = b"PK\x03\x04"
_LOCAL_SIZE = 30
_DESCRIPTOR = b"PK\x07\x08"
_ENCRYPTED = 1
_UTF8 = 0x800
_UNKNOWN_SIZE = 8
_STORED, _DEFLATED = 0, 8
_UNIX = 3
_KIND, _FILE_KINDS, _LINK_KIND = 0xF000, (0, 0x8000), 0xA000
_SEARCH = 1 << 20


def accepts(head: bytes, name: str) -> bool:
    """Tell zip by the magic number of its first member, of a spanned one, or of the end of an empty archive."""
    return head.startswith((_LOCAL, b"PK\x05\x06", _DESCRIPTOR + _LOCAL))


def members(content: Content) -> Iterator[Member]:
    """Give the files and what is skipped; raises DamagedError if the archive is damaged or its members overlap."""
    import zipfile

    try:
        with ContentFile(content) as file, zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OverflowError, OSError, NotImplementedError, UnicodeDecodeError):
        yield from _walk_locals(content)
        raise DamagedError("the zip archive has lost its directory; what was readable is reported") from None
    if sum(info.compress_size for info in infos) > (content.size or 0):
        raise DamagedError("the members of the zip archive overlap, as in a bomb; it is left out")
    for info in infos:
        # A directory that lies may place a member before the start.
        local = read_range(content, info.header_offset, _LOCAL_SIZE) if info.header_offset >= 0 else b""
        if not local.startswith(_LOCAL) or len(local) < _LOCAL_SIZE:
            yield Member(info.filename, PartContent(content, 0, 0), skipped="damaged")
            continue
        part = PartContent(content, info.header_offset + _header_size(local), info.compress_size)
        kind = info.external_attr >> 16 & _KIND if info.create_system == _UNIX else 0
        if info.filename.endswith("/"):
            continue
        skipped = ""
        if info.flag_bits & _ENCRYPTED:
            skipped = "encrypted"
        elif kind not in _FILE_KINDS:
            skipped = "a link" if kind == _LINK_KIND else "a device"
        yield _member(info.filename, part, info.compress_type, info.CRC, skipped)


def _header_size(local: bytes) -> int:
    return _LOCAL_SIZE + int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")


def _member(name: str, part: Content, method: int, crc: int | None, skipped: str) -> Member:
    decoders: dict[int, Decode | None] = {
        _STORED: None,
        _DEFLATED: lambda blocks: inflate(blocks, RAW, "zip"),
        12: bzip2.decode,
        93: zstd.decode,
        95: xz.decode,
    }
    if method not in decoders:
        return Member(name, part, skipped=skipped or f"compressed by method {method}, which is not supported")
    decode = decoders[method]
    return Member(name, part, decode if crc is None else _checked(decode, crc), skipped)


def _checked(decode: Decode | None, expected: int) -> Decode:
    def check(blocks: Iterator[bytes]) -> Iterator[bytes]:
        total = crc = 0
        for block in decode(blocks) if decode else blocks:
            crc = zlib.crc32(block, crc)
            total += len(block)
            yield block
        if crc != expected:
            raise DamagedError(f"the zip member of {total:,} bytes fails its checksum; it is reported as it is")

    return check


def _walk_locals(content: Content) -> Iterator[Member]:
    """Go from one local header to the next, by the size in the header or else by decoding to the end."""
    position = 0
    while (position := _find(content, position, _LOCAL)) >= 0:
        local = read_range(content, position, _LOCAL_SIZE)
        if len(local) < _LOCAL_SIZE:
            return
        flags, method = int.from_bytes(local[6:8], "little"), int.from_bytes(local[8:10], "little")
        raw_name = read_range(content, position + _LOCAL_SIZE, int.from_bytes(local[26:28], "little"))
        name = raw_name.decode("utf-8" if flags & _UTF8 else "cp437", "replace")
        start = position + _header_size(local)
        left = max(0, (content.size or 0) - start)
        size = int.from_bytes(local[18:22], "little")
        known = not flags & _UNKNOWN_SIZE and size != 0xFFFFFFFF
        if not known:
            size = _deflated_size(content, start) if method == _DEFLATED else _stored_size(content, start, left)
        if not name.endswith("/"):
            # The size may lie beyond the end: the part then breaks off there and says so.
            part = PartContent(content, start, size if known else min(size, left))
            yield _member(name, part, method, None, "encrypted" if flags & _ENCRYPTED else "")
        position = start + min(size, left)


def _deflated_size(content: Content, start: int) -> int:
    decoder = zlib.decompressobj(RAW)
    size = 0
    try:
        for block in content.blocks(start):
            size += len(block)
            data = block
            while data and not decoder.eof:
                decoder.decompress(data, _SEARCH)
                data = decoder.unconsumed_tail
            if decoder.eof:
                return size - len(decoder.unused_data)
    except (zlib.error, DamagedError):
        pass
    return size


def _stored_size(content: Content, start: int, left: int) -> int:
    end = _find(content, start, _DESCRIPTOR)
    return left if end < 0 else end - start


def _find(content: Content, position: int, mark: bytes) -> int:
    tail = b""
    try:
        for block in content.blocks(position):
            found = (tail + block).find(mark)
            if found >= 0:
                return position - len(tail) + found
            position += len(block)
            tail = (tail + block)[1 - len(mark) :]
    except DamagedError:
        pass
    return -1
