"""Paths to sources: which files are logs, who wrote them, in which order they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from logscope.model import Problem, Source
from logscope.sources.files import STDIN, File, shown, walk
from logscope.sources.kinds import ONE_KIND, Kinds
from logscope.sources.order import Log, in_order, start_of, without_duplicates
from logscope.sources.overlaps import without_excerpts
from logscope.sources.servers import assign_servers
from logscope.sources.sniff import DEFAULT_KIND, as_text, first_time, is_binary, is_log, is_own, opening

_LIKE = "'2026-10-28 01:20:23,709 DEBUG [logger] (thread:context)'"


def discover(
    paths: Sequence[str], kinds: Kinds = ONE_KIND, notes: list[Problem] | None = None
) -> tuple[list[Source], list[Problem]]:
    """Find the logs that the paths lead to, sorted by server and time, and what could not be read.

    A path is a file (read whatever it says, if it is text), a directory or an archive (of which the logs are read),
    a glob, or `-` for the standard input. The order of the paths makes no difference. `kinds` tells the kinds of logs.
    What was there twice is no problem, since all of it is read; nor is what logscope wrote, such as a report beside
    the logs. Both are added to `notes`.
    """
    told: list[Problem] = []
    problems: list[Problem] = []
    logs: list[Log] = []
    for path, times in Counter(paths).items():
        logs += _logs_of(path, kinds, problems, told)
        if times > 1:
            told.append(Problem(_title(path), "is named twice and was read once"))
    logs = without_excerpts(without_duplicates(logs, told), told)
    assign_servers(logs, kinds)
    sources = [log.source for log in in_order(logs)]
    _name_apart(sources)
    if notes is not None:
        notes += _each_once(told)
    return sources, _each_once(problems)


def _each_once(problems: list[Problem]) -> list[Problem]:
    told = {(problem.source, problem.text): problem for problem in problems}
    return [told[key] for key in sorted(told)]


def _logs_of(path: str, kinds: Kinds, problems: list[Problem], notes: list[Problem]) -> list[Log]:
    logs: list[Log] = []
    told = len(problems)
    files = binaries = own = 0
    for file in walk(path, problems):
        files += 1
        if file.explicit:
            refusal = _refusal(file)
            if refusal:
                problems.append(Problem(file.name, refusal))
            else:
                logs.append(_log(file, kinds.of(as_text(file.head))))
        elif is_own(file.head):
            own += 1
        elif kind := kinds.of(as_text(file.head)) or (DEFAULT_KIND if is_log(file.head) else ""):
            logs.append(_log(file, kind))
        elif file.damage:
            problems.append(Problem(file.name, file.damage))
        else:
            binaries += is_binary(file.head)
    if not logs and len(problems) == told:
        text = f"of {files:,} files none has a line like {_LIKE}" if files else "it is empty"
        problems.append(Problem(_title(path), f"holds no log: {text}"))
    if binaries:
        text = "1 binary file in it was" if binaries == 1 else f"{binaries:,} binary files in it were"
        problems.append(Problem(_title(path), f"{text} left out"))
    if own:
        text = "1 file that logscope wrote was" if own == 1 else f"{own:,} files that logscope wrote were"
        notes.append(Problem(_title(path), f"{text} left out"))
    return logs


def _refusal(file: File) -> str:
    if not file.head:
        return file.damage or "is empty"
    if is_own(file.head):
        return "is what logscope wrote of a log, not a log; give the log itself"
    return "is a binary file, not a log" if is_binary(file.head) else ""


def _log(file: File, kind: str) -> Log:
    notes: list[str] = []
    lean = replace(file, head=b"")  # there may be very many
    source = Source(
        name=file.name,
        kind=kind or DEFAULT_KIND,
        server="",
        open=lambda: lean.open(notes),
        size=file.raw.size,
        first=first_time(file.head),
        problems=notes,
    )
    content = None if file.decoders else file.raw
    return Log(source, file.path, file.identity, start_of(file.head), content, opening(file.head))


def _title(path: str) -> str:
    return STDIN if path == "-" else shown(path)


def _name_apart(sources: list[Source]) -> None:
    """Number the sources of one name: an archive may hold several members of one name."""
    seen: Counter[str] = Counter()
    for source in sources:
        seen[source.name] += 1
        if seen[source.name] > 1:
            source.name = f"{source.name}#{seen[source.name]}"
