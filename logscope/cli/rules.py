"""`logscope rules`: what can be found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.exits import OK
from logscope.cli.tables import table
from logscope.language.tree import SEVERITIES, Rule

_FORMATS = ("text", "json")
_SCHEMA = "logscope/rules/1"
_PLACE = re.compile(r"\{(?:[a-z0-9_-]+\.)*([a-z0-9_-]+)\}")


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(
        epilog=options.examples(
            "rules", "rules --format json", "rules --grammars my-grammars", "rules --check-clean good-logs"
        )
    )(rules)


def rules(
    *,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text or json.")] = "text",
    check_clean: Annotated[
        Path | None,
        typer.Option(
            "--check-clean",
            metavar="DIR",
            help="Hold the rules against the logs in DIR, which are known to be good; exit with 1 if one fires.",
            show_default=False,
        ),
    ] = None,
    grammars: options.Grammars,
    quiet: options.Quiet = False,
    no_color: options.NoColor = False,
) -> int:
    """List the rules: name, severity, title, references; the most severe first.

    With --check-clean, each file and each directory in DIR is one log, and findings of low severity do no harm.
    """
    from logscope.session import load_catalog

    options.check_choice("format", format, _FORMATS)
    console = options.console(quiet, no_color)
    if check_clean is not None:
        from logscope.cli import clean

        return clean.check_clean(check_clean, grammars, console)
    found = sorted(load_catalog(grammars).rules.values(), key=lambda rule: -SEVERITIES.index(rule.severity))
    if format == "json":
        write(json.dumps({"schema": _SCHEMA, "rules": [_plain(rule) for rule in found]}, indent=2) + "\n")
        return OK
    rows = [
        (rule.name.text, rule.severity, in_general(rule.title.text), " ".join(ref.text for ref in rule.refs))
        for rule in found
    ]
    write(table(("RULE", "SEVERITY", "TITLE", "REFERENCES"), rows, color=console.color))
    return OK


def _plain(rule: Rule) -> dict[str, object]:
    return {
        "rule": rule.name.text,
        "severity": rule.severity,
        "title": rule.title.text,
        "references": [ref.text for ref in rule.refs],
    }


def in_general(title: str) -> str:
    """A title apart from any log: `network ID` where a finding would say which network."""
    return _PLACE.sub(lambda place: place[1].upper(), title)
