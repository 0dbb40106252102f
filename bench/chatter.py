"""The lines that fill a log and that no question needs: polling clients, pings, reports, statistics.

A group is a few lines that belong together. Groups are made once and written many times: `RUN` and `LOGID`
stand in them for the context and the logid of the run, which are new each time.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cloud import MSID, Cloud, Who

RUN = "\x01" * 8
LOGID = "\x02" * 8

QUERIES = (
    "command=listVirtualMachines&details=min&listall=true&page=1&pagesize=20&response=json",
    "command=queryAsyncJobResult&jobId={uuid}&response=json",
    "command=listNetworks&listall=true&canusefordeploy=true&response=json&sessionkey=",
    "command=listVolumes&virtualmachineid={uuid}&response=json",
    "command=listZones&available=true&response=json&_=1700000000241",
    "command=listEvents&page=1&pagesize=20&response=json",
    "command=listRouters&networkid={uuid}&listall=true&fetchhealthcheckresults=true&response=json",
    "command=listHosts&type=Routing&state=Up&details=all&response=json",
    "command=listCapacity&zoneid={uuid}&fetchlatest=false&response=json",
)
COLLECTORS = ("HostStats", "VmStats", "StorageStats", "VolumeStats", "VmDiskStats", "VmNetworkStats", "AutoScale")
TASKS = (
    ("RouterStatusMonitor-1", "c.c.n.r.VirtualNetworkApplianceManagerImpl", "Found {n} routers to update status. "),
    ("RouterMonitor-1", "c.c.n.r.VirtualNetworkApplianceManagerImpl", "Found {n} running routers. "),
    ("Network-Scavenger-1", "c.c.n.NetworkUsageManagerImpl", "Checked {n} networks for usage"),
    ("SnapshotPollTask", "c.c.s.s.SnapshotSchedulerImpl", "Snapshot scheduler.poll is being called at {n}"),
    ("CapacityChecker", "c.c.a.AlertManagerImpl", "Running Capacity Checker ... "),
    ("ExternalNetworkMonitor-1", "c.c.n.ExternalDeviceUsageManagerImpl", "External devices stats collector is running"),
    ("UserVm-Scavenger-1", "c.c.v.UserVmManagerImpl", "Looked at {n} machines that wait for their end"),
    (
        "secstorage-1",
        "o.a.c.s.PremiumSecondaryStorageManagerImpl",
        "There is no load that asks for a standby, {n} left",
    ),
    ("StorageManager-Scavenger-1", "c.c.s.StorageManagerImpl", "Storage pool garbage collector found {n} templates"),
    ("HA-Worker-1", "c.c.h.HighAvailabilityManagerImpl", "Slept {n} ms without work"),
)


@dataclass(frozen=True, slots=True)
class Group:
    """Lines with their milliseconds from the first one; `fresh` says whether they hold RUN or LOGID."""

    lines: tuple[tuple[int, bytes], ...]
    fresh: bool


def make_groups(cloud: Cloud, count: int) -> list[Group]:
    """The pool to draw from, in the shares of a busy day."""
    makers = (_client, _collector, _collector, _collector, _task, _task, _task, _task, _console, _console)
    rare = {1: _trace, 25: _power_report, 75: _answer, 101: _trace, 175: _answer}
    groups = []
    for number in range(count):
        if number % 150 == 0:
            groups.append(_statistics(cloud))
        else:
            maker = rare.get(number % 200) or makers[cloud.dice.below(len(makers))]
            groups.append(maker(cloud))
    return groups


def _group(cloud: Cloud, *lines: tuple[int, Who, str, str, str]) -> Group:
    texts = tuple(
        (at, (cloud.head(who, level, logger) + text + "\n").encode()) for at, who, level, logger, text in lines
    )
    return Group(texts, any(RUN.encode() in text for _, text in texts))


def _run(thread: str, *contexts: str) -> Who:
    return Who(thread, (f"ctx-{RUN}", *contexts), LOGID)


def _client(cloud: Cloud) -> Group:
    dice = cloud.dice
    thread = f"qtp1533908812-{dice.between(11, 399)}"
    query = QUERIES[dice.below(len(QUERIES))].format(uuid=dice.uuid())
    request = f"198.51.100.{dice.between(2, 250)} -- GET  {query}"
    outer, inner = _run(thread), _run(thread, f"ctx-{dice.hex8()}")
    account = f'Account [{{"accountName":"acct-{dice.below(40)}","id":{dice.between(3, 90)},"uuid":"{dice.uuid()}"}}]'
    allowed = f"CIDRs from which account '{account}' is allowed to perform API calls: 0.0.0.0/0,::/0"
    return _group(
        cloud,
        (0, outer, "DEBUG", "c.c.a.ApiServlet", f"===START===  {request}"),
        (2, inner, "DEBUG", "c.c.a.ApiServer", allowed),
        (dice.between(8, 300), inner, "DEBUG", "c.c.a.ApiServlet", f"===END===  {request}"),
    )


def _collector(cloud: Cloud) -> Group:
    dice = cloud.dice
    name = COLLECTORS[dice.below(len(COLLECTORS))]
    who = _run(f"StatsCollector-{dice.between(1, 6)}")
    return _group(
        cloud,
        (0, who, "DEBUG", "c.c.s.StatsCollector", f"{name}Collector is running..."),
        (dice.between(20, 900), who, "DEBUG", "c.c.s.StatsCollector", f"{name}Collector has {dice.below(900)} results"),
    )


def _task(cloud: Cloud) -> Group:
    dice = cloud.dice
    thread, logger, text = TASKS[dice.below(len(TASKS))]
    return _group(cloud, (0, _run(thread), "DEBUG", logger, text.format(n=dice.below(500))))


def _console(cloud: Cloud) -> Group:
    dice = cloud.dice
    number, key = dice.between(20, 30), dice.between(100000, 999999)
    handler = Who(f"AgentManager-Handler-{dice.between(1, 16)}", (), "")
    report = (
        f'[{{"com.cloud.agent.api.ConsoleProxyLoadReportCommand":{{"_proxyVmId":"{number}","_loadInfo":"{{\\n'
        f'  \\"connections\\": []\\n}}","wait":"0","bypassHostMaintenance":"false"}}}}]'
    )
    request = f"Seq {number}-{key}:  {{ Cmd , MgmtId: -1, via: {number}, Ver: v1, Flags: 11, {report} }}"
    answer = f"SeqA {number}-{key}: Sending Seq {number}-{key}:  {{ Ans: , MgmtId: {MSID}, via: {number} }}"
    if not cloud.old:
        answer = f"SeqA {number}-: Sending {key}"
    logger = "c.c.a.m.ClusteredAgentManagerImpl"
    return _group(
        cloud,
        (0, handler, "DEBUG", logger, f"SeqA {number}-{key}: Processing {request}"),
        (3, handler, "DEBUG", logger, answer),
    )


def _answer(cloud: Cloud) -> Group:
    dice = cloud.dice
    host = cloud.hosts[dice.below(len(cloud.hosts))]
    name = COLLECTORS[dice.below(len(COLLECTORS) - 1)]
    via = f"MgmtId: {MSID}, via: {host.id}({host.name}), Ver: v1, Flags: 10"
    text = f"Seq {host.id}-{dice.between(10**17, 10**18)}: Received:  {{ Ans: , {via}, {{ Get{name}Answer }} }}"
    return _group(cloud, (0, _run(f"StatsCollector-{dice.between(1, 6)}"), "DEBUG", "c.c.a.t.Request", text))


def _power_report(cloud: Cloud) -> Group:
    dice = cloud.dice
    host = cloud.hosts[dice.below(len(cloud.hosts))]
    handler = Who(f"AgentManager-Handler-{dice.between(1, 16)}", (), "")
    logger = "c.c.v.VirtualMachinePowerStateSyncImpl"
    numbers = [dice.between(41, 2000) for _ in range(dice.between(5, 30))]
    if cloud.old:
        shown = f"host: {host.id}"
        begin = f"Process VM state report. {shown}, number of records in report: {len(numbers)}"
    else:
        shown = f"host: {cloud.show_host(host)}"
        names = ", ".join(f"i-2-{number}-VM-PowerOn" for number in numbers)
        report = f"{cloud.show_host(host)}, number of records in report: {len(numbers)}. VMs: [{names}]"
        begin = f"Process VM state report. {report}"
    return _group(
        cloud,
        (0, handler, "DEBUG", logger, f"Process host VM state report from ping process. {shown}"),
        (1, handler, "DEBUG", logger, begin),
        (dice.between(3, 20), handler, "DEBUG", logger, f"Done with process of VM state report. {shown}"),
    )


def _statistics(cloud: Cloud) -> Group:
    dice = cloud.dice
    host = cloud.hosts[dice.below(len(cloud.hosts))]
    size = 1000 + 100 * dice.below(10) ** 3
    one = ""
    while len(one) < size:
        number = dice.between(41, 2000)
        one += (
            f'"i-2-{number}-VM":{{"cpuUtilization":"{dice.below(10000) / 100}","networkReadKBs":"{dice.below(10**7)}",'
            f'"networkWriteKBs":"{dice.below(10**7)}","diskReadIOs":"{dice.below(10**5)}","memoryKBs":"524288",'
            f'"intFreeMemoryKBs":"{dice.below(524288)}","numCPUs":"1","entityType":"vm"}},'
        )
    key = f"{host.id}-{dice.between(10**17, 10**18)}"
    text = (
        f"Seq {key}: Processing:  {{ Ans: , MgmtId: {MSID}, via: {host.id}, Ver: v1, Flags: 10, "
        f'[{{"com.cloud.agent.api.GetVmStatsAnswer":{{"vmStatsMap":{{{one[:-1]}}},"result":"true","wait":"0"}}}}] }}'
    )
    return _group(cloud, (0, _run(f"StatsCollector-{dice.between(1, 6)}"), "DEBUG", "c.c.a.t.Request", text))


def _trace(cloud: Cloud) -> Group:
    dice = cloud.dice
    who = _run(f"pool-{dice.between(1, 9)}-thread-{dice.between(1, 20)}")
    frames = [f"com.cloud.utils.net.Link{n}.read(Link{n}.java:{dice.between(20, 900)})" for n in range(9)]
    tail = cloud.show_exception("java.io.IOException: Connection closed with -1 on reading size.", *frames)
    text = f"Unable to read from 203.0.113.{dice.between(2, 250)}.{tail}"
    return _group(cloud, (0, who, "WARN", "c.c.u.n.NioConnection", text))
