"""The commands and how they are reached."""

from __future__ import annotations

from collections import Counter
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from logscope import __version__
from logscope.cli import analyze, compare, events, explain, grammar, lines, rules, scan, slow, stuck, timeline
from logscope.cli.options import examples


class _Once(TyperCommand):
    """A command that refuses an option with one value if it is given twice: the first would be lost without a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[Any] = self.make_parser(ctx).parse_args(args=list(args))[2]
        for option, times in Counter(given).items():
            if times > 1 and option.param_type_name == "option" and not (option.multiple or option.is_flag):
                ctx.fail(f"'{max(option.opts, key=len)}' can be given only once")
        return super().parse_args(ctx, args)


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


def _complete(group: typer.Typer) -> None:
    """Give each command what all have in common: its class, and help whose lines are as wide as the terminal says."""
    for command in group.registered_commands:
        command.cls = _Once
        text = cleandoc(command.callback.__doc__ or "") if command.callback else ""
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for below in group.registered_groups:
        if below.typer_instance:
            _complete(below.typer_instance)


_complete(app)
