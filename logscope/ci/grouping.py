"""Which files belong to which run: artifacts by the folder they lie in, logs by the run nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from logscope.ci.recognise import is_minor, root_of
from logscope.model import Problem

LOG = "log"


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was found: an artifact (its kind as of `recognise.kind_of`) or a log (`LOG`).

    `path` is where it stands, `name` how it is called, `given` the path on disk that leads to it.
    """

    kind: str
    path: str
    name: str
    given: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run lies: its artifacts are those whose root is one of `roots`.

    `walked` are paths on disk that lead to them, `logs` those that lead to its logs; `foreign` are logs (by
    name) which these lead to as well, but which are another run's. `name` is how reports call the run.
    """

    name: str
    roots: frozenset[str]
    walked: tuple[str, ...]
    logs: tuple[str, ...] = ()
    foreign: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Group:
    top: str
    name: str
    roots: set[str]
    walked: dict[str, None] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)  # by name the path that leads there


def group(files: Sequence[Seen]) -> tuple[list[Place], list[Problem]]:
    """Give the runs in the order of their names, and the logs of which nobody knows whose they are."""
    problems: list[Problem] = []
    groups: list[_Group] = []
    artifacts = [one for one in files if one.kind != LOG]
    # What alone makes no run comes last: it joins the run whose folder is nearest.
    for one in sorted(artifacts, key=lambda one: (is_minor(one.kind), one.path)):
        root = root_of(one.kind, one.path)
        owner = next((known for known in groups if root in known.roots), None)
        if owner is None and is_minor(one.kind):
            owner = _adopting(groups, root)
        if owner is None:
            owner = _Group(root, _name(one, root), set())
            groups.append(owner)
        if _is_below(owner.top, root) and owner.top != root:
            owner.top, owner.name = root, _name(one, root)
        owner.roots.add(root)
        owner.walked[one.given] = None
    for log in sorted((one for one in files if one.kind == LOG), key=lambda one: one.path):
        near = _nearest(groups, log.path)
        if len(near) == 1:
            near[0].logs[log.name] = log.given
        else:
            text = f"lies beside {len(near)} runs and was given to none; put it into the folder of its run"
            problems.append(Problem(log.name, text))
    return sorted((_place(one, groups) for one in groups), key=lambda place: (place.name, min(place.roots))), problems


def _adopting(groups: Sequence[_Group], root: str) -> _Group | None:
    """Give the run in whose folder `root` lies, or the only one that lies below it."""
    above = [one for one in groups if _is_below(root, one.top)]
    if above:
        return max(above, key=lambda one: len(one.top))
    below = [one for one in groups if _is_below(one.top, root)]
    return below[0] if len(below) == 1 else None


def _nearest(groups: Sequence[_Group], path: str) -> list[_Group]:
    """Give the run in whose folder a log lies, or else all those that lie below the nearest folder above it."""
    holding = [one for one in groups if _is_below(path, one.top)]
    if holding:
        return [max(holding, key=lambda one: len(one.top))]
    folder = path
    near: list[_Group] = []
    while folder and not near:
        folder = folder.rpartition("/")[0]
        near = [one for one in groups if _is_below(one.top, folder)]
    return near


def _place(one: _Group, groups: Sequence[_Group]) -> Place:
    logs = tuple(dict.fromkeys(one.logs.values()))
    others = [other.logs for other in groups if other is not one]
    foreign = {name for known in others for name, path in known.items() if path in logs}
    return Place(one.name, frozenset(one.roots), tuple(one.walked), logs, frozenset(foreign))


def _name(one: Seen, root: str) -> str:
    """Give the name of a run as its files are named: as much of their names as the root is of their paths."""
    below = len(one.path[len(root) :].strip("/").split("/")) if one.path != root else 0
    parts = one.name.replace("!", "!/").split("/")
    kept = "/".join(parts[: len(parts) - below])
    return kept.replace("!/", "!").rstrip("!") or root.rpartition("/")[2] or root


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
