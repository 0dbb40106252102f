"""The command line: the only part of logscope that prints or exits."""

from __future__ import annotations

import sys

from logscope import __version__


def main() -> None:
    """Run the command that the arguments of the process name, and exit with its code."""
    if sys.argv[1:] == ["--version"]:
        # Whatever else is imported takes longer than this may.
        print(f"logscope {__version__}")
        return
    from logscope.cli.run import run

    sys.exit(run(sys.argv[1:]))
