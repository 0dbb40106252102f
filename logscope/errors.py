"""Where something stands, what is wrong there, and how that is told to a person."""

from __future__ import annotations

from dataclasses import dataclass


class LogscopeError(Exception):
    """Wrong use or wrong input that ends a command.

    `str(error)` is one sentence that says what, where, and what to do about it.
    """


class UsageError(LogscopeError):
    """The command line or an argument is wrong (exit code 2)."""


class NothingReadError(LogscopeError):
    """No source at all could be read (exit code 3)."""


class NothingThenError(NothingReadError):
    """No record lies in the time that was asked for (exit code 3)."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a grammar file: path, line and column from 1, length in characters."""

    path: str
    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake in a grammar file, for the author of that file.

    `notes` are further lines below the caret (how far a template got, for instance);
    `hint` is one sentence that says what to do, or empty.
    """

    code: str
    message: str
    span: Span
    hint: str = ""
    notes: tuple[str, ...] = ()
    severity: str = "error"


class GrammarError(LogscopeError):
    """Grammar files that cannot be used (exit code 2); carries every diagnostic found."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        count = len(diagnostics)
        super().__init__(f"{count} mistake{'s' if count != 1 else ''} in the grammar files")
