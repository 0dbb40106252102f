"""`logscope explain`: what a rule is about, what a line of a log says."""

from __future__ import annotations

import difflib
import os
import re
from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.exits import OK, PART_UNREAD
from logscope.errors import UsageError

_LINE = re.compile(r"(?P<place>.+):(?P<line>[1-9]\d*)", re.DOTALL)
_STREAMS = ("stdin", "-")
_CODE = re.compile(r"LG\d+", re.IGNORECASE)


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "explain network-cleaned-up-while-implementing",
            "explain management-server.log:31",
            "explain 'run.zip!ms1/management-server.log.gz:31'",
        )
    )(explain)


def explain(
    what: Annotated[
        str,
        typer.Argument(metavar="RULE, EVENT or FILE:LINE", help="A rule, an event, or a line as reports refer to it."),
    ],
    *,
    grammars: options.Grammars,
    tz: options.Zones,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """Explain a rule, an event or a line of a log.

    A rule: what it finds, why that is a race, what would refute it, examples, references. An event: where it is
    declared, its texts by release, a sample. A line: the record it belongs to, what the grammars read in it, and the
    intervals it opens, closes or lies in.
    """
    from logscope.session import load_catalog

    catalog = load_catalog(grammars)
    if what in catalog.rules:
        from logscope.cli.explain_rule import page

        write(page(catalog, catalog.rules[what]))
        return OK
    if what in catalog.events:
        from logscope.cli import explain_event

        write(explain_event.page(catalog.events[what]))
        return OK
    line = _LINE.fullmatch(what)
    if line is None and os.path.exists(what):
        raise UsageError(f"'{what}' is a file, of which one line can be explained; say which, such as '{what}:1'")
    if line is not None and line["place"] in _STREAMS and not os.path.exists(line["place"]):
        raise UsageError("standard input cannot be read again; save it to a file, and give FILE:LINE of that")
    place, colon, number = what.rpartition(":")
    if line is None and colon and os.path.exists(place):
        raise UsageError(f"'{number}' is no line of '{place}'; lines are counted from 1, such as '{place}:1'")
    if line is None:
        near = difflib.get_close_matches(what, [*catalog.rules, *catalog.events], 1)
        hint = f"did you mean '{near[0]}'?" if near else "'logscope rules' lists them; a line is given as FILE:LINE"
        if _CODE.fullmatch(what):
            hint = f"mistakes in grammar files are explained by 'logscope grammar explain {what}'"
        raise UsageError(f"there is no rule or event '{what}'; {hint}")
    from logscope.cli.explain_line import told

    console = options.console(quiet, no_color)
    text, problems = told(catalog, line["place"], int(line["line"]), tz, console.watch)
    console.problems(problems)
    write(text)
    return PART_UNREAD if problems else OK
