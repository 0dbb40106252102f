"""Bytes that can be read again: of a file, of a part of a file, of a stream, of what a decoder gives.

Everything that reads bytes here goes through `Content`; archives in archives are contents of contents.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from typing import IO, Protocol

FIRST_BLOCK = 64 << 10  # enough to tell what the bytes are, so that a look costs no more
BLOCK = 1 << 20
_IN_MEMORY = 32 << 20


class DamagedError(Exception):
    """The bytes end or break before their end; all that could be read was given. The text says what is wrong."""


class Content(Protocol):
    """Bytes that can be read again. `size` is None where only reading to the end would tell it.

    `seekable`: a part can be read without reading what stands before it.
    """

    seekable: bool
    size: int | None

    def blocks(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Give the bytes from `start`, at most `length`, in blocks; raises DamagedError after the last good one."""
        ...


class FileContent:
    """The bytes of a file on disk."""

    seekable = True

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.size: int | None = os.stat(path).st_size
        except OSError as error:
            raise DamagedError(unreadable(error)) from error

    def blocks(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Give the bytes from `start`, at most `length`, in blocks."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                if start:
                    file.seek(start)
                yield from _read(file.read, length)
        except OSError as error:
            raise DamagedError(unreadable(error)) from error


class SpooledContent:
    """A stream that cannot be read twice, kept as it came: in memory, and on disk when it is long.

    What was read before the stream broke is kept; `damage` says why it broke, and each reader is told.
    """

    seekable = True

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._lock = threading.Lock()
        self._file: IO[bytes] = io.BytesIO()
        self._damage = ""
        size = 0
        try:
            for block in blocks:
                if size <= _IN_MEMORY < size + len(block):
                    self._move_to_disk()
                self._file.write(block)
                size += len(block)
        except DamagedError as error:
            self._damage = str(error)
        except OSError as error:
            self._damage = unreadable(error)
        self.size: int | None = size

    def _move_to_disk(self) -> None:
        import tempfile

        file = tempfile.TemporaryFile()  # noqa: SIM115
        self._file.seek(0)
        file.write(self._file.read())
        self._file = file

    def __del__(self) -> None:
        self._file.close()

    def blocks(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Give the bytes from `start`, at most `length`, in blocks; several readers may read at once."""
        position = start

        def read(count: int) -> bytes:
            nonlocal position
            with self._lock:
                self._file.seek(position)
                data = self._file.read(count)
            position += len(data)
            return data

        yield from _read(read, length)
        if self._damage and (length is None or position < start + length):
            raise DamagedError(self._damage)


class PartContent:
    """A part of another content, such as the member of an archive; breaks off where the whole does."""

    def __init__(self, whole: Content, start: int, size: int) -> None:
        self.seekable = whole.seekable
        self.size: int | None = size
        self._whole = whole
        self._start = start
        self._size = size

    def blocks(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Give the bytes from `start`, at most `length`, in blocks."""
        wanted = max(0, self._size - start if length is None else min(length, self._size - start))
        missing = wanted
        for block in self._whole.blocks(self._start + start, wanted):
            missing -= len(block)
            yield block
        if missing:
            raise DamagedError(f"the archive ends {missing:,} bytes before the end of this member")


class StreamContent:
    """What a decoder gives: readable from the start only, so a part is reached by reading up to it.

    The place where the reading of a part stopped is kept, so that parts read in order cost one reading.
    """

    seekable = False
    size: int | None = None

    def __init__(self, open_stream: Callable[[], Iterator[bytes]]) -> None:
        self._open = open_stream
        self._lock = threading.Lock()
        self._idle: Reader | None = None

    def blocks(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Give the bytes from `start`, at most `length`, in blocks."""
        if length is None and start == 0:
            yield from self._open()
            return
        with self._lock:
            reader, self._idle = self._idle, None
        if reader is None or reader.position > start:
            reader = Reader(self._open())
        try:
            reader.skip(start - reader.position)
            yield from _read(reader.read, length)
        finally:
            # Also after a reader that stopped early: it stands behind what it gave.
            with self._lock:
                self._idle = reader
        if reader.damage and (length is None or reader.position < start + length):
            raise DamagedError(reader.damage)

    def release(self) -> None:
        """Let go of the kept place, and with it of the files and decoders behind it."""
        with self._lock:
            self._idle = None


class Reader:
    """Reads a stream of blocks by number of bytes; damage counts as the end and is kept in `damage`."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.position = 0
        self.damage = ""
        self._blocks = blocks
        self._rest = memoryview(b"")

    def read(self, count: int) -> bytes:
        """Give up to `count` bytes, fewer than that at the end of a block, none at the end of the stream."""
        if not self._rest and not self._next():
            return b""
        piece = self._rest[:count]
        self._rest = self._rest[count:]
        self.position += len(piece)
        return piece.tobytes()

    def skip(self, count: int) -> None:
        """Pass over `count` bytes, or over all that is left."""
        while count > 0 and (self._rest or self._next()):
            step = min(count, len(self._rest))
            self._rest = self._rest[step:]
            self.position += step
            count -= step

    def _next(self) -> bool:
        try:
            for block in self._blocks:
                if block:
                    self._rest = memoryview(block)
                    return True
        except DamagedError as error:
            self.damage = str(error)
            self._blocks = iter(())
        return False


class ContentFile(io.RawIOBase):
    """A seekable content as a file object, for code that wants one."""

    def __init__(self, content: Content) -> None:
        super().__init__()
        self._content = content
        self._position = 0

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def seekable(self) -> bool:
        """Say that this can be read at any place."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, counted as `whence` says."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._content.size or 0}[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        """Give the place."""
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as the content goes."""
        data = read_range(self._content, self._position, len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


def read_range(content: Content, start: int, length: int) -> bytes:
    """Give the bytes of a part; fewer where the content ends or breaks before its end."""
    blocks = []
    try:
        for block in content.blocks(start, length):
            blocks.append(block)
    except DamagedError:
        pass
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)


def unreadable(error: OSError) -> str:
    """Say in a sentence why the system refused to read."""
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def _read(read: Callable[[int], bytes], length: int | None) -> Iterator[bytes]:
    left = length
    block_size = FIRST_BLOCK
    while left is None or left > 0:
        block = read(block_size if left is None else min(block_size, left))
        if not block:
            return
        yield block
        block_size = BLOCK
        if left is not None:
            left -= len(block)
