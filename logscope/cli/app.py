"""The commands and how they are reached."""

from __future__ import annotations

from typing import Annotated

import typer

from logscope import __version__
from logscope.cli import analyze, compare, events, explain, grammar, lines, rules, scan, timeline
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
events.register(app)
explain.register(app)
rules.register(app)
grammar.register(app)
