"""Arguments and options that mean the same in every command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from logscope.cli.console import Console
from logscope.errors import UsageError

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Log files, rotated sets, directories, archives; - is standard input.",
        show_default=False,
    ),
]
Grammars = Annotated[
    list[str],
    typer.Option(
        "--grammars",
        metavar="DIR",
        help="Use the grammar files in DIR too.",
        default_factory=list,
        show_default=False,
    ),
]
Since = Annotated[
    str, typer.Option(metavar="TIME", help="Leave out what is earlier: 2026-10-29T01:20:23.709, or a shorter form.")
]
Until = Annotated[
    str, typer.Option(metavar="TIME", help="Leave out what is later; a day or a minute counts to its end.")
]
Zones = Annotated[
    list[str],
    typer.Option(
        "--tz",
        metavar="[KIND=]ZONE",
        help="The zone of the management server, Europe/Berlin or +02:00, to show with times; agent=UTC for others.",
        default_factory=list,
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours, as with NO_COLOR set.")]
# What counts of rows and lines may be: nobody has more, and polars and C take no larger ones.
LARGEST = 1_000_000_000
Processes = Annotated[
    int,
    typer.Option(metavar="N", min=0, max=LARGEST, help="Judge so many runs at once; 0 is one for each processor."),
]
_RESOURCE = "A resource: network:209, vm:612, a uuid, or a name such as r-598-VM."
Resources = Annotated[list[str], typer.Option("--resource", "-r", metavar="KIND:ID", help=_RESOURCE)]
SomeResources = Annotated[
    list[str],
    typer.Option("--resource", "-r", metavar="KIND:ID", help=_RESOURCE, default_factory=list, show_default=False),
]


def console(quiet: bool, no_color: bool) -> Console:
    """How the command speaks by its options."""
    return Console(quiet=quiet, no_color=no_color)


def examples(*commands: str) -> str:
    """The examples at the end of a help page."""
    lines = "\n\n".join(f"  logscope {command}".replace("[", "\\[") for command in commands)
    return f"[bold]Examples[/bold]\n\n{lines}"


def check_choice(what: str, value: str, known: Sequence[str]) -> None:
    """Raise UsageError unless `value` is one of the known ones."""
    if value not in known:
        raise UsageError(f"there is no {what} '{value}'; choose one of {', '.join(known)}")
