"""Joins the stages: from paths to a log that can be asked, and from there to a report."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial

import polars as pl

from logscope import __version__, clocks, copies
from logscope.actors import ActorNames, with_families
from logscope.causes import Causes
from logscope.continuity import Flow, breaks, reach
from logscope.correlate import Correlator, Horizon
from logscope.demand import PLACE, Demand, for_rules, with_tags
from logscope.detect import Detector, Item, Occurrence, Verdict
from logscope.errors import NothingReadError, NothingThenError
from logscope.explain import Teller
from logscope.exposure import exposure
from logscope.extract import Extractor, TextStore
from logscope.identity import Identity, unify
from logscope.incidents import failures, incidents
from logscope.items import Items
from logscope.language.catalog import Catalog
from logscope.language.template import event_templates, line_literals
from logscope.language.tree import Relation, Rule
from logscope.links import with_taken
from logscope.model import (
    Coverage,
    EventSet,
    Exposure,
    Finding,
    Problem,
    Report,
    Resource,
    RuleStatus,
    Source,
    SourceSummary,
    Timeline,
)  # fmt: skip
from logscope.records import HeaderForm, Selector, header_time
from logscope.report.parts import times
from logscope.scan import in_order, read_part, whole_records
from logscope.silence import LEAST, Silence
from logscope.states import States
from logscope.timelines import Timelines

_WORKERS = 2
_SEVERITIES = ("critical", "high", "medium", "low")

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the log that is asked for, µs as written; None leaves a side open."""

    since: int | None = None
    until: int | None = None


@dataclass
class Log:
    """A log that was read: its events with all that stages need to answer questions about it.

    `is_whole` says whether all its events were asked for, so that one that is missing did not happen.
    """

    catalog: Catalog
    events: EventSet
    identity: Identity
    texts: TextStore
    horizon: Horizon
    sources: list[SourceSummary]
    coverage: Coverage
    problems: list[Problem]
    notes: list[Problem] = field(default_factory=list)
    is_whole: bool = False

    @cached_property
    def correlator(self) -> Correlator:
        """The intervals of this log."""
        return Correlator(self.events, self.catalog, self.horizon)

    @cached_property
    def items(self) -> Items:
        """What rules bind."""
        return Items(self.events, self.catalog, self.correlator)

    @cached_property
    def names(self) -> ActorNames:
        """What the actors are called."""
        return ActorNames(self.events, self.catalog)

    @cached_property
    def teller(self) -> Teller:
        """Puts findings into words."""
        sources = [source.name for source in self.sources]
        return Teller(self.events, self.catalog, self.items, self.identity, self.names, sources)

    @cached_property
    def causes(self) -> Causes:
        """What caused what."""
        return Causes(self.events, self.catalog, self.items, self.teller)

    @cached_property
    def timelines(self) -> Timelines:
        """What happened to one resource."""
        machines = self.catalog.machines.values() if self.is_whole else ()
        states = States(self.events, machines, self.items, self.teller, self.horizon)
        return Timelines(self.events, self.catalog, self.items, self.teller, self.causes, states)


def literals_for_analyze(catalog: Catalog) -> list[str]:
    """The literals by which `analyze` selects candidate lines."""
    demand = for_rules(catalog, catalog.rules.values())
    return line_literals(event_templates(catalog, demand.events), demand.needles)


def read_log(
    sources: Sequence[Source],
    problems: Sequence[Problem],
    catalog: Catalog,
    demand: Demand,
    window: Window = Window(),
    progress: Progress | None = None,
) -> Log:
    """Read sources in order and extract what `demand` asks for.

    Raises NothingReadError when no source gave a single record.
    """
    if len({source.kind for source in sources}) > 1:
        demand = with_tags(catalog, demand, clocks.TAGS)
    extractor = Extractor(catalog, demand.events, demand.paths, demand.needles, is_alone=len(sources) == 1)
    selector = Selector(extractor.literals)
    summaries: list[SourceSummary] = []
    coverage = Coverage()
    flows: dict[str, Flow] = {}
    with ThreadPoolExecutor(_WORKERS) as pool:
        for number, source in enumerate(sources):
            flow = flows.setdefault(source.server, Flow())
            summaries.append(_read_source(source, number, selector, extractor, coverage, flow, window, pool, progress))
    found = [*problems, *(Problem(s.name, text) for s in summaries for text in s.problems)]
    if not any(summary.records for summary in summaries):
        what = "; ".join(f"{p.source}: {p.text}" if p.source else p.text for p in found) or "no source was given"
        raise NothingReadError(f"nothing could be read: {what}")
    extraction = extractor.finish()
    names = [source.name for source in sources]
    twice, repeats = copies.repeated(extraction.events.table, extraction.prints, names)
    if len(twice):
        extraction = extraction.without(twice)
        coverage.records -= len(twice)
    recognised = extraction.events.table.height
    coverage.recognised, coverage.unknown = recognised, extraction.unknown
    coverage.not_asked_for = coverage.records - recognised - extraction.unknown
    counted = dict(extraction.events.table.group_by("source").len().iter_rows())
    for number, summary in enumerate(summaries):
        summary.events = counted.get(number, 0)
    horizon = _horizon(summaries, window)
    broken, notes = breaks(flows, extraction.events, catalog.events_tagged("restart"))
    horizon.gaps, horizon.repeated = broken.gaps, broken.repeated
    unified, identity = unify(extraction.events, extraction.aliases)
    texts = extraction.texts
    del extraction  # its resources and table, which are large, are there once more in what follows
    linked = with_taken(with_families(unified, catalog), catalog, horizon)
    return Log(
        catalog,
        linked,
        identity,
        texts,
        horizon,
        summaries,
        coverage,
        found,
        [*repeats, *notes, *clocks.compare(linked, catalog, summaries)],
        is_whole=demand.events is None,
    )


def _read_source(
    source: Source,
    number: int,
    selector: Selector,
    extractor: Extractor,
    coverage: Coverage,
    flow: Flow,
    window: Window,
    pool: ThreadPoolExecutor,
    progress: Progress | None,
) -> SourceSummary:
    summary = SourceSummary(source.name, source.kind, source.server, 0, 0, 0, None, None, [])
    form, stream = whole_records(source, (lambda count: progress(source.name, count)) if progress else None)
    last, silent, known, ends = "", list[Silence](), list[pl.Series](), list[int]()
    work = partial(read_part, selector, form=form, shift=source.shift)
    for part in in_order(pool, work, stream):
        selection, records = part.selection, part.records
        summary.lines += selection.lines
        summary.records += selection.records
        coverage.unreadable_lines += selection.unreadable
        if selection.first_header and summary.first is None:
            summary.first = _time(selection.first_header, form, source)
        first_here = _time(selection.first_header, form, source) if selection.first_header else None
        before = _time(last, form, source) if last else None
        if first_here is not None and before is not None and first_here - before >= LEAST:
            silent.append((before, first_here))
        silent += part.silences
        last = selection.last_header or last
        known.append(records["time"])
        ends += [time for header in selection.ends if (time := _time(header, form, source)) is not None]
        if window.since is not None:
            records = records.filter(pl.col("time") >= window.since)
        if window.until is not None:
            records = records.filter(pl.col("time") <= window.until)
        if len(records):
            place = [pl.lit(number, pl.UInt32).alias("source"), pl.lit(source.server).alias("server")]
            extractor.add(records.with_columns(place))
    summary.last = _time(last, form, source) if last else None
    summary.first, summary.last = reach(summary.first, summary.last, known, ends)
    flow.add(summary.records, summary.first, summary.last, silent)
    coverage.records += summary.records
    summary.problems = list(source.problems)
    if summary.lines and not summary.records:
        summary.problems.append("no line has a recognised header, so none of it was understood")
    return summary


def _time(header: str, form: HeaderForm, source: Source) -> int | None:
    time = header_time(header, form)
    return None if time is None else time + source.shift


def _horizon(summaries: Sequence[SourceSummary], window: Window) -> Horizon:
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for summary in summaries:
        if summary.first is not None:
            low = max(summary.first, window.since) if window.since is not None else summary.first
            first[summary.server] = min(low, first.get(summary.server, low))
        if summary.last is not None:
            high = min(summary.last, window.until) if window.until is not None else summary.last
            last[summary.server] = max(high, last.get(summary.server, high))
    return Horizon(first, last)


def check_window(log: Log, window: Window) -> None:
    """Add a note to a log if it has nothing of what was asked for in the window that it was read by.

    Raises NothingThenError when the window lies before or behind all records.
    """
    firsts = [summary.first for summary in log.sources if summary.first is not None]
    lasts = [summary.last for summary in log.sources if summary.last is not None]
    if window == Window() or not firsts or not lasts:
        return
    start, end = min(firsts), max(lasts)
    what = f"{_window_text(window)}; this log goes from {times.moment(start)} to {times.moment(end)}"
    if (window.since is not None and window.since > end) or (window.until is not None and window.until < start):
        raise NothingThenError(f"nothing was logged {what}")
    if log.events.table.is_empty():
        log.notes.append(Problem("", f"nothing of what was looked for was logged {what}"))


def _window_text(window: Window) -> str:
    if window.since is None or window.until is None:
        bound = f"up to {times.moment(window.until)}" if window.until is not None else ""
        return bound or f"from {times.moment(window.since or 0)} on"
    return f"between {times.moment(window.since)} and {times.moment(window.until)}"


def analyze(log: Log, rules: Sequence[Rule], tz: str = "") -> Report:
    """Judge the rules over a log and tell what was found."""
    levels = set(log.events.table["level"].unique().to_list())
    detector = Detector(log.catalog, log.items, log.horizon, levels)
    verdicts = [detector.judge(rule) for rule in rules]
    by_name = {rule.name.text: rule for rule in rules}
    judged = [(by_name[verdict.rule], occurrence) for verdict in verdicts for occurrence in verdict.occurrences]
    told = log.teller.findings(judged, log.texts)
    found = [(finding, occurrence) for finding, (_, occurrence) in zip(told, judged, strict=True)]
    found = _without_yielding(found, by_name)
    found.sort(key=lambda pair: _rank(pair[0]))
    findings = [finding for finding, _ in found]
    failed = failures(log.events, log.catalog, log.items, log.identity, log.teller, found)
    return Report(
        version=__version__,
        tz=tz,
        sources=log.sources,
        coverage=log.coverage,
        findings=findings,
        incidents=incidents(findings, failed),
        failures=failed,
        rules=[
            _status(by_name[v.rule], v, findings, exposure(by_name[v.rule], v, detector, log.items)) for v in verdicts
        ],
        timelines=_timelines(log, findings),
        problems=log.problems,
        notes=log.notes,
    )


def _rank(finding: Finding) -> tuple[int, bool, int, str, str]:
    severity = _SEVERITIES.index(finding.severity)
    return severity, finding.certainty != "certain", finding.start, finding.rule, str(finding.resource)


def _without_yielding(
    found: list[tuple[Finding, Occurrence]], rules: dict[str, Rule]
) -> list[tuple[Finding, Occurrence]]:
    """Drop findings of general rules where a rule with a name of its own fired on the same resource and strike then."""
    firm = [pair for pair in found if not rules[pair[0].rule].yields]

    def is_told(finding: Finding, strike: Item) -> bool:
        same = ((f, o) for f, o in firm if str(f.resource) == str(finding.resource))
        return any(f.start <= finding.end and finding.start <= f.end and _names(o, strike) for f, o in same)

    return [
        (finding, occurrence)
        for finding, occurrence in found
        if not rules[finding.rule].yields or not is_told(finding, _strike(rules[finding.rule], occurrence))
    ]


def _strike(rule: Rule, occurrence: Occurrence) -> Item:
    """What breaks in: the left side of the first relation, or all there is."""
    relations = (condition.left.text for condition in rule.when if isinstance(condition, Relation))
    return occurrence.bound[next(relations, rule.find[0].name.text)]


def _names(occurrence: Occurrence, strike: Item) -> bool:
    """Whether an occurrence is about what the actor of the strike did."""
    return any(item["family"] == strike["family"] for item in (*occurrence.bound.values(), *occurrence.proofs.values()))


def _status(rule: Rule, verdict: Verdict, findings: Sequence[Finding], exposed: Exposure | None) -> RuleStatus:
    fired = sum(finding.rule == verdict.rule for finding in findings)
    status = "fired" if fired else "quiet" if verdict.status == "fired" else verdict.status
    title = PLACE.sub("…", rule.title.text)
    return RuleStatus(
        verdict.rule, title, rule.severity, status, verdict.missing, verdict.reason, verdict.chances, fired,
        verdict.chance, verdict.windows, exposed,
    )  # fmt: skip


def _timelines(log: Log, findings: Sequence[Finding]) -> list[Timeline]:
    resources: dict[str, Resource] = {}
    for finding in findings:
        if finding.resource.id:
            resources.setdefault(str(finding.resource), finding.resource)
    return log.timelines.of(list(resources.values()))


def read_text(text: str, catalog: Catalog, demand: Demand, server: str = "ms1") -> Log:
    """Read a log that is in memory already (samples, histories)."""
    data = text.encode()
    source = Source("memory", "management-server", server, lambda: io.BytesIO(data))
    return read_log([source], [], catalog, demand)
