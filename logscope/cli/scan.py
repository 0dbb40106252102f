"""`logscope scan`: explain the failing tests of CI runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from logscope.cli import options
from logscope.cli.console import Console, check_writable, write, write_file
from logscope.cli.exits import FINDINGS, OK, PART_UNREAD
from logscope.errors import LogscopeError, UsageError
from logscope.model import Report

_FAIL_ON = ("none", "low", "medium", "high", "critical")
_SUMMARY = "GITHUB_STEP_SUMMARY"


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "scan pr13090-t16943-kvm-ol8.zip",
            "scan MarvinLogs --logs /var/log/cloudstack/management -o report.html",
            "scan runs/ --processes 2 --baseline known.toml --format md",
            "scan job.txt --logs vmops.log -o junit.xml --known-as-skipped --format github",
        )
    )(scan)


def scan(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Result folders or archives, job logs, or folders of many of them.",
            show_default=False,
        ),
    ],
    *,
    logs: Annotated[
        list[str],
        typer.Option(
            "--logs",
            metavar="PATH",
            help="Logs of the run, where they lie neither in its folder nor beside it.",
            default_factory=list,
            show_default=False,
        ),
    ],
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
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Write a report of this format to standard output; github adds to the summary of the step too.",
        ),
    ] = "",
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What is known already, as TOML; it does not count for --fail-on."),
    ] = None,
    known_as_skipped: Annotated[
        bool, typer.Option("--known-as-skipped", help="In JUnit, count tests that something known explains as skipped.")
    ] = False,
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
            help="Exit with 1 if there is a finding of this severity or a higher one that is not known.",
        ),
    ] = "high",
    processes: options.Processes = 0,
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Say of each failing test of CI runs which race explains it, if one does.

    Reads what Trillian and the simulator CI leave behind: Marvin's folders, xunit files, job logs, in folders or
    archives. Without -o and --format the report goes to the terminal as text.
    """
    from logscope import report, runs
    from logscope.ci import baseline as known
    from logscope.report.parts import words

    options.check_choice("severity", fail_on, _FAIL_ON)
    if format:
        options.check_choice("report format", format, list(report.formats()))
    wanted = [(path, report.format_for_suffix(path)) for path in output]
    for path, _ in wanted:
        check_writable(path, [*paths, *logs])
    entries = known.read(_text_of(baseline), str(baseline)) if baseline else []
    console = options.console(quiet, no_color)
    wish = runs.Wish(tuple(grammars), tuple(rule), since, until, tuple(tz))
    with _watch(quiet) as told:
        found = runs.scan(paths, logs, wish, processes or len(os.sched_getaffinity(0)), told)
    if baseline:
        found = known.apply(found, entries, str(baseline))
    console.problems(found.problems)
    for path, name in wanted:
        write_file(path, _rendered(found, name, console, known_as_skipped).encode())
    if format or not wanted:
        write(_rendered(found, format or "text", console, known_as_skipped))
    if format == "github":
        _add_summary(found)
    if wanted:
        console.note(f"{words.verdict(found)}; wrote {', '.join(map(str, output))}")
    return _exit_code(found, fail_on)


def _rendered(found: Report, name: str, console: Console, known_as_skipped: bool) -> str:
    from logscope import report

    choices: dict[str, dict[str, Any]] = {
        "text": {"color": console.color},
        "junit": {"known_as_skipped": known_as_skipped},
    }
    return report.render(found, name, **choices.get(name, {}))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read the baseline '{path}': {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read the baseline '{path}': it is no UTF-8 text") from None


def _add_summary(found: Report) -> None:
    """Add the report as Markdown to the summary of the step of GitHub Actions that this runs in, if it does."""
    from logscope import report

    place = os.environ.get(_SUMMARY)
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(report.render(found, "md"))
    except OSError as error:
        raise LogscopeError(f"cannot write the summary of the step ({_SUMMARY}): {error.strerror}") from None


@contextmanager
def _watch(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many runs are done, if standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _exit_code(found: Report, fail_on: str) -> int:
    severities = _FAIL_ON[_FAIL_ON.index(fail_on) :] if fail_on != "none" else ()
    if any(finding.severity in severities and not finding.known for finding in found.findings):
        return FINDINGS
    return PART_UNREAD if found.problems else OK
