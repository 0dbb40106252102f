"""What the operations of the pretended cloud are made of: scripts, jobs, commands, transitions."""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.cloud import MSID, Cloud, Host, Network, Vm, Who

JOBS = "o.a.c.f.j.i.AsyncJobManagerImpl"
MONITOR = "o.a.c.f.j.i.AsyncJobMonitor"
DISPATCHER = "c.c.v.VmWorkJobDispatcher"
HANDLER = "c.c.v.VmWorkJobHandlerProxy"
MACHINES = "c.c.v.ClusteredVirtualMachineManagerImpl"
NETWORKS = "o.a.c.e.o.NetworkOrchestrator"
REQUEST = "c.c.a.t.Request"
API = "c.c.a.ApiServlet"


@dataclass(slots=True)
class Truth:
    """One race that was put into the log.

    `lines` (from 1) and `times` of its parts are filled in when these are written: `open` and `close`
    of the work, `strike`, `consequence`.
    """

    rule: str
    resource: str
    outcome: str
    lines: dict[str, int] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Line:
    """One record: milliseconds, the text behind the time with its line feed, its part in a race if it has one."""

    at: int
    text: bytes
    truth: Truth | None = None
    part: str = ""


@dataclass(slots=True)
class Script:
    """The lines of one operation, with their time from its start."""

    cloud: Cloud
    name: str
    truth: Truth | None = None
    lines: list[Line] = field(default_factory=list)

    def say(self, at: int, who: Who, logger: str, text: str, level: str = "DEBUG", part: str = "") -> None:
        """Add a record; `part` is its part in the race."""
        line = (self.cloud.head(who, level, logger) + text + "\n").encode()
        self.lines.append(Line(at, line, self.truth if part else None, part))

    @property
    def end(self) -> int:
        """The time of the last line."""
        return max(line.at for line in self.lines)


@dataclass(frozen=True, slots=True)
class Threads:
    """Numbers of pooled threads that nobody else uses while the operation runs."""

    api: int
    work: int
    other: int


def begin_api_job(script: Script, threads: Threads, command: str, name: str, vm: Vm) -> tuple[int, Who]:
    """The request, and the job that it submits. Gives the job's id and its thread inside the second context."""
    cloud = script.cloud
    job = cloud.job()
    servlet = cloud.run(f"qtp1533908812-{threads.api + 400}")
    worker = cloud.run(f"API-Job-Executor-{threads.api}", f"job-{job}")
    query = f"192.0.2.50 -- GET  command={command}&id={vm.uuid}&response=json"
    info = f'{{"response":"json","ctxUserId":"2","id":"{vm.uuid}"}}'
    kind = "VirtualMachine" if vm.type == "User" else "SystemVm"
    shown = cloud.show_job(job, f"org.apache.cloudstack.api.command.{name}", info, kind, str(vm.id))
    script.say(0, servlet, API, f"===START===  {query}")
    _monitor(script, 28, worker, job)
    inside = cloud.deeper(servlet)
    script.say(34, inside, JOBS, f"submit async job-{job}, details: {shown}")
    script.say(36, worker, f"{JOBS}$5", f"Executing {shown}")
    script.say(40, inside, API, f"===END===  {query}")
    return job, cloud.deeper(worker)


def end_api_job(script: Script, at: int, api: Who, name: str, job: int, failed: bool = False) -> None:
    """The end of a job that `begin_api_job` began."""
    outer = Who(api.thread, api.contexts[:2], api.logid)
    if failed:
        kind = "org.apache.cloudstack.api.response.ExceptionResponse/null/"
        result = f'FAILED, resultCode: 530, result: {kind}{{"uuidList":[],"errorcode":"530"}}'
    else:
        result = "SUCCEEDED, resultCode: 0, result: null"
    script.say(at + 10, api, JOBS, f"Complete async job-{job}, jobStatus: {result}")
    script.say(at + 13, api, JOBS, f"Publish async job-{job} complete on message bus")
    script.say(at + 20, outer, f"{JOBS}$5", f"Done executing org.apache.cloudstack.api.command.{name} for job-{job}")
    script.say(at + 21, outer, MONITOR, f"Remove job-{job} from job monitoring", level="INFO")


@dataclass(frozen=True, slots=True)
class Work:
    """A work job: what it does to which machine, and on which thread (in its outer and its inner context)."""

    job: int
    parent: int
    verb: str
    vm: Vm
    outer: Who
    inner: Who


def begin_work_job(
    script: Script, thread: int, at: int, parent: int, requester: Who, verb: str, vm: Vm
) -> tuple[int, Work]:
    """Queue a work job, schedule and begin it. Gives the time when it begins its work."""
    cloud = script.cloud
    job = cloud.job()
    outer = cloud.run(f"Work-Job-Executor-{thread}", f"job-{parent}/job-{job}", logid=requester.logid)
    work = Work(job, parent, verb, vm, outer, cloud.deeper(outer))
    script.say(at, requester, JOBS, f"Sync job-{job} execution on object VmWorkJobQueue.{vm.id}")
    at += cloud.dice.between(100, 1900)
    script.say(at, cloud.run("AsyncJobMgr-Heartbeat-1"), f"{JOBS}$6", f"Schedule queued job-{job}")
    _monitor(script, at + 10, outer, job)
    shown = cloud.show_job(job, f"com.cloud.vm.VmWork{verb}", "rO0ABXNyABNjb20uY2xvdWQudm0uVm1Xb3Jr")
    script.say(at + 18, outer, f"{JOBS}$5", f"Executing {shown}")
    run_work(script, at + 22, outer, verb, vm, parent)
    script.say(at + 26, work.inner, HANDLER, f"Execute VM work job: {_work_json(work)}")
    return at + 30, work


def run_work(script: Script, at: int, who: Who, verb: str, vm: Vm, parent: int) -> None:
    """The line with which a work job names its machine."""
    script.say(at, who, DISPATCHER, f"Run VM work job: com.cloud.vm.VmWork{verb} for VM {vm.id}, job origin: {parent}")


def end_work_job(script: Script, at: int, work: Work, failed: bool = False) -> int:
    """The end of a work job. Gives the time of its last line."""
    job, verb = work.job, f"com.cloud.vm.VmWork{work.verb}"
    if failed:
        result, who = "FAILED, resultCode: 0, result: rO0ABXNyADFjb20u", work.outer
    else:
        result, who = "SUCCEEDED, resultCode: 0, result: null", work.inner
        script.say(at, work.inner, HANDLER, f"Done executing VM work job: {_work_json(work)}")
    script.say(at + 2, who, JOBS, f"Complete async job-{job}, jobStatus: {result}")
    script.say(at + 4, who, JOBS, f"Publish async job-{job} complete on message bus")
    done = f"Done with run of VM work job: {verb} for VM {work.vm.id}, job origin: {work.parent}"
    script.say(at + 8, work.outer, DISPATCHER, done)
    script.say(at + 14, work.outer, f"{JOBS}$5", f"Done executing {verb} for job-{job}")
    script.say(at + 15, work.outer, MONITOR, f"Remove job-{job} from job monitoring", level="INFO")
    return at + 15


def _monitor(script: Script, at: int, who: Who, job: int) -> None:
    # This line is written before the logid of the job is set.
    foreign = Who(who.thread, who.contexts, script.cloud.dice.hex8())
    script.say(at, foreign, MONITOR, f"Add job-{job} into job monitoring", level="INFO")


def _work_json(work: Work) -> str:
    fields = f'"userId":2,"accountId":2,"vmId":{work.vm.id},"handlerName":"VirtualMachineManagerImpl"'
    return f"com.cloud.vm.VmWork{work.verb}{{{fields}}}"


def transition(
    script: Script, at: int, who: Who, vm: Vm, change: tuple[str, str, str], host: Host | None, part: str = ""
) -> None:
    """A machine goes from one state to another: `change` is old state, new state and event."""
    cloud = script.cloud
    old, new, event = change
    target = cloud.show_host(host) if host else "null"
    text = (
        f"{cloud.show_vm(vm, new)} state transited from [{old}] to [{new}] with event [{event}]. "
        f"VM's original host: {cloud.show_host(vm.host)}, new host: {target}, host before state transition: {target}"
    )
    script.say(at, who, "c.c.c.CapacityManagerImpl", text, part=part)


def command(script: Script, at: int, who: Who, host: Host, name: str, body: str, takes: int) -> int:
    """A command, its answer on a handler thread, and the word of it on the asking thread. Gives the time of that."""
    cloud = script.cloud
    key = cloud.sequence(host)
    asked, told = f"MgmtId: {MSID}, via: {host.id}({host.name}), Ver: v1", f"MgmtId: {MSID}, via: {host.id}, Ver: v1"
    answer = f"{name}Answer"
    handler = Who(f"AgentManager-Handler-{cloud.dice.between(1, 16)}", (), "")
    request = f'[{{"com.cloud.agent.api.{name}Command":{{{body},"wait":"0","bypassHostMaintenance":"false"}}}}]'
    response = f'[{{"com.cloud.agent.api.{answer}":{{"result":"true","wait":"0"}}}}]'
    script.say(at, who, REQUEST, f"Seq {key}: Sending  {{ Cmd , {asked}, Flags: 100011, {request} }}")
    at += takes
    script.say(at, handler, REQUEST, f"Seq {key}: Processing:  {{ Ans: , {told}, Flags: 10, {response} }}")
    script.say(at + 1, who, REQUEST, f"Seq {key}: Received:  {{ Ans: , {asked}, Flags: 10, {{ {answer} }} }}")
    return at + 1


def start_command(script: Script, at: int, who: Who, network: Network, vm: Vm, takes: int) -> int:
    """The command that starts a machine on its host, with its answer."""
    nic = (
        f'{{"deviceId":"0","networkRateMbps":"200","defaultNic":"true","uuid":"{network.uuid}",'
        f'"ip":"10.1.1.{vm.id % 250 + 2}","netmask":"255.255.255.0","mac":"02:00:2c:13:00:09",'
        f'"broadcastType":"Vlan","type":"Guest","broadcastUri":"vlan://{network.id + 2000}"}}'
    )
    body = (
        f'"vm":{{"id":"{vm.id}","name":"{vm.name}","state":"Starting","type":"{vm.type}","cpus":"1",'
        f'"minSpeed":"500","maxSpeed":"500","minRam":"(512.00 MB) 536870912","maxRam":"(512.00 MB) 536870912",'
        f'"arch":"x86_64","os":"Debian GNU/Linux 12 (64-bit)","uuid":"{vm.uuid}","nics":[{nic}]}},'
        f'"hostIp":"192.0.2.{vm.host.id + 10}","executeInSequence":"false"'
    )
    return command(script, at, who, vm.host, "Start", body, takes)


def stop(script: Script, at: int, who: Who, vm: Vm, part: str = "") -> int:
    """Stop a machine on its host. Gives the time when it is stopped."""
    cloud = script.cloud
    transition(script, at + 20, who, vm, ("Running", "Stopping", "StopRequested"), vm.host, part)
    body = f'"isProxy":"false","checkBeforeCleanup":"false","forceStop":"false","vmName":"{vm.name}"'
    at = command(script, at + 35, who, vm.host, "Stop", body, cloud.dice.between(800, 3000))
    shown = cloud.show_vm(vm, "Stopping")
    script.say(at + 2, who, MACHINES, f"{shown} is stopped on the host.  Proceeding to release resource held.")
    transition(script, at + 150, who, vm, ("Stopping", "Stopped", "OperationSucceeded"), None)
    vm.running = False
    return at + 150


def count_nics(script: Script, at: int, who: Who, network: Network, count: int) -> None:
    """The network has one more or one fewer machine."""
    shown = script.cloud.network_or_id(network)
    script.say(at, who, NETWORKS, f"Changing active number of nics for network id={shown} on {count}")
