"""Management servers that stop and start again, and peers that take each other for dead."""

from __future__ import annotations

from collections.abc import Callable

from .cloud import Cloud, Steps
from .engine import Lock
from .log import Actor
from .truth import Race

CUT = "work-cut-off-by-restart"
VOLUME_CUT = "volume-stuck-in-transition"
SNAPSHOT_CUT = "snapshot-stuck-backing-up"
GENERAL = "changed-under-anothers-lock"
IN_TRANSITION = ("Starting", "Stopping", "Migrating")


def restart(cloud: Cloud, name: str, begin: Callable[[str], None]) -> Steps:
    """A server goes down, in order or not, and comes up again; `begin` sets its tasks going."""
    is_crash = cloud.chance(0.4)
    main = cloud.actor(name, "main")
    if not is_crash:
        cloud.say(main, "ms.components.stopping")
        cloud.say(main, "ms.cluster.stopping", ms=cloud.servers[name].msid)
        cloud.say(main, "ms.cluster.stopped")
    cut = _kill(cloud, name)
    yield cloud.between(15, 50)
    main = cloud.actor(name, "main")
    cloud.say(main, "ms.server_daemon")
    if is_crash and cloud.log.prints("ms.server_daemon"):
        _put_right_meanwhile(cloud, cut)
    yield cloud.between(3, 9)
    if is_crash and not cloud.log.prints("ms.server_daemon"):
        _put_right_meanwhile(cloud, cut)
    cloud.say(main, "ms.components.configuring")
    yield cloud.between(1, 4)
    cloud.say(main, "ms.components.starting")
    cloud.say(main, "lock.ms_cleanup.start", ms=cloud.servers[name].msid)
    cloud.say(main, "lock.ms_cleanup.done", ms=cloud.servers[name].msid, count=3)
    yield from clean_up(cloud, main, name, cut)
    cloud.say(main, "ms.components.started")
    yield cloud.between(1, 5)
    cloud.servers[name].is_up = True
    begin(name)
    for race in cut:
        if race.rule == SNAPSHOT_CUT and cloud.chance(0.5):
            cloud.engine.spawn(_try_delete(cloud, name, race), cloud.between(5, 60), name)


def _put_right_meanwhile(cloud: Cloud, cut: list[Race]) -> None:
    """Forget what a crash cut off and a power report has put right before the server is heard of again."""
    for race in [race for race in cut if race.rule == CUT]:
        vm = next((v for v in cloud.vms.values() if v.key in race.resources), None)
        if vm is not None and vm.changes[-1] > race.at:
            cut.remove(race)
            cloud.truth.races.remove(race)


def _kill(cloud: Cloud, name: str) -> list[Race]:
    """End everything on a server. Gives what was cut off by that."""
    cut: dict[str, Race] = {}

    def note(rule: str, key: str, *also: str) -> None:
        if f"{rule} {key}" not in cut:
            cut[f"{rule} {key}"] = cloud.truth.race(rule, key, cloud.now, *also)

    for kind, spans in cloud.truth.spans.items():
        for span in spans:
            if span.actor.server != name or span.end is not None:
                continue
            if kind == "network.hold" or (kind == "vm.transition" and span.notes["state"] in IN_TRANSITION):
                note(CUT, span.resource)
            elif kind == "volume.work" and span.notes["verb"] == "TakeVolumeSnapshot":
                note(SNAPSHOT_CUT, span.resource, f"snapshot:{span.notes['snapshot']}")
            elif kind == "volume.work":
                note(VOLUME_CUT, span.resource)
            # A state stays what it is; whatever was being done ends here.
            if kind not in ("vm.transition", "network.use", "address"):
                span.end = cloud.now
    cloud.engine.kill(name)
    cloud.servers[name].is_up = False
    for lock in _locks(cloud):
        if lock.holder is not None and not lock.holder.is_alive:
            cloud.engine.release(lock)
    _forget(cloud, name)
    return list(cut.values())


def _forget(cloud: Cloud, name: str) -> None:
    cloud.servers[name].pools.clear()
    for job in list(cloud.jobs.values()):
        if job.server == name:
            job.vm.pending -= 1
            del cloud.jobs[job.number]
            cloud.running.pop(job.number, None)
    for place, copies in cloud.mounts.items():
        cloud.mounts[place] = {number: copy for number, copy in copies.items() if copy[1] != name}
    for network in cloud.networks:
        if network.implementer is not None and network.implementer.server == name:
            network.implementer = None
        network.busy_jobs = 0
    for vm in cloud.vms.values():
        vm.destroyer = None if vm.destroyer is None or vm.destroyer.server == name else vm.destroyer
        vm.starting = None if vm.starting is None or vm.starting.server == name else vm.starting
    for host in cloud.hosts:
        if host.server == name:
            host.pending.clear()
            host.status, host.connecting, host.disconnecting, host.in_transfer = "Up", None, None, False


def _locks(cloud: Cloud) -> list[Lock]:
    found = [network.lock for network in cloud.networks] + [vm.queue for vm in cloud.vms.values()]
    return found + [host.join_lock for host in cloud.hosts] + [copy.lock for copy in cloud.copies.values()]


def clean_up(cloud: Cloud, actor: Actor, name: str, cut: list[Race]) -> Steps:
    """Cancel the jobs that a server left over; from 4.19 on, put back what they were about."""
    left = sorted((job, about) for job, (server, about) in cloud.requests.items() if server == name)
    for job, about in left:
        del cloud.requests[job]
        yield cloud.pause(0.001, 0.01)
        cloud.say(actor, "job.restart.cancel", job=job)
        if cloud.log.release >= (4, 19):
            for kind, number in about.items():
                _put_back(cloud, actor, kind, int(str(number)), cut)
        cloud.say(actor, "job.restart.purge", job=job)


def _put_back(cloud: Cloud, actor: Actor, kind: str, number: int, cut: list[Race]) -> None:
    if kind == "network":
        network = next(n for n in cloud.networks if n.id == number)
        if network.state in ("Implementing", "Shutdown"):
            network.state = "Allocated"
            cloud.say(actor, "job.cleanup.network", network=number)
            _prove(cut, (CUT,), network.key)
            return
    if kind == "vm":
        vm = cloud.vms[number]
        if vm.state in IN_TRANSITION:
            vm.state = "Stopped"
            cloud.say(actor, "job.cleanup.vm", vm=number)
            _prove(cut, (CUT,), vm.key)
            return
    if kind == "volume" and any(f"volume:{number}" in race.resources for race in cut):
        cloud.say(actor, "job.cleanup.volume", volume=number, volume__vm=1)
        _prove(cut, (CUT, VOLUME_CUT), f"volume:{number}")
        return
    cloud.say(actor, f"job.cleanup.{kind}_skip", **{kind: number})


def _prove(cut: list[Race], rules: tuple[str, ...], key: str) -> None:
    for race in cut:
        if race.rule in rules and key in race.resources:
            race.proof = "recovered"


def _try_delete(cloud: Cloud, server: str, race: Race) -> Steps:
    snapshot = next(key for key in race.resources if key.startswith("snapshot:"))
    actor = cloud.actor(server, "API-Job-Executor-99")
    yield cloud.pause()
    race.proof = "failed"
    cloud.say(actor, "snapshot.delete.stuck", snapshot=snapshot.partition(":")[2], snapshot__volume=1)


def lose_sight(cloud: Cloud, name: str, other: str) -> Steps:
    """A server takes another one for dead, which is alive and at work, and cleans up after its jobs.

    Before 4.19 jobs are cancelled only, and what they were about stays as it is (races.md, R4).
    """
    while True:
        yield cloud.between(60, 300)
        actor = cloud.actor(name, "Cluster-Notification-1")
        cloud.say(actor, "ms.cluster.node_left", ms=cloud.servers[other].msid)
        for _, (server, about) in sorted(cloud.requests.items()):
            if server != other or "network" not in about or cloud.log.release < (4, 19):
                continue
            yield cloud.pause()
            network = next(n for n in cloud.networks if n.id == about["network"])
            if network.state not in ("Implementing", "Shutdown"):
                continue
            holds = [s for s in cloud.truth.spans.get("network.hold", []) if s.resource == network.key and not s.end]
            if holds:
                margin = (cloud.now - holds[0].start) / 1e6
                cloud.truth.race(GENERAL, network.key, cloud.now, margin=margin)
            network.state = "Allocated"
            cloud.say(actor, "job.cleanup.network", network=network.id)
