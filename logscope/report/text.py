"""The report as plain text for a terminal: Let, Then, Because, and the lines that every sentence stands on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from logscope.model import Finding, Incident, Let, Report, RuleStatus
from logscope.report.parts import alike, words
from logscope.report.parts.exposed import exposed
from logscope.report.parts.order import failed_tests, groups, rules
from logscope.report.parts.times import duration, moment, stretch
from logscope.report.parts.visible import visible

SUFFIX = ".txt"

# Line references stand in one column, unless a sentence is longer than this.
_COLUMN = 64

_CODES = {"strong": "1", "faint": "2", "bad": "31", "worst": "1;31", "warn": "33", "good": "32", "name": "36"}
_SEVERITY = {"critical": "worst", "high": "bad", "medium": "warn", "low": "name"}


@dataclass(frozen=True, slots=True)
class _Paint:
    """Colours for a terminal, or none; what it paints is made visible first."""

    color: bool

    def __call__(self, text: str, style: str = "") -> str:
        shown = visible(text)
        return f"\x1b[{_CODES[style]}m{shown}\x1b[0m" if self.color and style else shown


def render(report: Report, color: bool = False) -> str:
    """Give the report as text; with `color`, with ANSI colours."""
    paint = _Paint(color)
    parts = [
        [paint(words.verdict(report), "strong")],
        _read(report, paint),
        _tests(report, paint),
        *_incidents(report, paint),
        _failures(report, paint),
        _rules(report, paint),
    ]
    if report.findings:
        parts.append([paint(words.verdict(report), "strong")])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _read(report: Report, paint: _Paint) -> list[str]:
    lines = [paint("Read", "strong")]
    for source in report.sources:
        when = "no record with a time"
        if source.first is not None and source.last is not None:
            when = stretch(source.first, source.last)
        who = words.joined((source.server, source.kind))
        size = f"{words.plural(source.lines, 'line')}, {words.plural(source.events, 'event')}"
        lines.append(f"  {paint(source.name, 'name')}  {paint(who)}  {when}  {size}")
    lines.append(f"  {words.coverage(report)}")
    if report.tz:
        lines.append(f"  times are those of the log, written at UTC{paint(report.tz)}")
    for place, text in words.problems(report):
        lines.append(f"  {paint('not read:', 'warn')} {_placed(place, text, paint)}")
    lines += [f"  {paint('note:', 'name')} {_placed(note.source, note.text, paint)}" for note in report.notes]
    return lines


def _placed(place: str, text: str, paint: _Paint) -> str:
    return f"{paint(place, 'name')}: {paint(text)}" if place else paint(text)


def _tests(report: Report, paint: _Paint) -> list[str]:
    if not report.tests:
        return []
    lines = [paint(f"Tests: {words.tests(report)}", "strong")]
    for test in failed_tests(report):
        style = "good" if test.verdict == "explained" else "bad"
        by = f" by {words.joined(f'#{index + 1}' for index in test.explained_by)}" if test.explained_by else ""
        verdict = paint(f"{words.VERDICTS.get(test.verdict, test.verdict)}{by}", style)
        lines.append(f"  {paint(test.name, 'name')} ({paint(words.joined((test.file, test.run)))})  {verdict}")
        lines += [f"    {paint(text, 'faint')}" for text in (test.text, test.why) if text]
    return lines


def _incidents(report: Report, paint: _Paint) -> Iterator[list[str]]:
    several = len(words.servers(report)) > 1
    for group in groups(report):
        if group.incident:
            yield _incident(group.incident, group.number, group.elsewhere, paint)
        for index in group.findings:
            yield _finding(report.findings[index], index + 1, several, paint)


def _incident(incident: Incident, number: int, elsewhere: list[int], paint: _Paint) -> list[str]:
    resources = words.joined(str(resource) for resource in incident.resources)
    told = f"{stretch(incident.start, incident.end)}, {words.plural(len(incident.findings), 'finding')}"
    if incident.failures:
        told += f", explains {words.plural(len(incident.failures), 'failed operation')}"
    if elsewhere:
        told += f", also {words.joined(f'#{index + 1}' for index in elsewhere)}"
    return [paint(f"Incident {number}: {incident.title}", "strong"), f"  {paint(resources, 'name')}, {told}"]


def _finding(finding: Finding, number: int, several: bool, paint: _Paint) -> list[str]:
    severity = paint(finding.severity, _SEVERITY.get(finding.severity, "name"))
    lines = [f"{paint(finding.rule, 'strong')} #{number}   {severity}, {paint(finding.certainty)}"]
    lines.append(f"  {paint(finding.title)}")
    came_to = f"{moment(finding.start)}, {words.consequence(finding.outcome)}"
    lines.append(f"  {paint(str(finding.resource), 'name')}, {paint(came_to)}")
    if finding.known:
        lines.append(f"  {paint('known:', 'good')} {paint(finding.known)}")
    lines += [f"  {paint('only ' + finding.certainty + ':', 'warn')} {paint(doubt)}" for doubt in finding.doubts]
    lines.append(paint("Let", "strong"))
    broad = max((len(visible(let.name)) for let in finding.let), default=0)
    lines += [_let(let, finding.start, broad, several, paint) for let in finding.let]
    if finding.then:
        lines.append(paint("Then", "strong"))
        lines += _then(finding, paint)
    because = " ".join((finding.because, *finding.references)).strip()
    if because:
        lines.append(f"{paint('Because:', 'strong')} {paint(because)}")
    if finding.remedy:
        lines.append(f"{paint('Remedy:', 'strong')} {paint(finding.remedy)}")
    return lines


def _let(let: Let, near: int, broad: int, several: bool, paint: _Paint) -> str:
    length = f" ({duration(let.end - let.start)})" if let.kind == "interval" else ""
    ending = f", {words.ending(let.outcome)}" if words.ending(let.outcome) else ""
    name = " " * (broad - len(visible(let.name)))
    told = f"{let.title}, by {words.who(let.actor, several)}, {stretch(let.start, let.end, near)}{length}{ending}"
    return f"  {paint(let.name, 'name')}{name} = {paint(told)}"


def _then(finding: Finding, paint: _Paint) -> Iterator[str]:
    wide = max((len(visible(s.text)) for s in finding.then if len(visible(s.text)) <= _COLUMN), default=0)
    before = ""
    for sentence in finding.then:
        text = paint(sentence.text)
        room = " " * max(wide - len(text), 0)
        lines = ", ".join(words.short_lines(sentence.lines, before))
        if sentence.lines:
            before = words.split_line(sentence.lines[-1])[0]
        yield f"  - {text}{room}  {paint(lines, 'faint')}".rstrip()


def _failures(report: Report, paint: _Paint) -> list[str]:
    several = len(words.servers(report)) > 1
    told = [*alike.unexplained(report), *alike.explained(report)]
    lines = [_failure(one, several, paint) for one in told]
    return [paint("Failed operations", "strong"), *lines] if lines else []


def _failure(one: alike.Alike, several: bool, paint: _Paint) -> str:
    failure = one.first
    where = f" ({failure.resource})" if failure.resource and not one.times else ""
    why = paint(alike.why(one), "warn" if failure.explained_by is None else "good")
    who = words.who(failure.actor, several)
    told = f"{one.when}  {one.title}{where}, {f'{one.times}, first {who}' if one.times else who}"
    return f"  {paint(told)}  {paint(failure.line, 'faint')}  {why}"


def _rules(report: Report, paint: _Paint) -> list[str]:
    if not report.rules:
        return []
    ordered = rules(report)
    broad = max(len(visible(rule.rule)) for rule in ordered)
    return [paint("Rules", "strong"), *_rows(ordered, broad, paint)]


def _rows(ordered: Iterable[RuleStatus], broad: int, paint: _Paint) -> Iterator[str]:
    styles = {"fired": "bad", "quiet": "good"}
    for rule in ordered:
        if rule.status == "not-evaluated":
            missing = words.joined(words.missing(rule))
            told = f"{rule.reason} ({missing})" if missing else rule.reason
        else:
            told = f"{rule.fired:,} of {words.plural(rule.chances, 'chance')}"
        status = paint(f"{rule.status.replace('-', ' '):<13}", styles.get(rule.status, "warn"))
        name = " " * (broad - len(visible(rule.rule)))
        yield f"  {status}  {paint(rule.rule)}{name}  {paint(told, 'faint')}".rstrip()
        if more := exposed(rule):
            yield f"{' ' * (broad + 19)}{paint(more, 'faint')}"
