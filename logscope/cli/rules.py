"""`logscope rules`: what can be found."""

from __future__ import annotations

import json
import re
from typing import Annotated

import typer

from logscope.cli import options
from logscope.cli.console import write
from logscope.cli.tables import table
from logscope.language.tree import SEVERITIES, Rule

_FORMATS = ("text", "json")
_SCHEMA = "logscope/rules/1"
_PLACE = re.compile(r"\{(?:[a-z0-9_-]+\.)*([a-z0-9_-]+)\}")


def register(app: typer.Typer) -> None:
    """Make the command known."""
    app.command(epilog=options.examples("rules", "rules --format json", "rules --grammars my-grammars"))(rules)


def rules(
    *,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="text or json.")] = "text",
    grammars: options.Grammars,
    no_color: options.NoColor = False,
) -> None:
    """List the rules: name, severity, title, references; the most severe first."""
    from logscope.session import load_catalog

    options.check_choice("format", format, _FORMATS)
    found = sorted(load_catalog(grammars).rules.values(), key=lambda rule: -SEVERITIES.index(rule.severity))
    if format == "json":
        write(json.dumps({"schema": _SCHEMA, "rules": [_plain(rule) for rule in found]}, indent=2) + "\n")
        return
    rows = [
        (rule.name.text, rule.severity, in_general(rule.title.text), " ".join(ref.text for ref in rule.refs))
        for rule in found
    ]
    console = options.console(False, no_color)
    write(table(("RULE", "SEVERITY", "TITLE", "REFERENCES"), rows, color=console.color))


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
