"""Runs the command line: `python -m logscope`."""

from logscope.cli import main

main()
