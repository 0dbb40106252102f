"""The artifacts of one run to its tests: results from the XML, times and jobs from Marvin's own log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from logscope.ci import clocks, joblog, outcomes, runinfo, xunit
from logscope.ci.cases import cases_of
from logscope.ci.recognise import FOLDER, JOB_LOG, RESULTS, RUNINFO, STARTDATE, SUMMARY, TIMES, XUNIT
from logscope.ci.text import lines, without_github_times
from logscope.ci.values import Artifact, Outcome, Run
from logscope.model import Problem

_XUNIT = re.compile(r"(.+\.py)\.xml$")
_MODULE = re.compile(r"\b(test_\w+)\.py\b|\.(test_\w+)\.\w+$")


@dataclass(slots=True)
class Folder:
    """What Marvin left in one folder: its own log (both files of it) and the printed results."""

    name: str
    info: runinfo.RunInfo = field(default_factory=runinfo.RunInfo)
    results: list[Outcome] = field(default_factory=list)


@dataclass(slots=True)
class _Found:
    """Everything that was read from the artifacts of a run."""

    folders: dict[str, Folder] = field(default_factory=dict)
    xunits: dict[str, list[Outcome]] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)
    start: int | None = None
    zone: str = ""
    rows: list[Outcome] = field(default_factory=list)
    console: list[Outcome] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_run(name: str, artifacts: Sequence[Artifact]) -> Run:
    """Read the artifacts of one run; what is wrong with them is in the run's problems, never raised."""
    found = _Found()
    for artifact in sorted(artifacts, key=lambda one: one.path):
        if artifact.kind == JOB_LOG:
            for section, body in joblog.sections(without_github_times(lines(artifact.open()))):
                place = f"{artifact.name}!{section.path.lstrip('/')}"
                if section.kind == XUNIT:
                    _xunit(found, section.path, place, (text.encode() + b"\n" for text in body))
                else:
                    _text(found, section.path, section.kind, body, is_console=not section.path)
        elif artifact.kind == XUNIT:
            _xunit(found, artifact.path, artifact.name, artifact.open())
        else:
            _text(found, artifact.path, artifact.kind, lines(artifact.open()))
    return _assemble(name, found)


def _xunit(found: _Found, path: str, place: str, blocks: Iterator[bytes]) -> None:
    file = path.rpartition("/")[2]
    named = _XUNIT.match(file)
    rows, problem = xunit.read(blocks)
    if problem:
        found.problems.append(Problem(place, problem))
    key = named[1] if named else _file_of(rows) or file
    if found.xunits.get(key):
        found.problems.append(
            Problem(place, f"is a second result of {key}; two runs lie in one folder, this one is taken")
        )
    found.xunits[key] = rows


def _text(found: _Found, path: str, kind: str, texts: Iterable[str], is_console: bool = False) -> None:
    folder = path.rpartition("/")[0].rpartition("/")[2]
    if kind == RUNINFO:
        _add_info(found.folders.setdefault(folder, Folder(folder)), runinfo.read(texts))
    elif kind == RESULTS and is_console:
        found.console += outcomes.read_results(texts)
    elif kind == RESULTS:
        found.folders.setdefault(folder, Folder(folder)).results += outcomes.read_results(texts)
    elif kind == TIMES:
        found.seconds.update(clocks.read_seconds(texts))
    elif kind == STARTDATE:
        found.start, found.zone = clocks.read_start(texts)
    elif kind == SUMMARY:
        found.rows += outcomes.read_table(texts)


def _add_info(folder: Folder, info: runinfo.RunInfo) -> None:
    """Join the two files of a folder: the one without tests repeats the failures of the other."""
    kept, other = sorted((folder.info, info), key=lambda one: (-len(one.tests()), -len(one.stretches)))
    known = Counter(failure.name for failure in kept.failures)
    for failure in other.failures:
        known[failure.name] -= 1
        if known[failure.name] < 0:
            kept.failures.append(failure)
    folder.info = kept


def _assemble(name: str, found: _Found) -> Run:
    folders = _by_file(name, found)
    in_order = sorted(folders, key=lambda file: _began(folders[file]))
    times = [clocks.FileTimes(file) for file in dict.fromkeys([*found.seconds, *in_order, *sorted(found.xunits)])]
    rows = {time.file: _rows(time.file, found.xunits.get(time.file), folders.get(time.file)) for time in times}
    for time in times:
        time.seconds = found.seconds.get(time.file)
        time.is_failed = any(row.result in ("failure", "error") for row in rows[time.file])
        if time.file in folders and folders[time.file].info.stretches:
            time.first, time.last = folders[time.file].info.first, folders[time.file].info.last
    if not found.seconds:
        times.sort(key=lambda time: (time.first is None, time.first or 0))
    windows, cleanups = clocks.windows(times, found.start)
    run = Run(name, cleanups=cleanups, zone=found.zone, problems=found.problems)
    for file in (time.file for time in times):
        window = windows[file]
        folder = folders.get(file)
        if window.start is None and folder is not None:
            window = replace(window, start=clocks.folder_time(folder.name))
        run.cases += cases_of(file, rows[file], folder.info if folder else runinfo.RunInfo(), window)
    told = {(case.file, case.outcome.name) for case in run.cases}
    for row in found.rows or ([] if run.cases else found.console):
        if (row.file, row.name) not in told and (row.file or not run.cases):
            file = row.file or _file_of([row])
            run.cases += cases_of(file, [row], runinfo.RunInfo(), windows.get(file, clocks.UNKNOWN))
    return run


def _rows(file: str, xml: list[Outcome] | None, folder: Folder | None) -> list[Outcome]:
    """Give the rows of one file: the XML's, then what only the printed results or Marvin's log tell."""
    rows = list(xml or ())
    if folder is not None:
        known = {row.name for row in rows}
        rows += [row for row in folder.results if row.name not in known]
        known |= {row.name for row in folder.results}
        failed = {failure.name: failure for failure in folder.info.failures}
        for stretch in folder.info.tests():
            if stretch.test not in known:
                lost = Outcome(
                    stretch.test, "success" if stretch.ended else "error", text="" if stretch.ended else "did not end"
                )
                rows.append(failed.get(stretch.test, lost))
    if not rows and xml is not None:
        return [Outcome(f"all_{file.removesuffix('.py')}", "skipped", text="did not run")]
    return rows


def _by_file(name: str, found: _Found) -> dict[str, Folder]:
    """Give the folder of each test file; of two for one file, the later."""
    folders: dict[str, Folder] = {}
    doubled: list[str] = []
    for folder in found.folders.values():
        module = None if clocks.folder_time(folder.name) else FOLDER.match(folder.name)
        texts = [*folder.results, *folder.info.failures]
        file = f"{module[1]}.py" if module else _file_of(texts) or folder.name
        if not (texts or folder.info.tests() or (module and folder.info.stretches)):
            continue
        other = folders.get(file)
        if other is not None:
            doubled.append(f"{other.name} and {folder.name}")
            if _began(other) > _began(folder):
                continue
        folders[file] = folder
    if doubled:
        more = f" and {len(doubled) - 1} more pairs" if len(doubled) > 1 else ""
        text = (
            f"holds two results of one test file ({doubled[0]}{more}): two runs lie in one folder, the later is taken"
        )
        found.problems.append(Problem(name, text))
    return folders


def _began(folder: Folder) -> tuple[int, str]:
    start = folder.info.first if folder.info.stretches else clocks.folder_time(folder.name)
    return start or 0, folder.name


def _file_of(rows: Iterable[Outcome]) -> str:
    """Give the test file that rows name in their class or their text, or nothing."""
    for row in rows:
        for text in (row.suite, row.text):
            found = _MODULE.search(text)
            if found:
                return f"{found[1] or found[2]}.py"
    return ""
