"""The command line: the only part of logscope that prints or exits."""

from __future__ import annotations

import os
import sys

from logscope import __version__


def main() -> None:
    """Run the command that the arguments of the process name, and exit with its code."""
    _open_streams()
    if sys.argv[1:] == ["--version"]:
        # Whatever else is imported takes longer than this may.
        print(f"logscope {__version__}")
        return
    try:
        from logscope.cli.run import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        # `run` catches those that come while it runs; imports take long enough to be interrupted too.
        sys.exit(130)


def _open_streams() -> None:
    """Let what goes to a stream that the shell closed (`>&-`) go nowhere, not into the next file that is opened."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "w", encoding="utf-8", errors="replace"))  # noqa: SIM115
