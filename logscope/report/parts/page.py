"""What stands on the HTML page, in order, with its links: the template only writes it down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from logscope.model import Entry, Evidence, Finding, Incident, Let, Report, RuleStatus, TestCase, Timeline
from logscope.report.parts import alike, lanes, order, overview, words
from logscope.report.parts.alike import Alike
from logscope.report.parts.evidence import Shown, shown
from logscope.report.parts.references import address
from logscope.report.parts.shapes import Drawing
from logscope.report.parts.window import window

# Beyond these numbers a part of the page starts folded, or is cut; the page says so.
_OPEN_CARDS = 8
_OPEN_TIMELINES = 3
_OPEN_ROWS = 40
_MOST_ROWS = 500
_OPEN_SOURCES = 8


@dataclass(frozen=True, slots=True)
class LineLink:
    """A `SOURCE:LINE`, as short as it may be shown, whole, and the anchor of its evidence or nothing."""

    short: str
    full: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference and its address, empty for a form that is not known."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound name of a finding with the letter and colour of its actor and its lines."""

    let: Let
    letter: str
    style: str
    lines: list[LineLink]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a finding with its lines."""

    text: str
    lines: list[LineLink]


@dataclass(frozen=True, slots=True)
class Proof:
    """A record behind a finding, where it stands on the page, and its text line by line."""

    anchor: str
    evidence: Evidence
    shown: Shown


@dataclass(frozen=True, slots=True)
class Card:
    """A finding as it stands on the page; if it is not `open`, its reasons are folded."""

    number: int
    open: bool
    finding: Finding
    drawings: list[Drawing]
    bound: list[Bound]
    claims: list[Claim]
    proofs: list[Proof]
    references: list[Reference]


@dataclass(frozen=True, slots=True)
class CardGroup:
    """An incident with its findings, or the findings of none; `elsewhere` are numbers of findings told above."""

    incident: Incident | None
    number: int
    cards: list[Card]
    elsewhere: list[int]


@dataclass(frozen=True, slots=True)
class Row:
    """An entry of a timeline with the colour of its actor and the finding that it is part of."""

    entry: Entry
    style: str
    finding: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Table:
    """A timeline; `left_out` is the number of entries that are not shown."""

    timeline: Timeline
    rows: list[Row]
    left_out: int
    findings: list[int]
    open: bool


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    several_servers: bool
    overviews: list[Drawing]
    tests: list[TestCase]
    groups: list[CardGroup]
    unexplained: list[Alike]
    explained: list[Alike]
    tables: list[Table]
    rules: list[RuleStatus]
    rule_places: dict[str, int]
    sources_open: bool


def build(report: Report) -> Page:
    """Arrange a report for the page: incidents and findings worst first, rules by what they came to."""
    sizes = (("wide", lanes.WIDE), ("narrow", lanes.NARROW))
    ordered = order.rules(report)
    drawn = [overview.draw(name, report, across) for name, across in sizes]
    return Page(
        several_servers=len(words.servers(report)) > 1,
        overviews=[drawing for drawing in drawn if drawing],
        tests=order.failed_tests(report),
        groups=_groups(report),
        unexplained=alike.unexplained(report),
        explained=alike.explained(report),
        tables=_tables(report),
        rules=ordered,
        rule_places={rule.rule: place for place, rule in enumerate(ordered, 1)},
        sources_open=len(report.sources) <= _OPEN_SOURCES,
    )


def _groups(report: Report) -> list[CardGroup]:
    groups = order.groups(report)
    names = words.short_names(report)
    unfolded = _unfolded(report, [index for group in groups for index in group.findings])
    told = _told(report)
    return [
        CardGroup(
            group.incident,
            group.number,
            [
                _card(report, index, index in unfolded, names, report.timelines[told[index]] if index in told else None)
                for index in group.findings
            ],
            [index + 1 for index in group.elsewhere],
        )
        for group in groups
    ]


def _unfolded(report: Report, told: list[int]) -> set[int]:
    """All findings while they are few, else the first one of each cause, as they stand on the page."""
    if len(told) <= _OPEN_CARDS:
        return set(told)
    first: dict[str, int] = {}
    for index in told:
        first.setdefault(report.findings[index].cause, index)
    return set(list(first.values())[:_OPEN_CARDS])


def _card(report: Report, index: int, is_open: bool, names: dict[str, str], timeline: Timeline | None) -> Card:
    finding = report.findings[index]
    number = index + 1
    letters = lanes.letters(finding)
    proofs = [
        Proof(f"finding-{number}-line-{place}", evidence, shown(evidence))
        for place, evidence in enumerate(finding.evidence, 1)
    ]
    anchors = {f"{proof.evidence.source}:{proof.evidence.line}": proof.anchor for proof in proofs}
    entries = _around(finding, timeline)
    several = len(words.servers(report)) > 1
    return Card(
        number=number,
        open=is_open,
        finding=finding,
        drawings=[
            lanes.draw(f"{name}-{number}", finding, entries, across, report.tz, several)
            for name, across in (("wide", lanes.WIDE), ("narrow", lanes.NARROW))
            if finding.let
        ],
        bound=[
            Bound(
                let,
                letters[let.actor],
                lanes.style(letters[let.actor]),
                _links((let.opened_by, let.closed_by), anchors, names),
            )
            for let in finding.let
        ],
        claims=[Claim(sentence.text, _links(sentence.lines, anchors, names)) for sentence in finding.then],
        proofs=proofs,
        references=[Reference(text, address(text)) for text in finding.references],
    )


def _told(report: Report) -> dict[int, int]:
    """By the number of each finding that of the timeline which tells of it.

    In a report of several runs, resources of different runs may have one name.
    """
    named: dict[str, list[int]] = {}
    for number, timeline in enumerate(report.timelines):
        named.setdefault(str(timeline.resource), []).append(number)
    lines = {
        number: {entry.line for entry in report.timelines[number].entries}
        for same in named.values()
        if len(same) > 1
        for number in same
    }
    found: dict[int, int] = {}
    for index, finding in enumerate(report.findings):
        for number in named.get(str(finding.resource), ()):
            if number not in lines or any(let.opened_by in lines[number] for let in finding.let):
                found.setdefault(index, number)
    return found


def _around(finding: Finding, timeline: Timeline | None) -> list[Entry]:
    """What happened to a finding's resource in the stretch of time that its drawing shows."""
    if not finding.let or timeline is None:
        return []
    first, last = window(finding.let)
    return [entry for entry in timeline.entries if entry.start <= last and entry.end >= first]


def _links(lines: Iterable[str], anchors: dict[str, str], names: dict[str, str]) -> list[LineLink]:
    return [LineLink(short, full, anchors.get(full, "")) for short, full in words.named_lines(lines, names)]


def _tables(report: Report) -> list[Table]:
    parts = {
        (let.of, let.opened_by): (number, let.name)
        for number, finding in reversed(list(enumerate(report.findings, 1)))
        for let in finding.let
    }
    findings: dict[int, list[int]] = {}
    for index, number in _told(report).items():
        findings.setdefault(number, []).append(index + 1)
    return [
        _table(report, timeline, findings.get(number, []), parts) for number, timeline in enumerate(report.timelines)
    ]


def _table(
    report: Report, timeline: Timeline, findings: list[int], parts: dict[tuple[str, str], tuple[int, str]]
) -> Table:
    spans = [(report.findings[number - 1].start, report.findings[number - 1].end) for number in findings]
    entries = _nearest(timeline.entries, spans)
    styles: dict[object, str] = {}
    rows = []
    for entry in entries:
        style = styles.setdefault(entry.actor, f"actor-{len(styles) % 6}")
        finding, bound = parts.get((entry.of, entry.line), (None, ""))
        rows.append(Row(entry, style, finding, bound))
    is_open = len(report.timelines) <= _OPEN_TIMELINES and len(rows) <= _OPEN_ROWS
    return Table(timeline, rows, len(timeline.entries) - len(entries), findings, is_open)


def _nearest(entries: list[Entry], spans: list[tuple[int, int]]) -> list[Entry]:
    """As many entries as the page shows, in their order: those nearest to the findings, else the first."""
    if len(entries) <= _MOST_ROWS:
        return entries

    def distance(entry: Entry) -> int:
        return min((max(start - entry.end, entry.start - end, 0) for start, end in spans), default=0)

    chosen = sorted(range(len(entries)), key=lambda place: (distance(entries[place]), place))[:_MOST_ROWS]
    return [entries[place] for place in sorted(chosen)]
