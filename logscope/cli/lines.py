"""`logscope lines`: the original lines of one operation or resource."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from logscope.cli import options
from logscope.cli.console import is_terminal, write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.report.parts.visible import visible

if TYPE_CHECKING:
    from logscope.demand import Demand
    from logscope.following import Stretch, Wanted
    from logscope.language.catalog import Catalog
    from logscope.pipeline import Progress
    from logscope.session import Session

_BLOCK = 1 << 20
_JOB, _LOGID = "job", "logid"


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "lines management-server.log -r job:4251",
            "lines ms1.log ms2.log agent.log -r logid:7b40c6ee",
            "lines /var/log/cloudstack/management -r network:209 --context 2",
        )
    )(lines)


def lines(
    paths: options.Paths,
    *,
    resource: Annotated[
        str,
        typer.Option(
            "--resource", "-r", metavar="KIND:ID", help="job:4251, logid:7b40c6ee, or a resource as of 'timeline'."
        ),
    ],
    context: Annotated[
        int,
        typer.Option(
            "--context",
            "-C",
            min=0,
            max=options.LARGEST,
            metavar="N",
            help="Show N lines before and after each record.",
        ),
    ] = 0,
    grammars: options.Grammars,
    since: options.Since = "",
    until: options.Until = "",
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Print the original lines of an operation or a resource, in order of time.

    For a job or a logid these are all lines of the operation: the API request, its job, its work jobs, commands and
    their answers on other threads. For any other resource they are the records that name it. With several sources
    each line has SOURCE:LINE: before it, or SOURCE-LINE- if it is context.
    """
    from logscope.following import stretches
    from logscope.session import Question, load_catalog, open_log

    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    # What belongs to an operation may be told by lines that lie outside of the window.
    question = Question(paths, since, until, tz)
    session = open_log(question, catalog, _demand(catalog, resource), console.watch, beyond_window=True)
    console.problems([*session.log.problems, *session.log.notes])
    with console.watch(session.sources) as progress:
        wanted = _wanted(session, resource, progress)
    with console.watch(session.sources) as progress:
        found = stretches(session.sources, wanted, context, progress)
    names = [source.name for source in session.sources]
    for block in _blocks(found, names, context):
        write(block)
    return PART_UNREAD if session.log.problems else OK


def _demand(catalog: Catalog, text: str) -> Demand:
    """What must be extracted to follow `text`: less than everything where it tells the kind of the resource."""
    from logscope.demand import for_everything
    from logscope.query import for_kinds, kinds

    kind, colon, _ = text.partition(":")
    if colon and kind in (_JOB, _LOGID):
        return for_kinds(catalog, {_JOB, "command"})
    return for_kinds(catalog, {kind}) if colon and kind in kinds(catalog) else for_everything(catalog)


def _wanted(session: Session, text: str, progress: Progress | None) -> Wanted:
    from logscope.following import records_of_events, records_of_job, records_of_logid
    from logscope.query import events_of, find_resource

    log = session.log
    kind, _, id = text.partition(":")
    if kind == _LOGID:
        return records_of_logid(log, session.sources, id, session.window, progress)
    if not (kind == _JOB and id.isdecimal()):
        resource = find_resource(log, text)
        if resource.kind != _JOB:
            return records_of_events(log, events_of(log, resource), session.window)
        id = resource.id
    return records_of_job(log, session.sources, int(id), session.window, progress)


def _blocks(found: Sequence[Stretch], names: Sequence[str], context: int) -> Iterator[bytes | str]:
    """The output in pieces of about a megabyte; on a terminal nothing in a line can control it."""
    has_prefix = len(names) > 1
    shown, size = [], 0
    for at, stretch in enumerate(found):
        if at and context:
            shown.append(b"--\n")
        for line in stretch.lines:
            mark = "-" if line.is_context else ":"
            prefix = f"{names[stretch.source]}{mark}{line.number}{mark}".encode() if has_prefix else b""
            shown.append(prefix + line.data + b"\n")
            size += len(shown[-1])
        if size > _BLOCK:
            yield _fit(b"".join(shown))
            shown, size = [], 0
    yield _fit(b"".join(shown))


def _fit(data: bytes) -> bytes | str:
    if not is_terminal():
        return data
    text = data.decode("utf-8", "replace")
    return "".join(f"{visible(line.expandtabs())}\n" for line in text.split("\n")[:-1])
