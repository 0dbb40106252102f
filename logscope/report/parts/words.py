"""The wording that all formats share: counts, the verdict, who acted, how things ended, line references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from logscope.model import Actor, Report, RuleStatus

SEVERITIES = ("critical", "high", "medium", "low")
STATUSES = ("fired", "not-evaluated", "quiet")

ENDINGS = {
    "superseded": "end not logged: the same began again",
    "lost": "end not logged: its thread went on to other work",
    "limit": "end not logged: taken as over after its time limit",
    "cut-by-restart": "cut by a restart of the server",
    "cut-by-end": "still open where the log ends",
    "unbegun": "began before the log does",
}

# Of a test that failed; those first that need a person.
FAILED = ("failure", "error")
VERDICTS = {
    "unexplained": "not explained",
    "no-log": "without a log",
    "likely": "likely explained",
    "explained": "explained",
}

OUTCOMES = {
    "failed": "the operation failed",
    "recovered": "the operation recovered",
    "masked-by-retry": "a retry saved the operation",
    "avoided": "detected and avoided",
    "unknown": "no consequence found in the log",
}


def plural(number: int, word: str) -> str:
    """`1 finding`, `1,204 findings`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, separated by commas."""
    return ", ".join(part for part in parts if part)


def ending(outcome: str) -> str:
    """How an interval ended in words, empty if its end was logged; an unknown word stands for itself."""
    return "" if outcome in ("", "closed") else ENDINGS.get(outcome, outcome)


def consequence(outcome: str) -> str:
    """What came of a finding, in words; an unknown word stands for itself."""
    return OUTCOMES.get(outcome, outcome)


def thread(actor: Actor) -> str:
    """The actor's thread unless its name says it already."""
    return "" if actor.thread in actor.name else actor.thread


def who(actor: Actor, several_servers: bool) -> str:
    """`orphan cleanup, AsyncJobMgr-Heartbeat-1`, with the server if there is more than one."""
    return joined((actor.name, thread(actor), actor.server if several_servers else ""))


def servers(report: Report) -> list[str]:
    """The servers whose logs were read, sorted."""
    return sorted({source.server for source in report.sources if source.server})


def span(report: Report) -> tuple[int, int] | None:
    """First and last moment of everything that was read, or None if no source has a time."""
    firsts = [source.first for source in report.sources if source.first is not None]
    lasts = [source.last for source in report.sources if source.last is not None]
    return (min(firsts), max(lasts)) if firsts and lasts else None


def coverage(report: Report) -> str:
    """What became of the records, in one line."""
    numbers = report.coverage
    parts = [
        f"{numbers.recognised:,} recognised",
        f"{numbers.not_asked_for:,} not asked for",
        f"{numbers.unknown:,} unknown",
    ]
    if numbers.unreadable_lines:
        parts.append(f"{plural(numbers.unreadable_lines, 'line')} with bytes that are no UTF-8")
    return f"{plural(numbers.records, 'record')}: {joined(parts)}"


def problems(report: Report) -> list[tuple[str, str]]:
    """Everything that could not be read as (source, text), each once."""
    own = [(problem.source, problem.text) for problem in report.problems]
    of_sources = [(source.name, text) for source in report.sources for text in source.problems]
    return list(dict.fromkeys(own + of_sources))


def statuses(report: Report) -> dict[str, int]:
    """How many rules fired, were not evaluated, stayed quiet."""
    return {status: sum(rule.status == status for rule in report.rules) for status in STATUSES}


def verdict(report: Report, *, of_tests: bool = True) -> str:
    """What the report comes to, in one line; `of_tests`: how its tests went, too."""
    certain = sum(finding.certainty == "certain" for finding in report.findings)
    possible = len(report.findings) - certain
    parts = []
    if report.findings:
        kinds = joined((f"{certain:,} certain" if certain else "", f"{possible:,} possible" if possible else ""))
        where = f" in {plural(len(report.incidents), 'incident')}" if report.incidents else ""
        parts.append(f"{plural(len(report.findings), 'finding')} ({kinds}){where}")
    elif report.rules and all(rule.status == "not-evaluated" for rule in report.rules):
        parts.append("nothing could be evaluated")
    else:
        parts.append("no overlap found")
    parts.append(_failures(report))
    parts.append(tests(report) if of_tests else "")
    numbers = statuses(report)
    words = {"fired": "fired", "not-evaluated": "not evaluated", "quiet": "quiet"}
    parts.append("rules: " + (joined(f"{numbers[s]:,} {words[s]}" for s in STATUSES if numbers[s]) or "none"))
    if problems(report):
        parts.append("part of the input could not be read")
    line = "; ".join(part for part in parts if part)
    return line[0].upper() + line[1:]


def tests(report: Report) -> str:
    """How the tests of a CI run went, in one line; empty without tests."""
    if not report.tests:
        return ""
    failed = Counter(test.verdict for test in report.tests if test.result in FAILED)
    told = ", ".join(f"{failed[verdict]:,} {VERDICTS.get(verdict, verdict)}" for verdict in order_of(failed))
    return f"{failed.total():,} of {plural(len(report.tests), 'test')} failed" + (f" ({told})" if told else "")


def order_of(verdicts: Iterable[str]) -> list[str]:
    """Verdicts on failed tests, those first that need a person."""
    known = list(VERDICTS)
    return sorted(verdicts, key=lambda verdict: (known.index(verdict) if verdict in known else -1, verdict))


def _failures(report: Report) -> str:
    if not report.failures:
        return ""
    explained = sum(failure.explained_by is not None for failure in report.failures)
    return f"{plural(len(report.failures), 'failed operation')}, {explained:,} explained"


def missing(rule: RuleStatus) -> list[str]:
    """The missing events of a rule that its reason does not name already."""
    return [name for name in rule.missing if name not in rule.reason]


def split_line(reference: str) -> tuple[str, int | None]:
    """Source and line number of a `SOURCE:LINE`; without a number, the whole is the source."""
    source, colon, number = reference.rpartition(":")
    if colon and number.isascii() and number.isdigit():
        return source, int(number)
    return reference, None


def short_names(report: Report) -> dict[str, str]:
    """The shortest ending of every source's name, cut at a `/` or `!`, that no other source's name has."""
    return shortest(source.name for source in report.sources)


def shortest(names: Iterable[str]) -> dict[str, str]:
    """The shortest ending of every name, cut at a `/` or `!`, that no other name has."""
    endings = {name: _endings(name) for name in dict.fromkeys(names)}
    common = Counter(ending for found in endings.values() for ending in found)
    return {name: next((e for e in found if common[e] == 1), name) for name, found in endings.items()}


def _endings(name: str) -> list[str]:
    cuts = [place for place, char in enumerate(name[:-1], 1) if char in "/!"]
    return [name[place:] for place in reversed(cuts)] + [name]


def short_lines(references: Iterable[str], before: str = "") -> list[str]:
    """The references with a source left out where it is the one before: `a.log:26`, `:31`."""
    shown = []
    for reference in references:
        source, number = split_line(reference)
        shown.append(f":{number}" if source == before and number is not None else reference)
        before = source
    return shown


def named_lines(references: Iterable[str], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """References that are not empty as (short, whole): with sources called as in `names`, each once in a row."""
    whole = [reference for reference in references if reference]
    called = []
    for reference in whole:
        source, number = split_line(reference)
        called.append(reference if number is None else f"{names.get(source, source)}:{number}")
    return list(zip(short_lines(called), whole, strict=True))
