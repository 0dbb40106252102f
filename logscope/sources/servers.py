"""Which management server wrote which log: rotated sets that overlap in time are of different servers.

Unless they share a thread context, which holds a random word: then one process wrote both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise, product

from logscope.sources.content import read_range
from logscope.sources.files import shown
from logscope.sources.order import Log, age, stem
from logscope.sources.sniff import contexts

_SLACK = 100_000  # µs by which times of one log may go backwards
_WINDOW = 8 << 20  # bytes at the start and at the end that are searched for shared contexts
_PAIRS = 3


@dataclass(slots=True, eq=False)
class _RotatedSet:
    """Logs of one stem in one directory, from the oldest to the newest."""

    logs: list[Log]
    parts: list[str]
    windows: dict[str, set[bytes]] = field(default_factory=dict)


def assign_servers(logs: list[Log]) -> None:
    """Set `server` of each source. A lone server is `ms1`; of several, each has the name of what tells it apart."""
    groups: list[list[_RotatedSet]] = []
    for one in _sets(logs):
        at_odds = [group for group in groups if any(_of_two_servers(one, other) for other in group)]
        proven = [group for group in groups if any(_overlap(one, other) for other in group) and group not in at_odds]
        open_groups = proven or [group for group in groups if group not in at_odds]
        ranked = sorted(open_groups, key=lambda group: _likeness(one, group), reverse=True)
        # Where two servers would do equally well, mixing the threads of two is worse than cutting one in two.
        if ranked and (len(ranked) == 1 or _likeness(one, ranked[0]) > _likeness(one, ranked[1])):
            ranked[0].append(one)
        else:
            groups.append([one])
    for group, name in zip(groups, _names(groups), strict=True):
        for member in group:
            for log in member.logs:
                log.source.server = name


def _sets(logs: list[Log]) -> list[_RotatedSet]:
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
        sets.append(_RotatedSet(members, [*_components(folder), name]))
    return sets


def _of_two_servers(one: _RotatedSet, other: _RotatedSet) -> bool:
    return _overlap(one, other) and not _share_contexts(one, other)


def _overlap(one: _RotatedSet, other: _RotatedSet) -> bool:
    open_questions = []
    for pair in product(one.logs, other.logs):
        early, late = sorted(pair, key=age)
        if early.source.first is None or late.source.first is None:
            return True
        answer = _known_overlap(early, late.source.first)
        if answer:
            return True
        if answer is None:
            open_questions.append((early, late.source.first))
    return any(
        _known_overlap(early, first) or (_known_overlap(early, first) is None and early.reaches(first + _SLACK))
        for early, first in open_questions
    )


def _known_overlap(early: Log, first: int) -> bool | None:
    """Tell whether a log is known to go on after `first`; None when only reading it can tell."""
    if early.latest_end is not None and first >= early.latest_end - _SLACK:
        return False
    if early.earliest_end is not None and first < early.earliest_end - _SLACK:
        return True
    return None


def _share_contexts(one: _RotatedSet, other: _RotatedSet) -> bool:
    newest = list(zip(reversed(one.logs), reversed(other.logs), strict=False))[:_PAIRS]
    return any(_window(one, ours) & _window(other, theirs) for ours, theirs in newest)


def _window(owner: _RotatedSet, log: Log) -> set[bytes]:
    if log.identity not in owner.windows:
        found: set[bytes] = set()
        size = 0
        for block in log.source.open():
            found |= contexts(block)
            size += len(block)
            if size >= _WINDOW:
                break
        if log.content is not None and log.content.seekable and (log.content.size or 0) > size:
            found |= contexts(read_range(log.content, max(size, (log.content.size or 0) - _WINDOW), _WINDOW))
        owner.windows[log.identity] = found
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


def _names(groups: list[list[_RotatedSet]]) -> list[str]:
    if len(groups) == 1:
        return ["ms1"]
    names: list[str] = []
    for index, group in enumerate(groups):
        others = groups[:index] + groups[index + 1 :]
        name = _by_folder(group, others) or _by_file(group, others) or _by_path(group, others)
        number = 1
        while not name or name in names:
            name = f"ms{number}"
            number += 1
        names.append(shown(name))
    return names


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
