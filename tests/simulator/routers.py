"""Routers: started by whoever needs one, stopped by jobs, given NICs for the tiers of a VPC."""

from __future__ import annotations

from .cloud import Cloud, Network, OperationError, Steps, Vm
from .jobs import api_job, command, work_job
from .log import Actor
from .truth import Span

SLOW_BOOT = (125.0, 170.0)
BOOT = (12.0, 36.0)


def start_router(cloud: Cloud, actor: Actor, router: Vm) -> Steps:
    """Start a router on the actor's own thread, past the router's queue, if it seems to be stopped."""
    if router.state == "Running":
        return
    if router.state != "Stopped":
        cloud.say(actor, "router.wait_up", vm=router.id)
        yield from _await(cloud, router)
        return
    # What was read a moment ago is what is acted on.
    if cloud.flaw(0.5):
        yield cloud.pause(0.005, 0.4)
    cloud.say(actor, "router.start", vm=router.id)
    span = cloud.begin("router.start", router.key, actor)
    yield cloud.pause(0.005, 0.05)
    # Work in another VM's job is noted in the queue of the router too.
    router.pending += 1
    try:
        if router.state == "Stopped":
            yield from _boot(cloud, actor, router, span)
        else:
            yield from _follow(cloud, actor, router, span)
    finally:
        router.pending -= 1
        span.end = cloud.now


def _boot(cloud: Cloud, actor: Actor, router: Vm, span: Span) -> Steps:
    cloud.transition(actor, router, "Starting", "StartRequested", "Stopped")
    cloud.say(actor, "vm.start.requested", vm=router.id)
    yield cloud.pause(0.1, 0.5)
    cloud.say(actor, "vm.start.deployment", vm=router.id, attempt=1)
    try:
        boot = SLOW_BOOT if cloud.flaw(0.03) else BOOT
        yield from command(cloud, actor, router.host, "StartCommand", *boot, vm=router)
        cloud.lose_start(actor, router)
    except OperationError:
        cloud.clean_up(actor, router)
        router.host.domains.discard(router.id)
        cloud.say(actor, "vm.cleanup.done", vm=router.id, state=router.state)
        cloud.transition(actor, router, "Stopped", "OperationFailed")
        cloud.say(actor, "router.start_failed", vm=router.id, state=router.state)
        span.notes["came"] = "failed"
        raise
    router.host.domains.add(router.id)
    yield cloud.pause(0.02, 0.4)
    cloud.transition(actor, router, "Running", "OperationSucceeded", "Starting")
    cloud.say(actor, "vm.start.completed", vm=router.id)


def _follow(cloud: Cloud, actor: Actor, router: Vm, span: Span) -> Steps:
    """Somebody else got hold of the router first."""
    if router.state == "Starting" and cloud.chance(0.7):
        span.notes["came"] = "avoided"
        cloud.say(actor, "vm.start.retry_reason", vm=router.id, retry=1)
        yield from _await(cloud, router)
        cloud.say(actor, "vm.start.already", vm=router.id)
        return
    if router.state == "Running":
        span.notes["came"] = "avoided"
        cloud.say(actor, "vm.start.already", vm=router.id)
        return
    span.notes["came"] = "failed"
    cloud.say(actor, "router.start_failed", vm=router.id, state=router.state)
    raise OperationError(f"the router is {router.state}")


def _await(cloud: Cloud, router: Vm) -> Steps:
    for _ in range(100):
        if router.state == "Running":
            return
        yield 2.0
    raise OperationError("the router did not come up")


def stop_router(cloud: Cloud, actor: Actor, router: Vm) -> Steps:
    """Stop a router by a job in its queue."""
    if router.state != "Running":
        return
    cloud.say(actor, "router.stop", vm=router.id)

    def work(worker: Actor) -> Steps:
        cloud.transition(worker, router, "Stopping", "StopRequested", "Running")
        yield from command(cloud, worker, router.host, "StopCommand", 0.8, 3.0, vm=router)
        router.host.domains.discard(router.id)
        cloud.say(worker, "vm.stop.on_host_done", vm=router.id)
        yield cloud.pause(0.05, 0.2)
        cloud.transition(worker, router, "Stopped", "OperationSucceeded", "Stopping")
        router.devices.clear()

    yield from work_job(cloud, actor, router, "Stop", work)


def request_start(cloud: Cloud, server: str, router: Vm) -> Steps:
    """A request to start a router that is stopped."""

    def work(actor: Actor) -> Steps:
        yield from work_job(cloud, actor, router, "Start", lambda worker: start_router(cloud, worker, router))

    if router.state == "Stopped":
        yield from api_job(cloud, server, "admin.router.StartRouterCmd", {"vm": router.id}, work)


def plug(cloud: Cloud, actor: Actor, router: Vm, network: Network) -> Steps:
    """Give the router of a VPC a NIC in one more of its tiers, unless it has one."""
    if network.id in router.devices.values():
        return
    cloud.say(actor, "vm.nic.add", vm=router.id, network=network.id)
    span = cloud.begin("nic.plug", router.key, actor)
    device = max(router.devices, default=-1) + 1
    try:
        yield from command(cloud, actor, router.host, "PlugNicCommand", 0.6, 4.0, vm=router)
        if device in router.devices:
            span.notes["came"] = "failed"
            cloud.say(actor, "vm.nic.plug_failed", vm=router.id, network=network.id)
            raise OperationError(f"device {device} is in use")
        router.devices[device] = network.id
        cloud.say(actor, "vm.nic.plugged", vm=router.id, network=network.id)
    finally:
        span.end = cloud.now


def unplug(cloud: Cloud, actor: Actor, router: Vm, network: Network) -> Steps:
    """Take the NIC in one tier from the router of a VPC."""
    device = next((number for number, other in router.devices.items() if other == network.id), None)
    if device is not None and router.state == "Running":
        cloud.say(actor, "vm.nic.unplug", vm=router.id, network=network.id)
        yield from command(cloud, actor, router.host, "UnPlugNicCommand", 0.6, 2.0, vm=router)
        cloud.say(actor, "vm.nic.unplugged", vm=router.id, network=network.id)
        router.devices.pop(device, None)
