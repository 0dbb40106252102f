"""`logscope slow`: where the time went, and what was tried again."""

from __future__ import annotations

from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.cli.slow_formats import FORMATS


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "slow /var/log/cloudstack/management",
            "slow management-server.log --since 01:00 --until 02:00 --top 5",
            "slow ms1.log ms2.log -r job:4248 --format json",
        )
    )(slow)


def slow(
    paths: options.Paths,
    *,
    resource: Annotated[
        str,
        typer.Option(
            "--resource", "-r", metavar="KIND:ID", help="Only operations in which this resource or job has a part."
        ),
    ] = "",
    top: Annotated[
        int, typer.Option(min=1, max=options.LARGEST, metavar="N", help="Show at most N of each list.")
    ] = 10,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text or json.")] = "text",
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Show where the time went: operations by step, commands, and the longest holds of locks.

    An operation goes from the request to the end of the last job that came of it. Only what has both ends in the
    log counts. Below stand the attempts of operations that tried again, each with what failed first in it and what
    the next one left out, and of operations that failed the first failure inside them: that is their cause.
    """
    from logscope.attempts import failed, retried
    from logscope.demand import for_everything
    from logscope.query import find_resource_or_job
    from logscope.session import Question, load_catalog, open_log
    from logscope.slow import families_about, measure

    options.check_choice("format", format, list(FORMATS))
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    session = open_log(Question(paths, since, until, tz), catalog, for_everything(catalog), console.watch)
    console.problems([*session.log.problems, *session.log.notes])
    about = find_resource_or_job(session.log, resource) if resource else None
    families = families_about(session.log, about) if about else None
    found = measure(session.log, top, about), retried(session.log, families), failed(session.log, families)
    write(FORMATS[format](*found, top, session.tz, console.color))
    return PART_UNREAD if session.log.problems else OK
