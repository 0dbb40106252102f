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
    try:
        from logscope.cli.run import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        # `run` catches those that come while it runs; imports take long enough to be interrupted too.
        sys.exit(130)
