"""`logscope compare`: say what changed between two runs or sets of runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import check_writable, write, write_file
from logscope.cli.exits import FINDINGS, OK, PART_UNREAD
from logscope.errors import UsageError

_FAIL_ON = ("none", "low", "medium", "high", "critical")
_SUFFIXES = {".txt": "text", ".md": "md", ".json": "json"}


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "compare before/ after/",
            "compare base.json candidate.json --format md",
            "compare runs-main/ runs-pr/ -o comparison.json --fail-on high",
        )
    )(compare)


def compare(
    base: Annotated[
        str,
        typer.Argument(metavar="BASE", help="Runs, logs, or saved JSON reports from before.", show_default=False),
    ],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="The same from after.", show_default=False)],
    *,
    output: Annotated[
        list[Path],
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the comparison; its format goes by its suffix (.txt, .md, .json).",
            default_factory=list,
            show_default=False,
        ),
    ],
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Write to standard output as text, md or json.")
    ] = "",
    rule: Annotated[
        list[str],
        typer.Option(
            "--rule",
            metavar="RULE",
            help="Judge this rule only; see 'logscope rules'.",
            default_factory=list,
            show_default=False,
        ),
    ],
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="SEVERITY",
            help="Exit with 1 if there is a finding of this severity or a higher one whose cause is new.",
        ),
    ] = "none",
    processes: options.Processes = 0,
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Say what changed: how often each rule fired per chance, how long the windows were, what is new, what is gone.

    Each side is a run, a folder of runs, a log, or JSON reports that were saved before.
    """
    from logscope import compare as comparing
    from logscope.runs import Wish

    options.check_choice("severity", fail_on, _FAIL_ON)
    if format:
        options.check_choice("format of comparisons", format, list(comparing.FORMATS))
    wanted = [(path, _format_of(path)) for path in output]
    for path, _ in wanted:
        check_writable(path, (base, candidate))
    console = options.console(quiet, no_color)
    wish = Wish(tuple(grammars), tuple(rule), since, until)
    workers = processes or len(os.sched_getaffinity(0))
    sides = [comparing.load(path, wish, workers) for path in (base, candidate)]
    problems = [problem for side in sides for problem in side.report.problems]
    console.problems(problems)
    result = comparing.compare(*sides)
    for path, name in wanted:
        write_file(path, comparing.render(result, name).encode())
    if format or not wanted:
        write(comparing.render(result, format or "text"))
    if wanted:
        console.note(f"wrote {', '.join(map(str, output))}")
    severities = _FAIL_ON[_FAIL_ON.index(fail_on) :] if fail_on != "none" else ()
    if any(change.severity in severities and not change.known for change in result.new):
        return FINDINGS
    return PART_UNREAD if problems else OK


def _format_of(path: Path) -> str:
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"no format of comparisons has the suffix of '{path}'; the known ones are .json, .md, .txt")
    return _SUFFIXES[path.suffix.lower()]
