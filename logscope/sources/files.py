"""From paths to files: through directories, globs, archives in archives and compressions, and the standard input.

Nothing is unpacked to disk, and what is in an archive is never trusted. `walk` gives every file, logs and others.
"""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from logscope.model import Problem
from logscope.sources.content import (
    BLOCK,
    Content,
    DamagedError,
    FileContent,
    SpooledContent,
    StreamContent,
    unreadable,
)
from logscope.sources.formats import Decode, Format, Member, format_of
from logscope.sources.limits import MAX_DEPTH, MAX_MEMBERS, Budget, bounded
from logscope.sources.sniff import HEAD

STDIN = "stdin"


class Stream:
    """The bytes of a log in blocks; `consumed` counts the bytes that were taken from the file or archive so far."""

    def __init__(self, blocks: Iterator[bytes], decoded: Callable[[Iterator[bytes]], Iterator[bytes]]) -> None:
        # A list, not an attribute: blocks that knew this object would keep it, and the open file, alive.
        self._consumed = [0]
        self._blocks = decoded(_counting(blocks, self._consumed))

    @property
    def consumed(self) -> int:
        """Number of bytes taken so far."""
        return self._consumed[0]

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._blocks)


@dataclass(frozen=True, slots=True)
class File:
    """A file on disk or in an archive, with its first bytes, decoded.

    `raw` are its bytes as they are stored, `decoders` lead from them to its text, innermost last. `explicit`: it was
    named itself, not only something that holds it. `path` is where it stands, from the root of the disk through
    directories and archives; `identity` is the same for the same file, whichever way led to it. `damage` says why
    `head` is not longer.
    """

    name: str
    path: str
    identity: str
    explicit: bool
    raw: Content
    decoders: tuple[Decode, ...] = ()
    root_size: int = 0
    head: bytes = b""
    damage: str = ""

    def open(self, problems: list[str]) -> Stream:
        """Give the decoded bytes; what is wrong with them is added to `problems`, once, when the end is reached."""
        return Stream(self.raw.blocks(), lambda blocks: _noting(bounded(self._decode(blocks)), problems))

    def decoded(self) -> Content:
        """Give the decoded bytes as a content."""
        if not self.decoders:
            return self.raw
        return StreamContent(lambda: self._decode(self.raw.blocks()))

    def _decode(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        budget = Budget(self.root_size)
        for decode in self.decoders:
            blocks = budget.watch(decode(blocks))
        return blocks


def walk(path: str, problems: list[Problem]) -> Iterator[File]:
    """Give all files that a path leads to; what cannot be read is added to `problems`.

    The path is a file, a directory, a glob with `*`, `?` or `[`, or `-` for the standard input.
    """
    yield from _Walk(path, problems).files()


def shown(name: str) -> str:
    """Make a name fit to be shown: no control characters, no bytes that are not UTF-8."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


class _Walk:
    """The walk over what one path leads to."""

    def __init__(self, given: str, problems: list[Problem]) -> None:
        self._given = given
        self._problems = problems
        self._members = 0
        self._budget = Budget(0)

    def files(self) -> Iterator[File]:
        given = self._given
        if given == "-" and sys.stdin is None:
            self._tell(STDIN, "is closed")
        elif given == "-":
            yield from self._root(File(STDIN, given, given, True, _spooled(sys.stdin.buffer.read)))
        elif os.path.isdir(given):
            yield from self._directory(given)
        elif os.path.lexists(given):
            yield from self._explicit(given)
        elif glob.has_magic(given):
            found = sorted(glob.glob(given, recursive=True))
            if not found:
                self._tell(given, "no file fits this glob")
            for path in found:
                yield from self._directory(path) if os.path.isdir(path) else self._explicit(path)
        else:
            self._tell(given, _absence(given))

    def _directory(self, top: str) -> Iterator[File]:
        def refuse(error: OSError) -> None:
            self._tell(str(error.filename or top), unreadable(error))

        inside = os.path.realpath(top) + os.sep
        for folder, folders, names in os.walk(top, onerror=refuse):
            linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in linked)
            for name in sorted(names + linked):
                path = os.path.join(folder, name)
                if name.startswith("."):
                    continue
                if os.path.islink(path):
                    # A link into the tree leads to what is read anyway.
                    if not (os.path.realpath(path) + os.sep).startswith(inside):
                        self._tell(path, "is a link out of the directory, not followed; name its target to read it")
                elif os.path.isfile(path):
                    yield from self._file(path, explicit=False)

    def _explicit(self, path: str) -> Iterator[File]:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self._tell(path, unreadable(error))
            return
        if stat.S_ISREG(mode):
            yield from self._file(path, explicit=True)
        elif stat.S_ISFIFO(mode):
            try:
                with open(path, "rb", buffering=0) as pipe:
                    content = _spooled(pipe.read)
            except OSError as error:
                self._tell(path, unreadable(error))
                return
            yield from self._root(File(shown(path), path, path, True, content))
        else:
            self._tell(path, "is neither a file nor a directory")

    def _file(self, path: str, explicit: bool) -> Iterator[File]:
        try:
            content = FileContent(path)
        except DamagedError as error:
            self._tell(path, str(error))
            return
        yield from self._root(File(shown(path), os.path.abspath(path), os.path.realpath(path), explicit, content))

    def _root(self, file: File) -> Iterator[File]:
        size = file.raw.size or 0
        self._budget = Budget(size)
        self._members = 0
        yield from self._look(replace(file, root_size=size), 0)

    def _look(self, file: File, depth: int) -> Iterator[File]:
        """Go through the compressions and archives of a file."""
        while True:
            file = _with_head(file)
            if file.decoders:
                self._budget.spend(len(file.head))
            form = format_of(file.head, file.name)
            if form is None:
                yield file
                return
            if form.members:
                yield from self._archive(file, form, form.members, depth + 1)
                return
            if form.decode:
                if len(file.decoders) == MAX_DEPTH:
                    self._tell(file.name, f"is compressed more than {MAX_DEPTH} times over and was left out")
                    return
                file = replace(file, decoders=(*file.decoders, form.decode))

    def _archive(
        self, file: File, form: Format, members: Callable[[Content], Iterator[Member]], depth: int
    ) -> Iterator[File]:
        if depth > MAX_DEPTH:
            self._tell(file.name, f"is an archive in more than {MAX_DEPTH - 1} others and was left out")
            return
        content = file.decoded()
        if form.seeks and not content.seekable:
            content = SpooledContent(self._budget.watch(content.blocks()))
        skipped: dict[str, list[str]] = {}
        try:
            for member in members(content):
                self._members += 1
                if self._members > MAX_MEMBERS:
                    raise DamagedError(f"holds more than {MAX_MEMBERS:,} files; the rest was left out")
                inner = _cleaned(member.name)
                if member.skipped:
                    skipped.setdefault(member.skipped, []).append(inner)
                elif not member.name.endswith("/"):
                    yield from self._look(self._of_member(file, member, inner), depth)
        except DamagedError as error:
            self._tell(file.name, str(error))
        if isinstance(content, StreamContent):
            content.release()
        for reason, names in skipped.items():
            others = f" and {len(names) - 1} more were" if len(names) > 1 else " was"
            self._tell(file.name, f"{names[0]}{others} left out: {reason}")

    def _of_member(self, file: File, member: Member, inner: str) -> File:
        return File(
            f"{file.name}!{inner}",
            f"{file.path}!/{inner}",
            f"{file.identity}!/{self._members}",
            False,
            member.content,
            (member.decode,) if member.decode else (),
            file.root_size,
        )

    def _tell(self, name: str, text: str) -> None:
        self._problems.append(Problem(shown(name), text))


def _absence(path: str) -> str:
    """Say why there is nothing at a path: it may stand in a directory that may not be looked into."""
    try:
        os.lstat(path)
    except (FileNotFoundError, ValueError):
        return "no such file or directory"
    except OSError as error:
        return unreadable(error)
    return "vanished while it was looked for"


def _spooled(read: Callable[[int], bytes | None]) -> Content:
    return SpooledContent(iter(lambda: read(BLOCK) or b"", b""))


def _counting(blocks: Iterator[bytes], consumed: list[int]) -> Iterator[bytes]:
    for block in blocks:
        consumed[0] += len(block)
        yield block


def _with_head(file: File) -> File:
    blocks: list[bytes] = []
    size = 0
    damage = ""
    stream = file.decoded().blocks()
    try:
        for block in stream:
            blocks.append(block)
            size += len(block)
            if size >= HEAD:
                break
    except DamagedError as error:
        damage = str(error)
    return replace(file, head=b"".join(blocks)[:HEAD], damage=damage)


def _noting(blocks: Iterator[bytes], problems: list[str]) -> Iterator[bytes]:
    try:
        yield from blocks
    except DamagedError as error:
        if str(error) not in problems:
            problems.append(str(error))


def _cleaned(name: str) -> str:
    """Make the name of a member a path below the archive: `../x` and `/x` are `x`."""
    parts = shown(name).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "unnamed"
