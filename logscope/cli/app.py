"""The commands and how they are reached."""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated

import typer

from logscope import __version__
from logscope.cli import analyze, compare, events, explain, grammar, lines, rules, scan, slow, stuck, timeline
from logscope.cli.options import examples

app = typer.Typer(
    help="Reads management-server.log of Apache CloudStack and finds operations that overlapped on one resource.",
    epilog=examples(
        "analyze /var/log/cloudstack/management -o report.html",
        "timeline management-server.log -r r-598-VM",
        "lines management-server.log* -r job:4251",
        "explain management-server.log:31",
    ),
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"logscope {__version__}")
        raise typer.Exit()


@app.callback()
def _app(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


analyze.register(app)
scan.register(app)
compare.register(app)
timeline.register(app)
lines.register(app)
stuck.register(app)
slow.register(app)
events.register(app)
explain.register(app)
rules.register(app)
grammar.register(app)


def _unwrap_help(group: typer.Typer) -> None:
    """Join the lines of each paragraph: how wide they may be is for the terminal to say."""
    for command in group.registered_commands:
        text = cleandoc(command.callback.__doc__ or "") if command.callback else ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for below in group.registered_groups:
        if below.typer_instance:
            _unwrap_help(below.typer_instance)


_unwrap_help(app)
