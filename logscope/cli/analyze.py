"""`logscope analyze`: judge the rules over logs and report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import check_writable, write, write_file
from logscope.cli.exits import FINDINGS, OK, PART_UNREAD
from logscope.model import Report

_FAIL_ON = ("none", "low", "medium", "high", "critical")
_TEXT = "text"


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "analyze management-server.log",
            "analyze /var/log/cloudstack/management -o report.html -o report.json",
            "analyze ms1.tar.gz ms2.tar.gz --since '2026-10-29 01:00' --until '2026-10-29 02:00'",
            "analyze run.zip --rule network-cleaned-up-while-implementing --fail-on high --format md",
        )
    )(analyze)


def analyze(
    paths: options.Paths,
    *,
    output: Annotated[
        list[Path],
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write a report; its format goes by its suffix.",
            default_factory=list,
            show_default=False,
        ),
    ],
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Write a report of this format to standard output.")
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
        typer.Option(metavar="SEVERITY", help="Exit with 1 if there is a finding of this severity or a higher one."),
    ] = "none",
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Find operations that overlapped on one resource, and what came of it.

    Without -o and --format the report goes to the terminal as text.
    """
    from logscope import pipeline, report
    from logscope.demand import for_rules
    from logscope.report.parts import words
    from logscope.session import Question, chosen_rules, load_catalog, open_log

    options.check_choice("severity", fail_on, _FAIL_ON)
    if format:
        options.check_choice("report format", format, list(report.formats()))
    wanted = [(path, report.format_for_suffix(path)) for path in output]
    for path, _ in wanted:
        check_writable(path, paths)
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    rules = chosen_rules(catalog, rule)
    question = Question(paths, since, until, tz)
    session = open_log(question, catalog, for_rules(catalog, rules), console.watch)
    console.problems(session.log.problems)
    found = pipeline.analyze(session.log, rules, session.tz)
    for path, name in wanted:
        write_file(path, report.render(found, name).encode())
    if format or not wanted:
        name = format or _TEXT
        write(report.render(found, name, **({"color": console.color} if name == _TEXT else {})))
    if wanted:
        console.note(f"{words.verdict(found)}; wrote {', '.join(map(str, output))}")
    return _exit_code(found, fail_on)


def _exit_code(found: Report, fail_on: str) -> int:
    severities = _FAIL_ON[_FAIL_ON.index(fail_on) :] if fail_on != "none" else ()
    if any(finding.severity in severities for finding in found.findings):
        return FINDINGS
    return PART_UNREAD if found.problems else OK
