"""Runs the command line within the process, as a user sees it: exit code, standard output, standard error."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from logscope.cli.run import run

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
TRACES = FIXTURES / "traces"
NETWORK = TRACES / "network-cleaned-up-while-implementing" / "management-server.log"
PROXY = TRACES / "console-proxy-destroy-wins" / "management-server.log"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind; `raw` are the bytes of its standard output."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()


def logscope(*args: str | Path) -> Outcome:
    """Run `logscope ARGS`, with neither stream a terminal."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(arg) for arg in args])
        sys.stdout.flush()
        sys.stderr.flush()
    assert isinstance(out.buffer, io.BytesIO)
    assert isinstance(err.buffer, io.BytesIO)
    return Outcome(code, out.buffer.getvalue(), err.buffer.getvalue().decode())
