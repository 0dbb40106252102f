"""`logscope timeline`: everything that happened to one resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from logscope import __version__
from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.cli.timeline_formats import FORMATS
from logscope.errors import UsageError
from logscope.model import Coverage, Report, Resource, Timeline

if TYPE_CHECKING:
    from logscope.session import Session

_JOB = "job"
_LOGID = "logid:"


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "timeline management-server.log -r network:209",
            "timeline /var/log/cloudstack/management -r r-598-VM --since 01:00",
            "timeline ms1.log ms2.log -r job:4248",
            "timeline ms1.log ms2.log -r vm:612 -r network:209 --format html > vm-612.html",
        )
    )(timeline)


def timeline(
    paths: options.Paths,
    *,
    resource: options.Resources,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text, json, md or html.")] = "text",
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Show everything that happened to a resource, in order, with who did it.

    What has a beginning and an end (a hold of a lock, an operation) stands as one row with its duration;
    what happened meanwhile stands indented below it. What caused an act is named where the log tells.

    For a job the text is a tree: the request, the jobs it submitted, what they did and the commands they sent, each
    with the time that it lasted and that it had to wait before it began.
    """
    from logscope.demand import for_everything
    from logscope.query import find_resource_or_job
    from logscope.session import Question, load_catalog, open_log

    options.check_choice("format", format, list(FORMATS))
    for text in resource:
        if text.startswith(_LOGID):
            raise UsageError(f"a logid is no resource; 'logscope lines PATH -r {text}' shows what was written under it")
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    session = open_log(Question(paths, since, until, tz), catalog, for_everything(catalog), console.watch)
    console.problems([*session.log.problems, *session.log.notes])
    found = list(dict.fromkeys(find_resource_or_job(session.log, text) for text in dict.fromkeys(resource)))
    trees = {str(one): session.log.causes.of_job(int(one.id)) for one in found if _is_job(one)}
    timelines = session.log.timelines.of(found)
    write(FORMATS[format](_report(session, timelines), trees, console.color))
    return PART_UNREAD if session.log.problems else OK


def _is_job(resource: Resource) -> bool:
    return resource.kind == _JOB and resource.id.isdecimal()


def _report(session: Session, timelines: list[Timeline]) -> Report:
    """A report of nothing but timelines."""
    return Report(__version__, session.tz, session.log.sources, Coverage(), [], [], [], [], timelines, [])
