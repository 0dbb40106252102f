"""Console proxies and secondary storage VMs: destroyed by request, started again by the scan of their zone."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cloud import Cloud, OperationError, Steps, Vm
from .jobs import api_job, command, work_job
from .log import Actor
from .machines import new_vm, run_stop
from .truth import Race

SCAN_ROUND = 30.0
ZONE = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the two kinds of system VM: its role, what its lines are called, its thread, the rule about it."""

    role: str
    prefix: str
    thread: str
    rule: str


PROXY = Kind("ConsoleProxy", "cpvm", "consoleproxy-1", "console-proxy-restarted-while-destroying")
STORAGE = Kind(
    "SecondaryStorageVm", "ssvm", "secstorage-1", "secondary-storage-vm-restarted-while-destroying"
)  # fmt: skip


@dataclass(slots=True)
class Fleet:
    """The VMs of one kind in the zone, of which so many should run, and the races about them that are not decided."""

    kind: Kind
    vms: list[Vm] = field(default_factory=list)
    wanted: int = 2
    open_races: dict[int, Race] = field(default_factory=dict)


def destroy(cloud: Cloud, server: str, fleet: Fleet, vm: Vm, lag: tuple[float, float] = (0.01, 2.2)) -> Steps:
    """A request to destroy a system VM: stopped in a job of its own, then, `lag` seconds later, expunged."""

    def work(actor: Actor) -> Steps:
        vm.destroyer = actor
        try:
            if vm.state == "Running":
                yield from work_job(cloud, actor, vm, "Stop", lambda worker: run_stop(cloud, worker, vm))
            yield cloud.between(*lag)
            yield from _expunge(cloud, actor, fleet, vm)
        finally:
            vm.destroyer = None

    if vm.state == "Running" and vm.destroyer is None:
        yield from api_job(cloud, server, "admin.systemvm.DestroySystemVmCmd", {"vm": vm.id}, work)


def _expunge(cloud: Cloud, actor: Actor, fleet: Fleet, vm: Vm) -> Steps:
    if vm.state != "Stopped":
        cloud.say(actor, "vm.expunge.bad_state", vm=vm.id)
        if vm.id in fleet.open_races:
            fleet.open_races.pop(vm.id).proof = "failed"
        raise OperationError("Unable to expunge the VM")
    cloud.transition(actor, vm, "Expunging", "ExpungeOperation", "Stopped")
    cloud.say(actor, "vm.expunge.begin", vm=vm.id)
    yield cloud.between(0.3, 2.0)
    vm.state = "Expunged"
    cloud.say(actor, "vm.expunge.done", vm=vm.id)
    fleet.vms.remove(vm)


def scan(cloud: Cloud, server: str, fleet: Fleet) -> Steps:
    """Every half minute: if the zone lacks a running VM, start a stopped one or make a new one."""
    while True:
        yield SCAN_ROUND + cloud.between(-0.3, 0.3)
        yield from look(cloud, server, fleet)


def look(cloud: Cloud, server: str, fleet: Fleet, *, is_blind: bool = False) -> Steps:
    """One scan; `is_blind`: it surely does not see that a VM is being destroyed."""
    kind = fleet.kind
    actor = cloud.actor(server, kind.thread)
    if kind is PROXY and any(vm.state in ("Starting", "Migrating") for vm in fleet.vms):
        cloud.say(actor, "cpvm.scan.transition", zone=ZONE, count=1)
        cloud.truth.missed(kind.rule)
        return
    if kind is STORAGE and any(vm.state == "Stopping" for vm in fleet.vms):
        cloud.say(actor, "ssvm.scan.stopping")
        cloud.truth.missed(kind.rule)
        return
    if any(vm.destroyer is not None for vm in fleet.vms) and not is_blind and not cloud.flaw(0.9):
        cloud.truth.missed(kind.rule)
        return
    ready = "cpvm.scan.zone_ready" if kind is PROXY else "ssvm.zone_ready"
    cloud.say(actor, ready, zone=ZONE)
    if sum(vm.state in ("Running", "Starting") for vm in fleet.vms) >= fleet.wanted:
        return
    yield cloud.pause(0.005, 0.03)
    cloud.say(actor, f"{kind.prefix}.alloc.begin", zone=ZONE)
    yield from _allocate(cloud, actor, fleet)


def _allocate(cloud: Cloud, actor: Actor, fleet: Fleet) -> Steps:
    prefix = fleet.kind.prefix
    vm = next((v for v in fleet.vms if v.state == "Stopped"), None)
    if vm is None:
        cloud.say(actor, f"{prefix}.alloc.none_stopped")
        vm = new_vm(cloud, [], fleet.kind.role)
        fleet.vms.append(vm)
    else:
        if vm.destroyer is not None and vm.destroyer.family != actor.family:
            fleet.open_races[vm.id] = cloud.truth.race(fleet.kind.rule, vm.key, cloud.now)
        cloud.say(actor, f"{prefix}.alloc.found_stopped", vm=vm.id)
    yield cloud.pause(0.005, 0.02)
    chosen = vm
    try:
        yield from work_job(cloud, actor, chosen, "Start", lambda worker: _run_start(cloud, worker, chosen))
    except OperationError as error:
        reason = f"Unable to start a VM due to [{error}]"
        cloud.say(actor, f"{prefix}.start.failed", vm=chosen.id, reason=reason)
        cloud.say(actor, f"{prefix}.alloc.recycle", vm=chosen.id)
        if chosen.id in fleet.open_races:
            fleet.open_races.pop(chosen.id).proof = "recovered"
        return
    cloud.say(actor, f"{prefix}.alloc.started", vm=chosen.id)


def _run_start(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    if vm.state != "Stopped":
        raise OperationError(f"Cannot start VM in {vm.state} state")
    cloud.transition(actor, vm, "Starting", "StartRequested", "Stopped")
    cloud.say(actor, "vm.start.requested", vm=vm.id)
    yield cloud.pause(0.1, 0.5)
    cloud.say(actor, "vm.start.deployment", vm=vm.id, attempt=1)
    try:
        yield from command(cloud, actor, vm.host, "StartCommand", 8.0, 26.0, vm=vm)
        cloud.lose_start(actor, vm)
    except OperationError:
        cloud.clean_up(actor, vm)
        vm.host.domains.discard(vm.id)
        cloud.say(actor, "vm.cleanup.done", vm=vm.id, state=vm.state)
        cloud.transition(actor, vm, "Stopped", "OperationFailed")
        raise
    vm.host.domains.add(vm.id)
    cloud.transition(actor, vm, "Running", "OperationSucceeded", "Starting")
    cloud.say(actor, "vm.start.completed", vm=vm.id)
