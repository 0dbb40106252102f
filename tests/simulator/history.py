"""A whole history: what is in the cloud, what is asked of it, what it wrote, and which races there were."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from logscope.language.catalog import Catalog
from logscope.model import Source

from . import accounts, endings, hosts, jobs, networks, noise, power, servers, storage, systemvms
from .cloud import Account, Cloud, Host, Network, Server, Steps, Vm, Volume
from .later import told_later
from .log import Actor, Line, Log
from .machines import add_nic, migrate, new_vm, start, stop
from .routers import request_start
from .truth import Race

RELEASES = ("4.15", "4.19", "4.22")
ZONE_SERVER = "ms1"


@dataclass(frozen=True, slots=True)
class Settings:
    """How big a history is, and what is in it. `release` "" draws one by the seed.

    In a calm history everybody waits for everybody, as if all races were mended, and nothing breaks.
    """

    release: str = ""
    minutes: float = 12.0
    networks: int = 14
    vms: int = 40
    trace: bool = False
    servers: int = 1
    is_calm: bool = False


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
    machines = [Server(f"ms{n}", 90_520_745_341_230 + n) for n in range(1, settings.servers + 1)]
    cloud = Cloud(log, dice, machines, is_calm=settings.is_calm)
    fleets = _furnish(cloud, settings)
    _run_tasks(cloud, settings, fleets)
    cloud.engine.run(settings.minutes * 60)
    log.is_closed = True
    races = [*cloud.truth.races, *told_later(cloud), *accounts.races(cloud.accounts)]
    resources = len(cloud.vms) + len(cloud.networks) + len(cloud.hosts)
    return History(release, log.in_file_order(), races, dict(cloud.truth.near_misses), resources)


def _furnish(cloud: Cloud, settings: Settings) -> list[systemvms.Fleet]:
    names = sorted(cloud.servers)
    cloud.hosts = [Host(n, names[n % len(names)], sequence=cloud.dice.randrange(10**6)) for n in range(1, 5)]
    for _ in range(settings.networks):
        router = new_vm(cloud, [], "DomainRouter")
        old = cloud.flaw(0.6)
        age = cloud.dice.randrange(networks.EXPIRY + 1, 20_000) if old else cloud.dice.randrange(1, networks.EXPIRY)
        cloud.networks.append(Network(cloud.next_id(), router, age))
    for tier in cloud.networks[:3] if not settings.is_calm else ():
        tier.router, tier.is_vpc = cloud.networks[0].router, True
    for _ in range(settings.vms):
        vm = new_vm(cloud, [cloud.dice.choice(cloud.networks)], is_ha=cloud.chance(0.3))
        vm.is_copied, vm.template = not cloud.flaw(0.4), cloud.dice.randrange(1, 4)
        if cloud.chance(0.4):
            cloud.volumes.append(Volume(cloud.next_id(), vm))
    cloud.accounts = [Account(f"acct-{letter}", cloud.dice.randrange(3, 12)) for letter in "abc"]
    fleets = []
    for kind in (systemvms.PROXY, systemvms.STORAGE):
        vms = [new_vm(cloud, [], kind.role) for _ in range(3)]
        for vm in vms:
            vm.state = "Running"
            vm.host.domains.add(vm.id)
        fleets.append(systemvms.Fleet(kind, vms))
    return fleets


def _run_tasks(cloud: Cloud, settings: Settings, fleets: list[systemvms.Fleet]) -> None:
    for name in sorted(cloud.servers):
        _begin(cloud, settings, fleets, name)
    for host in cloud.hosts:
        cloud.engine.spawn(power.ping(cloud, host), cloud.between(0, power.PING_ROUND))
        if not settings.is_calm:
            cloud.engine.spawn(hosts.trouble(cloud, host), cloud.between(0, 60))
    if not settings.is_calm and cloud.chance(0.25):
        name = cloud.dice.choice(sorted(cloud.servers))

        def begin(server: str) -> None:
            _begin(cloud, settings, fleets, server)

        when = cloud.between(settings.minutes * 20, settings.minutes * 50)
        cloud.engine.spawn(servers.restart(cloud, name, begin), when)


def _begin(cloud: Cloud, settings: Settings, fleets: list[systemvms.Fleet], name: str) -> None:
    """Set going what runs on a server."""

    def spawn(process: Steps, delay: float) -> None:
        cloud.engine.spawn(process, delay, name)

    between = cloud.between
    spawn(noise.chatter(cloud, name, 3.0), 0.0)
    if cloud.log.release >= (4, 20, 4):
        spawn(networks.clean_orphans(cloud, name), between(0, networks.ORPHAN_ROUND))
    first = cloud.now
    vms = [v for v in cloud.vms.values() if v.role == "User" and not v.is_gone]
    groups = [between(0, settings.minutes * 40) for _ in range(3)]
    for vm in vms:
        if len(cloud.servers) == 1 or vm.id % len(cloud.servers) == sorted(cloud.servers).index(name):
            is_grouped = cloud.chance(0.25)
            delay = cloud.dice.choice(groups) if is_grouped else between(0, settings.minutes * 40)
            spawn(_use(cloud, name, vm), delay / (1 if first == 0 else 8))
    if name == ZONE_SERVER:
        spawn(networks.collect(cloud, name), between(0, networks.GC_ROUND))
        for fleet in fleets:
            spawn(systemvms.scan(cloud, name, fleet), between(0, systemvms.SCAN_ROUND))
            spawn(_destroy_now_and_then(cloud, fleet), between(5, 60))
        if not settings.is_calm:
            spawn(_administer(cloud), between(20, 100))
        spawn(endings.scavenge(cloud, name), between(0, endings.SCAVENGE_ROUND))
        spawn(endings.end(cloud, name), between(0, 60))
        spawn(_ask(cloud, name), between(0, 30))
    if not settings.is_calm:
        spawn(storage.use(cloud, name), between(0, 20))
        if name != ZONE_SERVER:
            spawn(servers.lose_sight(cloud, name, ZONE_SERVER), 0.0)
    if not settings.is_calm and name == ZONE_SERVER:
        spawn(power.trouble(cloud), between(0, 60))
        for account in cloud.accounts:
            spawn(accounts.use(cloud, name, account), between(0, 30))
        if cloud.chance(0.3):
            spawn(jobs.cancel_blocked(cloud, name, 110.0), 5.0)


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
    """What administrators ask of networks and routers."""
    spawn = cloud.engine.spawn
    while True:
        chosen = cloud.dice.choice(cloud.networks)
        is_empty = not any(not vm.is_gone for vm in chosen.vms)
        if chosen.state == "Destroyed":
            pass
        elif is_empty and cloud.chance(0.15):
            spawn(_on_network(cloud, "user.network.DeleteNetworkCmd", chosen, networks.destroy))
        elif chosen.state == "Allocated" and cloud.chance(0.5):
            if chosen.router.state == "Stopped" and cloud.chance(0.5):
                spawn(request_start(cloud, ZONE_SERVER, chosen.router))
            else:
                spawn(_on_network(cloud, "user.network.UpdateNetworkCmd", chosen, networks.update))
        elif chosen.state == "Implemented":
            for _ in range(1 + cloud.chance(0.15)):
                again = _on_network(cloud, "user.network.RestartNetworkCmd", chosen, networks.restart)
                spawn(again, cloud.between(0.0, 40.0))
        yield cloud.between(10, 60)


def _on_network(cloud: Cloud, command: str, network: Network, what: Callable[[Cloud, Actor, Network], Steps]) -> Steps:
    def work(actor: Actor) -> Steps:
        yield from what(cloud, actor, network)

    yield from jobs.api_job(cloud, ZONE_SERVER, command, {"network": network.id}, work)


def _ask(cloud: Cloud, server: str) -> Steps:
    """Users migrate VMs and add NICs to them, sometimes twice in a hurry."""
    while True:
        yield cloud.between(8, 40)
        running = [v for v in cloud.vms.values() if v.role == "User" and v.state == "Running"]
        if not running:
            continue
        vm = cloud.dice.choice(running)
        if cloud.chance(0.5):
            cloud.engine.spawn(migrate(cloud, server, vm))
            continue
        left = [n for n in cloud.networks if n.state != "Destroyed"]
        if not left:
            continue
        network = cloud.dice.choice(left)
        for _ in range(1 + cloud.flaw(0.3)):
            cloud.engine.spawn(add_nic(cloud, server, vm, network), cloud.between(0.0, 6.0))
