"""Where a command writes: report data to standard output, everything else to standard error."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from logscope.errors import LogscopeError, UsageError
from logscope.model import Problem, Source
from logscope.report.parts.visible import visible

_MOST_PROBLEMS = 20


class ReaderGoneError(Exception):
    """Whoever read our output closed it, as `head` does."""


def complain(message: str) -> None:
    """Tell why a command ends, in one line."""
    print(f"logscope: error: {visible(message)}", file=sys.stderr)


def write(text: str | bytes) -> None:
    """Write report data to standard output.

    Raises:
        ReaderGoneError: nobody reads it.
        LogscopeError: it cannot be written, because the disk is full for instance.
    """
    try:
        if isinstance(text, bytes):
            sys.stdout.flush()
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as error:
        raise LogscopeError(f"cannot write to standard output: {error.strerror}") from None


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


class Console:
    """How a command speaks: whether in colour, and whether it says more than its errors."""

    def __init__(self, *, quiet: bool, no_color: bool) -> None:
        self._quiet = quiet
        # As polars sets it when it is imported, a read from a silent pipe would go on in spite of Ctrl-C.
        signal.siginterrupt(signal.SIGINT, True)
        self._is_color_wanted = not (no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")
        self.color = self._is_color_wanted and is_terminal()

    def note(self, text: str) -> None:
        """Say something to the person at standard error."""
        if not self._quiet:
            print(f"logscope: {visible(text)}", file=sys.stderr)

    def problems(self, problems: Sequence[Problem]) -> None:
        """Say what could not be read, and what a reader should know of what could."""
        for problem in problems[:_MOST_PROBLEMS]:
            self.note(f"{problem.source}: {problem.text}" if problem.source else problem.text)
        if len(problems) > _MOST_PROBLEMS:
            self.note(f"{len(problems) - _MOST_PROBLEMS:,} more notes on the input are not shown")

    @contextmanager
    def watch(self, sources: Sequence[Source]) -> Iterator[Callable[[str, int], None] | None]:
        """Show how far reading has come, if standard error is a terminal."""
        if self._quiet or not sys.stderr.isatty():
            yield None
            return
        from logscope.cli.progress import shown

        with shown(sources, color=self._is_color_wanted) as progress:
            yield progress


def check_writable(path: Path, inputs: Sequence[str] = ()) -> None:
    """Raise UsageError if no file can be written at `path`, or if it is one of the inputs, which it would replace.

    Better before a long run than after it.
    """
    if path.exists() and any(path.samefile(given) for given in inputs if os.path.exists(given)):
        raise UsageError(f"cannot write '{path}': it is one of the inputs; name another file")
    if path.is_dir():
        raise UsageError(f"cannot write '{path}': it is a directory; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write '{path}': there is no directory '{path.parent}'")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write '{path}': permission denied")


def write_file(path: Path, data: bytes) -> None:
    """Write a whole file; raises LogscopeError if that fails."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise LogscopeError(f"cannot write '{path}': {error.strerror}") from None
