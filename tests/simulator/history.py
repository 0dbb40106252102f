"""A whole history: what is in the cloud, what is asked of it, what it wrote, and which races there were."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from logscope.language.catalog import Catalog
from logscope.model import Source

from . import networks, noise, systemvms
from .cloud import Cloud, Host, Network, Server, Steps, Vm
from .jobs import api_job
from .later import told_later
from .log import Actor, Line, Log
from .machines import new_vm, start, stop
from .routers import request_start
from .truth import Race

RELEASES = ("4.15", "4.19", "4.22")
ZONE_SERVER = "ms1"


@dataclass(frozen=True, slots=True)
class Settings:
    """How big a history is, and what is in it. `release` "" draws one by the seed."""

    release: str = ""
    minutes: float = 12.0
    networks: int = 14
    vms: int = 40
    trace: bool = False
    servers: int = 1


@dataclass(slots=True)
class History:
    """What was written, by server and in the order of the files; what happened; how often it nearly did."""

    release: str
    lines: dict[str, list[Line]]
    races: list[Race]
    near_misses: dict[str, int] = field(default_factory=dict)
    resources: int = 0

    def sources(self) -> list[Source]:
        """One file for each server."""
        return [source(server, lines) for server, lines in sorted(self.lines.items())]


def source(server: str, lines: list[Line], name: str = "") -> Source:
    """Lines as a file of a server."""
    data = "".join(f"{line.whole}\n" for line in lines).encode()
    return Source(name or f"{server}/management-server.log", "management-server", server, lambda: iter([data]))


def simulate(catalog: Catalog, seed: int, settings: Settings = Settings()) -> History:
    """The history of a seed."""
    dice = random.Random(seed)
    release = settings.release or RELEASES[seed % len(RELEASES)]
    log = Log(catalog, release, dice, trace=settings.trace)
    servers = [Server(f"ms{n}", 90_520_745_341_230 + n) for n in range(1, settings.servers + 1)]
    cloud = Cloud(log, dice, servers)
    fleets = _furnish(cloud, settings)
    _run_tasks(cloud, settings, fleets)
    cloud.engine.run(settings.minutes * 60)
    log.is_closed = True
    races = [*cloud.truth.races, *told_later(cloud)]
    resources = len(cloud.vms) + len(cloud.networks) + len(cloud.hosts)
    return History(release, log.in_file_order(), races, dict(cloud.truth.near_misses), resources)


def _furnish(cloud: Cloud, settings: Settings) -> list[systemvms.Fleet]:
    names = sorted(cloud.servers)
    cloud.hosts = [Host(n, names[n % len(names)], sequence=cloud.dice.randrange(10**6)) for n in range(1, 5)]
    for _ in range(settings.networks):
        router = new_vm(cloud, [], "DomainRouter")
        old = cloud.chance(0.6)
        age = cloud.dice.randrange(networks.EXPIRY + 1, 20_000) if old else cloud.dice.randrange(1, networks.EXPIRY)
        cloud.networks.append(Network(cloud.next_id(), router, age))
    for tier in cloud.networks[:3]:
        tier.router, tier.is_vpc = cloud.networks[0].router, True
    for _ in range(settings.vms):
        new_vm(cloud, [cloud.dice.choice(cloud.networks)])
    fleets = []
    for kind in (systemvms.PROXY, systemvms.STORAGE):
        vms = [new_vm(cloud, [], kind.role) for _ in range(3)]
        for vm in vms:
            vm.state = "Running"
            vm.host.domains.add(vm.id)
        fleets.append(systemvms.Fleet(kind, vms))
    return fleets


def _run_tasks(cloud: Cloud, settings: Settings, fleets: list[systemvms.Fleet]) -> None:
    spawn, between = cloud.engine.spawn, cloud.between
    for name in cloud.servers:
        spawn(noise.chatter(cloud, name, 3.0), server=name)
        if cloud.log.release >= (4, 20, 4):
            spawn(networks.clean_orphans(cloud, name), between(0, networks.ORPHAN_ROUND), name)
    main = ZONE_SERVER
    spawn(networks.collect(cloud, main), between(0, networks.GC_ROUND), main)
    for fleet in fleets:
        spawn(systemvms.scan(cloud, main, fleet), between(0, systemvms.SCAN_ROUND), main)
        spawn(_destroy_now_and_then(cloud, fleet), between(5, 60), main)
    groups = [between(0, settings.minutes * 40) for _ in range(3)]
    for vm in [vm for vm in cloud.vms.values() if vm.role == "User"]:
        server = cloud.dice.choice(sorted(cloud.servers))
        is_grouped = cloud.chance(0.25)
        begin = cloud.dice.choice(groups) if is_grouped else between(0, settings.minutes * 40)
        spawn(_use(cloud, server, vm), begin, server)
    spawn(_administer(cloud), between(20, 100), main)


def _use(cloud: Cloud, server: str, vm: Vm) -> Steps:
    while not vm.is_gone:
        if vm.state == "Stopped":
            yield from start(cloud, server, vm, again=cloud.chance(0.5))
        elif vm.state == "Running":
            yield from stop(cloud, server, vm)
        yield cloud.between(10, 240)


def _destroy_now_and_then(cloud: Cloud, fleet: systemvms.Fleet) -> Steps:
    while True:
        running = [vm for vm in fleet.vms if vm.state == "Running"]
        if running:
            yield from systemvms.destroy(cloud, ZONE_SERVER, fleet, cloud.dice.choice(running))
        yield cloud.between(10, 90)


def _administer(cloud: Cloud) -> Steps:
    while True:
        chosen = cloud.dice.choice(cloud.networks)
        if cloud.chance(0.15) and not any(not vm.is_gone for vm in chosen.vms):
            yield from _on_network(cloud, "user.network.DeleteNetworkCmd", chosen, networks.destroy)
        elif chosen.router.state == "Stopped" and chosen.state == "Allocated" and cloud.chance(0.3):
            yield from request_start(cloud, ZONE_SERVER, chosen.router)
        elif chosen.state == "Implemented":
            if cloud.chance(0.3):
                second = _on_network(cloud, "user.network.RestartNetworkCmd", chosen, networks.restart)
                cloud.engine.spawn(second, between_restarts(cloud))
            yield from _on_network(cloud, "user.network.RestartNetworkCmd", chosen, networks.restart)
        yield cloud.between(10, 60)


def _on_network(cloud: Cloud, command: str, network: Network, what: object) -> Steps:
    def work(actor: Actor) -> Steps:
        yield from what(cloud, actor, network)  # type: ignore[operator]

    return api_job(cloud, ZONE_SERVER, command, {"network": network.id}, work)


def between_restarts(cloud: Cloud) -> float:
    """How long after one restart another one of the same network is asked for: some fall into it, some do not."""
    return cloud.between(0.5, 60.0)
