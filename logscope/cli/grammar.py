"""`logscope grammar`: for those who write grammar files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logscope.cli import diagnostics as told
from logscope.cli import options
from logscope.cli.console import write, write_file
from logscope.cli.coverage import coverage
from logscope.cli.exits import FINDINGS, OK, WRONG_USE
from logscope.errors import Diagnostic, UsageError
from logscope.report.parts.words import joined, plural

if TYPE_CHECKING:
    from logscope.language.catalog import Catalog
from logscope.language.tree import Grammar

_FORMATS = ("text", "json", "github")
_SCHEMA = "logscope/diagnostics/1"

_Places = Annotated[
    list[Path],
    typer.Argument(
        metavar="[DIR or FILE]...",
        help="Grammar files besides the shipped ones.",
        default_factory=list,
        show_default=False,
    ),
]
_Format = Annotated[str, typer.Option("--format", metavar="NAME", help="text, json, or github (for its CI).")]


def register(app: typer.Typer) -> None:
    """Make the commands known."""
    group = typer.Typer(
        help="Check, test and format grammar files; see how much of a log they understand.",
        epilog=options.examples("grammar check my-grammars", "grammar test my-grammars", "grammar fmt my-grammars"),
        rich_markup_mode="rich",
    )
    group.command(epilog=options.examples("grammar check", "grammar check network.lsg --format github"))(check)
    group.command("test", epilog=options.examples("grammar test", "grammar test my-grammars"))(run_tests)
    group.command(epilog=options.examples("grammar fmt network.lsg", "grammar fmt --diff my-grammars"))(fmt)
    group.command(epilog=options.examples("grammar dump > grammars.json", "grammar dump --grammars my-grammars"))(dump)
    group.command(epilog=options.examples("grammar explain LG103"))(explain)
    group.command(
        epilog=options.examples(
            "grammar coverage management-server.log",
            "grammar coverage /var/log/cloudstack --top 50 --format json",
            "grammar coverage management-server.log --stub 3 > my-grammars/new.lsg",
        )
    )(coverage)
    app.add_typer(group, name="grammar")


def check(places: _Places, *, format: _Format = "text", grammars: options.Grammars) -> int:
    """Say what is wrong with grammar files, with line and column.

    Samples and histories are not run; 'grammar test' does that too.
    """
    options.check_choice("format", format, _FORMATS)
    catalog, files, found = _load([*map(Path, grammars), *places])
    _tell(found, format, f"{_inventory(catalog, files)}: nothing wrong")
    return _exit_code(found)


def run_tests(places: _Places, *, format: _Format = "text", grammars: options.Grammars) -> int:
    """Check grammar files, parse every sample, and run the histories of the rules in the files that are named.

    With none named, those of all rules are run. Samples are always all parsed: a new event may take another's lines.
    """
    from logscope.language.load import shown_paths

    options.check_choice("format", format, _FORMATS)
    catalog, files, found = _load([*map(Path, grammars), *places])
    named = shown_paths(places)
    rules = [rule for rule in catalog.rules.values() if not named or rule.span.path in named]
    if _exit_code(found) == OK:
        from logscope.selftest import run

        found = [*found, *run(catalog, rules)]
    samples = sum(len(event.samples) for event in catalog.events.values())
    histories = sum(len(rule.fires) + len(rule.quiet) for rule in rules)
    good = f"{_inventory(catalog, files)}: {samples:,} samples and {histories:,} histories come out as they should"
    _tell(found, format, good)
    return _exit_code(found)


def fmt(
    places: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Grammar files, or directories of them.")],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Like --check, and show what would change.")] = False,
) -> int:
    """Bring grammar files into the canonical layout."""
    from difflib import unified_diff

    from logscope.language.format import format_grammar
    from logscope.language.syntax import parse

    wrong: list[Diagnostic] = []
    changed: list[Path] = []
    for path in _files(places):
        text = _read(path)
        grammar, mistakes = parse(text, str(path))
        if any(one.severity == "error" for one in mistakes):
            wrong += mistakes
            continue
        good = format_grammar(grammar)
        if good == text:
            continue
        changed.append(path)
        if diff:
            lines = unified_diff(text.splitlines(True), good.splitlines(True), str(path), str(path))
            write("".join(lines))
        elif check:
            write(f"would change {path}\n")
        else:
            write_file(path, good.encode())
            write(f"changed {path}\n")
    told.tell(wrong)
    if wrong:
        return WRONG_USE
    return FINDINGS if changed and (check or diff) else OK


def dump(*, grammars: options.Grammars) -> None:
    """Print all declarations as JSON, for other programs."""
    from logscope.language.dump import dump as plain
    from logscope.session import load_catalog

    write(json.dumps(plain(load_catalog(grammars)), indent=2) + "\n")


def explain(code: Annotated[str, typer.Argument(metavar="CODE", help="A code such as LG103.")]) -> None:
    """Explain a kind of mistake: why it is one, an example, what to do."""
    from logscope.language.codes import explain as page

    write(page(code))


def _load(places: Sequence[Path]) -> tuple[Catalog, list[Grammar], list[Diagnostic]]:
    from logscope.language.load import load, shipped_dir

    return load([shipped_dir(), *places])


def _tell(found: Sequence[Diagnostic], format: str, good: str) -> None:
    from logscope.diagnostics import as_github, as_json

    if format == "json":
        plain = {"schema": _SCHEMA, "diagnostics": [as_json(one) for one in found]}
        write(json.dumps(plain, indent=2) + "\n")
    elif format == "github":
        write("".join(as_github(one) for one in found))
    else:
        write(told.text(found))
        count = _count(found)
        write(f"{count}\n" if _exit_code(found) else f"{good}{f'; {count}' if count else ''}\n")


def _inventory(catalog: Catalog, files: Sequence[Grammar]) -> str:
    return (
        f"{len(files):,} files, {len(catalog.types):,} types, {len(catalog.events):,} events, "
        f"{len(catalog.intervals):,} intervals, {len(catalog.actors):,} actors, {len(catalog.sources):,} sources, "
        f"{len(catalog.rules):,} rules"
    )


def _count(found: Sequence[Diagnostic]) -> str:
    errors = sum(one.severity == "error" for one in found)
    counts = ((errors, "error"), (len(found) - errors, "warning"))
    return joined(plural(number, word) for number, word in counts if number)


def _exit_code(found: Sequence[Diagnostic]) -> int:
    return WRONG_USE if any(one.severity == "error" for one in found) else OK


def _files(places: Sequence[Path]) -> list[Path]:
    found = [file for place in places for file in (sorted(place.glob("*.lsg")) if place.is_dir() else [place])]
    if not found:
        raise UsageError(f"there is no grammar file (*.lsg) in {', '.join(map(str, places))}")
    return list(dict.fromkeys(found))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{path}' is not UTF-8; 'logscope grammar check' says where") from None
