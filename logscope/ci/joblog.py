"""The job log of a simulator run: it holds the files of the run one after the other, printed by the job."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from logscope.ci.recognise import RESULTS, RUNINFO, SUMMARY, XUNIT
from logscope.ci.text import lines, without_github_times

# The file before it may end without a line feed, so this need not stand at the start of a line.
_PRINTED = re.compile(r"Printing (?:marvin|management server) logs (\S+) ?:\s*$")
_TABLE = re.compile(r"Test Results:? \(only failures listed\)")
_COMMAND = re.compile(r"##\[(?:group|endgroup|error|command)\]|Post job cleanup\.")
_SERVER_LOG = "log"
_KINDS = {"runinfo.txt": RUNINFO, "failed_plus_exceptions.txt": RUNINFO, "results.txt": RESULTS}


@dataclass(frozen=True, slots=True)
class Section:
    """One printed file: its path as printed, its kind (an artifact's, or `log` for a server's log), its number."""

    path: str
    kind: str
    number: int


def sections(texts: Iterable[str]) -> Iterator[tuple[Section, Iterator[str]]]:
    """Give the printed files with their lines, which must be read before the next file is asked for.

    Sections without a path are what the runner printed before the first file, and tables of results.
    """
    source = _Pushback(iter(texts))
    number = 1
    console = source.until_next(commands_end=False)
    yield Section("", RESULTS, 0), console
    for _ in console:
        pass
    for text in source:
        section = _begin(text, number)
        if section is None:
            continue
        number += 1
        body = source.until_next()
        yield section, body
        for _ in body:
            pass


def logs(open_blocks: Callable[[], Iterator[bytes]]) -> list[tuple[Section, Callable[[], Iterator[bytes]]]]:
    """Give the server logs that the job printed, each with what opens it."""
    found = []
    for section, _ in sections(without_github_times(lines(open_blocks()))):
        if section.kind == _SERVER_LOG:
            found.append((section, _opener(open_blocks, section.number)))
    return found


def _opener(open_blocks: Callable[[], Iterator[bytes]], number: int) -> Callable[[], Iterator[bytes]]:
    def read() -> Iterator[bytes]:
        for section, body in sections(without_github_times(lines(open_blocks()))):
            if section.number == number:
                for text in body:
                    yield text.encode() + b"\n"
                return

    return read


class _Pushback:
    """Lines, of which the one that begins the next section can be put back."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts
        self._kept: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return self._kept.pop() if self._kept else next(self._texts)

    def until_next(self, commands_end: bool = True) -> Iterator[str]:
        for text in self._texts:
            found = _PRINTED.search(text)
            if found:
                if text[: found.start()]:
                    yield text[: found.start()]
                self._kept.append(text[found.start() :])
                return
            if _TABLE.search(text):
                self._kept.append(text)
                return
            if commands_end and _COMMAND.match(text):
                return
            yield text


def _begin(text: str, number: int) -> Section | None:
    printed = _PRINTED.search(text)
    if printed:
        path = re.sub("/{2,}", "/", printed[1])
        name = path.rpartition("/")[2]
        kind = _SERVER_LOG if printed[0].startswith("Printing management") else _KINDS.get(name, "")
        return Section(path, XUNIT if name.endswith(".xml") else kind, number)
    return Section("", SUMMARY, number) if _TABLE.search(text) else None
