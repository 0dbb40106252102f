"""Power reports: what each host says of its VMs, and what becomes of the state without any lock."""

from __future__ import annotations

from .cloud import STARTING, Cloud, Host, Steps, Vm
from .engine import SECOND
from .ha import schedule
from .log import Actor
from .machines import release
from .truth import Race

PING_ROUND = 30.0
GRACE = 2 * PING_ROUND
MOVED = "migrated-vm-stopped-by-power-sync"
SEEN_LATER = "running-vm-stopped-by-power-sync"
FLAW = 0.08  # how often a job in the queue of a VM is overlooked


def ping(cloud: Cloud, host: Host) -> Steps:
    """A host tells its VMs every half minute, to the server that it is connected to at the moment."""
    while True:
        yield PING_ROUND + cloud.between(-0.5, 0.5)
        if host.status == "Up" and cloud.servers[host.server].is_up:
            cloud.engine.spawn(report(cloud, host), server=host.server)


def report(cloud: Cloud, host: Host) -> Steps:
    """One report: who runs, who is missing."""
    actor = cloud.handler(host)
    shown = {v.id for v in cloud.vms.values() if v.id in host.domains and v.id not in cloud.hidden}
    # Each release writes one of the two.
    cloud.say(actor, "vm.power.report_begin", host=host.id, records=len(shown))
    cloud.say(actor, "vm.power.report_listed", host=host.id, records=len(shown))
    for number in sorted(shown):
        vm = cloud.vms[number]
        vm.seen[host.id] = cloud.now
        cloud.say(actor, "vm.power.per_vm", host=host.id, vm=vm.id, power_state="PowerOn")
        _is_seen(cloud, vm, host)
        yield cloud.pause(0.0005, 0.002)
        yield from _is_on(cloud, actor, vm, host)
    for vm in [v for v in cloud.vms.values() if v.host is host and v.state in ("Running", "Starting")]:
        if vm.id not in shown and host.id in vm.seen:
            yield cloud.pause(0.0005, 0.002)
            yield from _is_missing(cloud, actor, vm, host)
    cloud.say(actor, "vm.power.report_end", host=host.id)


def _is_on(cloud: Cloud, actor: Actor, vm: Vm, host: Host) -> Steps:
    if vm.state == "Running":
        # A VM that moved by itself is written down at its new host, if that works out.
        if vm.host is not host and not vm.pending and vm.id not in cloud.unfollowed:
            cloud.say(actor, "vm.power.oob_migration", source=vm.host.id, host=host.id)
            vm.host = host
        return
    if vm.state not in ("Starting", "Stopped"):
        return
    if vm.pending and not cloud.flaw(FLAW):
        cloud.say(actor, "vm.power.pending_job", vm=vm.id)
        cloud.truth.missed(STARTING)
        return
    cloud.say(actor, "vm.power.on_report", vm=vm.id, state=vm.state)
    _strike(cloud, vm, actor)
    yield cloud.pause(0.002, 0.02)
    if vm.state in ("Starting", "Stopped"):
        # Whoever changes the VM in between takes it over: what a report does to it then puts nothing right.
        race = vm.stopped_by_sync
        if race is not None:
            race.proof = "recovered"
        cloud.transition(actor, vm, "Running", "FollowAgentPowerOnReport")
        vm.host = host
        cloud.say(actor, "vm.power.synced_running", vm=vm.id)


def _is_missing(cloud: Cloud, actor: Actor, vm: Vm, host: Host) -> Steps:
    cloud.say(actor, "vm.power.missing", host=host.id, vm=vm.id, power_state="PowerReportMissing", last_update=1)
    silent = cloud.now - vm.seen[host.id]
    if silent < GRACE * SECOND:
        cloud.say(actor, "vm.power.grace_not_passed", vm=vm.id, milliseconds=silent // 1000)
        cloud.truth.missed(MOVED)
        return
    cloud.say(actor, "vm.power.grace_passed", vm=vm.id, milliseconds=silent // 1000)
    yield cloud.pause(0.001, 0.01)
    if vm.pending and not cloud.flaw(FLAW):
        cloud.say(actor, "vm.power.pending_job", vm=vm.id)
        return
    if vm.is_ha and vm.state == "Running":
        cloud.say(actor, "vm.power.oob_stop_ha", vm=vm.id)
        vm.loops.append(cloud.now)
        schedule(cloud, actor, vm)
        return
    cloud.say(actor, "vm.power.off_report", vm=vm.id, state=vm.state)
    _strike(cloud, vm, actor)
    yield cloud.pause(0.001, 0.01)
    for nic in vm.nics:
        release(cloud, actor, vm, nic)
    if vm.state in ("Running", "Starting"):
        cloud.transition(actor, vm, "Stopped", "FollowAgentPowerOffReport")
        _stop_running(cloud, vm, host)
        cloud.say(actor, "vm.power.synced_stopped", vm=vm.id)


def _stop_running(cloud: Cloud, vm: Vm, host: Host) -> None:
    """A VM was taken for stopped, which may run on another host, and be known to."""
    homes = [other for other in cloud.hosts if other is not host and vm.id in other.domains]
    if any(vm.seen.get(home.id, -1) > vm.seen[host.id] for home in homes):
        vm.stopped_by_sync = cloud.truth.race(MOVED, vm.key, cloud.now)
    elif homes:
        # Until its new host reports it nobody can know that it runs.
        vm.stopped_by_sync = Race(SEEN_LATER, frozenset((vm.key,)), cloud.now, 1.0)
    else:
        vm.stopped_by_sync = None
        cloud.truth.missed(MOVED)


def _is_seen(cloud: Cloud, vm: Vm, host: Host) -> None:
    race = vm.stopped_by_sync
    if race is not None and race not in cloud.truth.races and vm.state == "Stopped" and host is not vm.host:
        cloud.truth.races.append(race)


def _strike(cloud: Cloud, vm: Vm, actor: Actor) -> None:
    """A report is acted on: into the VM's own start, if its command is under way."""
    for flight in vm.commands:
        if flight.end is None and flight.actor.family != actor.family:
            vm.struck[flight.actor.family] = cloud.now


def crash(cloud: Cloud, vm: Vm) -> None:
    """The VM dies on its host by itself."""
    for host in cloud.hosts:
        host.domains.discard(vm.id)


def move(cloud: Cloud, vm: Vm) -> None:
    """The VM moves to another host by itself, as clusters of hypervisors do."""
    others = [host for host in cloud.hosts if host is not vm.host and host.status == "Up"]
    if others and vm.id in vm.host.domains:
        vm.host.domains.discard(vm.id)
        cloud.dice.choice(others).domains.add(vm.id)
        if cloud.chance(0.5):
            cloud.unfollowed.add(vm.id)


def trouble(cloud: Cloud) -> Steps:
    """Now and then a VM dies or moves, or a host fails to report one that runs."""
    while True:
        yield cloud.between(8, 40)
        running = [v for v in cloud.vms.values() if v.role == "User" and v.state == "Running" and not v.pending]
        if not running:
            continue
        vm = cloud.dice.choice(running)
        kind = cloud.dice.random()
        if kind < 0.4:
            move(cloud, vm)
        elif kind < 0.8:
            crash(cloud, vm)
        elif vm.is_ha:
            cloud.hidden.add(vm.id)
