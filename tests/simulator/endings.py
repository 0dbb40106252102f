"""How VMs end: destroyed, recovered, and expunged by request or by the scavenger, which know nothing of each other."""

from __future__ import annotations

from .cloud import Cloud, OperationError, Steps, Vm
from .engine import SECOND
from .jobs import api_job
from .log import Actor

OVERLAPPED = "expunge-overlapped"
SCAVENGE_ROUND = 60.0


def destroy(cloud: Cloud, server: str, vm: Vm) -> Steps:
    """A request to destroy a VM, which may ask for its expunge at once."""
    at_once = cloud.flaw(0.4)

    def work(actor: Actor) -> Steps:
        cloud.say(actor, "vm.destroy", vm=vm.id, expunge="true" if at_once else "false")
        yield cloud.pause(0.05, 0.5)
        cloud.transition(actor, vm, "Destroyed", "DestroyRequested", "Stopped")
        if at_once:
            yield from expunge(cloud, actor, vm)

    if vm.state == "Stopped" and not vm.pending:
        yield from api_job(cloud, server, "user.vm.DestroyVMCmd", {"vm": vm.id}, work)


def request_expunge(cloud: Cloud, server: str, vm: Vm) -> Steps:
    """A request to expunge a VM that is destroyed."""

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        yield from expunge(cloud, actor, vm)

    yield from api_job(cloud, server, "admin.vm.ExpungeVMCmd", {"vm": vm.id}, work)


def expunge(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    """Expunge a VM; one that is being expunged may be expunged once more."""
    if vm.state not in ("Destroyed", "Expunging"):
        raise OperationError(f"the VM is {vm.state}")
    yield cloud.pause(0.02, 0.4)
    if vm.state == "Destroyed":
        cloud.transition(actor, vm, "Expunging", "ExpungeOperation")
    _break_in(cloud, actor, vm)
    cloud.say(actor, "vm.expunge.begin", vm=vm.id)
    span = cloud.begin("vm.expunge", vm.key, actor)
    yield cloud.between(1.0, 8.0)
    vm.state = "Expunged"
    for nic in vm.nics:
        cloud.say(actor, "nic.removed", nic=nic.id, nic__vm=vm.id)
    span.end = cloud.now
    cloud.say(actor, "vm.expunge.done", vm=vm.id)


def recover(cloud: Cloud, server: str, vm: Vm) -> Steps:
    """A request to have a destroyed VM back; its state is read first and written a moment later."""

    def work(actor: Actor) -> Steps:
        if vm.state != "Destroyed":
            raise OperationError(f"the VM is {vm.state}")
        yield cloud.pause(0.05, 1.5)
        _break_in(cloud, actor, vm)
        cloud.say(actor, "vm.user.recover", vm=vm.id)
        yield cloud.pause()
        cloud.transition(actor, vm, "Stopped", "RecoveryRequested", "Destroyed")

    yield from api_job(cloud, server, "user.vm.RecoverVMCmd", {"vm": vm.id}, work)


def _break_in(cloud: Cloud, actor: Actor, vm: Vm) -> None:
    spans = [s for s in cloud.truth.spans.get("vm.expunge", []) if s.resource == vm.key and s.end is None]
    for span in spans:
        if span.actor.family != actor.family:
            cloud.truth.race(OVERLAPPED, vm.key, cloud.now, margin=(cloud.now - span.start) / SECOND)


def scavenge(cloud: Cloud, server: str) -> Steps:
    """Every minute: expunge what was destroyed."""
    while True:
        yield SCAVENGE_ROUND
        actor = cloud.actor(server, "UserVm-Scavenger-1")
        found = [vm for vm in cloud.vms.values() if vm.role == "User" and vm.state == "Destroyed"]
        cloud.say(actor, "vm.user.expunge_scan", count=len(found))
        for vm in found:
            if vm.state != "Destroyed" and not cloud.flaw(1.0):
                continue
            try:
                yield from expunge(cloud, actor, vm)
            except OperationError:
                cloud.say(actor, "vm.user.expunge_failed", vm=vm.id)


def end(cloud: Cloud, server: str) -> Steps:
    """Users destroy VMs, and some of them think better of it."""
    while True:
        yield cloud.between(15, 60)
        stopped = [v for v in cloud.vms.values() if v.role == "User" and v.state == "Stopped" and not v.pending]
        if len(stopped) > 6:
            yield from destroy(cloud, server, cloud.dice.choice(stopped))
        destroyed = [v for v in cloud.vms.values() if v.role == "User" and v.state in ("Destroyed", "Expunging")]
        if destroyed and cloud.flaw(0.6):
            what = recover if cloud.chance(0.4) else request_expunge
            cloud.engine.spawn(what(cloud, server, cloud.dice.choice(destroyed)), cloud.between(0, 6), server)
