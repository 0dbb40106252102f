"""Networks: implement and shutdown under the network's lock, garbage collection, restart, and the orphan clean-up."""

from __future__ import annotations

from .cloud import Cloud, Network, OperationError, Steps
from .log import Actor
from .routers import plug, start_router, stop_router, unplug
from .servers import GENERAL

EXPIRY = 1440  # minutes since its creation after which the orphan clean-up takes a network for stuck
GC_ROUND = 90.0  # seconds; the default is 600
ORPHAN_ROUND = 10.0
STRIKE = "network-cleaned-up-while-implementing"
UNDER_VM = "network-shut-down-under-running-vm"


def implement(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    """Make sure that a network is implemented, for a VM's start."""
    if network.state == "Implemented":
        cloud.say(actor, "network.implement.already", network=network.id)
        return
    asked = cloud.now
    yield network.lock
    cloud.say(actor, "lock.network.implement.acquired", network=network.id)
    hold = cloud.begin("network.hold", network.key, actor, asked=str(asked), by="implement")
    yield cloud.pause(0.001, 0.004)
    try:
        if network.state == "Implemented":
            cloud.say(actor, "network.implement.already", network=network.id)
        else:
            hold.notes["works"] = "yes"
            yield from _set_up(cloud, actor, network)
    finally:
        hold.end = cloud.now
        cloud.engine.release(network.lock)
        cloud.say(actor, "lock.network.implement.released", network=network.id)


def _set_up(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    network.state, network.implementer, network.implemented_since = "Implementing", actor, cloud.now
    try:
        cloud.say(actor, "network.implement.guru", guru="ExternalGuestNetworkGuru", network=network.id)
        yield cloud.pause(0.01, 0.06)
        cloud.say(actor, "network.implement.element", element="VirtualRouter", network=network.id)
        yield cloud.pause(0.01, 0.06)
        yield from start_router(cloud, actor, network.router)
        if network.is_vpc:
            yield from plug(cloud, actor, network.router, network)
        cloud.say(actor, "lock.network.router_startup.released", network=network.id, number=network.id)
        yield cloud.pause(0.2, 2.0)
        cloud.say(actor, "network.implement.reprogram", network=network.id)
        yield cloud.pause(0.01, 0.3)
        if network.state == "Implementing":
            network.state, network.free_rounds = "Implemented", 0
    except OperationError:
        cloud.say(actor, "network.implement.failed_cleanup", network=network.id)
        network.state = "Allocated"
        raise
    finally:
        network.implementer = None


def shut_down(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    """Shut a network down under its lock: its router stops, its VLAN is given back."""
    asked = cloud.now
    yield network.lock
    cloud.say(actor, "lock.network.shutdown.acquired", network=network.id)
    hold = cloud.begin("network.hold", network.key, actor, asked=str(asked), by="shutdown")
    span = cloud.begin("network.shutdown", network.key, actor)
    yield cloud.pause(0.001, 0.01)
    try:
        if network.state not in ("Implemented", "Shutdown"):
            cloud.say(actor, "network.shutdown.not_implemented", network=network.id)
            return
        network.state, hold.notes["works"] = "Shutdown", "yes"
        cloud.say(actor, "network.shutdown.element", element="VirtualRouter")
        if network.is_vpc:
            yield from unplug(cloud, actor, network.router, network)
        else:
            yield from stop_router(cloud, actor, network.router)
        if network.state == "Shutdown":
            network.state = "Allocated"
        yield cloud.pause(0.05, 0.3)
        cloud.say(actor, "network.shutdown.success", network=network.id)
        span.notes["done"] = "yes"
        yield cloud.pause(0.005, 0.02)
    finally:
        hold.end = span.end = cloud.now
        cloud.engine.release(network.lock)
        cloud.say(actor, "lock.network.shutdown.released", network=network.id)


def collect(cloud: Cloud, server: str) -> Steps:
    """The garbage collection of networks: what is found free twice is shut down, one network after the other."""
    looks_at_vms = cloud.log.release >= (4, 19)
    while True:
        yield GC_ROUND + cloud.between(-0.2, 0.2)
        actor = cloud.actor(server, "Network-Scavenger-1")
        cloud.say(actor, "network.gc.interval", seconds=round(GC_ROUND))
        chosen = []
        for network in cloud.networks:
            yield cloud.pause(0.001, 0.01)
            if network.state != "Implemented" or network.count:
                network.free_rounds = 0
                continue
            if looks_at_vms and any(vm.state != "Stopped" and not vm.is_gone for vm in network.vms):
                cloud.say(actor, "network.gc.not_ready", network=network.id, states="not Stopped")
                continue
            network.free_rounds += 1
            seen = cloud.now // 1_000_000
            if network.free_rounds == 1:
                cloud.say(actor, "network.gc.first_seen", network=network.id, seen=seen)
            else:
                cloud.say(actor, "network.gc.still_free", network=network.id, seen=seen)
                chosen.append(network)
        for network in chosen:
            yield cloud.pause(0.005, 0.05)
            cloud.begin("network.collection", network.key, actor)
            if network.count and not cloud.flaw(1.0):
                continue
            try:
                yield from shut_down(cloud, actor, network)
            except OperationError:
                cloud.say(actor, "network.gc.failed", network=network.id)


def clean_orphans(cloud: Cloud, server: str) -> Steps:
    """Every ten seconds: networks in Implementing without a job of their own, and created long ago, count as stuck."""
    while True:
        yield ORPHAN_ROUND
        actor = cloud.actor(server, "AsyncJobMgr-Heartbeat-1")
        cloud.say(actor, "job.gc.begin")
        stuck = [network for network in cloud.networks if network.state == "Implementing"]
        if stuck:
            cloud.say(actor, "network.orphan.scan", count=len(stuck))
        for network in stuck:
            yield cloud.pause(0.001, 0.01)
            if network.busy_jobs or network.state != "Implementing":
                continue
            if network.age <= EXPIRY:
                cloud.say(actor, "network.orphan.too_young", network=network.id, age=network.age)
                cloud.truth.missed(STRIKE)
                continue
            _strike(cloud, actor, network)
        yield cloud.pause()
        cloud.say(actor, "job.gc.end")


def _strike(cloud: Cloud, actor: Actor, network: Network) -> None:
    if network.implementer is not None and network.implementer.family != actor.family:
        margin = (cloud.now - network.implemented_since) / 1e6
        race = cloud.truth.race(STRIKE, network.key, cloud.now, margin=margin)
        race.about = (network.implementer, actor)
        network.strikes.append(race)
    else:
        cloud.truth.missed(STRIKE)
    cloud.say(
        actor, "network.orphan.found", network=network.id, created="2026-10-14T14:32:37", age=network.age,
        threshold=EXPIRY,
    )  # fmt: skip
    network.state = "Shutdown"
    cloud.say(actor, "network.orphan.transitioned", network=network.id, how="using state machine")


def restart(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    """Restart a network with clean-up, in a job about the network: its router goes down and comes up again."""
    if network.state != "Implemented":
        raise OperationError("the network is not in the right state to be restarted")
    network.busy_jobs += 1
    span = cloud.begin("network.restart", network.key, actor)
    cloud.say(actor, "network.restart.begin", network=network.id)
    try:
        yield cloud.pause(0.05, 0.3)
        yield from stop_router(cloud, actor, network.router)
        yield cloud.pause(0.05, 0.3)
        cloud.say(actor, "network.restart.implement", network=network.id, state="Implemented")
        cloud.say(actor, "network.implement.element", element="VirtualRouter", network=network.id)
        cloud.begin("network.setup", network.key, actor).end = cloud.now
        yield from start_router(cloud, actor, network.router)
    except OperationError:
        cloud.say(actor, "network.restart.failed", network=network.id)
        span.notes["failed"] = "yes"
        raise
    finally:
        network.busy_jobs -= 1
        span.end = cloud.now
    cloud.say(actor, "network.restart.success", network=network.id)


def destroy(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    """Delete a network without VMs: shut it down, then clean up what belongs to it, no longer under its lock."""
    if network.state == "Implementing":
        cloud.say(actor, "network.destroy.bad_state", state=network.state)
        raise OperationError("the network is in the wrong state")
    yield from shut_down(cloud, actor, network)
    yield cloud.pause(0.1, 1.0)
    cloud.say(actor, "network.destroy.element", element="VirtualRouter")
    yield cloud.pause(0.1, 1.0)
    holder = network.lock.holder
    hold = next((s for s in cloud.truth.spans.get("network.hold", []) if s.resource == network.key and not s.end), None)
    if holder is not None and hold is not None and hold.actor.family != actor.family:
        cloud.truth.race(GENERAL, network.key, cloud.now, margin=(cloud.now - hold.start) / 1e6)
    network.state = "Destroyed"
    cloud.say(actor, "network.destroy.success", network=network.id)


def update(cloud: Cloud, actor: Actor, network: Network) -> Steps:
    """Implement a network for its own sake, in a job about the network."""
    network.busy_jobs += 1
    try:
        if network.state == "Allocated":
            cloud.say(actor, "network.update.implement", network=network.id)
            yield from implement(cloud, actor, network)
    finally:
        network.busy_jobs -= 1
