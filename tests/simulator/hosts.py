"""Hosts: agents that are lost and come back, and hosts that move from one management server to another."""

from __future__ import annotations

from .cloud import Cloud, Host, Steps
from .engine import SECOND
from .log import Actor
from .truth import Race, Span

OVERLAP = "host-connect-overlapped-disconnect"
AROUND = "host-connected-while-disconnecting"


def lose(cloud: Cloud, host: Host) -> Steps:
    """An agent is lost and comes back: its new connection may begin before the old one is taken down."""
    if host.status != "Up" or host.in_transfer:
        return
    host.status = "Disconnected"
    for number, answered in sorted(host.pending.items()):
        cloud.say(cloud.handler(host), "cmd.disconnect", command=number, listener="a waiting thread")
        cloud.engine.fire(answered, None)
    host.pending.clear()
    cloud.engine.spawn(_disconnect(cloud, host))
    yield cloud.between(0.5, 14.0)
    yield from _connect(cloud, host)


def _disconnect(cloud: Cloud, host: Host) -> Steps:
    thread = cloud.servers[host.server].pool("AgentTaskPool").take()
    actor = cloud.actor(host.server, thread)
    if _has_lock(cloud):
        yield host.join_lock
        cloud.say(actor, "lock.host_join.acquired", host=host.id, what="disconnection")
    cloud.say(actor, "host.disconnecting", host=host.id, trigger="AgentDisconnected")
    host.disconnecting = cloud.begin("host.disconnect", f"host:{host.id}", actor)
    race = _strike(cloud, host, actor)
    yield cloud.between(0.05, 7.0)
    cloud.say(actor, "host.deregister_link", host=host.id, next_status="Alert")
    race = _strike(cloud, host, actor) or race or _around(cloud, actor)
    host.disconnecting.end = cloud.now
    host.disconnecting = None
    yield cloud.pause()
    if race is not None and cloud.chance(0.6):
        race.proof = "failed"
        cloud.say(actor, "host.transit_failed", host=host.id, host__name=f"kvm{host.id}", reason="AgentDisconnected")
    elif host.status == "Disconnected":
        host.status = "Alert"
    if _has_lock(cloud):
        cloud.engine.release(host.join_lock)
    cloud.servers[host.server].pool("AgentTaskPool").give(thread)


def _connect(cloud: Cloud, host: Host) -> Steps:
    thread = cloud.servers[host.server].pool("AgentConnectTaskPool").take()
    actor = cloud.actor(host.server, thread)
    if _has_lock(cloud):
        yield host.join_lock
        cloud.say(actor, "lock.host_join.acquired", host=host.id, what="connection")
    cloud.say(actor, "host.attache_created", host=host.id)
    host.connecting = cloud.begin("host.connect", f"host:{host.id}", actor)
    yield cloud.between(1.0, 6.0)
    about = {"host": host.id, "host__name": f"kvm{host.id}", "trigger": "Ready", "resource_state": "Enabled"}
    cloud.say(actor, "host.transition", **about)
    cloud.say(actor, "host.status_event", host=host.id, trigger="Ready", resource_state="Enabled")
    host.connecting.end = cloud.now
    old = host.disconnecting
    if old is not None and old.start < host.connecting.start:
        # A whole connection was made while the old one was being taken down.
        cloud.truth.race(AROUND, f"host:{host.id}", host.connecting.start).about = (host.connecting.actor, old.actor)
    host.connecting = None
    host.status = "Up"
    if _has_lock(cloud):
        cloud.engine.release(host.join_lock)
    cloud.servers[host.server].pool("AgentConnectTaskPool").give(thread)


def _has_lock(cloud: Cloud) -> bool:
    return cloud.log.release >= (4, 22)


def _strike(cloud: Cloud, host: Host, actor: Actor) -> Race | None:
    connect: Span | None = host.connecting
    if connect is None:
        cloud.truth.missed(OVERLAP)
        return None
    margin = (cloud.now - connect.start) / SECOND
    known = next((r for r in cloud.truth.races if r.rule == OVERLAP and r.about == (connect.actor, actor)), None)
    if known is not None:
        return known
    race = cloud.truth.race(OVERLAP, f"host:{host.id}", cloud.now, margin=margin)
    race.about = (connect.actor, actor)
    return race


def _around(cloud: Cloud, actor: Actor) -> Race | None:
    """The race of a whole connection that was made while this actor took the old one down."""
    around = (r for r in cloud.truth.races if r.rule == AROUND and r.about is not None and r.about[1] == actor)
    return next(around, None)


def transfer(cloud: Cloud, host: Host) -> Steps:
    """A host moves to another management server; commands are held back meanwhile."""
    others = sorted(name for name, server in cloud.servers.items() if name != host.server and server.is_up)
    if not others or host.status != "Up" or host.pending:
        return
    goal = cloud.servers[others[0]]
    actor = cloud.actor(host.server, f"AgentRebalanceWorker-{cloud.dice.randrange(1, 5)}")
    cloud.say(actor, "host.rebalance.found", hosts=1, ms=cloud.servers[host.server].msid)
    host.in_transfer = True
    cloud.say(actor, "host.disconnecting", host=host.id, trigger="StartAgentRebalance")
    yield cloud.between(4.0, 20.0)
    host.in_transfer = False
    if cloud.chance(0.7):
        host.server = goal.name
        cloud.say(actor, "host.rebalance.transferred", host=host.id, ms=goal.msid)
    else:
        cloud.say(actor, "host.rebalance.failed", host=host.id, ms=goal.msid)


def trouble(cloud: Cloud, host: Host) -> Steps:
    """Now and then the agent of a host is lost, or the host is moved."""
    while True:
        yield cloud.between(40, 400)
        if cloud.servers[host.server].is_up:
            kind = transfer if cloud.chance(0.4) else lose
            cloud.engine.spawn(kind(cloud, host), server=host.server)
