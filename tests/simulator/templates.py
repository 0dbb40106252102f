"""Templates: copied to primary storage under a lock, by the first start that needs one there."""

from __future__ import annotations

from .cloud import Cloud, Copy, OperationError, Steps, Vm
from .engine import SECOND
from .log import Actor

COPIED = "template-copied-concurrently"


def copy_template(cloud: Cloud, actor: Actor, vm: Vm) -> Steps:
    """Make sure that the VM's template is on the pool. Raises OperationError if its copy cannot be used yet."""
    copy = cloud.copies.setdefault(vm.template, Copy())
    about = {"ref": vm.template, "ref__template": vm.template * 7, "ref__pool": 1}
    cloud.say(actor, "lock.template_pool.wait", **about, timeout=3600)
    yield copy.lock
    cloud.say(actor, "lock.template_pool.acquired", **about)
    try:
        if copy.is_there:
            yield cloud.pause(0.01, 0.6)
        else:
            yield cloud.between(2.0, 15.0)
            copy.is_there = True
    finally:
        cloud.engine.release(copy.lock)
        cloud.say(actor, "lock.template_pool.released", **about)
    before, copy.last = copy.last, (actor, cloud.now)
    # Right after another one has made the copy it may not be usable yet.
    if before is not None and before[0].family != actor.family and cloud.now - before[1] < 1.5 * SECOND:
        if cloud.chance(0.4) and cloud.log.prints("vm.start.storage_access"):
            cloud.truth.race(COPIED, f"template_spool_ref:{vm.template}", cloud.now).proof = "failed"
            yield cloud.pause()
            cloud.say(actor, "vm.start.storage_access")
            raise OperationError("the template is locked")
        cloud.truth.missed(COPIED)
    vm.is_copied = True
