"""Log text, and the ways to pack it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable

import zstandard

from logscope.model import Source


def log_text(count: int = 200, day: int = 28, seed: int = 1, hour: int = 0) -> bytes:
    words = random.Random(seed)
    lines = []
    for number in range(count):
        second, milli = divmod(number * 37, 1000)
        clock = f"{hour + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},{milli:03}"
        context = f"Worker-{number % 7}:[ctx-{words.getrandbits(32):08x}]"
        lines.append(
            f"2026-10-{day:02} {clock} DEBUG [o.e.Worker] ({context}) step {number} of {words.getrandbits(80)}\n"
        )
    return "".join(lines).encode()


def read(source: Source) -> bytes:
    return b"".join(source.open())


def tar_of(members: dict[str, bytes], mode: str = "w", form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


class Pipe(io.RawIOBase):
    """Something to write to that cannot seek, so that zip puts the sizes behind the data."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += data
        return len(data)


def streamed_zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", method) as archive:  # type: ignore[type-var]
        for name, data in members.items():
            archive.writestr(name, data)
    return bytes(pipe.data)


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.compress,
}
TEXT = log_text()


ARCHIVES: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zip_of,
    "zip-stored": lambda members: zip_of(members, zipfile.ZIP_STORED),
    "zip-bzip2": lambda members: zip_of(members, zipfile.ZIP_BZIP2),
    "zip-streamed": streamed_zip_of,
    "tar-pax": tar_of,
    "tar-gnu": lambda members: tar_of(members, form=tarfile.GNU_FORMAT),
    "tar-ustar": lambda members: tar_of(members, form=tarfile.USTAR_FORMAT),
    "tgz": lambda members: tar_of(members, "w:gz"),
}
