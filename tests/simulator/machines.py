"""User VMs: deployed, started, stopped, migrated, given NICs, expunged."""

from __future__ import annotations

from .cloud import Cloud, Network, Nic, OperationError, Steps, Vm
from .jobs import api_job, command, work_job
from .log import Actor
from .networks import implement
from .templates import copy_template
from .truth import Span

START, STOP = "user.vm.StartVMCmd", "user.vm.StopVMCmd"


def start(cloud: Cloud, server: str, vm: Vm, *, again: bool) -> Steps:
    """A request to start a VM; `again`: the server tries once more if the first attempt fails."""

    def work(actor: Actor) -> Steps:
        for attempt in range(2 if again else 1):
            try:
                yield from work_job(cloud, actor, vm, "Start", lambda worker: run_start(cloud, worker, vm))
                return
            except OperationError:
                if attempt or not again:
                    raise
                yield cloud.between(0.2, 1.0)

    if vm.state == "Stopped" and not vm.pending:
        vm.stopped_by_user = None
        yield from api_job(cloud, server, START, {"vm": vm.id}, work)


def run_start(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    """The work of a start: the networks first, then the NICs, then the host."""
    if vm.state == "Running":
        cloud.say(actor, "vm.start.already", vm=vm.id)
        return
    if vm.state != "Stopped":
        raise OperationError(f"Cannot start VM in {vm.state} state")
    cloud.transition(actor, vm, "Starting", "StartRequested", "Stopped")
    vm.starting = actor
    cloud.say(actor, "vm.start.requested", vm=vm.id)
    try:
        yield cloud.pause(0.05, 0.4)
        cloud.say(actor, "vm.start.deployment", vm=vm.id, attempt=1)
        for nic in vm.nics:
            yield from implement(cloud, actor, nic.network)
        for nic in vm.nics:
            yield from prepare(cloud, actor, vm, nic)
        if not vm.is_copied:
            yield from copy_template(cloud, actor, vm)
        yield from command(cloud, actor, vm.host, "StartCommand", 0.9, 9.0, vm=vm)
        vm.host.domains.add(vm.id)
        cloud.lose_start(actor, vm)
        yield cloud.pause(0.01, 0.05)
        cloud.transition(actor, vm, "Running", "OperationSucceeded", "Starting")
        cloud.say(actor, "vm.start.completed", vm=vm.id)
    except OperationError:
        yield from _clean_up(cloud, actor, vm)
        raise
    finally:
        vm.starting = None


def prepare(cloud: Cloud, actor: Actor, vm: Vm, nic: Nic) -> Steps:
    """Count and prepare a NIC; refused where the network turns out not to be implemented."""
    network = nic.network
    yield cloud.pause(0.001, 0.01)
    network.count += 1
    nic.is_counted = True
    nic.uses = [cloud.begin("network.use", network.key, actor, vm=vm.key)]
    cloud.say(actor, "nic.count", network=network.id, count=1)
    yield from choose_address(cloud, nic)
    notes = {"nic": f"nic:{nic.id}", "network": network.key}
    nic.uses.append(cloud.begin("address", f"{network.key}/{nic.address}", actor, **notes))
    about = {"nic__address": nic.address, "nic__vm": vm.id}
    cloud.say(actor, "nic.prepare", element="VirtualRouter", nic=nic.id, **about)
    yield cloud.pause(0.002, 0.02)
    cloud.say(actor, "lock.network.router_startup.released", network=network.id, number=network.id)
    if network.state != "Implemented":
        cloud.say(actor, "vm.start.resource_unavailable", network=network.id)
        for race in network.strikes:
            if race.about is not None and race.about[0].family == actor.family:
                race.proof = "failed"
        raise OperationError(f"Resource [Network:{network.id}] is unreachable: Network is not yet fully implemented")


def choose_address(cloud: Cloud, nic: Nic) -> Steps:
    """Take a free address; sometimes it is looked up first and written down a moment later."""
    if not nic.address:
        taken = nic.network.taken
        address = next(a for a in (f"10.1.1.{n}" for n in range(2, 250)) if a not in taken)
        if cloud.flaw(0.08):
            yield cloud.pause(0.002, 0.03)
        nic.address = address
        taken.add(address)


def _clean_up(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    cloud.clean_up(actor, vm)
    yield cloud.pause(0.1, 0.6)
    for nic in vm.nics:
        release(cloud, actor, vm, nic)
    cloud.say(actor, "vm.cleanup.done", vm=vm.id, state=vm.state)
    vm.host.domains.discard(vm.id)
    if vm.state == "Starting":
        cloud.transition(actor, vm, "Stopped", "OperationFailed")


def release(cloud: Cloud, actor: Actor, vm: Vm, nic: Nic) -> None:
    """Give a NIC back that is counted."""
    if nic.is_counted:
        nic.is_counted = False
        nic.network.count -= 1
        for span in nic.uses:
            span.end = cloud.now
        cloud.say(actor, "nic.release", element="VirtualRouter", nic=nic.id, nic__address=nic.address, nic__vm=vm.id)
        cloud.say(actor, "nic.released", nic=nic.id, nic__vm=vm.id, vm=vm.id, guru="ExternalGuestNetworkGuru")
        cloud.say(actor, "nic.count", network=nic.network.id, count=-1)


def stop(cloud: Cloud, server: str, vm: Vm) -> Steps:
    """A request to stop a VM."""

    def work(actor: Actor) -> Steps:
        yield from work_job(cloud, actor, vm, "Stop", run)

    def run(worker: Actor) -> Steps:
        yield from run_stop(cloud, worker, vm)
        vm.stopped_by_user = cloud.now

    if vm.state == "Running" and not vm.pending:
        yield from api_job(cloud, server, STOP, {"vm": vm.id}, work)


def run_stop(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    """The work of a stop."""
    if vm.state == "Stopped":
        cloud.say(actor, "vm.stop.already", vm=vm.id)
        return
    cloud.transition(actor, vm, "Stopping", "StopRequested", "Running")
    try:
        yield from command(cloud, actor, vm.host, "StopCommand", 0.8, 3.0, vm=vm)
    except OperationError as error:
        cloud.say(actor, "vm.stop.unable", vm=vm.id, reason=error)
        cloud.transition(actor, vm, "Running", "OperationFailed", "Stopping")
        raise
    vm.host.domains.discard(vm.id)
    cloud.say(actor, "vm.stop.on_host_done", vm=vm.id)
    for nic in vm.nics:
        yield cloud.pause(0.01, 0.05)
        release(cloud, actor, vm, nic)
    yield cloud.pause(0.02, 0.2)
    cloud.transition(actor, vm, "Stopped", "OperationSucceeded", "Stopping")


def run_force_stop(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    """Stop a VM that is dead on its host."""
    cloud.transition(actor, vm, "Stopping", "StopRequested")
    yield cloud.pause(0.1, 1.0)
    for nic in vm.nics:
        release(cloud, actor, vm, nic)
    cloud.transition(actor, vm, "Stopped", "OperationSucceeded", "Stopping")


def migrate(cloud: Cloud, server: str, vm: Vm) -> Steps:
    """A request to migrate a VM."""

    def run(actor: Actor) -> Steps:
        goal = cloud.dice.choice([host for host in cloud.hosts if host is not vm.host])
        if vm.state != "Running":
            cloud.say(actor, "vm.migrate.not_running", vm=vm.id)
            raise OperationError(f"the VM is {vm.state}")
        cloud.say(actor, "vm.migrate.begin", vm=vm.id, dest__host=goal.id)
        cloud.transition(actor, vm, "Migrating", "MigrationRequested", "Running")
        try:
            yield from command(cloud, actor, goal, "PrepareForMigrationCommand", 0.3, 1.5)
            yield from command(cloud, actor, vm.host, "MigrateCommand", 2.0, 15.0, vm=vm)
            if vm.id not in vm.host.domains:
                raise OperationError("the host does not know the VM")
        except OperationError as error:
            cloud.say(actor, "vm.migrate.cancelled", vm=vm.id, reason=error)
            cloud.transition(actor, vm, "Running", "OperationFailed", "Migrating")
            raise
        vm.host.domains.discard(vm.id)
        goal.domains.add(vm.id)
        vm.host = goal
        cloud.transition(actor, vm, "Running", "OperationSucceeded", "Migrating")

    def work(actor: Actor) -> Steps:
        yield from work_job(cloud, actor, vm, "Migrate", run)

    if vm.state == "Running":
        yield from api_job(cloud, server, "admin.vm.MigrateVMCmd", {"vm": vm.id}, work)


def add_nic(cloud: Cloud, server: str, vm: Vm, network: Network) -> Steps:
    """A request for one more NIC. Whether there is one already is asked when the request is taken on only."""
    spans: list[Span] = []

    def run(actor: Actor) -> Steps:
        asked = spans[0]
        cloud.say(actor, "vm.nic.add", vm=vm.id, network=network.id)
        span = cloud.begin("nic.plug", vm.key, actor)
        nic = Nic(cloud.next_id() * 3, network)
        try:
            # The row of the NIC is written first; from then on whoever asks finds it.
            yield cloud.pause(0.002, 0.01)
            asked.notes["ran"] = str(cloud.now)
            vm.nics.append(nic)
            yield from implement(cloud, actor, network)
            yield from prepare(cloud, actor, vm, nic)
            yield from command(cloud, actor, vm.host, "PlugNicCommand", 0.5, 3.0, vm=vm)
        except OperationError:
            release(cloud, actor, vm, nic)
            vm.nics.remove(nic)
            asked.notes["came"] = span.notes["came"] = "failed"
            cloud.say(actor, "vm.nic.plug_failed", vm=vm.id, network=network.id)
            raise
        finally:
            span.end = cloud.now
        asked.notes["there"] = "yes"
        asked.notes["came"] = "failed"  # twice in one network is damage, if there is another one
        cloud.say(actor, "vm.nic.plugged", vm=vm.id, network=network.id)

    def work(actor: Actor) -> Steps:
        if any(nic.network is network for nic in vm.nics):
            raise OperationError("the VM has a NIC in this network")
        spans.append(cloud.begin("nic.request", f"{vm.key}/{network.key}", actor))
        yield from work_job(cloud, actor, vm, "AddVmToNetwork", run)

    yield from api_job(cloud, server, "user.vm.AddNicToVMCmd", {"vm": vm.id}, work)


def new_vm(cloud: Cloud, networks: list[Network], role: str = "User", *, is_ha: bool = False) -> Vm:
    """A VM that exists and is stopped."""
    vm = Vm(cloud.next_id(), role, cloud.dice.choice(cloud.hosts), is_ha=is_ha)
    for network in networks:
        vm.nics.append(Nic(cloud.next_id() * 3, network))
        network.vms.append(vm)
    cloud.vms[vm.id] = vm
    return vm
