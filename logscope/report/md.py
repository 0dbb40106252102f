"""The report as Markdown, as it can be put into an issue: tables, lists, evidence to unfold.

With the tests of a CI run it is a comment for a pull request: the table that reviewers know with one column
more, what the tests said and the findings to unfold, as far as they fit.

Text from the log is escaped so that it stays text: no markup, no links, no mention of a person, no issue number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape

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
_LONGEST_CELL = 120

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


def _html(text: str) -> str:
    """Text that stays text where the dialect takes HTML and no markup."""
    return _LIVELY.sub(r"\g<0><!-- -->", escape(visible(text), quote=False))


def _lines(references: Iterable[str], names: Mapping[str, str]) -> str:
    """The lines that something stands on, in parentheses after it; nothing if there are none."""
    lines = ", ".join(_code(short) for short, _ in words.named_lines(references, names))
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
    head = [
        "# Failed tests and what explains them",
        f"**{_plain(words.tests(report))}**",
        _plain(words.verdict(report, of_tests=False)),
    ]
    unread = [f"- not read: {_code(source)}: {_plain(text)}" for source, text in words.problems(report)]
    notes = [f"- {_code(note.source)}: {_plain(note.text)}" for note in report.notes]
    room = _left(LIMIT, [*head, _foot(report)]) - _MARGIN
    blocks = [*head, *_listed([*unread, *notes], room // 8)]
    room = _left(LIMIT, [*blocks, _foot(report)]) - _MARGIN
    runs = words.shortest(test.run for test in report.tests)
    table = _tests(report, runs, room // 2)
    room = _left(room, table)
    said = _said(report, runs, room // 3)
    return "\n\n".join([*blocks, *table, *said, *_folded(report, _left(room, said)), _foot(report)]) + "\n"


def _left(room: int, blocks: Iterable[str]) -> int:
    """The room that is left after some blocks."""
    return room - sum(len(block) + 2 for block in blocks)


def _tests(report: Report, runs: Mapping[str, str], room: int) -> list[str]:
    """Give the table of the tests that failed or did not run, and how many there was no room for.

    `runs` is how each run is called.
    """
    lost = [test for test in report.tests if test.result == "skipped" and test.seconds is None]
    head = ("Test", "Result", "Time (s)", "Test File", *(["Run"] if len(runs) > 1 else []), "Explanation")
    rows = [f"| {' | '.join(_test(report, test, runs))} |" for test in [*failed_tests(report), *lost]]
    if not rows:
        return []
    kept = _fitting(rows, room)
    more = [f"+{len(rows) - len(kept):,} more"] if len(kept) < len(rows) else []
    return ["\n".join([_table(head, ()), *kept]), *more]


def _test(report: Report, test: TestCase, runs: Mapping[str, str]) -> list[str]:
    seconds = "---" if test.seconds is None else f"{test.seconds:.2f}"
    result = _code(test.result.capitalize(), in_table=True) if test.result != "success" else "Success"
    cause = _plain(_cut(test.text, _LONGEST_CELL))
    explanation = _explanation(report, test, cause) if test.result in words.FAILED else cause
    run = [_plain(runs[test.run])] if len(runs) > 1 else []
    return [_plain(test.name), result, seconds, _plain(test.file), *run, explanation]


def _explanation(report: Report, test: TestCase, cause: str) -> str:
    """Say in short what explains a failed test, or how it failed if nothing does."""
    finding = verdicts.best(report, test)
    verdict = _plain(words.VERDICTS.get(test.verdict, test.verdict))
    if finding is None:
        return f"{verdict}: {cause}" if cause else verdict
    known = _plain(finding.known) or next(map(_reference, finding.references), "")
    told = f"{verdict} by {_code(finding.rule, in_table=True)} ({_plain(finding.certainty)})"
    numbers = ", ".join(f"finding {index + 1}" for index in test.explained_by[:3])
    return words.joined((told, numbers, f"known: {known}" if known else ""))


def _said(report: Report, runs: Mapping[str, str], room: int) -> list[str]:
    """Give what each failed test said and how it was joined with the log, to unfold, as far as there is room."""
    items = []
    for test in failed_tests(report):
        place = words.joined((test.file, runs[test.run] if len(runs) > 1 else ""))
        joined = f"joined {test.why}" if test.explained_by and test.why else test.why
        told = "; ".join(filter(None, (_cut(test.text, _LONGEST), joined)))
        if told:
            items.append(f"- {_plain(test.name)} ({_plain(place)}): {_plain(told)}")
    head, foot = (
        "<details><summary>What the failed tests said, and how they were joined with the log</summary>",
        "</details>",
    )
    listed = _listed(items, room - len(head) - len(foot))
    return [head, *listed, foot] if listed else []


def _folded(report: Report, room: int) -> Iterator[str]:
    """Give the findings, worst first, each to unfold, as far as there is room, and how many more there are."""
    several, names = len(words.servers(report)) > 1, words.short_names(report)
    order = worst_first(report, range(len(report.findings)))
    for place, index in enumerate(order):
        finding = report.findings[index]
        kind = f"{finding.severity}, {finding.certainty}"
        head = f"<details><summary><b>Finding {index + 1}</b> ({_html(kind)}): {_html(finding.title)}</summary>"
        told = "\n\n".join([head, *_about(finding, several, names), "</details>"])
        room -= len(told) + 2
        if room < 0:
            yield f"+{words.plural(len(order) - place, 'more finding')}"
            return
        if not place:
            yield "## Findings, worst first"
        yield told


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


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest].rstrip() + "…"


def _findings(report: Report) -> Iterator[str]:
    several, names = len(words.servers(report)) > 1, words.short_names(report)
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
            yield f"#### Finding {index + 1}: {_plain(report.findings[index].title)}"
            yield from _about(report.findings[index], several, names)


def _about(finding: Finding, several: bool, names: Mapping[str, str]) -> Iterator[str]:
    """Everything about a finding but its number and title; `names` is how each source is called."""
    kind = f"**{_plain(finding.severity)}, {_plain(finding.certainty)}**: {_plain(words.consequence(finding.outcome))}."
    yield f"{kind} Rule {_code(finding.rule)}, {_code(str(finding.resource))}, {moment(finding.start)}."
    if finding.known:
        yield f"Known: {_plain(finding.known)}."
    if finding.doubts:
        yield f"Why only {_plain(finding.certainty)}:"
        yield "\n".join(f"- {_plain(doubt)}" for doubt in finding.doubts)
    if finding.let:
        yield "**Let**"
        yield "\n".join(_let(let, finding.start, several, names) for let in finding.let)
    if finding.then:
        yield "**Then**"
        yield "\n".join(f"- {_plain(sentence.text)}{_lines(sentence.lines, names)}" for sentence in finding.then)
    references = ", ".join(_reference(reference) for reference in finding.references)
    if finding.because or references:
        yield f"**Because** {_plain(finding.because)} {references}".rstrip()
    if finding.remedy:
        yield f"**Remedy** {_plain(finding.remedy)}"
    if finding.evidence:
        yield from _evidence(finding)


def _let(let: Let, near: int, several: bool, names: Mapping[str, str]) -> str:
    told = f"{let.title}, by {words.who(let.actor, several)}, {stretch(let.start, let.end, near)}"
    if let.kind == "interval":
        told += f" ({duration(let.end - let.start)})"
    if words.ending(let.outcome):
        told += f", {words.ending(let.outcome)}"
    lines = _lines((let.opened_by, let.closed_by), names)
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
