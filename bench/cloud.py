"""A pretended cloud: its hosts, networks and machines, and how a release prints them.

Two eras of the log layout are known: `B` (4.19) and `C` (4.22).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

MSID = 90520745341234
LEGEND = "Dest[Zone(Id)-Pod(Id)-Cluster(Id)-Host(Id)-Storage(Volume(Id|Type-->Pool(Id))] : "


class Dice:
    """Random choices that stay the same from one Python release to the next."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        """A number from 0 up to, but without, `limit`."""
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def hex8(self) -> str:
        """Eight hexadecimal digits, as in contexts and logids."""
        return f"{self._random.getrandbits(32):08x}"

    def uuid(self) -> str:
        """A random UUID."""
        digits = f"{self._random.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


@dataclass(slots=True)
class Host:
    """A hypervisor; `sequence` is the number of its last command."""

    id: int
    uuid: str
    sequence: int

    @property
    def name(self) -> str:
        """The name that an operator gave it."""
        return f"kvm{self.id}"


@dataclass(slots=True)
class Vm:
    """A virtual machine, of a user or of the system."""

    id: int
    name: str
    type: str
    uuid: str
    host: Host
    running: bool = False


@dataclass(slots=True)
class Network:
    """An isolated network with its router and the machines in it."""

    id: int
    uuid: str
    router: Vm
    vms: list[Vm]
    implemented: bool = False


@dataclass(frozen=True, slots=True)
class Who:
    """What stands between logger and message: the thread, its contexts, outermost first, and the logid."""

    thread: str
    contexts: tuple[str, ...]
    logid: str


@dataclass(slots=True)
class Cloud:
    """All there is, the counters of the database, and the dice."""

    seed: int
    era: str
    dice: Dice = field(init=False)
    hosts: list[Host] = field(init=False)
    networks: list[Network] = field(init=False)
    _vm: int = 40
    _job: int = 4200

    def __post_init__(self) -> None:
        self.dice = Dice(self.seed)
        self.hosts = [
            Host(number, self.dice.uuid(), self.dice.between(10**12, 8 * 10**12) * 10**6) for number in range(1, 13)
        ]
        self.networks = [self._network(204 + number) for number in range(400)]

    @property
    def old(self) -> bool:
        """Whether this is the layout of 4.19."""
        return self.era == "B"

    def _network(self, number: int) -> Network:
        implemented = self.dice.below(2) == 0
        router = self.vm("DomainRouter", running=implemented)
        vms = [self.vm("User", running=implemented and self.dice.below(2) == 0) for _ in range(4)]
        return Network(number, self.dice.uuid(), router, vms, implemented)

    def vm(self, kind: str, running: bool) -> Vm:
        """A new machine: `User`, `DomainRouter` or `ConsoleProxy`."""
        self._vm += 1
        prefix = {"User": "i-2", "DomainRouter": "r", "ConsoleProxy": "v"}[kind]
        host = self.hosts[self.dice.below(len(self.hosts))]
        return Vm(self._vm, f"{prefix}-{self._vm}-VM", kind, self.dice.uuid(), host, running)

    def job(self) -> int:
        """The id of a new job."""
        self._job += 1
        return self._job

    def sequence(self, host: Host) -> str:
        """The key of a new command to `host`."""
        host.sequence += 1
        return f"{host.id}-{host.sequence}"

    def run(self, thread: str, *contexts: str, logid: str = "") -> Who:
        """A run of a thread: with a context of its own, then `contexts`; with a logid of its own unless given."""
        return Who(thread, (f"ctx-{self.dice.hex8()}", *contexts), logid or self.dice.hex8())

    def deeper(self, who: Who) -> Who:
        """The same run, one context deeper."""
        return Who(who.thread, (*who.contexts, f"ctx-{self.dice.hex8()}"), who.logid)

    def head(self, who: Who, level: str, logger: str) -> str:
        """The header of a line from the blank after the time up to the message."""
        if self.old:
            contexts = " ".join(who.contexts) or "null"
            logger = logger.partition("$")[0].replace(".Clustered", ".")
        else:
            contexts = f"[{', '.join(who.contexts)}]"
        return f" {level:<5} [{logger}] ({who.thread}:{contexts}) (logid:{who.logid}) "

    def show_vm(self, vm: Vm, state: str) -> str:
        """A machine as both eras print it."""
        return (
            f'VM instance {{"id":{vm.id},"instanceName":"{vm.name}","state":"{state}","type":"{vm.type}",'
            f'"uuid":"{vm.uuid}"}}'
        )

    def show_network(self, network: Network) -> str:
        """A network as both eras print it where they print the object."""
        return (
            f'Network {{"id": {network.id}, "name": "net-{network.id}", "uuid": "{network.uuid}", '
            '"networkofferingid": 16}'
        )

    def network_or_id(self, network: Network) -> str:
        """A network where the older era prints the bare id."""
        return str(network.id) if self.old else self.show_network(network)

    def show_host(self, host: Host) -> str:
        """A host as both eras print it."""
        return f'Host {{"id":{host.id},"name":"{host.name}","type":"Routing","uuid":"{host.uuid}"}}'

    def show_zone(self) -> str:
        """The only zone."""
        return "1" if self.old else 'Zone {"id": "1", "name": "zone-a", "uuid": "67142b47-a292-46ed-8aac-eba875cc244f"}'

    def show_job(self, number: int, command: str, info: str, instance: str = "null", instance_id: str = "null") -> str:
        """A job in progress."""
        if self.old:
            return (
                f"AsyncJobVO: {{id:{number}, userId: 2, accountId: 2, instanceType: {instance}, "
                f"instanceId: {instance_id}, cmd: {command}, cmdInfo: {info}, cmdVersion: 0, status: IN_PROGRESS, "
                f"processStatus: 0, resultCode: 0, result: null, initMsid: {MSID}, completeMsid: null, "
                "lastUpdated: null, lastPolled: null, created: null, removed: null}"
            )
        quoted = info.replace('"', '\\"')
        kind = instance if instance == "null" else f'"{instance}"'
        return (
            f'AsyncJob {{"accountId":2,"cmd":"{command}","cmdInfo":"{quoted}","cmdVersion":0,"completeMsid":null,'
            f'"created":null,"id":{number},"initMsid":{MSID},"instanceId":{instance_id},"instanceType":{kind},'
            '"lastPolled":null,"lastUpdated":null,"processStatus":0,"removed":null,"result":null,"resultCode":0,'
            f'"status":"IN_PROGRESS","userId":2,"uuid":"{self.dice.uuid()}"}}'
        )

    def show_destination(self, host: Host, volume: int = 0) -> str:
        """Where a machine is to run."""
        storage = f"Volume({volume}|ROOT-->Pool(3))" if volume else ""
        return f"{LEGEND}Dest[Zone(1)-Pod(1)-Cluster(1)-Host({host.id})-Storage({storage})]"

    def show_exception(self, text: str, *frames: str) -> str:
        """An exception with its frames: on the message's own line in the newer era, below it in the older."""
        return ("\n" if self.old else " ") + "\n\tat ".join((text, *frames))
