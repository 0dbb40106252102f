"""`logscope grammar coverage`: what share of a log the grammars understand, and what they do not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from logscope.cli import options
from logscope.cli.console import Console, write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.cli.tables import table
from logscope.errors import UsageError
from logscope.model import Problem
from logscope.report.parts.words import plural

if TYPE_CHECKING:
    from logscope.coverage import Covered, Share
    from logscope.mining import Message, Mined

_FORMATS = ("text", "json")
_SCHEMA = "logscope/coverage/1"
_MOST_TEXT = 160  # characters of a message in the table


def coverage(
    paths: options.Paths,
    *,
    top: Annotated[
        int,
        typer.Option("--top", min=1, max=options.LARGEST, metavar="N", help="Show the N largest of each kind."),
    ] = 20,
    stub: Annotated[
        int | None,
        typer.Option(
            "--stub", min=1, max=options.LARGEST, metavar="N", help="Print a grammar for the unknown message number N."
        ),
    ] = None,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text or json.")] = "text",
    grammars: options.Grammars,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Say what share of a log's records the grammars recognise, and which messages they do not.

    Shares are by kind of file and by logger, recognised records by event. Messages that differ in numbers and names
    only are counted as one, with an example; --stub prints the beginning of a grammar for one of them.
    """
    from logscope.coverage import cover
    from logscope.kinds import Kinds
    from logscope.mining import mine
    from logscope.session import load_catalog
    from logscope.sources import discover

    options.check_choice("format", format, _FORMATS)
    console = options.console(quiet, no_color)
    catalog = load_catalog(grammars)
    notes: list[Problem] = []
    sources, problems = discover(paths, Kinds(catalog), notes)
    with console.watch(sources) as progress:
        covered = cover(sources, problems, catalog, progress)
    console.problems([*covered.problems, *notes])
    mined = mine(covered)
    if mined.messages and not mined.is_joined:
        console.note(
            "messages that differ in names stand apart; the extra 'mining' joins them: pip install 'logscope[mining]', "
            "or pipx install --force '.[mining]' in a checkout"
        )
    if stub:
        from logscope.stubs import stub as written

        write(written(_chosen(mined, stub), catalog))
        console.note("the sample is a line of this log; take out of it what others must not see")
    elif format == "json":
        write(json.dumps(_plain(covered, mined, top), indent=2) + "\n")
    else:
        write(_text(covered, mined, top, console))
    return PART_UNREAD if covered.problems else OK


def _chosen(mined: Mined, number: int) -> Message:
    if not mined.messages:
        raise UsageError("there is no unknown message in this log")
    if number > len(mined.messages):
        raise UsageError(f"there is no unknown message number {number:,}; the last one is {len(mined.messages):,}")
    return mined.messages[number - 1]


def _text(covered: Covered, mined: Mined, top: int, console: Console) -> str:
    share = _percent(covered.recognised, covered.records)
    parts = [f"{plural(covered.records, 'record')}, {covered.recognised:,} of them ({share}) recognised\n"]
    parts.append(_shares("KIND", covered.kinds, console))
    loggers = [one for one in covered.loggers if one.recognised < one.records]
    if loggers:
        parts.append(_shares("LOGGER", loggers[:top], console) + _more(len(loggers) - top, "loggers"))
    if covered.events:
        rows = [(event, f"{count:,}") for event, count in covered.events[:top]]
        parts.append(
            table(("EVENT", "RECORDS"), rows, color=console.color) + _more(len(covered.events) - top, "events")
        )
    if mined.messages:
        parts.append(_messages(mined, top, console))
    return "\n".join(parts)


def _messages(mined: Mined, top: int, console: Console) -> str:
    heads = ("NUMBER", "RECORDS", "LOGGER", "UNKNOWN MESSAGE", "LINE")
    rows = [
        (f"{number:,}", f"{one.count:,}", one.logger, _short(one.text), one.examples[0].place)
        for number, one in enumerate(mined.messages[:top], 1)
    ]
    records = plural(sum(one.count for one in mined.messages[top:]) + mined.left, "record")
    more = len(mined.messages) - top
    return table(heads, rows, color=console.color) + (f"and {records} of {more:,} more messages\n" if more > 0 else "")


def _shares(head: str, shares: Sequence[Share], console: Console) -> str:
    rows = [
        (one.name, f"{one.records:,}", f"{one.recognised:,}", _percent(one.recognised, one.records)) for one in shares
    ]
    return table((head, "RECORDS", "RECOGNISED", "SHARE"), rows, color=console.color)


def _more(count: int, what: str) -> str:
    return f"and {count:,} more {what}\n" if count > 0 else ""


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("%", " %")


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def _plain(covered: Covered, mined: Mined, top: int) -> dict[str, object]:
    def plain(share: Share) -> dict[str, object]:
        return {"name": share.name, "records": share.records, "recognised": share.recognised}

    return {
        "schema": _SCHEMA,
        "records": covered.records,
        "recognised": covered.recognised,
        "kinds": [plain(one) for one in covered.kinds],
        "loggers": [plain(one) for one in covered.loggers],
        "events": [{"name": name, "records": count} for name, count in covered.events],
        "messages": [
            {
                "number": number,
                "records": one.count,
                "logger": one.logger,
                "text": one.text,
                "line": one.examples[0].place,
            }
            for number, one in enumerate(mined.messages[:top], 1)
        ],
        "more": {
            "messages": max(0, len(mined.messages) - top),
            "records": sum(one.count for one in mined.messages[top:]) + mined.left,
        },
    }
