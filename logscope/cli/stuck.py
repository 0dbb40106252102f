"""`logscope stuck`: what had begun and not ended."""

from __future__ import annotations

from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.cli.stuck_formats import FORMATS


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "stuck /var/log/cloudstack/management",
            "stuck ms1.log ms2.log --at 2026-10-29T01:20:45",
            "stuck management-server.log --format json",
        )
    )(stuck)


def stuck(
    paths: options.Paths,
    *,
    at: Annotated[
        str, typer.Option(metavar="TIME", help="What was open at this time; default: where the log ends.")
    ] = "",
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text or json.")] = "text",
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Show what was still open: jobs, commands, locks, waits, and states that should pass, the oldest first.

    Each with who did it and what caused that, who waits for it, and the last line that its thread wrote. What a
    restart of the server cut off stands apart.
    """
    from logscope.demand import for_everything
    from logscope.session import Question, load_catalog, moment_of, open_log
    from logscope.stuck import find, last_lines

    options.check_choice("format", format, list(FORMATS))
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    session = open_log(Question(paths, since, until, tz), catalog, for_everything(catalog), console.watch)
    console.problems([*session.log.problems, *session.log.notes])
    found = find(session.log, moment_of(session, at) if at else None)
    owners = {one.owner for one in (*found.open, *found.cut)}
    with console.watch(session.sources) as progress:
        lasts = last_lines(session.log, session.sources, owners, found.at, progress)
    write(FORMATS[format](found, lasts, session.tz, console.color))
    return PART_UNREAD if session.log.problems else OK
