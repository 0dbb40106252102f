"""The report as Markdown, as it can be put into an issue: tables, lists, evidence to unfold.

With the tests of a CI run it is a comment for a pull request: the table that reviewers know with one column
more, then the findings as far as they fit.

Text from the log is escaped so that it stays text: no markup, no links, no mention of a person, no issue number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logscope.model import Finding, Let, Report, RuleStatus, TestCase
from logscope.report.parts import alike, verdicts, words
from logscope.report.parts.evidence import shown
from logscope.report.parts.exposed import exposed
from logscope.report.parts.order import failed_tests, groups, rules, worst_first
from logscope.report.parts.references import address
from logscope.report.parts.times import duration, moment, stretch
from logscope.report.parts.visible import visible

SUFFIX = ".md"
LIMIT = 65_000  # GitHub refuses a comment of more than 65,536 characters

_MARGIN = 100
_LONGEST = 300  # of the text of a failure

_MARKUP = re.compile(r"[\\`*_{}\[\]<>|~&$!]")
_ESCAPED = r"\\\g<0>"
_BLOCK = re.compile(r"^([-+=])|^(\d{1,9})([.)])")
# What a forge turns into a link or a message even where it is escaped; a comment within keeps it text.
_LIVELY = re.compile(r"(@|#)(?=\w)|(\w:)(?=//)|(www)(?=\.)", re.IGNORECASE)


def render(report: Report) -> str:
    """Give the report as Markdown in the dialect of GitHub; with tests, at most `LIMIT` characters of it."""
    if report.tests:
        return _comment(report)
    blocks = [_heading(report), f"**{_plain(words.verdict(report))}**", *_read(report)]
    if report.findings:
        blocks.append("## Findings, worst first")
        blocks += _findings(report)
    blocks += _failures(report)
    blocks += _rules(rules(report))
    return "\n\n".join([*blocks, _foot(report)]) + "\n"


def _foot(report: Report) -> str:
    return f"Made by logscope {_code(report.version)} from the log alone."


def _plain(text: str) -> str:
    """Text that stays text, on one line, wherever it is put."""
    text = _MARKUP.sub(_ESCAPED, visible(text))
    text = _BLOCK.sub(lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}\\{m[3]}", text)
    return _LIVELY.sub(r"\g<0><!-- -->", text)


def _code(text: str, in_table: bool = False) -> str:
    """Text as code; nothing in it can end the code before its time."""
    text = visible(text) or " "
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    rim = " " if text.startswith("`") or text.endswith("`") else ""
    if in_table:
        text = text.replace("|", "\\|")
    return f"{fence}{rim}{text}{rim}{fence}"


def _lines(references: Iterable[str]) -> str:
    """The lines that something stands on, in parentheses after it; nothing if there are none."""
    lines = ", ".join(_code(line) for line in words.short_lines(references))
    return f" ({lines})" if lines else ""


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _heading(report: Report) -> str:
    heading = "# Overlap report"
    if words.servers(report):
        heading += ": " + _plain(words.joined(words.servers(report)))
    span = words.span(report)
    return heading + (f", {stretch(*span)}" if span else "")


def _read(report: Report) -> Iterator[str]:
    yield "## What was read"
    if report.sources:
        yield _table(
            ("Source", "Server", "Kind", "From – to", "Lines", "Events"),
            (
                (
                    _code(source.name, in_table=True),
                    _plain(source.server),
                    _plain(source.kind),
                    stretch(source.first, source.last)
                    if source.first is not None and source.last is not None
                    else "no record with a time",
                    f"{source.lines:,}",
                    f"{source.events:,}",
                )
                for source in report.sources
            ),
        )
    yield _plain(words.coverage(report)) + "."
    if report.tz:
        yield f"Times are those of the log, written at UTC{_plain(report.tz)}."
    unread = words.problems(report)
    if unread:
        yield "Not everything could be read:"
        yield "\n".join(_placed(source, text) for source, text in unread)
    if report.notes:
        yield "\n".join(_placed(note.source, note.text) for note in report.notes)


def _placed(source: str, text: str) -> str:
    return f"- {_code(source)}: {_plain(text)}" if source else f"- {_plain(text)}"


def _comment(report: Report) -> str:
    head = ["# Failed tests and what explains them", f"**{_plain(words.verdict(report))}**"]
    unread = [f"- not read: {_code(source)}: {_plain(text)}" for source, text in words.problems(report)]
    notes = [f"- {_code(note.source)}: {_plain(note.text)}" for note in report.notes]
    room = LIMIT - sum(len(block) + 2 for block in [*head, _foot(report)]) - _MARGIN
    blocks = [*head, *_listed([*unread, *notes], room // 8)]
    room = LIMIT - sum(len(block) + 2 for block in [*blocks, _foot(report)]) - _MARGIN
    table = _tests(report, room * 2 // 3)
    blocks += table
    room -= sum(len(block) + 2 for block in table)
    several = len(words.servers(report)) > 1
    order = worst_first(report, range(len(report.findings)))
    for place, index in enumerate(order):
        told = "\n\n".join(_finding(report.findings[index], index + 1, several))
        room -= len(told) + 2
        if room < 0:
            blocks.append(f"+{words.plural(len(order) - place, 'more finding')}")
            break
        blocks += [] if place else ["## Findings, worst first"]
        blocks.append(told)
    return "\n\n".join([*blocks, _foot(report)]) + "\n"


def _tests(report: Report, room: int) -> list[str]:
    """Give the table of the tests that failed or did not run, and how many there was no room for."""
    several = len({test.run for test in report.tests}) > 1
    lost = [test for test in report.tests if test.result == "skipped" and test.seconds is None]
    head = ("Test", "Result", "Time (s)", "Test File", *(["Run"] if several else []), "Explanation")
    rows = [f"| {' | '.join(_test(report, test, several))} |" for test in [*failed_tests(report), *lost]]
    if not rows:
        return []
    kept = _fitting(rows, room)
    more = [f"+{len(rows) - len(kept):,} more"] if len(kept) < len(rows) else []
    return ["\n".join([_table(head, ()), *kept]), *more]


def _test(report: Report, test: TestCase, several: bool) -> list[str]:
    seconds = "---" if test.seconds is None else f"{test.seconds:.2f}"
    result = _code(test.result.capitalize(), in_table=True) if test.result != "success" else "Success"
    cause = _plain(_cut(test.text))
    explanation = _explanation(report, test) if test.result in words.FAILED else ""
    explanation = ": ".join(filter(None, (explanation, cause)))
    run = [_plain(test.run)] if several else []
    return [_plain(test.name), result, seconds, _plain(test.file), *run, explanation]


def _explanation(report: Report, test: TestCase) -> str:
    finding = verdicts.best(report, test)
    verdict = _plain(words.VERDICTS.get(test.verdict, test.verdict))
    if finding is None:
        return f"{verdict} ({_plain(test.why)})" if test.why else verdict
    references = ", ".join(_reference(reference) for reference in finding.references)
    known = _plain(finding.known) or references
    sure = _plain(finding.certainty) + (f", known: {known}" if known else "")
    told = f"{verdict} by {_code(finding.rule, in_table=True)} ({sure})"
    numbers = ", ".join(f"finding {index + 1}" for index in test.explained_by[:3])
    return words.joined((told, numbers, _plain(test.why)))


def _listed(items: list[str], room: int) -> list[str]:
    kept = _fitting(items, room)
    more = [f"- +{len(items) - len(kept):,} more"] if len(kept) < len(items) else []
    return ["\n".join([*kept, *more])] if items else []


def _fitting(lines: list[str], room: int) -> list[str]:
    """Give as many of the lines as there is room for."""
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[:number]
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + "…"


def _findings(report: Report) -> Iterator[str]:
    several = len(words.servers(report)) > 1
    found = groups(report)
    for group in found:
        if group.incident:
            incident = group.incident
            yield f"### Incident {group.number}: {_plain(incident.title)}"
            told = [stretch(incident.start, incident.end)]
            told += [_code(str(resource)) for resource in incident.resources]
            if incident.failures:
                told.append(f"explains {words.plural(len(incident.failures), 'failed operation')}")
            if group.elsewhere:
                told.append("also " + words.joined(f"finding {index + 1}" for index in group.elsewhere))
            yield words.joined(told)
        elif len(found) > 1:
            yield "### Outside of any incident"
        for index in group.findings:
            yield from _finding(report.findings[index], index + 1, several)


def _finding(finding: Finding, number: int, several: bool) -> Iterator[str]:
    yield f"#### Finding {number}: {_plain(finding.title)}"
    kind = f"**{_plain(finding.severity)}, {_plain(finding.certainty)}**: {_plain(words.consequence(finding.outcome))}."
    yield f"{kind} Rule {_code(finding.rule)}, {_code(str(finding.resource))}, {moment(finding.start)}."
    if finding.known:
        yield f"Known: {_plain(finding.known)}."
    if finding.doubts:
        yield f"Why only {_plain(finding.certainty)}:"
        yield "\n".join(f"- {_plain(doubt)}" for doubt in finding.doubts)
    if finding.let:
        yield "**Let**"
        yield "\n".join(_let(let, finding.start, several) for let in finding.let)
    if finding.then:
        yield "**Then**"
        yield "\n".join(f"- {_plain(sentence.text)}{_lines(sentence.lines)}" for sentence in finding.then)
    references = ", ".join(_reference(reference) for reference in finding.references)
    if finding.because or references:
        yield f"**Because** {_plain(finding.because)} {references}".rstrip()
    if finding.remedy:
        yield f"**Remedy** {_plain(finding.remedy)}"
    if finding.evidence:
        yield from _evidence(finding)


def _let(let: Let, near: int, several: bool) -> str:
    told = f"{let.title}, by {words.who(let.actor, several)}, {stretch(let.start, let.end, near)}"
    if let.kind == "interval":
        told += f" ({duration(let.end - let.start)})"
    if words.ending(let.outcome):
        told += f", {words.ending(let.outcome)}"
    lines = _lines(line for line in (let.opened_by, let.closed_by) if line)
    return f"- {_code(let.name)} = {_plain(told)}{lines}"


def _reference(text: str) -> str:
    return f"[{_MARKUP.sub(_ESCAPED, text)}]({address(text)})" if address(text) else _plain(text)


def _evidence(finding: Finding) -> Iterator[str]:
    yield f"<details><summary>Evidence: {words.plural(len(finding.evidence), 'record')}</summary>"
    for item in finding.evidence:
        record = shown(item)
        text = "\n".join(line for _, line in record.lines)
        if record.left_out:
            text += f"\n… {record.left_out}"
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) or [""]))
        yield f"{_code(f'{item.source}:{item.line}')} {_code(item.event)}\n\n{fence}text\n{text}\n{fence}"
    yield "</details>"


def _failures(report: Report) -> Iterator[str]:
    if not report.failures:
        return
    several = len(words.servers(report)) > 1
    yield "## Failed operations"
    yield _table(
        ("Time", "What failed", "Resource", "Who", "Line", "Explained by"),
        (_failure(one, several) for one in (*alike.unexplained(report), *alike.explained(report))),
    )


def _failure(one: alike.Alike, several: bool) -> tuple[str, ...]:
    failure = one.first
    by = "no rule" if failure.explained_by is None else f"finding {failure.explained_by + 1}"
    who = words.who(failure.actor, several)
    return (
        one.when,
        _plain(f"{one.title}, {one.times}" if one.times else one.title),
        _code(str(failure.resource), in_table=True) if failure.resource and not one.times else "",
        _plain(f"first {who}" if one.times else who),
        _code(failure.line, in_table=True),
        f"{by}; done after all" if failure.saved else by,
    )


def _rules(ordered: list[RuleStatus]) -> Iterator[str]:
    if not ordered:
        return
    yield "## Rules"
    yield _table(
        ("Rule", "Severity", "Came to", "Fired", "Why not evaluated, or how exposed"), (_rule(rule) for rule in ordered)
    )


def _rule(rule: RuleStatus) -> tuple[str, ...]:
    fired = "" if rule.status == "not-evaluated" else f"{rule.fired:,} of {words.plural(rule.chances, 'chance')}"
    missing = ", ".join(_code(name, in_table=True) for name in words.missing(rule))
    return (
        _code(rule.rule, in_table=True),
        _plain(rule.severity),
        _plain(rule.status.replace("-", " ")),
        fired,
        f"{_plain(rule.reason)} {missing}".strip() or _plain(exposed(rule)),
    )
