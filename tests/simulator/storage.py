"""Volumes: attached, detached, migrated, and snapshots of them copied to secondary storage."""

from __future__ import annotations

from .cloud import Cloud, OperationError, Steps, Vm, Volume
from .jobs import Work, api_job, command, copy_command, work_job
from .log import Actor
from .truth import Race

MIGRATED = "volume-migrated-while-vm-starting"
POLICY = "snapshot-policy-created-twice"
STORE = "nfs://192.0.2.20/secondary"


def migrate(cloud: Cloud, server: str, volume: Volume) -> Steps:
    """A request to migrate a volume; later releases refuse it while the VM starts."""
    vm = volume.vm
    if vm is None:
        return
    races: list[Race] = []

    def run(actor: Actor) -> Steps:
        # A request whose turn never comes is over with the log: nothing of it was done on a wrong state.
        cloud.truth.races += races
        yield from command(cloud, actor, vm.host, "MigrateVolumeCommand", 2.0, 12.0)
        if races and cloud.chance(0.5):
            cloud.say(actor, "volume.migrate.failed", volume=volume.id, volume__vm=vm.id, reason="it is in use")
            races[0].proof = "failed"
            raise OperationError("the volume is in use")

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        if vm.state == "Starting" and cloud.log.release >= (4, 20):
            cloud.truth.missed(MIGRATED)
            raise OperationError("the VM is in state [Starting], which is not supported for migration")
        if vm.state == "Starting" and vm.starting is not None and vm.starting.family != actor.family:
            races.append(Race(MIGRATED, frozenset((volume.key, vm.key)), cloud.now, 1.0))
        yield from _work(cloud, actor, volume, vm, "MigrateVolume", run)

    yield from api_job(cloud, server, "user.volume.MigrateVolumeCmd", {"volume": volume.id}, work)


def _work(cloud: Cloud, actor: Actor, volume: Volume, vm: Vm, verb: str, run: Work, **about: object) -> Steps:
    def spanned(worker: Actor) -> Steps:
        span = cloud.begin("volume.work", volume.key, worker, verb=verb, **{k: str(v) for k, v in about.items()})
        try:
            yield from run(worker)
        except OperationError:
            span.notes["came"] = "failed"
            raise
        finally:
            span.end = cloud.now

    yield from work_job(cloud, actor, vm, verb, spanned, volume=volume.id, **about)


def attach(cloud: Cloud, server: str, volume: Volume, vm: Vm) -> Steps:
    """A request to attach a volume that belongs to nobody, or soon will."""
    about = {"volume": volume.id, "volume__vm": vm.id, "vm": vm.id, "volume_name": "data", "vm_name": "web"}

    def run(actor: Actor) -> Steps:
        yield cloud.pause(0.05, 0.5)
        if volume.vm is not None:
            cloud.say(actor, "volume.attach.failed", **about)
            raise OperationError("the volume is attached to another VM")
        yield from command(cloud, actor, vm.host, "AttachCommand", 0.5, 3.0, vm=vm)
        volume.vm = vm
        cloud.say(actor, "volume.attach.ok", **about)

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        cloud.say(actor, "volume.attach.begin", volume=volume.id, vm=vm.id, job=actor.job)
        yield from _work(cloud, actor, volume, vm, "AttachVolume", run)

    if vm.state == "Running":
        yield from api_job(cloud, server, "user.volume.AttachVolumeCmd", {"volume": volume.id}, work)


def detach(cloud: Cloud, server: str, volume: Volume) -> Steps:
    """A request to detach a volume."""
    vm = volume.vm
    if vm is None or vm.state != "Running":
        return

    def run(actor: Actor) -> Steps:
        yield from command(cloud, actor, vm.host, "DettachCommand", 0.5, 6.0, vm=vm)
        volume.vm = None

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        yield from _work(cloud, actor, volume, vm, "DetachVolume", run)

    yield from api_job(cloud, server, "user.volume.DetachVolumeCmd", {"volume": volume.id}, work)


def take_snapshot(cloud: Cloud, server: str, volume: Volume) -> Steps:
    """A request for a snapshot of a volume, which is copied to secondary storage."""
    vm, snapshot = volume.vm, cloud.next_id()
    if vm is None or vm.is_gone:
        return

    def run(actor: Actor) -> Steps:
        yield cloud.pause(0.1, 0.6)
        try:
            yield from copy_command(cloud, actor, vm.host, STORE)
        except OperationError:
            cloud.say(actor, "snapshot.create.failed", reason="the copy failed", cause="CopyError")
            raise

    def work(actor: Actor) -> Steps:
        yield cloud.pause()
        yield from _work(cloud, actor, volume, vm, "TakeVolumeSnapshot", run, snapshot=snapshot)

    yield from api_job(cloud, server, "user.snapshot.CreateSnapshotCmd", {"volume": volume.id}, work)


def make_policy(cloud: Cloud, server: str, volume: Volume, holder: list[Actor]) -> Steps:
    """A request for a snapshot policy, answered at once. `holder` is who makes one for this volume already."""
    actor = cloud.actor(server, f"qtp1533908812-{cloud.dice.randrange(20, 400)}")
    about = {"call": "createSnapshotPolicy", "volume": volume.id, "method": "GET", "client": "192.0.2.51"}
    cloud.say(actor, "api.start", **about)
    yield cloud.pause(0.01, 0.1)
    for _ in range(10):
        if not holder:
            break
        yield 0.5
    if holder:
        proof = "avoided" if cloud.log.release < (4, 17) else ""
        cloud.truth.race(POLICY, volume.key, cloud.now).proof = proof
        cloud.say(actor, "lock.snapshot_policy.failed", volume_name="data")
    else:
        holder.append(actor)
        cloud.say(
            actor, "lock.snapshot_policy.acquired", volume_name="data", volume=volume.id, volume__vm=1, schedule="DAILY"
        )
        yield cloud.between(0.1, 9.0)
        holder.remove(actor)
    yield cloud.pause()
    cloud.say(actor, "api.end", call="createSnapshotPolicy", method="GET", client="192.0.2.51")


def use(cloud: Cloud, server: str) -> Steps:
    """Users do this and that with volumes, sometimes two things at once."""
    spawn = cloud.engine.spawn
    while True:
        yield cloud.between(4, 25)
        if not cloud.volumes:
            continue
        volume = cloud.dice.choice(cloud.volumes)
        kind = cloud.dice.random()
        if kind < 0.25:
            spawn(migrate(cloud, server, volume), server=server)
        elif kind < 0.5:
            others = [v for v in cloud.vms.values() if v.role == "User" and v.state == "Running" and v is not volume.vm]
            spawn(detach(cloud, server, volume), server=server)
            if others:
                spawn(attach(cloud, server, volume, cloud.dice.choice(others)), cloud.between(0.2, 12.0), server)
        elif kind < 0.85:
            chosen = [volume, cloud.dice.choice(cloud.volumes)] if cloud.chance(0.5) else [volume]
            for one in dict.fromkeys(chosen):
                spawn(take_snapshot(cloud, server, one), cloud.between(0.0, 4.0), server)
        else:
            holder: list[Actor] = []
            for _ in range(1 + cloud.chance(0.6)):
                spawn(make_policy(cloud, server, volume, holder), cloud.between(0.0, 6.0), server)
