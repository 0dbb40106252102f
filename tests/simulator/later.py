"""Races that are seen from what went on at the same time, once a history is over."""

from __future__ import annotations

from dataclasses import replace

from .cloud import Cloud
from .networks import UNDER_VM
from .truth import Race, Span

ROUTER = "router-started-twice"
RESTART = "network-restart-overlapped"
TIERS = "vpc-tiers-plugged-concurrently"
ADDRESS = "ip-assigned-twice"
STARVED = "network-lock-starved-others"
STARVING = 120.0
VOLUME = "volume-worked-on-concurrently"
WORK = "work-jobs-overlapped"
NICS = "nic-added-twice-concurrently"
LOOPED = "ha-restart-looped"


def told_later(cloud: Cloud) -> list[Race]:
    """All of them."""
    end = cloud.now
    found = [_race(ROUTER, pair, end) for pair in cloud.truth.overlapping("router.start", end)]
    found += [_race(TIERS, pair, end) for pair in cloud.truth.overlapping("nic.plug", end)]
    found += _addresses(cloud, end)
    found += _under_vms(cloud, end)
    found += _in_restarts(cloud, end)
    found += _starved(cloud)
    found += [_race(VOLUME, pair, end) for pair in cloud.truth.overlapping("volume.work", end)]
    found += _two_work_jobs(cloud, end)
    found += _two_nics(cloud)
    found += _looped(cloud)
    return found


def _race(rule: str, pair: tuple[Span, Span], end: int, *also: str) -> Race:
    first, second = pair
    margin = min(second.start - first.start, (end if first.end is None else first.end) - second.start) / 1e6
    proof = next((span.notes["came"] for span in pair if "came" in span.notes), "")
    return Race(rule, frozenset((first.resource, *also)), second.start, margin, proof)


def _addresses(cloud: Cloud, end: int) -> list[Race]:
    """Two NICs of one network had one address; the resource of the spans is network and address."""
    found = []
    for first, second in cloud.truth.overlapping("address", end):
        if first.notes["nic"] != second.notes["nic"]:
            race = _race(ADDRESS, (first, second), end, first.notes["network"], first.notes["nic"], second.notes["nic"])
            # The log shows damage where the first of the two is given back while the second is in use.
            race.proof = "failed" if first.end is not None else ""
            found.append(race)
    return found


def _under_vms(cloud: Cloud, end: int) -> list[Race]:
    """A collected network had a VM that was alive and counted."""
    found = []
    collected = {(s.resource, s.actor.family) for s in cloud.truth.spans.get("network.collection", [])}
    uses = cloud.truth.spans.get("network.use", [])
    for shut in cloud.truth.spans.get("network.shutdown", []):
        if (shut.resource, shut.actor.family) not in collected:
            continue
        until = end if shut.end is None else shut.end
        for use in uses:
            if use.resource == shut.resource and use.start < until and (use.end is None or use.end > shut.start):
                proof = "failed" if "done" in shut.notes else ""
                at = max(shut.start, use.start)
                margin = min(abs(use.start - shut.start), abs(until - (use.end or end))) / 1e6
                found.append(Race(UNDER_VM, frozenset((shut.resource, use.notes["vm"])), at, margin, proof))
    return found


def _in_restarts(cloud: Cloud, end: int) -> list[Race]:
    """Somebody set a network up, shut it down, or restarted it, while it was being restarted."""
    found = []
    acts = [s for kind in ("network.hold", "network.restart", "network.setup") for s in cloud.truth.spans.get(kind, [])]
    for restart in cloud.truth.spans.get("network.restart", []):
        told: dict[int, Race] = {}
        for act in sorted(acts, key=lambda span: span.start):
            if act.resource != restart.resource or act.actor.family == restart.actor.family:
                continue
            if act.kind == "network.hold" and "works" not in act.notes:
                continue
            if restart.start < act.start < (end if restart.end is None else restart.end):
                # What one actor does in the course of one restart is one race, however many steps it takes.
                race = told.setdefault(act.actor.family, _race(RESTART, (restart, act), end))
                race.proof = "failed" if "failed" in restart.notes else race.proof
        found += told.values()
    return found


def _starved(cloud: Cloud) -> list[Race]:
    """Two or more waited for a network's lock that was held very long."""
    found = []
    holds = cloud.truth.spans.get("network.hold", [])
    for hold in holds:
        if hold.end is None or hold.end - hold.start <= STARVING * 1e6 or hold.notes["by"] != "implement":
            continue
        waited = {
            other.actor.family
            for other in holds
            if other.resource == hold.resource and hold.end <= other.start <= hold.end + 10e6
            and int(other.notes["asked"]) < hold.end and other.notes["by"] == "implement"
        }  # fmt: skip
        if len(waited - {hold.actor.family}) >= 2:
            found.append(Race(STARVED, frozenset((hold.resource,)), hold.start + 1, 1.0))
    return found


def _two_work_jobs(cloud: Cloud, end: int) -> list[Race]:
    """Two work jobs of one VM at once, of one request or of two."""
    found = []
    spans = sorted(cloud.truth.spans.get("work", []), key=lambda span: span.start)
    for number, first in enumerate(spans):
        for second in spans[number + 1 :]:
            is_open = (end if first.end is None else first.end) > second.start
            if second.resource == first.resource and is_open:
                race = _race(WORK, (first, second), end)
                race.proof = "failed" if first.notes.get("came") else ""
                found.append(race)
    return found


def _two_nics(cloud: Cloud) -> list[Race]:
    """A NIC was added by a request that had been taken on before the first NIC was there, which came to be."""
    found = []
    requests = [s for s in cloud.truth.spans.get("nic.request", []) if "ran" in s.notes]
    for one in requests:
        for two in requests:
            ran, then = int(one.notes["ran"]), int(two.notes["ran"])
            if one.resource == two.resource and two.start < ran < then and "there" in one.notes:
                found.append(Race(NICS, frozenset(one.resource.split("/")), then, 1.0, two.notes.get("came", "")))
    return found


def _looped(cloud: Cloud) -> list[Race]:
    """A VM was found stopped three times and more, and nothing was done about it."""
    found = []
    for vm in cloud.vms.values():
        run: list[int] = []
        for time in vm.loops:
            if run and any(run[-1] < change < time for change in vm.changes):
                run = []
            run.append(time)
            if len(run) == 3:
                is_alive = any(run[1] <= time <= run[1] + 900e6 for time in vm.left_alone)
                found.append(Race(LOOPED, frozenset((vm.key,)), run[0], 1.0, "failed" if is_alive else ""))
            if len(run) >= 3:
                found[-1] = replace(found[-1], until=time)
    return found
