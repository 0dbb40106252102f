"""A Trillian run of the simulated cloud: test files one after the other, and the artifacts that are left of it.

A file that fails is run a second time, and only that pass is kept; between files everything is deleted at once. The
tests run on a machine of their own, whose clock differs from the management server's.
"""

from __future__ import annotations

import io
import random
import string
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from logscope.language.catalog import Catalog
from logscope.language.printer import clock

from . import endings, machines, networks, noise, power, smoke, systemvms
from .cloud import Cloud, Host, Network, Server, Steps, Vm
from .engine import SECOND
from .jobs import api_job, work_job
from .log import START, Actor, Line, Log
from .marvin import SERVER, File, Marvin

RELEASE = "4.22"
LOG = "ref-trl-1-k-Mol8-mgmt1/management-server.log"
HOUR = 3600 * SECOND


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. `files` gives the test files in their order.

    `is_repeated`: a file that fails is run again. `zone` is the zone of the tests' machine in hours from the log's.
    The log ends where the file `ends_before` begins; with none it goes to the end. `empty` are files that do not run.
    """

    files: Callable[[smoke.Bed], list[File]]
    is_repeated: bool = True
    zone: int = 0
    ends_before: str = ""
    empty: tuple[str, ...] = ()


@dataclass(slots=True)
class TrillianRun:
    """What a run left behind: its artifacts by path, the lines of its log, and the truth.

    `expected` gives for each failing test, by file and name, the verdict and the rule ("" for none).
    """

    artifacts: dict[str, bytes]
    lines: list[Line]
    expected: dict[tuple[str, str], tuple[str, str]]

    def files(self) -> dict[str, bytes]:
        """Everything, the log included."""
        return {**self.artifacts, LOG: "".join(f"{line.whole}\n" for line in self.lines).encode()}

    def write(self, folder: Path) -> Path:
        """Write everything below a folder."""
        for name, data in self.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder

    def packed(self) -> bytes:
        """Everything as a zip archive, the same bytes each time."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in self.files().items():
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        return out.getvalue()


def smoke_plan(zone: int = 0) -> Plan:
    """Both leading races and two others, failures without a race, one without a log."""

    def files(bed: smoke.Bed) -> list[File]:
        return [
            smoke.network_file(bed, smoke.OLD),
            smoke.nic_file(bed),
            smoke.flaky_file(bed),
            smoke.ssvm_file(bed, bed.storage, lost=(True,)),
            smoke.ssvm_file(bed, bed.proxies, lost=(True,)),
            smoke.setup_file(),
            smoke.host_file(bed),
            smoke.vpc_file(bed),
            smoke.console_file(),
            smoke.late_file(),
        ]

    return Plan(files, zone=zone, ends_before="test_host_maintenance.py", empty=("test_vpc_vpn.py",))


def proxy_plan(*, is_lost: bool) -> Plan:
    """One destroy of a console proxy, which loses against the scan or does not."""

    def files(bed: smoke.Bed) -> list[File]:
        return [smoke.ssvm_file(bed, bed.proxies, lost=(is_lost,))]

    return Plan(files, is_repeated=False)


def run_trillian(catalog: Catalog, seed: int, plan: Plan) -> TrillianRun:
    """Make the run of a seed."""
    dice = random.Random(seed)
    log = Log(catalog, RELEASE, dice, trace=False)
    cloud = Cloud(log, dice, [Server(SERVER, 90_520_745_341_231)], is_calm=True)
    bed = _furnish(cloud)
    runner = _Runner(cloud, plan, plan.files(bed), plan.zone * HOUR + round(cloud.between(-0.9, 0.9) * SECOND))
    cloud.engine.spawn(runner.run(), 20.0)
    while not runner.is_done:
        cloud.engine.run(cloud.now / SECOND + 60)
    log.is_closed = True
    until = runner.collected or cloud.now
    lines = [line for line in log.in_file_order()[SERVER] if line.written < until]
    return TrillianRun(runner.artifacts(), lines, runner.expected())


def _furnish(cloud: Cloud) -> smoke.Bed:
    cloud.hosts = [Host(n, SERVER, sequence=cloud.dice.randrange(10**6)) for n in (1, 2)]
    fleets: list[systemvms.Fleet] = []
    for kind in (systemvms.PROXY, systemvms.STORAGE):
        vm = machines.new_vm(cloud, [], kind.role)
        vm.state = "Running"
        vm.host.domains.add(vm.id)
        fleets.append(systemvms.Fleet(kind, [vm], wanted=1))
    proxies, storage = fleets
    bed = smoke.Bed(cloud, proxies, storage)

    def spawn(process: Steps, longest: float) -> None:
        cloud.engine.spawn(process, cloud.between(0, longest), SERVER)

    spawn(noise.chatter(cloud, SERVER, 3.0), 1.0)
    spawn(networks.clean_orphans(cloud, SERVER), networks.ORPHAN_ROUND)
    spawn(networks.collect(cloud, SERVER), networks.GC_ROUND)
    spawn(endings.scavenge(cloud, SERVER), endings.SCAVENGE_ROUND)
    for fleet in fleets:
        spawn(systemvms.scan(cloud, SERVER, fleet), systemvms.SCAN_ROUND)
    for host in cloud.hosts:
        spawn(power.ping(cloud, host), power.PING_ROUND)
    return bed


@dataclass(slots=True)
class _Runner:
    """What runs the files. `collected` is when the log was taken, 0 if at the end."""

    cloud: Cloud
    plan: Plan
    files: list[File]
    ahead: int
    kept: list[Marvin] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    took: dict[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    began: int = 0
    collected: int = 0
    is_done: bool = False

    def run(self) -> Steps:
        self.began = self.cloud.now
        yield self.cloud.between(1.0, 8.0)
        for file in self.files:
            start = self.cloud.now
            if file.name == self.plan.ends_before:
                self.collected = start
            marvin = yield from self._pass(file)
            if marvin.failed and self.plan.is_repeated:
                yield from self._clean_up(file)
                marvin = yield from self._pass(file)
            self.kept.append(marvin)
            letters = self.cloud.dice.choices(string.ascii_uppercase + string.digits, k=6)
            self.folders.append(f"{file.module}_{''.join(letters)}")
            self.took[file.name] = self.cloud.now // SECOND - start // SECOND
        for name in self.plan.empty:
            yield 4.0
            self.took[name] = 4
        yield 30.0
        self.is_done = True

    def _pass(self, file: File) -> Steps:
        marvin = Marvin(self.cloud, file, self.ahead)
        yield from marvin.run()
        yield from self._clean_up(file)
        return marvin

    def _clean_up(self, file: File) -> Steps:
        """Delete all VMs at once, then their networks."""
        yield self.cloud.between(0.3, 0.8)
        vms = [vm for vm in self.cloud.vms.values() if vm.role == "User" and not vm.is_gone]
        if vms:
            self.left.append(f"{file.name} left behind {len(vms)} VMs")
        for vm in vms:
            self.cloud.engine.spawn(_remove(self.cloud, vm), server=SERVER)
        for _ in range(120):
            if all(vm.is_gone for vm in vms):
                break
            yield 0.5
        for network in [one for one in self.cloud.networks if one.state != "Destroyed"]:
            yield from _delete(self.cloud, network)
        yield self.cloud.between(0.3, 0.8)

    def expected(self) -> dict[tuple[str, str], tuple[str, str]]:
        found: dict[tuple[str, str], tuple[str, str]] = {}
        is_logged = True
        for marvin in self.kept:
            is_logged = is_logged and marvin.file.name != self.plan.ends_before
            for row in marvin.rows:
                if row.failure is not None:
                    verdict = "explained" if row.failure.rule else "unexplained"
                    told = (verdict, row.failure.rule) if is_logged else ("no-log", "")
                    found[marvin.file.name, row.name] = told
        return found

    def artifacts(self) -> dict[str, bytes]:
        found: dict[str, str] = {}
        for marvin, folder in zip(self.kept, self.folders, strict=True):
            found[f"MarvinLogs/{folder}/runinfo.txt"] = "".join(f"{record}\n" for record in marvin.records)
            found[f"MarvinLogs/{folder}/failed_plus_exceptions.txt"] = "".join(f"{r}\n" for r in marvin.exceptions)
            found[f"MarvinLogs/{folder}/results.txt"] = marvin.results()
            found[f"MarvinLogs/{marvin.file.name}.xml"] = marvin.xunit()
        for name in self.plan.empty:
            found[f"MarvinLogs/{name}.xml"] = ""
        times = "".join(f"{name}: {seconds} seconds\n" for name, seconds in self.took.items())
        found["MarvinLogs/tests-time.txt"] = times
        minute = clock(START + self.began + self.ahead)[:16].replace(" ", "T")
        found["testrunstartdate"] = f"{minute}{self.plan.zone:+03d}:00\n"
        found["cleanup.log"] = "".join(f"{told}\n" for told in self.left)
        found["smoketests-summary.txt"] = self._summary()
        return {name: text.encode() for name, text in found.items()}

    def _summary(self) -> str:
        bad = [marvin for marvin in self.kept if marvin.failed]
        words = {"FAILED": "`Failure`", "EXCEPTION": "`Error`"}
        rows = [
            f"{row.name} | {words[row.status]} | {row.seconds:.2f} | {marvin.file.name}"
            for marvin in bad
            for row in marvin.rows
            if row.failure
        ]
        rows += [f"all_{name.removesuffix('.py')} | `Skipped` | --- | {name}" for name in self.plan.empty]
        counts = f"{len(self.kept) - len(bad)} look OK, {len(bad)} have errors, {len(self.plan.empty)} did not run"
        return "\n".join(
            [
                "<b>[SF] Trillian test result (tid-101)</b>",
                "Environment: kvm-ol8 (x2), zone: Advanced Networking with Mgmt server ol8",
                f"Total time taken: {sum(self.took.values())} seconds",
                "Marvin logs: https://example.org/pr1-t101-kvm-ol8.zip",
                f"Smoke tests completed. {counts}",
                "Only failed and skipped tests results shown below:",
                "\n",
                "Test | Result | Time (s) | Test File",
                "--- | --- | --- | ---",
                *rows,
                "",
            ]
        )


def _remove(cloud: Cloud, vm: Vm) -> Steps:
    """A request to destroy a VM and to expunge it at once."""

    def work(actor: Actor) -> Steps:
        if vm.state == "Running":
            yield from work_job(cloud, actor, vm, "Stop", lambda worker: machines.run_stop(cloud, worker, vm))
        cloud.say(actor, "vm.destroy", vm=vm.id, expunge="true")
        yield cloud.pause(0.05, 0.5)
        cloud.transition(actor, vm, "Destroyed", "DestroyRequested", "Stopped")
        yield from endings.expunge(cloud, actor, vm)

    yield from api_job(cloud, SERVER, "user.vm.DestroyVMCmd", {"vm": vm.id}, work)


def _delete(cloud: Cloud, network: Network) -> Steps:
    def work(actor: Actor) -> Steps:
        yield from networks.destroy(cloud, actor, network)

    yield from api_job(cloud, SERVER, "user.network.DeleteNetworkCmd", {"network": network.id}, work)
