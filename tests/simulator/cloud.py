"""The state of the simulated cloud, and what every operation needs: actors, waiting, saying, commands, transitions."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from .engine import Engine, Lock, Signal
from .log import Actor, Log
from .truth import Race, Span, Truth

STARTING = "starting-vm-cleaned-up-by-power-report"
Steps = Generator[float | Lock | Signal, Any, Any]


def uuid_of(kind: str, number: int) -> str:
    """The uuid that the log prints for something."""
    name = f"{kind}:{number}/uuid"
    return str(uuid.UUID(bytes=hashlib.md5(name.encode(), usedforsecurity=False).digest()))


class OperationError(Exception):
    """An operation failed; the text is what the log says of it."""


@dataclass(eq=False, slots=True)
class Host:
    """A hypervisor; `domains` are the VMs that really run on it, `pending` its commands under way."""

    id: int
    server: str
    status: str = "Up"
    sequence: int = 0
    domains: set[int] = field(default_factory=set)
    pending: dict[str, Signal] = field(default_factory=dict)
    in_transfer: bool = False
    join_lock: Lock = field(default_factory=Lock)
    connecting: Span | None = None
    disconnecting: Span | None = None


@dataclass(eq=False, slots=True)
class Nic:
    """A VM's place in a network; `is_counted` while the network counts it as in use."""

    id: int
    network: Network
    address: str = ""
    is_counted: bool = False
    uses: list[Span] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Vm:
    """A virtual machine. `version` counts the writes of its row, `pending` the jobs in its queue.

    `devices` of a router say which network is at which of its devices, `commands` are the start commands for it,
    `struck` says into whose start (its family) a power report broke, and when, `seen` when each host last reported
    that it runs, `loops` when it was found stopped and left so, `left_alone` when high availability found it alive,
    `changes` when its state changed.
    """

    id: int
    role: str
    host: Host
    state: str = "Stopped"
    nics: list[Nic] = field(default_factory=list)
    queue: Lock = field(default_factory=Lock)
    pending: int = 0
    version: int = 0
    is_ha: bool = False
    is_copied: bool = True
    template: int = 0
    destroyer: Actor | None = None
    starting: Actor | None = None
    devices: dict[int, int] = field(default_factory=dict)
    commands: list[Span] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    loops: list[int] = field(default_factory=list)
    left_alone: list[int] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    span: Span | None = None
    struck: dict[int, int] = field(default_factory=dict)
    stopped_by_user: int | None = None
    stopped_by_sync: Race | None = None

    @property
    def key(self) -> str:
        """Kind and id."""
        return f"vm:{self.id}"

    @property
    def is_gone(self) -> bool:
        """It is expunged, or about to be."""
        return self.state in ("Expunging", "Expunged")


@dataclass(eq=False, slots=True)
class Network:
    """A network; `implementer` is who really implements it at the moment, `age` is in minutes.

    `strikes` are the races of the orphan clean-up with implements.
    """

    id: int
    router: Vm
    age: int
    state: str = "Allocated"
    lock: Lock = field(default_factory=Lock)
    implementer: Actor | None = None
    implemented_since: int = 0
    strikes: list[Race] = field(default_factory=list)
    count: int = 0
    busy_jobs: int = 0
    free_rounds: int = 0
    is_vpc: bool = False
    taken: set[str] = field(default_factory=set)
    vms: list[Vm] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Kind and id."""
        return f"network:{self.id}"


@dataclass(eq=False, slots=True)
class Account:
    """`count` of its addresses, `reserved` ones that are being taken.

    `passed` are checks that let somebody through: time, who, the count that was seen.
    """

    name: str
    limit: int
    count: int = 0
    reserved: int = 0
    passed: list[tuple[int, Actor, int]] = field(default_factory=list)
    pairs: list[Race] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Volume:
    """A data volume; `vm` is whom it belongs to."""

    id: int
    vm: Vm | None = None

    @property
    def key(self) -> str:
        """Kind and id."""
        return f"volume:{self.id}"


@dataclass(eq=False, slots=True)
class WorkJob:
    """A job in the queue of a VM; `race` if it was cancelled under its worker."""

    number: int
    origin: int
    vm: Vm
    cmd: str
    about: dict[str, object]
    server: str
    done: Signal = field(default_factory=Signal)
    began: int = 0
    race: Race | None = None


@dataclass(eq=False, slots=True)
class Copy:
    """A template on the pool; `last` is who held its lock last, and until when."""

    lock: Lock = field(default_factory=Lock)
    is_there: bool = False
    last: tuple[Actor, int] | None = None


@dataclass(slots=True)
class Pool:
    """Numbered threads of one name; the lowest free number is used next."""

    name: str
    free: list[int]
    taken: int = 0

    def take(self) -> str:
        """The name of a free thread."""
        if not self.free:
            self.taken += 1
            return f"{self.name}-{self.taken}"
        return f"{self.name}-{self.free.pop(0)}"

    def give(self, thread: str) -> None:
        """The thread is free again."""
        self.free.append(int(thread.rpartition("-")[2]))
        self.free.sort()


@dataclass(slots=True)
class Server:
    """A management server and its pools of threads."""

    name: str
    msid: int
    is_up: bool = True
    pools: dict[str, Pool] = field(default_factory=dict)

    def pool(self, name: str) -> Pool:
        """The pool of that name."""
        return self.pools.setdefault(name, Pool(name, []))


class Cloud:
    """Everything there is, and the tools of those who work with it."""

    def __init__(self, log: Log, dice: random.Random, servers: list[Server], *, is_calm: bool = False) -> None:
        self._is_calm = is_calm
        self.log, self.dice, self.engine, self.truth = log, dice, Engine(), Truth()
        self.servers = {server.name: server for server in servers}
        self.hosts: list[Host] = []
        self.networks: list[Network] = []
        self.vms: dict[int, Vm] = {}
        self.volumes: list[Volume] = []
        self.accounts: list[Account] = []
        self.requests: dict[int, tuple[str, dict[str, object]]] = {}
        self.outcomes: dict[int, str] = {}  # of API jobs that are over: why they failed, or nothing
        self.jobs: dict[int, WorkJob] = {}
        self.running: dict[int, WorkJob] = {}
        self.copies: dict[int, Copy] = {}
        self.mounts: dict[tuple[int, str], dict[str, tuple[Signal, str]]] = {}
        self.hidden: set[int] = set()  # VMs that run and are in no report
        self.unfollowed: set[int] = set()  # VMs whose move by themselves is not written down
        self._families = 0
        self._jobs = dice.randrange(1000, 9000)
        self._ids = dice.randrange(200, 900)

    @property
    def now(self) -> int:
        """Microseconds since the beginning."""
        return self.engine.now

    def next_id(self) -> int:
        """A number for something new."""
        self._ids += 1
        return self._ids

    def next_job(self) -> int:
        """The number of the next job."""
        self._jobs += 1
        return self._jobs

    def chance(self, probability: float) -> bool:
        """Whether something happens that happens that often."""
        return self.dice.random() < probability

    def flaw(self, probability: float) -> bool:
        """Whether a mistake is made that is made that often; never in a calm cloud."""
        return not self._is_calm and self.chance(probability)

    def between(self, low: float, high: float) -> float:
        """A duration in seconds."""
        return self.dice.uniform(low, high)

    def hex8(self) -> str:
        """Eight hexadecimal digits."""
        return f"{self.dice.getrandbits(32):08x}"

    def actor(
        self, server: str, thread: str, parent: Actor | None = None, job: int | None = None, origin: int | None = None
    ) -> Actor:
        """A new run of a thread, of the family of `parent` if it has one."""
        if parent is None:
            self._families += 1
        family = parent.family if parent else self._families
        logid = parent.logid if parent and job is not None else self.hex8()
        if parent is None and job is not None:
            logid = uuid_of("job", job)[:8]
        return Actor(server, thread, f"ctx-{self.hex8()}", family, job, origin, logid)

    def handler(self, host: Host) -> Actor:
        """A thread that takes what an agent sends: without a context, in a family of its own."""
        self._families += 1
        return Actor(host.server, f"AgentManager-Handler-{self.dice.randrange(1, 17)}", "", self._families)

    def say(self, actor: Actor, event: str, **fields: object) -> None:
        """Write an event. A dot in a field's name is written as two underscores."""
        self.log.say(self.now, actor, event, {name.replace("__", "."): value for name, value in fields.items()})

    def pause(self, low: float = 0.002, high: float = 0.02) -> float:
        """How long a small step takes, in seconds."""
        return self.dice.uniform(low, high)

    def begin(self, kind: str, resource: str, actor: Actor, **notes: str) -> Span:
        """An actor begins to do something to a resource."""
        return self.truth.begin(kind, resource, actor, self.now, **notes)

    def transition(self, actor: Actor, vm: Vm, new: str, trigger: str, old: str = "") -> None:
        """Write the state of a VM, as long as it is still `old`.

        Raises OperationError if the state allows no such transition any more.
        """
        if old and vm.state != old:
            self.say(actor, "vm.state.no_transition", old_state=vm.state, trigger=trigger, vm=vm.id)
            raise OperationError(f"no transition from {vm.state} via {trigger}")
        if vm.span is not None:
            vm.span.end = self.now
        vm.span = self.begin("vm.transition", vm.key, actor, state=new)
        before, vm.state = vm.state, new
        vm.stopped_by_sync = None
        vm.version += 1
        vm.changes.append(self.now)
        self.say(actor, "vm.state.transition", vm=vm.id, old_state=before, new_state=new, trigger=trigger)

    def lose_start(self, actor: Actor, vm: Vm) -> None:
        """A start whose command was answered finds out whether a power report has changed its VM meanwhile.

        Raises OperationError if so. A start that fails by itself, its host being lost, owes nothing to the report.
        """
        struck = vm.struck.pop(actor.family, None)
        if struck is not None:
            self.truth.race(STARTING, vm.key, struck).proof = "failed"
            self.say(actor, "vm.start.state_change_failed", vm=vm.id, state=vm.state, trigger="OperationSucceeded")
            raise OperationError("a report changed the state")

    def clean_up(self, actor: Actor, vm: Vm) -> None:
        """Begin to clean up after a start that failed, whatever made it fail."""
        self.say(actor, "vm.cleanup.begin", vm=vm.id, state=vm.state)
