"""Runs what declarations promise: samples parse, rules fire and stay quiet (`grammar test`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

import polars as pl

from logscope.demand import for_everything, for_rules
from logscope.errors import Diagnostic, NothingReadError
from logscope.frames import column
from logscope.kinds import Kinds
from logscope.language.catalog import Catalog
from logscope.language.printer import Printer, UnprintableError, Who, clock
from logscope.language.template import Compiler, EventTemplate, event_templates, readings
from logscope.language.tree import Event, History, Literal, Rule, Sample, Template
from logscope.model import EventSet, Source
from logscope.pipeline import Log, analyze, read_log
from logscope.records import FORMS, NO_HEADER, HeaderForm
from logscope.sources import DEFAULT_KIND

_START = 1_793_232_000_000_000  # 2026-10-28 20:00:00, any time will do
_SECOND = 1_000_000


def run(catalog: Catalog, rules: Iterable[Rule]) -> list[Diagnostic]:
    """All mistakes that the samples of a checked catalog and the histories of some of its rules show, in file order."""
    found = [*_samples(catalog), *_kinds(catalog)]
    for rule in rules:
        found += _histories(catalog, rule)
    return sorted(found, key=lambda d: d.span)


def _samples(catalog: Catalog) -> Iterator[Diagnostic]:
    placed: list[tuple[Event, Sample, tuple[int, int]]] = []
    # A file has headers of one form, so each form makes a file of its own.
    files: dict[str, list[str]] = {}
    for event in catalog.events.values():
        for sample in event.samples:
            form = form_of(sample)
            lines = files.setdefault(form.name, [])
            placed.append((event, sample, (list(files).index(form.name), len(lines) + 1)))
            lines += sample.lines
    if not placed:
        return
    try:
        log = read_texts(["\n".join(lines) + "\n" for lines in files.values()], catalog)
    except NothingReadError:
        log = None
    places = [] if log is None else log.events.table.select("source", "line", "eid").rows()
    by_line = {(source, line): eid for source, line, eid in places}
    events = {} if log is None else dict(log.events.table.select("eid", "event").iter_rows())
    templates = event_templates(catalog)
    shapes = [(t, re.compile(t.shape.regex)) for t in templates]
    used: set[tuple[str, int]] = set()
    for event, sample, place in placed:
        name = event.name.text
        eid = by_line.get(place)
        message = message_of(sample)
        if message is None:
            yield Diagnostic("LG201", f"sample of event '{name}' has no log header", sample.span)
            continue
        fitting = _fitting(shapes, message)
        used |= {(t.event, t.index) for t in fitting if t.event == name}
        if eid is None or log is None:
            yield _unfit(catalog, event, sample, message)
        elif events[eid] != name:
            text = f"sample of event '{name}' is taken for event '{events[eid]}'"
            yield Diagnostic("LG202", text, sample.span, "make one of the templates more specific")
        else:
            others = sorted({t.event for t in fitting} - {name})
            best = max(t.shape.specificity for t in fitting)
            rivals = sorted({t.event for t in fitting if t.event != name and t.shape.specificity == best})
            if rivals and others:
                yield Diagnostic("LG204", f"sample of event '{name}' fits event '{rivals[0]}' as well", sample.span)
            yield from _expectations(log.events, catalog, event, sample, eid)
    for template in templates:
        if (template.event, template.index) not in used and catalog.events[template.event].samples:
            span = catalog.events[template.event].matches[template.index].span
            text = f"no sample of event '{template.event}' fits this template"
            yield Diagnostic("LG207", text, span, "add a sample line with this text")


def _fitting(shapes: Sequence[tuple[EventTemplate, re.Pattern[str]]], message: str) -> list[EventTemplate]:
    """The templates that fit the first reading of the message that any fits."""
    tried = ([t for t, shape in shapes if t.literal in text and shape.match(text)] for text in readings(message))
    return next(filter(None, tried), [])


def _kinds(catalog: Catalog) -> Iterator[Diagnostic]:
    kinds = Kinds(catalog)
    for source in catalog.sources.values():
        for sample in source.samples:
            kind = kinds.of("\n".join(sample.lines).encode())
            if form_of(sample) is NO_HEADER:
                yield Diagnostic("LG201", f"sample of source '{source.name.text}' has no log header", sample.span)
            elif not kind:
                text = f"nothing tells source '{source.name.text}' by this sample"
                yield Diagnostic("LG201", text, sample.span, "add a 'logger', 'thread' or 'match' that it has")
            elif kind != source.name.text:
                text = f"sample of source '{source.name.text}' is taken for one of source '{kind}'"
                yield Diagnostic("LG202", text, sample.span, "give it a line that only this kind of file has")


def form_of(sample: Sample) -> HeaderForm:
    """The form of a sample's header; `NO_HEADER` when it has none."""
    return next((form for form in FORMS if re.match(form.regex, sample.lines[0])), NO_HEADER)


def message_of(sample: Sample) -> str | None:
    """The message of a sample's header line, None when the line has no log header."""
    found = re.match(form_of(sample).regex, sample.lines[0])
    return found["message"] if found and form_of(sample) is not NO_HEADER else None


def read_texts(texts: Sequence[str], catalog: Catalog) -> Log:
    """Read all events of logs that are in memory, with all their fields; each may have its own form of header."""
    sources = [
        Source(f"memory-{number}", DEFAULT_KIND, "ms1", partial(iter, [text.encode()]))
        for number, text in enumerate(texts)
    ]
    return read_log(sources, [], catalog, for_everything(catalog, all_fields=True))


def _unfit(catalog: Catalog, event: Event, sample: Sample, message: str) -> Diagnostic:
    notes = []
    for number, rendering in enumerate(event.matches, 1):
        reached = _reach(catalog, rendering.template, message)
        known, then = message[:reached][-60:], message[reached : reached + 30]
        notes.append(f"template {number} (line {rendering.span.line}) fits up to {known!r}, then comes {then!r}")
    return Diagnostic("LG201", f"sample fits no template of event '{event.name.text}'", sample.span, "", tuple(notes))


def _reach(catalog: Catalog, template: Template, message: str) -> int:
    """How many characters of the message the template accounts for, from the left."""
    compiler, best = Compiler(catalog), 0
    for size in range(1, len(template.parts) + 1):
        part = template.parts[size - 1]
        heads = [part]
        if isinstance(part, Literal):
            heads = [Literal(part.text[:n]) for n in range(len(part.text), 0, -1)]
        for head in heads:
            shape = compiler.shape(Template("", (*template.parts[: size - 1], head), template.span), anchored=False)
            found = re.match(shape.regex, message)
            if found:
                best = max(best, found.end())
                break
        else:
            break
    return best


def _expectations(events: EventSet, catalog: Catalog, event: Event, sample: Sample, eid: int) -> Iterator[Diagnostic]:
    for expected in sample.expect:
        path, value = expected.path.text, str(expected.value.value)
        values = column(events, [event.name.text], path).filter(pl.col("eid") == eid)["value"].to_list()
        if not values:
            mine = events.resources.filter(pl.col("eid") == eid, pl.col("kind") == path)
            values = mine["id"].to_list()
        if value not in values:
            said = f"it is {values[0]!r}" if values else "the sample has no such field"
            yield Diagnostic("LG203", f"expected {path} = {value!r}, but {said}", expected.path.span)


def _histories(catalog: Catalog, rule: Rule) -> Iterator[Diagnostic]:
    name = rule.name.text
    for wanted, history in [*((True, h) for h in rule.fires), *((False, h) for h in rule.quiet)]:
        try:
            log = read_history(catalog, history, rules=[rule])
        except UnprintableError as error:
            yield Diagnostic("LG208", f"history of rule '{name}' cannot be printed: {error}", history.span)
            continue
        report = analyze(log, [rule])
        found = report.findings
        if wanted and not found:
            status = report.rules[0]
            hint = status.reason if status.status == "not-evaluated" else ""
            yield Diagnostic("LG205", f"rule '{name}' does not fire on this history", history.span, hint)
        elif wanted and history.certainty and found[0].certainty != history.certainty:
            doubts = "; ".join(found[0].doubts)
            text = f"rule '{name}' is {found[0].certainty} on this history, not {history.certainty}"
            yield Diagnostic("LG205", text, history.span, doubts)
        elif not wanted and found:
            yield Diagnostic("LG206", f"rule '{name}' fires on a history that should leave it quiet", history.span)


def read_history(catalog: Catalog, history: History, release: str = "", rules: Collection[Rule] | None = None) -> Log:
    """Print a history through the templates and read it as a log, one source per server.

    Raises UnprintableError when a step sets a field that its event has no place for.
    """
    printer = Printer(catalog, release)
    families = _families(history)
    texts: dict[str, list[str]] = {}
    for step in history.steps:
        who = _who(step.actor, families) if step.event else Who("", "end")
        moment = _START + round(step.seconds * _SECOND)
        if step.event is None:
            for server in texts or {"ms1": []}:
                texts.setdefault(server, []).append(f"{clock(moment)} DEBUG [o.x.End] (end:[]) (logid:) end of history")
            continue
        fields = {field.path.text: str(field.value.value) for field in step.fields}
        texts.setdefault(who.server, []).append(printer.line(moment, who, step.event.text, fields))
    sources = []
    for server, lines in sorted(texts.items()):
        data = ("\n".join(lines) + "\n").encode()
        sources.append(Source(f"{server}.log", "management-server", server, lambda data=data: iter([data])))  # type: ignore[misc]
    return read_log(sources, [], catalog, for_rules(catalog, rules if rules is not None else catalog.rules.values()))


def _families(history: History) -> set[str]:
    """Letters of actors that act in more than one run, so that a job must hold them together."""
    return {step.actor.partition("@")[0].partition(".")[0] for step in history.steps if "." in step.actor}


def _who(actor: str, families: set[str]) -> Who:
    name, _, server = actor.partition("@")
    letter, _, child = name.partition(".")
    number = sum(ord(c) * 131**n for n, c in enumerate(letter)) % 90_000
    run = f"ctx-{number:04x}{int(child or 0):04x}"
    job = origin = None
    if letter in families:
        origin = 900_000_000 + number * 100
        job = origin + int(child or 1)
    return Who(server or "ms1", f"thread-{name}", run, job, origin, f"{number:08x}")
