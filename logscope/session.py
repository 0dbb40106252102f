"""What every question to a log begins with: grammars loaded, paths found, a window set, the log read."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from logscope import moments
from logscope.demand import Demand
from logscope.errors import GrammarError, UsageError
from logscope.kinds import Kinds
from logscope.language.catalog import Catalog
from logscope.language.load import load, shipped_dir
from logscope.language.tree import Rule
from logscope.model import Problem, Source
from logscope.moments import Moment
from logscope.pipeline import Log, Progress, Window, check_window, read_log
from logscope.report.parts import times
from logscope.sources import discover
from logscope.zones import Zones, settle

Watch = Callable[[Sequence[Source]], AbstractContextManager[Progress | None]]


@dataclass(frozen=True, slots=True)
class Question:
    """Which logs are asked, and which part of them.

    `since` and `until` are times as people write them, empty for an open side; `tz` are the zones in
    which the logs were written: `ZONE` for the management server, `KIND=ZONE` for other kinds.
    """

    paths: Sequence[str]
    since: str = ""
    until: str = ""
    tz: Sequence[str] = ()


@dataclass(slots=True)
class Session:
    """A log that was read, the sources it came from, the window, and the offset to show times with."""

    log: Log
    sources: list[Source]
    window: Window
    tz: str


def load_catalog(grammars: Sequence[str]) -> Catalog:
    """The catalog of the shipped grammar files and those in the directories `grammars`.

    Raises:
        GrammarError: a file has a mistake; carries every mistake found.
        UsageError: a directory does not exist or holds no grammar file.
    """
    catalog, _, diagnostics = load([shipped_dir(), *(Path(place) for place in grammars)])
    errors = [one for one in diagnostics if one.severity == "error"]
    if errors:
        raise GrammarError(errors)
    return catalog


def chosen_rules(catalog: Catalog, names: Sequence[str]) -> list[Rule]:
    """The rules of these names in the order of the catalog, all of them if there is none.

    Raises:
        UsageError: there is no such rule.
    """
    for name in names:
        if name not in catalog.rules:
            near = difflib.get_close_matches(name, list(catalog.rules), 1)
            hint = f"did you mean '{near[0]}'?" if near else "'logscope rules' lists them"
            raise UsageError(f"there is no rule '{name}'; {hint}")
    return [rule for name, rule in catalog.rules.items() if not names or name in names]


def unwatched(sources: Sequence[Source]) -> AbstractContextManager[None]:
    """The `watch` of those who do not care how far reading has come."""
    return nullcontext()


def open_log(
    question: Question,
    catalog: Catalog,
    demand: Demand,
    watch: Watch = unwatched,
    *,
    only: str = "",
    beyond_window: bool = False,
) -> Session:
    """Read what `demand` asks for from the logs in question.

    `watch` is given the sources and yields what is told how far reading has come. `only` leaves out all
    sources but the one of that name. With `beyond_window` everything is read, as if there were no window.

    Raises:
        UsageError: no path was given, or a time or zone cannot be read or does not fit the log.
        NothingReadError: no source gave a single record, or (NothingThenError) none lies in the window.
    """
    if not question.paths:
        raise UsageError("no path was given; name log files, directories or archives, or - for standard input")
    since = moments.parse(question.since) if question.since else None
    until = moments.parse(question.until) if question.until else None
    kinds = Kinds(catalog)
    zones = Zones.of(question.tz, kinds)
    notes: list[Problem] = []
    sources, problems = discover(question.paths, kinds, notes)
    notes += settle(sources, zones, kinds)
    if only:
        sources = [source for source in sources if source.name == only]
    firsts = [source.first for source in sources if source.first is not None]
    window = _window(since, until, firsts)
    with watch(sources) as progress:
        log = read_log(sources, problems, catalog, demand, Window() if beyond_window else window, progress)
    log.notes[:0] = notes
    firsts = [summary.first for summary in log.sources if summary.first is not None]
    lasts = [summary.last for summary in log.sources if summary.last is not None]
    start, end = min(firsts, default=0), max(lasts, default=0)
    # Only now is it known where the log ends.
    _check_day(since, until, [start, end])
    check_window(log, window)
    low, high = max(start, window.since or start), min(end, window.until or end)
    return Session(log, sources, window, moments.offset(zones.server, low, high))


def moment_of(session: Session, text: str) -> int:
    """The µs of a moment in the log; of a day, a minute or a second it is the first.

    Raises:
        UsageError: it cannot be read, or does not lie in the log.
    """
    moment = moments.parse(text)
    firsts = [summary.first for summary in session.log.sources if summary.first is not None]
    lasts = [summary.last for summary in session.log.sources if summary.last is not None]
    start, end = min(firsts, default=0), max(lasts, default=0)
    _check_day(moment, None, [start, end])
    found = moment.on(moments.day_of(start))
    if found.last < start or found.first > end:
        place = "before" if found.last < start else "behind"
        bounds = f"{times.moment(start)} to {times.moment(end)}"
        raise UsageError(f"'{text}' lies {place} this log, which goes from {bounds}")
    return max(found.first, start)


def _window(since: Moment | None, until: Moment | None, firsts: Sequence[int]) -> Window:
    """The window, a mere clock time being one of the day on which the log begins."""
    _check_day(since, until, firsts)
    day = moments.day_of(min(firsts, default=0))
    window = Window(since.on(day).first if since else None, until.on(day).last if until else None)
    if since and until and window.since is not None and window.until is not None and window.since > window.until:
        raise UsageError(f"nothing lies between '{since.text}' and '{until.text}': the first is later than the second")
    return window


def _check_day(since: Moment | None, until: Moment | None, times: Sequence[int]) -> None:
    """Raise UsageError if a clock time is given without its day and the times are not all of one day."""
    moment = next((one for one in (since, until) if one is not None and one.is_clock), None)
    days = [moments.day_text(time) for time in sorted(times)]
    if moment is not None and len(set(days)) > 1:
        raise UsageError(
            f"'{moment.text}' is on several days of this log ({days[0]} to {days[-1]}); "
            f"give the day too, such as {days[0]}T{moment.text}"
        )
