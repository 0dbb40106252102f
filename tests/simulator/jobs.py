"""Requests, the jobs that they submit, work jobs in the queues of VMs, and commands to hosts."""

from __future__ import annotations

from collections.abc import Callable

from .cloud import Cloud, Host, OperationError, Steps, Vm, WorkJob
from .engine import SECOND, Signal
from .log import Actor

Work = Callable[[Actor], Steps]
MOUNT = "secondary-mount-shared-by-copies"
CANCELLED = "job-cancelled-while-running"
VM_WORK = "com.cloud.vm.VmWork"
COMMANDS = "org.apache.cloudstack.api.command."
HELD = "host-commanded-during-rebalance"


def api_job(cloud: Cloud, server: str, command: str, about: dict[str, object], work: Work) -> Steps:
    """A request and its job, in which `work` is done. Gives whether that succeeded.

    `about` says which resource the job is about, as fields of `job.submitted`.
    """
    pools = cloud.servers[server]
    name, job = COMMANDS + command, cloud.next_job()
    thread = pools.pool("API-Job-Executor").take()
    actor = cloud.actor(server, thread, None, job)
    cloud.requests[job] = (server, about)
    servlet = cloud.actor(server, f"qtp1533908812-{cloud.dice.randrange(20, 400)}")
    servlet = Actor(server, servlet.thread, servlet.run, actor.family, logid=servlet.logid)
    cloud.say(servlet, "api.start", method="GET", client="192.0.2.50", query=f"command={command.rpartition('.')[2]}")
    yield cloud.pause()
    cloud.engine.spawn(_servlet(cloud, servlet, job, name, about))
    yield cloud.pause()
    cloud.say(actor, "job.monitor.add", job=job)
    yield cloud.pause()
    cloud.say(actor, "job.executing", job=job, cmd=name, **about)
    yield cloud.pause()
    is_done, result = True, ""
    try:
        yield from work(actor)
    except OperationError as error:
        is_done = False
        cloud.say(actor, "job.api_exception", cmd=name)
        result = str(error)
    yield cloud.pause()
    state = "SUCCEEDED" if is_done else "FAILED"
    text = "null" if is_done else f"org.apache.cloudstack.api.response.ExceptionResponse/null/{{{result}}}"
    code = 0 if is_done else 530
    cloud.say(actor, "job.completed", job=job, state=state, result_code=code, result=text)
    _end(cloud, actor, job, name)
    pools.pool("API-Job-Executor").give(thread)
    cloud.requests.pop(job, None)
    cloud.outcomes[job] = "" if is_done else result or "the job failed"
    return is_done


def _servlet(cloud: Cloud, servlet: Actor, job: int, name: str, about: dict[str, object]) -> Steps:
    yield cloud.pause(0.001, 0.03)
    cloud.say(servlet, "job.submitted", number=job, job=job, cmd=name, **about)
    yield cloud.pause()
    cloud.say(servlet, "api.end", method="GET", client="192.0.2.50", query=f"command={name.rpartition('.')[2]}")


def _end(cloud: Cloud, actor: Actor, job: int, name: str) -> None:
    cloud.say(actor, "job.published", job=job)
    cloud.say(actor, "job.done_executing", cmd=name, job=job)
    cloud.say(actor, "job.monitor.remove", job=job)


def work_job(cloud: Cloud, requester: Actor, vm: Vm, verb: str, work: Work, **about: object) -> Steps:
    """A work job in the queue of a VM, waited for. Raises OperationError if it fails.

    A requester without a job gets a pseudo job for the origin, which never logs a run of its own. `about` says what
    else the work is about.
    """
    origin = requester.job if requester.job is not None else cloud.next_job()
    job = WorkJob(cloud.next_job(), origin, vm, VM_WORK + verb, {"vm": vm.id, **about}, requester.server)
    cloud.jobs[job.number] = job
    vm.pending += 1
    cloud.say(requester, "job.synced", job=job.number, vm=vm.id)
    cloud.engine.spawn(_run(cloud, requester, job, work))
    error = yield job.done
    # The requester looks now and then whether the job that it joined is over.
    yield cloud.between(0.01, 1.5)
    if error:
        raise OperationError(error)


def _run(cloud: Cloud, requester: Actor, job: WorkJob, work: Work) -> Steps:
    server = cloud.servers[requester.server]
    yield cloud.between(0.05, 1.2)
    yield job.vm.queue
    yield cloud.between(0.05, 0.8)
    heartbeat = cloud.actor(server.name, "AsyncJobMgr-Heartbeat-1")
    cloud.say(heartbeat, "job.queue.scheduled", job=job.number)
    yield cloud.pause()
    thread = server.pool("Work-Job-Executor").take()
    actor = cloud.actor(server.name, thread, requester, job.number, job.origin)
    cloud.say(actor, "job.monitor.add", job=job.number)
    yield cloud.pause(0.001, 0.006)
    cloud.say(actor, "job.executing", job=job.number, cmd=job.cmd)
    cloud.say(actor, "job.vmwork.run", cmd=job.cmd, vm=job.vm.id, parent=job.origin)
    running = cloud.begin("work", job.vm.key, actor)
    job.began, cloud.running[job.number] = cloud.now, job
    yield cloud.pause(0.001, 0.006)
    cloud.say(actor, "job.vmwork.execute", cmd=job.cmd, **job.about)
    error = ""
    try:
        yield from work(actor)
    except OperationError as failure:
        error = str(failure) or "it failed"
        cloud.say(actor, "job.vmwork.invocation_exception", cause=f"com.cloud.exception.CloudException: {error}")
    else:
        cloud.say(actor, "job.vmwork.execute_done", cmd=job.cmd, **job.about)
    yield cloud.pause()
    if error:
        cloud.say(actor, "job.vmwork.run_done", cmd=job.cmd, vm=job.vm.id, parent=job.origin)
        cloud.say(actor, "job.vmwork.unable_to_complete", job=job.number, parent=job.origin)
        _complete(cloud, actor, job, "FAILED", "rO0ABXNyADFjb20u")
    else:
        _complete(cloud, actor, job, "SUCCEEDED", "null")
        cloud.say(actor, "job.vmwork.run_done", cmd=job.cmd, vm=job.vm.id, parent=job.origin)
    running.end = cloud.now
    if job.race is not None:
        running.notes["came"] = job.race.proof = "failed"
    _end(cloud, actor, job.number, job.cmd)
    server.pool("Work-Job-Executor").give(thread)
    let_go(cloud, job, error)


def _complete(cloud: Cloud, actor: Actor, job: WorkJob, state: str, result: str) -> None:
    if job.race is not None:
        cloud.say(actor, "job.completed.already", job=job.number)
    else:
        cloud.say(actor, "job.completed", job=job.number, state=state, result_code=0, result=result)


def let_go(cloud: Cloud, job: WorkJob, error: str) -> None:
    """Let the next job of the VM begin, and tell who waits for this one; once only."""
    if cloud.running.pop(job.number, None) is not None:
        del cloud.jobs[job.number]
        job.vm.pending -= 1
        cloud.engine.release(job.vm.queue)
        cloud.engine.fire(job.done, error)


def cancel_blocked(cloud: Cloud, server: str, threshold: float) -> Steps:
    """Every ten seconds: jobs that are in front of their queue for too long are cancelled under their workers."""
    while True:
        yield 10.0
        actor = cloud.actor(server, "AsyncJobMgr-Heartbeat-1")
        for job in [j for j in cloud.running.values() if cloud.now - j.began > threshold * SECOND]:
            cloud.say(actor, "job.gc.blocked", job=job.number, queue=job.vm.id)
            job.race = cloud.truth.race(CANCELLED, f"job:{job.number}", cloud.now)
            cloud.say(actor, "job.completed", job=job.number, state="FAILED", result_code=0, result="null")
            let_go(cloud, job, "the job was cancelled as it has been blocking others for too long")


def command(
    cloud: Cloud, actor: Actor, host: Host, name: str, low: float, high: float, vm: Vm | None = None, **about: object
) -> Steps:
    """A command to a host, and the wait for its answer, which is given. Raises OperationError if the host is lost.

    A VM that is started runs on its host some time before the answer.
    """
    host.sequence += 1
    number = f"{host.id}-{7_000_000_000 + host.sequence}"
    if host.in_transfer:
        yield from _held(cloud, actor, host, number)
    if host.status != "Up":
        raise OperationError(f"Host {host.id} is not in the right state: {host.status}")
    short = name.rpartition(".")[2].removesuffix("Command")
    short = "CopyCmd" if short == "Copy" else short
    cmd = name if "." in name else f"com.cloud.agent.api.{name}"
    if vm is not None:
        about["vm"] = vm.id
    cloud.say(actor, "cmd.sending", command=number, host=host.id, flags=100011, cmd=cmd, **about)
    answered = Signal()
    host.pending[number] = answered
    flight = cloud.begin("command", f"command:{number}", actor)
    seconds = cloud.between(low, high)
    if vm is not None and short == "Start":
        vm.commands.append(flight)
        vm.struck.pop(actor.family, None)
        cloud.engine.spawn(_appear(cloud, host, vm, answered), seconds * cloud.between(0.5, 0.95))
    cloud.engine.spawn(_answer(cloud, host, (number, short), answered, seconds))
    result = yield answered
    flight.end = cloud.now
    if result is None:
        raise OperationError(f"host {host.id} was lost")
    yield cloud.pause(0.001, 0.004)
    cloud.say(actor, "cmd.received", command=number, host=host.id, flags=10, answers=f"{short}Answer")
    return result


def _answer(cloud: Cloud, host: Host, asked: tuple[str, str], answered: Signal, seconds: float) -> Steps:
    yield seconds
    number, short = asked
    if not answered.is_fired:
        host.pending.pop(number, None)
        cloud.engine.fire(answered, answer(cloud, host, number, f"{short}Answer", "true"))


def answer(cloud: Cloud, host: Host, number: str, name: str, result: str) -> str:
    """A host answers a command."""
    about = {"answer": name, "result": result}
    cloud.say(cloud.handler(host), "cmd.processing", command=number, host=host.id, flags=10, **about)
    return result


def _appear(cloud: Cloud, host: Host, vm: Vm, answered: Signal) -> Steps:
    if not answered.is_fired:
        host.domains.add(vm.id)
    yield 0.0


def _held(cloud: Cloud, actor: Actor, host: Host, number: str) -> Steps:
    cloud.say(actor, "cmd.forward_hold", command=number)
    asked = cloud.now
    yield from wait_until(cloud, lambda: not host.in_transfer, 60)
    if cloud.chance(0.4):
        cloud.truth.race(HELD, f"command:{number}", asked, f"host:{host.id}").proof = "failed"
        cloud.say(actor, "cmd.forward_failed", command=number)
        raise OperationError("the command could not be forwarded")
    cloud.truth.missed(HELD)
    cloud.say(actor, "cmd.forward", command=number)


def copy_command(cloud: Cloud, actor: Actor, host: Host, store: str) -> Steps:
    """A copy on a host to secondary storage. Raises OperationError if another copy took its mount away."""
    host.sequence += 1
    number = f"{host.id}-{7_000_000_000 + host.sequence}"
    about = {"command": number, "host": host.id, "cmd": "org.apache.cloudstack.storage.command.CopyCommand"}
    cloud.say(actor, "cmd.sending", **about, flags=100011, store=store)
    done = Signal()
    copies = cloud.mounts.setdefault((host.id, store), {})
    copies[number] = (done, actor.server)
    host.pending[number] = done
    cloud.engine.spawn(_finish_copy(cloud, host, store, number, cloud.between(5.0, 40.0)))
    result = yield done
    copies.pop(number, None)
    if result is None:
        raise OperationError("the host was lost")
    yield cloud.pause(0.001, 0.004)
    cloud.say(actor, "cmd.received", command=number, host=host.id, flags=10, answers="CopyCmdAnswer")
    if result == "false":
        raise OperationError("the copy failed")


def _finish_copy(cloud: Cloud, host: Host, store: str, number: str, seconds: float) -> Steps:
    yield seconds
    copies = cloud.mounts[(host.id, store)]
    mine, _ = copies.get(number, (Signal(is_fired=True), ""))
    if mine.is_fired:
        return
    host.pending.pop(number, None)
    cloud.engine.fire(mine, answer(cloud, host, number, "CopyCmdAnswer", "true"))
    ended = cloud.now
    for other, (done, _) in sorted(copies.items(), key=lambda pair: pair[0]):
        # The mount is taken away under the other copies, which may have what they need already.
        if other != number and not done.is_fired and cloud.chance(0.4):
            yield cloud.between(0.1, 3.0)
            if not done.is_fired:
                host.pending.pop(other, None)
                race = cloud.truth.race(MOUNT, f"host:{host.id}", ended, f"command:{number}", f"command:{other}")
                race.proof = "failed"
                cloud.engine.fire(done, answer(cloud, host, other, "CopyCmdAnswer", "false"))


def wait_until(cloud: Cloud, is_so: Callable[[], bool], seconds: float, step: float = 0.5) -> Steps:
    """Wait until something is so, at most that long. Gives whether it is."""
    end = cloud.now + round(seconds * SECOND)
    while not is_so() and cloud.now < end:
        yield step
    return is_so()
