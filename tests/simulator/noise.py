"""Lines that are no events, or are of no interest, though some of them look as if they were."""

from __future__ import annotations

from .cloud import Cloud, Steps

# Level, logger, text; {n} is some number. Some quote the texts of events where these are mere data.
ORDINARY = (
    ("DEBUG", "c.c.s.StatsCollector", "HostStatsCollector is running..."),
    ("DEBUG", "c.c.s.StatsCollector", "VmStatsCollector is running for {n} VMs"),
    ("DEBUG", "c.c.a.m.AgentManagerImpl", "Ping from Routing host {n}(kvm{n})"),
    ("DEBUG", "c.c.n.r.RouterControlHelper", "IP address 169.254.3.{n} was given to nobody in particular"),
    ("INFO", "o.a.c.f.c.i.ConfigDepotImpl", "value of setting number {n} was read again"),
    ("WARN", "c.c.a.AlertManagerImpl", "no recipient of alerts is set, alert {n} is kept here only"),
    ("DEBUG", "c.c.u.d.T.Transaction", "Rolling back the transaction: Time = {n} Name = Work-Job-Executor-{n}"),
    ("INFO", "c.c.u.UserNotes", "note by a user: Lock is acquired for network id {n} as a part of network implement"),
    ("DEBUG", "c.c.a.ApiServer", "displayname=Found orphaned network {n} in Implementing state without async job"),
    ("ERROR", "c.c.n.e.Element", "could not parse the file of leases, entry {n} is left out"),
)
TAIL = "\njava.lang.IllegalStateException: broken\n\tat org.example.Widget.turn(Widget.java:{n})\n\t... 7 more"


def chatter(cloud: Cloud, server: str, every: float) -> Steps:
    """Write an ordinary line every few seconds, now and then one with a stack trace."""
    while True:
        yield cloud.between(0.1, 2 * every)
        level, logger, text = cloud.dice.choice(ORDINARY)
        if level == "ERROR":
            text += TAIL
        actor = cloud.actor(server, f"StatsCollector-{cloud.dice.randrange(1, 5)}")
        message = text.replace("{n}", str(cloud.dice.randrange(1, 300)))
        cloud.log.chatter(cloud.now, actor, level, logger, message)
