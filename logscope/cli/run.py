"""Runs one command and turns what can go wrong into one message and an exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer

from logscope.cli.app import app
from logscope.cli.console import ReaderGoneError, complain
from logscope.cli.diagnostics import tell
from logscope.cli.exits import INTERNAL, INTERRUPTED, NOTHING_READ, OK, READER_GONE, WRONG_USE
from logscope.errors import GrammarError, LogscopeError, NothingReadError

# What typer raises for arguments that it cannot read; the class itself has no public name.
(_ArgumentError,) = typer.BadParameter.__bases__


def run(args: Sequence[str]) -> int:
    """Run a command with its arguments; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # The same bytes whatever the locale says.
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = app(list(args) or ["--help"], prog_name="logscope", standalone_mode=False)
        sys.stdout.flush()
        return (code or OK) if args else WRONG_USE
    except (ReaderGoneError, BrokenPipeError, SystemExit):
        # The last one is how typer ends when nobody reads its help.
        # Nothing more can be said; without this the interpreter would complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except GrammarError as error:
        tell(error.diagnostics)
        complain(f"{error}; nothing was done")
        return WRONG_USE
    except NothingReadError as error:
        complain(str(error))
        return NOTHING_READ
    except LogscopeError as error:
        complain(str(error))
        return WRONG_USE
    except Exception as error:
        if isinstance(error, _ArgumentError):
            complain(_of_argument(error))
            return WRONG_USE
        if os.environ.get("LOGSCOPE_DEBUG") == "1":
            traceback.print_exc()
        what = f"{type(error).__name__}: {error}".partition("\n")[0]
        complain(f"this is a mistake in logscope; please report it with what LOGSCOPE_DEBUG=1 shows ({what})")
        return INTERNAL


def _of_argument(error: Any) -> str:
    """What typer says of an argument, as all our messages are."""
    message = error.format_message().strip().rstrip(".")
    context = error.ctx
    command = context.command_path if context else "logscope"
    return f"{message[:1].lower()}{message[1:]}; see '{command} --help'"
