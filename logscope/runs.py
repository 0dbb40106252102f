"""CI runs: found below paths by what their files say, each judged by itself, put together in one report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from logscope import __version__, moments
from logscope.ci import joblog
from logscope.ci.grouping import LOG, Place, Seen, group
from logscope.ci.join import Traces, in_clean_up, join
from logscope.ci.marvin import read_run
from logscope.ci.merge import merge
from logscope.ci.recognise import JOB_LOG, kind_of, root_of
from logscope.ci.texts import texts_of
from logscope.ci.traces import traces_of
from logscope.ci.values import Artifact
from logscope.demand import for_rules
from logscope.errors import NothingReadError, NothingThenError, UsageError
from logscope.kinds import Kinds
from logscope.language.catalog import Catalog
from logscope.model import Coverage, Problem, Report, RuleStatus, Sentence, Source, SourceSummary
from logscope.pipeline import Window, analyze, check_window, read_log
from logscope.report.parts.order import groups
from logscope.session import chosen_rules, load_catalog
from logscope.sources import DEFAULT_KIND, File, discover, walk
from logscope.sources.sniff import first_time, is_log
from logscope.zones import Zones, settle


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of every run: grammars besides the shipped ones, rules (all if none), which part of the logs.

    `since` and `until` are times as people write them, `tz` are zones as of `session.Question`.
    """

    grammars: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    tz: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise UsageError or GrammarError if anything in it cannot be used."""
        chosen_rules(_catalog(self.grammars), self.rules)
        self.zones()
        for text in filter(None, (self.since, self.until)):
            moments.parse(text)

    def zones(self) -> Zones:
        """The zones that are asked for."""
        return Zones.of(self.tz, Kinds(_catalog(self.grammars)))


def scan(
    paths: Sequence[str],
    logs: Sequence[str] = (),
    wish: Wish = Wish(),
    processes: int = 1,
    told: Callable[[int, int], None] | None = None,
) -> Report:
    """Judge all runs below the paths; the same report whatever the number of processes.

    `logs` lead to the logs of the one run that there is. `told` hears how many runs of how many are done.

    Raises:
        NothingReadError: no path leads to the artifacts of a run.
        UsageError: `logs` were given for several runs, or something in `wish` cannot be used.
        GrammarError: a grammar file has a mistake.
    """
    wish.check()
    places, problems = find_runs(paths)
    if logs:
        if len(places) > 1:
            text = f"--logs goes with one run, {len(places)} were found; put the logs of each run into its folder"
            raise UsageError(text)
        places = [replace(places[0], logs=(*places[0].logs, *logs))]
    reports = []
    for report in _reports(places, wish, processes):
        reports.append(report)
        if told:
            told(len(reports), len(places))
    whole = merge(reports)
    # As they are numbered where they are shown.
    whole.incidents = [one.incident for one in groups(whole) if one.incident]
    whole.problems = sorted(
        {(p.source, p.text): p for p in [*problems, *whole.problems]}.values(), key=lambda p: (p.source, p.text)
    )
    return whole


def find_runs(paths: Sequence[str]) -> tuple[list[Place], list[Problem]]:
    """Find the runs below the paths, in the order of their names, and what could not be read.

    Raises:
        NothingReadError: there is none.
        UsageError: no path was given.
    """
    if not paths:
        raise UsageError("no path was given; name result folders, archives, or job logs")
    problems: list[Problem] = []
    if "-" in paths:
        raise UsageError("scan reads files and folders more than once and so cannot read standard input; save it first")
    seen = [one for path in dict.fromkeys(paths) for file in walk(path, problems) if (one := _seen(file, path))]
    places, lost = group(seen)
    if not places:
        told = "; ".join(f"{problem.source}: {problem.text}" for problem in problems)
        hint = "; for a log alone there is 'logscope analyze'" if seen else ""
        raise NothingReadError(f"no test results were found in {', '.join(paths)}{hint}{f' ({told})' if told else ''}")
    return places, problems + lost


def _seen(file: File, given: str) -> Seen | None:
    kind = kind_of(file.name, file.head)
    if not kind and is_log(file.head):
        kind = LOG
    return Seen(kind, file.path, file.name, _on_disk(file.path, given)) if kind else None


def _on_disk(path: str, given: str) -> str:
    """Give the file on disk that `path` is or is in, written as the path `given`, which leads there, is written."""
    disk = path.partition("!/")[0]
    above = os.path.abspath(given)
    return given.rstrip("/") + disk[len(above) :] if disk == above or disk.startswith(f"{above}/") else disk


def _reports(places: Sequence[Place], wish: Wish, processes: int) -> Iterator[Report]:
    if processes <= 1 or len(places) == 1:
        yield from (scan_place(place, wish) for place in places)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork would copy the threads' locks of the frames' engine, held or not.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(places)), mp_context=context) as pool:
        yield from pool.map(scan_place, places, [wish] * len(places))


@cache
def _catalog(grammars: tuple[str, ...]) -> Catalog:
    return load_catalog(grammars)


def scan_place(place: Place, wish: Wish) -> Report:
    """Judge the run at one place; what cannot be read of it is in the report's problems."""
    catalog = _catalog(wish.grammars)
    problems: list[Problem] = []
    notes: dict[str, list[str]] = {}
    artifacts = list(_artifacts(place, notes))
    others = {artifact.name for artifact in artifacts} | place.foreign
    sources: list[Source] = []
    repeated: list[Problem] = []
    if place.logs:
        sources, found = discover(place.logs, Kinds(catalog), repeated)
        sources = [source for source in sources if source.name not in others]
        problems += [problem for problem in found if problem.source not in others]
    sources += [source for artifact in artifacts for source in _printed_logs(artifact)]
    report = scan_run(place.name, artifacts, sources, catalog, wish)
    report.notes[:0] = [note for note in repeated if note.source not in others]
    problems += [Problem(name, text) for name, texts in notes.items() for text in texts]
    report.problems = [*problems, *(problem for problem in report.problems if problem not in problems)]
    return report


def scan_run(
    name: str, artifacts: Sequence[Artifact], sources: Sequence[Source], catalog: Catalog, wish: Wish = Wish()
) -> Report:
    """Judge one run by its artifacts and its logs. The report depends on these, the grammars and the wish alone."""
    run = read_run(name, artifacts)
    report, traces = _judged(sources, catalog, wish)
    report.tests, notes = join(run, report, traces)
    for number, after in in_clean_up(run, report, traces).items():
        text = f"this was the clean-up after {after}, which belongs to no test"
        report.findings[number].then.append(Sentence(text, ()))
    _classify(report, catalog)
    report.problems = [*run.problems, *report.problems]
    report.notes += notes
    if not report.sources:
        report.notes.append(Problem(name, "has no log of the management server: its failures cannot be explained"))
    return report


def scan_log(path: str, wish: Wish = Wish()) -> Report:
    """Judge the logs that a path leads to, without any tests.

    Raises:
        NothingReadError: there is no log that can be read.
    """
    catalog = _catalog(wish.grammars)
    rules = chosen_rules(catalog, wish.rules)
    notes: list[Problem] = []
    sources, problems = discover([path], Kinds(catalog), notes)
    notes += settle(sources, wish.zones(), Kinds(catalog))
    window = _window(sources, wish)
    log = read_log(sources, problems, catalog, for_rules(catalog, rules), window)
    check_window(log, window)
    log.notes[:0] = notes
    return analyze(log, rules, _offset(log.sources, wish.zones().server))


def _classify(report: Report, catalog: Catalog) -> None:
    """Say of the tests that no finding explains what their own texts say."""
    left = [test for test in report.tests if test.verdict in ("unexplained", "no-log") and test.text]
    if left:
        for test, told in zip(left, texts_of(catalog).read([test.text for test in left]), strict=True):
            test.why = "; ".join(filter(None, (test.why, told)))


def _judged(sources: Sequence[Source], catalog: Catalog, wish: Wish) -> tuple[Report, Traces]:
    """Judge the rules by the logs; a report without sources if there is none that can be read."""
    rules = chosen_rules(catalog, wish.rules)
    problems: list[Problem] = []
    if sources:
        notes = settle(sources, wish.zones(), Kinds(catalog))
        window = _window(sources, wish)
        try:
            log = read_log(sources, [], catalog, for_rules(catalog, rules), window)
            check_window(log, window)
        except NothingThenError as error:
            problems = [Problem(sources[0].name, str(error))]
        except NothingReadError:
            silent = ["has no line with a log's header"]
            problems = [Problem(source.name, text) for source in sources for text in source.problems or silent]
        else:
            log.notes[:0] = notes
            report = analyze(log, rules, _offset(log.sources, wish.zones().server))
            return report, traces_of(report, log.events.table, log.identity.uuids)
    reason = "there is no log of this run"
    statuses = [RuleStatus(r.name.text, r.title.text, r.severity, "not-evaluated", [], reason, 0, 0) for r in rules]
    return Report(__version__, "", [], Coverage(), [], [], [], statuses, [], problems), Traces()


def _window(sources: Sequence[Source], wish: Wish) -> Window:
    firsts = [source.first for source in sources if source.first is not None]
    day = moments.day_of(min(firsts, default=0))
    since = moments.parse(wish.since).on(day).first if wish.since else None
    return Window(since, moments.parse(wish.until).on(day).last if wish.until else None)


def _offset(sources: Sequence[SourceSummary], zone: str) -> str:
    times = [time for source in sources for time in (source.first, source.last) if time is not None]
    return moments.offset(zone, min(times, default=0), max(times, default=0))


def _artifacts(place: Place, notes: dict[str, list[str]]) -> Iterator[Artifact]:
    for path in place.walked:
        for file in walk(path, []):
            kind = kind_of(file.name, file.head)
            if kind and root_of(kind, file.path) in place.roots:
                told = notes.setdefault(file.name, [])
                yield Artifact(file.name, file.path, kind, partial(file.open, told))


def _printed_logs(artifact: Artifact) -> list[Source]:
    if artifact.kind != JOB_LOG:
        return []
    found = []
    for section, opened in joblog.logs(artifact.open):
        first = first_time(next(opened(), b""))
        found.append(Source(f"{artifact.name}!{section.path.lstrip('/')}", DEFAULT_KIND, "ms1", opened, first=first))
    return found
