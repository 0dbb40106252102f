"""Requests, the jobs that they submit, work jobs in the queues of VMs, and commands to hosts."""

from __future__ import annotations

from collections.abc import Callable

from .cloud import Cloud, Host, OperationError, Steps, Vm
from .engine import SECOND, Signal
from .log import Actor

Work = Callable[[Actor], Steps]
VM_WORK = "com.cloud.vm.VmWork"
COMMANDS = "org.apache.cloudstack.api.command."


def api_job(cloud: Cloud, server: str, command: str, about: dict[str, object], work: Work) -> Steps:
    """A request and its job, in which `work` is done. Gives whether that succeeded.

    `about` says which resource the job is about, as fields of `job.submitted`.
    """
    pools = cloud.servers[server]
    name, job = COMMANDS + command, cloud.next_job()
    thread = pools.pool("API-Job-Executor").take()
    actor = cloud.actor(server, thread, None, job)
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
    is_done = True
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


def work_job(cloud: Cloud, requester: Actor, vm: Vm, verb: str, work: Work) -> Steps:
    """A work job in the queue of a VM, waited for. Raises OperationError if it fails.

    A requester without a job gets a pseudo job for the origin, which never logs a run of its own.
    """
    origin = requester.job if requester.job is not None else cloud.next_job()
    job = cloud.next_job()
    vm.pending += 1
    cloud.say(requester, "job.synced", job=job, vm=vm.id)
    done = Signal()
    cloud.engine.spawn(_run(cloud, requester, vm, verb, work, (job, origin), done))
    error = yield done
    # The requester looks now and then whether the job that it joined is over.
    yield cloud.between(0.01, 1.5)
    if error:
        raise OperationError(error)


def _run(
    cloud: Cloud, requester: Actor, vm: Vm, verb: str, work: Work, numbers: tuple[int, int], done: Signal
) -> Steps:
    job, origin = numbers
    server = cloud.servers[requester.server]
    yield cloud.between(0.05, 1.2)
    yield vm.queue
    yield cloud.between(0.05, 0.8)
    heartbeat = cloud.actor(server.name, "AsyncJobMgr-Heartbeat-1")
    cloud.say(heartbeat, "job.queue.scheduled", job=job)
    yield cloud.pause()
    thread, name = server.pool("Work-Job-Executor").take(), VM_WORK + verb
    actor = cloud.actor(server.name, thread, requester, job, origin)
    cloud.say(actor, "job.monitor.add", job=job)
    yield cloud.pause(0.001, 0.006)
    cloud.say(actor, "job.executing", job=job, cmd=name)
    cloud.say(actor, "job.vmwork.run", cmd=name, vm=vm.id, parent=origin)
    running = cloud.begin("work", vm.key, actor)
    yield cloud.pause(0.001, 0.006)
    cloud.say(actor, "job.vmwork.execute", cmd=name, vm=vm.id)
    error = ""
    try:
        yield from work(actor)
    except OperationError as failure:
        error = str(failure) or "it failed"
        cloud.say(actor, "job.vmwork.invocation_exception", cause=f"com.cloud.exception.CloudException: {error}")
    else:
        cloud.say(actor, "job.vmwork.execute_done", cmd=name, vm=vm.id)
    yield cloud.pause()
    state = "FAILED" if error else "SUCCEEDED"
    running.end = cloud.now
    if error:
        cloud.say(actor, "job.vmwork.run_done", cmd=name, vm=vm.id, parent=origin)
        cloud.say(actor, "job.vmwork.unable_to_complete", job=job, parent=origin)
        cloud.say(actor, "job.completed", job=job, state=state, result_code=0, result="rO0ABXNyADFjb20u")
    else:
        cloud.say(actor, "job.completed", job=job, state=state, result_code=0, result="null")
        cloud.say(actor, "job.vmwork.run_done", cmd=name, vm=vm.id, parent=origin)
    _end(cloud, actor, job, name)
    server.pool("Work-Job-Executor").give(thread)
    vm.pending -= 1
    cloud.engine.release(vm.queue)
    cloud.engine.fire(done, error)


def command(cloud: Cloud, actor: Actor, host: Host, name: str, low: float, high: float, **about: object) -> Steps:
    """A command to a host, and the wait for its answer. Raises OperationError if the host is lost meanwhile."""
    if host.status != "Up":
        raise OperationError(f"Host {host.id} is not in the right state: {host.status}")
    host.sequence += 1
    number = f"{host.id}-{7_000_000_000 + host.sequence}"
    cmd = f"com.cloud.agent.api.{name}"
    cloud.say(actor, "cmd.sending", command=number, host=host.id, flags=100011, cmd=cmd, **about)
    answered = Signal()
    host.pending[number] = answered
    cloud.engine.spawn(_answer(cloud, host, number, cloud.between(low, high)))
    is_answered = yield answered
    if not is_answered:
        raise OperationError(f"host {host.id} was lost")
    yield cloud.pause(0.001, 0.004)
    cloud.say(actor, "cmd.received", command=number, host=host.id, flags=10, answers="Answer")


def _answer(cloud: Cloud, host: Host, number: str, seconds: float) -> Steps:
    yield seconds
    answered = host.pending.pop(number, None)
    if answered is not None:
        cloud.say(cloud.handler(host), "cmd.processing", command=number, host=host.id, flags=10, answer="Answer")
        cloud.engine.fire(answered, True)


def wait_until(cloud: Cloud, is_so: Callable[[], bool], seconds: float, step: float = 0.5) -> Steps:
    """Wait until something is so, at most that long. Gives whether it is."""
    end = cloud.now + round(seconds * SECOND)
    while not is_so() and cloud.now < end:
        yield step
    return is_so()
