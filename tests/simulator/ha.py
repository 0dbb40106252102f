"""High availability: work that is scheduled when a VM is found dead, and done a while later."""

from __future__ import annotations

from .cloud import Cloud, OperationError, Steps, Vm
from .jobs import work_job
from .log import Actor

USER_STOP = "ha-overrode-user-stop"


def schedule(cloud: Cloud, actor: Actor, vm: Vm) -> None:
    """Note down that a VM is to be restarted."""
    number = cloud.next_id()
    cloud.say(actor, "ha.scheduled", work=number, work__vm=vm.id)
    cloud.engine.spawn(_work(cloud, actor.server, number, vm, vm.version), cloud.between(1, 12))


def _work(cloud: Cloud, server: str, number: int, vm: Vm, version: int) -> Steps:
    thread = cloud.servers[server].pool("HA-Worker").take()
    actor = cloud.actor(server, thread)
    cloud.say(actor, "ha.work.begin", work=number, work__vm=vm.id)
    cloud.say(actor, "ha.on", vm=vm.id)
    try:
        if vm.version != version or vm.is_gone:
            cloud.say(actor, "ha.changed", vm=vm.id, state=vm.state, old_state="Running")
            cloud.truth.missed(USER_STOP)
            return
        yield cloud.between(1, 15)
        if any(vm.id in host.domains for host in cloud.hosts):
            cloud.say(actor, "ha.investigator.alive", investigator="KVMInvestigator", vm=vm.id, alive="true")
            cloud.say(actor, "ha.alive_no_restart", vm=vm.id)
            vm.left_alone.append(cloud.now)
            return
        cloud.say(actor, "ha.fencing")
        yield cloud.between(0.5, 8)
        yield from _restart(cloud, actor, vm)
    finally:
        cloud.say(actor, "ha.work.completed", work=number, work__vm=vm.id)
        cloud.servers[server].pool("HA-Worker").give(thread)


def _restart(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    from .machines import run_force_stop, run_start

    stopped: list[int] = []

    def work(worker: Actor) -> Steps:
        if vm.stopped_by_user is not None and vm.state == "Stopped":
            stopped.append(vm.stopped_by_user)
        if vm.state == "Running" and not any(vm.id in host.domains for host in cloud.hosts):
            yield from run_force_stop(cloud, worker, vm)
        yield from run_start(cloud, worker, vm)

    try:
        yield from work_job(cloud, actor, vm, "Start", work)
    except OperationError as error:
        cloud.say(actor, "ha.unable_restart", vm=vm.id, reason=error)
        return
    if stopped:
        cloud.truth.race(USER_STOP, vm.key, cloud.now).proof = "failed"
        vm.stopped_by_user = None
    cloud.say(actor, "ha.restarted", vm=vm.id, host=vm.host.id)
