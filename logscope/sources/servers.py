"""Which management server wrote which log: rotated sets that overlap in time are of different servers.

Unless they stand in one directory and share a thread context, which holds a random word: then one process wrote both.
Logs of other kinds are of servers of their own, but for those that a management server writes beside its log.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product

from logscope.sources.content import read_range
from logscope.sources.files import shown
from logscope.sources.kinds import Kinds
from logscope.sources.order import Log, age, known_overlap, stem
from logscope.sources.sniff import DEFAULT_KIND, contexts

_SLACK = 100_000  # µs by which times of one log may go backwards
_WINDOW = 4 << 20  # bytes that are searched for shared contexts, at the end of a log or else at its start
_PAIRS = 2  # of logs of two rotated sets, the newest


@dataclass(slots=True, eq=False)
class _RotatedSet:
    """Logs of one stem in one directory, from the oldest to the newest."""

    logs: list[Log]
    parts: list[str]
    kind: str
    writer: str
    windows: dict[str, set[bytes]] = field(default_factory=dict)


def assign_servers(logs: list[Log], kinds: Kinds) -> None:
    """Set `server` of each source. A lone server is `ms1`; of several, each has the name of what tells it apart."""
    groups: list[list[_RotatedSet]] = []
    for one in _sets(logs, kinds):
        home = _home(one, groups)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    for group, name in _named(groups):
        for member in group:
            for log in member.logs:
                log.source.server = name


def _home(one: _RotatedSet, groups: list[list[_RotatedSet]]) -> list[_RotatedSet] | None:
    """Find the server that a set belongs to; None if it must be, or might as well be, one of its own."""
    proven: list[list[_RotatedSet]] = []
    possible: list[list[_RotatedSet]] = []
    for group in groups:
        if group[0].writer != one.writer:
            continue
        overlapping = [other for other in group if other.kind == one.kind and _overlap(one, other)]
        if all(_share_contexts(one, other) for other in overlapping):
            is_beside = any(other.kind != one.kind and other.parts[:-1] == one.parts[:-1] for other in group)
            (proven if overlapping or is_beside else possible).append(group)
    ranked = sorted(proven or possible, key=lambda group: _likeness(one, group), reverse=True)
    # Where two servers would do equally well, mixing the threads of two is worse than cutting one in two.
    # Without a time there are no headers, hence no threads.
    tied = len(ranked) > 1 and _likeness(one, ranked[0]) == _likeness(one, ranked[1])
    return ranked[0] if ranked and (not tied or one.logs[0].source.first is None) else None


def _sets(logs: list[Log], kinds: Kinds) -> list[_RotatedSet]:
    found: dict[tuple[str, str], list[Log]] = {}
    for log in sorted(logs, key=age):
        found.setdefault((log.folder, log.stem), []).append(log)
    sets = []
    for (folder, name), members in found.items():
        for log, following in pairwise(members):
            log.measure()
            if log.latest_end is None:
                log.latest_end = following.source.first
        members[-1].measure()
        told = Counter(log.source.kind for log in members).most_common(1)[0][0]
        for log in members:
            # A short one may tell less than those before and after it.
            log.source.kind = told
        sets.append(_RotatedSet(members, [*_components(folder), name], told, kinds.writer(told)))
    # Those that a name can be given by come first: what stands beside a log joins it.
    return sorted(sets, key=lambda one: one.kind != one.writer)


def _overlap(one: _RotatedSet, other: _RotatedSet) -> bool:
    open_questions = []
    for ours, theirs in product(one.logs, other.logs):
        if ours.source.first is None or theirs.source.first is None:
            continue
        early, late = (ours, theirs) if ours.source.first <= theirs.source.first else (theirs, ours)
        first = late.source.first or 0
        answer = known_overlap(early, first)
        if answer:
            return True
        if answer is None:
            open_questions.append((early, first))
    return any(_goes_on_after(early, first) for early, first in open_questions)


def _goes_on_after(early: Log, first: int) -> bool:
    known = known_overlap(early, first)
    return early.reaches(first + _SLACK) if known is None else known


def _share_contexts(one: _RotatedSet, other: _RotatedSet) -> bool:
    """Tell whether one process wrote both: they share records, or stand side by side and share a context."""
    theirs = {log.identity for log in other.logs}
    if any(log.shares & theirs for log in one.logs):
        return True
    if one.parts[:-1] != other.parts[:-1]:
        return False
    newest = list(zip(reversed(one.logs), reversed(other.logs), strict=False))[:_PAIRS]
    return any(_window(one, ours) & _window(other, theirs) for ours, theirs in newest)


def _window(owner: _RotatedSet, log: Log) -> set[bytes]:
    if log.identity not in owner.windows:
        content = log.content
        if content is not None and content.seekable and content.size is not None:
            data = read_range(content, max(0, content.size - _WINDOW), _WINDOW)
        else:
            data = b""
            for block in log.source.open():
                data += block
                if len(data) >= _WINDOW:
                    break
        owner.windows[log.identity] = contexts(data)
    return owner.windows[log.identity]


def _likeness(one: _RotatedSet, group: list[_RotatedSet]) -> int:
    return max(len(set(one.parts) & set(other.parts)) for other in group)


def _components(folder: str) -> list[str]:
    """Give the directories and archives (without their suffixes) of a path."""
    return [stem(part[:-1]) if part.endswith("!") else part for part in folder.split("/") if part]


def _words(group: list[_RotatedSet]) -> list[str]:
    """Give the words that stand in the file names of all sets of a group."""
    split = [re.findall(r"[^\W\d_]*\d*", one.parts[-1]) for one in group]
    return [word for word in split[0] if word and all(word in words for words in split)]


def _named(groups: list[list[_RotatedSet]]) -> Iterator[tuple[list[_RotatedSet], str]]:
    """Give the groups with their names, management servers first: others do not change what these are called."""
    ordered = sorted(groups, key=lambda group: group[0].writer != DEFAULT_KIND)
    servers = [group for group in groups if group[0].writer == DEFAULT_KIND]
    names: list[str] = []
    for group in ordered:
        is_server = group[0].writer == DEFAULT_KIND
        others = [other for other in (servers if is_server else groups) if other is not group]
        name = ""
        if others:
            name = _by_folder(group, others) or _by_file(group, others) or _by_path(group, others)
        number = 1
        while not name or name in names:
            name = f"{'ms' if is_server else group[0].writer}{number}"
            number += 1
        names.append(shown(name))
        yield group, names[-1]


def _by_folder(group: list[_RotatedSet], others: list[list[_RotatedSet]]) -> str:
    """Find the directory nearest to the files that all files of this server have above them and no others."""
    foreign = {part for other in others for one in other for part in one.parts[:-1]}
    common = [part for part in group[0].parts[:-1] if all(part in one.parts[:-1] for one in group)]
    return next((part for part in reversed(common) if part not in foreign), "")


def _by_file(group: list[_RotatedSet], others: list[list[_RotatedSet]]) -> str:
    """Find the words of the file names that no other server's files have, or else the whole name."""
    foreign = {word for other in others for one in other for word in _words([one])}
    own = "-".join(word for word in _words(group) if word not in foreign)
    stems = {one.parts[-1] for one in group}
    if own or len(stems) > 1 or stems & {one.parts[-1] for other in others for one in other}:
        return own
    return stems.pop()


def _by_path(group: list[_RotatedSet], others: list[list[_RotatedSet]]) -> str:
    """Find the shortest end of the path of the directory that no other server has."""
    folders = {tuple(one.parts[:-1]) for one in group}
    if len(folders) > 1:
        return ""
    parts = folders.pop()
    foreign = {tuple(one.parts[:-1]) for other in others for one in other}
    ends = (parts[-length:] for length in range(1, len(parts) + 1))
    return next(("/".join(end) for end in ends if all(other[-len(end) :] != end for other in foreign)), "")
