"""`logscope rules --check-clean`: rules held against logs that are known to be good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from logscope.cli.console import Console, complain, write
from logscope.cli.exits import FINDINGS, NOTHING_READ, OK, PART_UNREAD
from logscope.errors import NothingReadError, UsageError
from logscope.model import Finding
from logscope.session import Question, load_catalog, open_log

_HARMLESS = ("low",)


def check_clean(directory: Path, grammars: Sequence[str], console: Console) -> int:
    """Judge each log in a directory by all rules and tell what was found; gives the exit code.

    Each file and each directory in it is one log by itself. Findings of low severity do no harm.

    Raises:
        UsageError: it is no directory, or nothing is in it.
        GrammarError: a grammar file has a mistake.
    """
    from logscope.demand import for_rules
    from logscope.pipeline import analyze
    from logscope.report.parts.visible import visible

    if not directory.is_dir():
        raise UsageError(f"'{directory}' is no directory; give one in which each file or directory is a log")
    places = sorted(place for place in directory.iterdir() if not place.name.startswith("."))
    if not places:
        raise UsageError(f"there is nothing in '{directory}'; put logs there that are known to be good")
    catalog = load_catalog(grammars)
    rules = list(catalog.rules.values())
    read = wrong = unread = 0
    for place in places:
        try:
            session = open_log(Question([str(place)]), catalog, for_rules(catalog, rules), console.watch)
        except NothingReadError as error:
            complain(str(error))
            unread += 1
            continue
        read += 1
        unread += bool(session.log.problems)
        console.problems(session.log.problems)
        found = [f for f in analyze(session.log, rules).findings if f.severity not in _HARMLESS]
        wrong += bool(found)
        write("".join(f"{visible(line)}\n" for line in [f"{place.name}: {_count(found)}", *map(_told, found)]))
    write(f"{read:,} of {len(places):,} logs read, {wrong:,} with findings that a clean log must not give\n")
    if wrong:
        return FINDINGS
    return NOTHING_READ if not read else PART_UNREAD if unread else OK


def _count(found: list[Finding]) -> str:
    return "clean" if not found else f"{len(found):,} finding{'s' if len(found) > 1 else ''}"


def _told(finding: Finding) -> str:
    first = finding.evidence[0]
    where = f"{first.source}:{first.line}"
    return f"  {finding.severity}, {finding.certainty}: {finding.rule}: {finding.title}, {finding.resource}, {where}"
