"""`logscope events`: the events themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logscope.cli import options
from logscope.cli.console import check_writable, is_terminal
from logscope.cli.event_formats import FORMATS, SUFFIXES
from logscope.cli.exits import OK, PART_UNREAD
from logscope.errors import UsageError

if TYPE_CHECKING:
    from logscope.language.catalog import Catalog

_TABLE = "table"


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "events management-server.log --event 'lock.*'",
            "events management-server.log -r network:209 --format jsonl",
            "events /var/log/cloudstack/management --event 'vm.state.*' -o states.parquet",
        )
    )(events)


def events(
    paths: options.Paths,
    *,
    event: Annotated[
        list[str],
        typer.Option(
            "--event",
            metavar="NAME",
            help="Only events of this name, which may hold * and ?.",
            default_factory=list,
            show_default=False,
        ),
    ],
    resource: options.SomeResources,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="table, jsonl, csv or parquet.")] = "",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write to a file; its format goes by its suffix."),
    ] = None,
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Print the events of a log: records that a grammar recognises, with what they say.

    JSON Lines, CSV and Parquet have the time, source, line, event, actor, resources, fields and the original text.
    """
    import polars as pl

    from logscope.demand import for_events, for_everything
    from logscope.query import event_frames, events_of, find_resource
    from logscope.session import Question, load_catalog, open_log

    name = _format(format, output)
    if output is not None:
        check_writable(output, paths)
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    wanted = _events_named(catalog, event)
    demand = for_events(catalog, wanted) if event else for_everything(catalog, all_fields=True)
    session = open_log(Question(paths, since, until, tz), catalog, demand, console.watch)
    console.problems([*session.log.problems, *session.log.notes])
    table = session.log.events.table
    if event:
        table = table.filter(pl.col("event").is_in(wanted))
    if resource:
        owned = [events_of(session.log, find_resource(session.log, text)) for text in resource]
        table = table.filter(pl.col("eid").is_in(pl.concat(owned).implode()))
    FORMATS[name](event_frames(session.log, table["eid"]), session.tz, output)
    if output:
        console.note(f"wrote {table.height:,} events to {output}")
    return PART_UNREAD if session.log.problems else OK


def _format(format: str, output: Path | None) -> str:
    if output is not None:
        suffix = output.suffix.lower()
        if not format and suffix not in SUFFIXES:
            raise UsageError(
                f"no format has the suffix '{suffix}' of '{output}'; give --format, or one of {', '.join(SUFFIXES)}"
            )
        format = format or SUFFIXES[suffix]
    format = format or _TABLE
    options.check_choice("format", format, list(FORMATS))
    if format == "parquet" and output is None and is_terminal():
        raise UsageError("Parquet is not for a terminal; write it to a file with -o FILE.parquet")
    return format


def _events_named(catalog: Catalog, globs: list[str]) -> list[str]:
    import difflib
    from fnmatch import fnmatchcase

    found: list[str] = []
    for glob in globs:
        fitting = [name for name in catalog.events if fnmatchcase(name, glob)]
        if not fitting:
            near = difflib.get_close_matches(glob, list(catalog.events), 1)
            hint = f"did you mean '{near[0]}'?" if near else "'logscope grammar dump' lists them all"
            raise UsageError(f"no event is called '{glob}'; {hint}")
        found += fitting
    return list(dict.fromkeys(found))
