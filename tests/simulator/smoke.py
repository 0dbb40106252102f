"""Smoke tests of the simulated cloud: some meet a race that is made to happen, some fail for other reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from . import machines, networks, systemvms
from .cloud import Cloud, Network, Steps, Vm, uuid_of
from .later import NICS, TIERS
from .marvin import SERVER, FailedError, File, Marvin, Test, check, job_failed

YOUNG, OLD = networks.EXPIRY // 2, 3 * networks.EXPIRY


@dataclass(slots=True)
class Bed:
    """What a run has: the cloud and its system VMs; `passes` counts how often a test that goes by it was run."""

    cloud: Cloud
    proxies: systemvms.Fleet
    storage: systemvms.Fleet
    passes: dict[str, int] = field(default_factory=dict)

    def rule(self, rule: str, *resources: str) -> str:
        """The rule, if a race of it about one of the resources has happened."""
        found = any(race.rule == rule and race.resources & set(resources) for race in self.cloud.truth.races)
        return rule if found else ""

    def network(self, age: int, router: Vm | None = None) -> Network:
        """A new network, of that age in minutes."""
        made = Network(self.cloud.next_id(), router or machines.new_vm(self.cloud, [], "DomainRouter"), age)
        made.is_vpc = router is not None
        self.cloud.networks.append(made)
        return made

    def vm(self, network: Network) -> Vm:
        """A new VM in a network."""
        return machines.new_vm(self.cloud, [network])

    def deploy(self, marvin: Marvin, vm: Vm) -> Steps:
        """Start a VM. Raises FailedError if that fails."""
        home = vm.nics[0].network

        def rule() -> str:
            return self.rule(networks.STRIKE, home.key)

        request = machines.start(self.cloud, SERVER, vm, again=False)
        yield from marvin.do("startVirtualMachine", {"id": uuid_of("vm", vm.id)}, request, rule)


def network_file(bed: Bed, age: int) -> File:
    """A start that implements a network, created so many minutes ago; then a check that fails by itself."""

    def deploy(marvin: Marvin) -> Steps:
        yield from bed.deploy(marvin, bed.vm(bed.network(age)))

    def release(marvin: Marvin) -> Steps:
        yield from marvin.ask("listPublicIpAddresses", {"listall": "true"}, [])
        yield 4.0
        check(False, "Check if the address is released")

    return File(
        "test_network",
        "TestIsolatedNetwork",
        (
            Test("test_01_deploy_in_isolated_network", "Test deploy in an isolated network", deploy),
            Test("test_02_release_ip", "Test release of an address", release),
            Test("test_03_list_networks", "Test list networks", _lister("listNetworks")),
        ),
    )


def ssvm_file(bed: Bed, fleet: systemvms.Fleet, *, lost: tuple[bool, ...]) -> File:
    """Lists of the running system VMs of a kind, then one is destroyed; `lost`: whether that loses, by pass."""
    kind = {"systemvmtype": fleet.kind.role.lower(), "state": "Running"}
    is_proxy = fleet.kind is systemvms.PROXY
    short, long = ("cpvm", "console proxy") if is_proxy else ("ssvm", "secondary storage VM")
    module = "test_ssvm" if is_proxy else "test_secondary_storage"

    def running() -> list[Vm]:
        return [vm for vm in fleet.vms if vm.state == "Running"]

    def look(marvin: Marvin) -> Steps:
        found = running()
        letter = "v" if is_proxy else "s"
        yield from marvin.ask("listSystemVms", kind, [("vm", vm.id, f"{letter}-{vm.id}-VM", vm.state) for vm in found])
        lost_one = bed.rule(fleet.kind.rule, *(vm.key for vm in fleet.vms))
        check(bool(found), "Check list response returns a valid list", lost_one)

    def destroy(marvin: Marvin) -> Steps:
        for _ in range(60):
            if running():
                break
            yield 2.0
        (vm, *_) = running()
        bed.passes[module] = bed.passes.get(module, -1) + 1
        number = bed.passes[module]
        lag = (0.01, 0.5)
        if number < len(lost) and lost[number]:
            # The scan comes right after the stop, and what it starts is under way when the expunge comes.
            lag = (2.5, 3.0)
            bed.cloud.engine.spawn(_meet(bed.cloud, fleet, vm), server=SERVER)
        request = systemvms.destroy(bed.cloud, SERVER, fleet, vm, lag)
        about = {"id": uuid_of("vm", vm.id)}
        yield from marvin.do("destroySystemVm", about, request, lambda: bed.rule(fleet.kind.rule, vm.key))

    return File(
        module,
        "TestSystemVMs",
        (
            Test(f"test_02_list_{short}_vm", f"Test list {long}", look),
            Test(f"test_04_{short}_internals", f"Test {long} internals", look),
            Test("test_06_list_zones", "Test list zones", _lister("listZones")),
            Test(f"test_12_destroy_{short}", f"Test destroy {long}", destroy),
        ),
    )


def _meet(cloud: Cloud, fleet: systemvms.Fleet, vm: Vm) -> Steps:
    """Scan as soon as the VM is stopped."""
    while vm.state != "Stopped":
        yield 0.02
    yield from systemvms.look(cloud, SERVER, fleet, is_blind=True)


def nic_file(bed: Bed) -> File:
    """A VM gets two NICs in one network by two requests at once."""

    def add(marvin: Marvin) -> Steps:
        vm, other = bed.vm(bed.network(YOUNG)), bed.network(YOUNG)
        yield from bed.deploy(marvin, vm)
        about = {"networkid": uuid_of("network", other.id), "virtualmachineid": uuid_of("vm", vm.id)}
        jobs = []
        for _ in range(2):
            request = machines.add_nic(bed.cloud, SERVER, vm, other)
            jobs.append((yield from marvin.submit("addNicToVirtualMachine", about, request)))
        for job in jobs:
            yield from marvin.wait(job)
        check(sum(nic.network is other for nic in vm.nics) == 1, "Check that the VM has one NIC in the network", NICS)

    return File("test_nic", "TestNic", (Test("test_01_add_nic", "Test add a NIC", add),))


def vpc_file(bed: Bed) -> File:
    """Two VMs start at once in two tiers of one VPC, whose router runs for another tier already."""

    def tiers(marvin: Marvin) -> Steps:
        router = machines.new_vm(bed.cloud, [], "DomainRouter")
        yield from bed.deploy(marvin, bed.vm(bed.network(YOUNG, router)))
        jobs = []
        for _ in range(2):
            vm = bed.vm(bed.network(YOUNG, router))
            request = machines.start(bed.cloud, SERVER, vm, again=False)
            about = {"id": uuid_of("vm", vm.id)}
            jobs.append((yield from marvin.submit("startVirtualMachine", about, request)))
        errors = []
        for job in jobs:
            errors.append((yield from marvin.wait(job)))
        for error in filter(None, errors):
            raise job_failed(error, TIERS)

    return File(
        "test_vpc_router_nics", "TestVPCNics", (Test("test_01_tiers_at_once", "Test start in two tiers", tiers),)
    )


def host_file(bed: Bed) -> File:
    """A start fails as its host is away, which is no race; before it one that works."""

    def works(marvin: Marvin) -> Steps:
        yield from bed.deploy(marvin, bed.vm(bed.network(YOUNG)))

    def fails(marvin: Marvin) -> Steps:
        vm = bed.vm(bed.network(YOUNG))
        away = vm.host
        away.status = "Alert"
        try:
            yield from bed.deploy(marvin, vm)
        finally:
            away.status = "Up"

    return File(
        "test_vm_life_cycle",
        "TestVMLifeCycle",
        (
            Test("test_01_start_vm", "Test start a VM", works),
            Test("test_02_start_vm_on_lost_host", "Test start a VM on its last host", fails),
        ),
    )


def flaky_file(bed: Bed) -> File:
    """Meets the clean-up of networks in its first pass only, so nothing of it is left but the time that it took."""

    def start(marvin: Marvin) -> Steps:
        bed.passes["test_routers"] = bed.passes.get("test_routers", 0) + 1
        age = OLD if bed.passes["test_routers"] == 1 else YOUNG
        yield from bed.deploy(marvin, bed.vm(bed.network(age)))

    return File("test_routers", "TestRouterServices", (Test("test_01_router_up", "Test that a router is up", start),))


def console_file() -> File:
    """Asks for console proxies too, and fails by itself long after one has lost a race."""

    def endpoint(marvin: Marvin) -> Steps:
        yield from marvin.ask("listSystemVms", {"systemvmtype": "consoleproxy"}, [])
        yield 2.0
        raise FailedError("KeyError", "'consoleproxyurl'")

    return File("test_console_endpoint", "TestConsole", (Test("test_01_get_url", "Test console URL", endpoint),))


def setup_file() -> File:
    """The class fails before its first test."""

    def setup(marvin: Marvin) -> Steps:
        yield from marvin.ask("listTemplates", {"templatefilter": "all"}, [])
        raise FailedError("AttributeError", "'NoneType' object has no attribute 'id'")

    test = Test("test_01_iso_usage", "Test usage of an ISO", _lister("listUsageRecords"))
    return File("test_usage", "TestISOUsage", (test,), setup)


def late_file() -> File:
    """Fails by itself."""

    def fails(marvin: Marvin) -> Steps:
        yield from marvin.ask("listHosts", {"type": "Routing"}, [])
        yield 3.0
        check(False, "Check that the host is in maintenance")

    return File(
        "test_host_maintenance", "TestHostMaintenance", (Test("test_01_maintenance", "Test maintenance", fails),)
    )


def _lister(command: str) -> Callable[[Marvin], Steps]:
    def body(marvin: Marvin) -> Steps:
        yield from marvin.ask(command, {"listall": "true"}, [])

    return body
