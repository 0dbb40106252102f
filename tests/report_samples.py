"""Reports made by hand: what the stages before would give for the traces in `fixtures/traces`, and odd ones."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from logscope.model import (
    Actor,
    Coverage,
    Entry,
    Evidence,
    Failure,
    Finding,
    Incident,
    Let,
    Problem,
    Report,
    Resource,
    RuleStatus,
    Sentence,
    SourceSummary,
    Timeline,
)

TRACES = Path(__file__).parent / "fixtures" / "traces"
LOG = "management-server.log"
SECOND = 1_000_000

CLEANUP_RULE = "network-cleaned-up-while-implementing"
PROXY_RULE = "console-proxy-restarted-while-destroying"


def at(text: str) -> int:
    """Microseconds of `2026-10-29 01:20:23.709`."""
    return round((datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds() * 1000) * 1000


def evidence(trace: str, line: int, actor: Actor, event: str) -> Evidence:
    """The record that starts at a line of a trace, with its continuation lines."""
    lines = (TRACES / trace / LOG).read_text().splitlines()
    end = line
    while end < len(lines) and not lines[end].startswith("20"):
        end += 1
    time = at(lines[line - 1][:23].replace(",", "."))
    return Evidence(LOG, line, time, actor.name, event, "\n".join(lines[line - 1 : end]))


def statuses(*fired: tuple[str, int, int]) -> list[RuleStatus]:
    """A handful of rules: those given as (name, chances, fired), the others quiet or not evaluated."""
    titles = {
        CLEANUP_RULE: ("Orphan cleanup shut down a network while it was being implemented", "critical"),
        PROXY_RULE: ("Capacity scan restarted a console proxy while it was being destroyed", "high"),
        "router-started-twice": ("A router was started by two threads at once", "high"),
        "network-lock-starved-others": ("A network lock was held so long that other starts waited", "medium"),
        "volume-stuck-in-transition": ("A volume stayed in a transitional state", "high"),
    }
    known = {name: (chances, count) for name, chances, count in fired}
    found = []
    for name, (title, severity) in titles.items():
        chances, count = known.get(name, (3 if name.startswith("router") else 0, 0))
        status, missing, reason = ("fired" if count else "quiet"), [], ""
        if name.startswith("network-lock") and not count:
            status, missing = "not-evaluated", ["lock.merovingian.acquired", "lock.merovingian.released"]
            reason = "the events are logged at level TRACE, and this log has no TRACE lines"
        elif not count and not chances:
            missing = ["volume.restart.reset"]
            status, reason = "not-evaluated", f"never in this log: {missing[0]}"
        found.append(RuleStatus(name, title, severity, status, missing, reason, chances, count))
    return found


def summary(trace: str, lines: int, records: int, events: int) -> SourceSummary:
    text = (TRACES / trace / LOG).read_text().splitlines()
    times = [at(line[:23].replace(",", ".")) for line in text if line.startswith("20")]
    return SourceSummary(LOG, "management-server", "ms1", lines, records, events, times[0], times[-1], [])


VM_START = Actor("VM start (job-4251, vm 612, API job 4248)", "ms1", "Work-Job-Executor-17", "ctx-8f2b6c04", 4251, 4248)
CLEANUP = Actor("orphan cleanup", "ms1", "AsyncJobMgr-Heartbeat-1", "ctx-9be3f0d8")
SCAVENGER = Actor("network GC", "ms1", "Network-Scavenger-1", "ctx-5c1f0a9e")
NETWORK = Resource("network", "209", "5df664d2-9d1a-495e-8854-b1206b3f5e7a", "net-a")


def network_finding() -> Finding:
    trace = CLEANUP_RULE
    work = Let(
        name="work",
        kind="interval",
        of="network.implement",
        title="implement hold on network 209",
        actor=VM_START,
        start=at("2026-10-29 01:20:23.709"),
        end=at("2026-10-29 01:21:02.030"),
        outcome="closed",
        opened_by=f"{LOG}:25",
        closed_by=f"{LOG}:36",
    )
    strike_at, refusal_at = at("2026-10-29 01:20:31.650"), at("2026-10-29 01:21:02.048")
    strike = Let(
        "strike",
        "event",
        "network.orphan.found",
        "orphan cleanup of network 209",
        CLEANUP,
        strike_at,
        strike_at,
        "",
        f"{LOG}:30",
    )
    refusal = Let(
        "refusal",
        "event",
        "vm.start.resource_unavailable",
        "VM start refused: network 209 is not implemented",
        VM_START,
        refusal_at,
        refusal_at,
        "",
        f"{LOG}:40",
        role="proves",
    )
    return Finding(
        rule=CLEANUP_RULE,
        severity="critical",
        certainty="certain",
        fingerprint="5b1fb1c9d2a4",
        cause="c41a90be77f0",
        resource=NETWORK,
        start=work.start,
        end=refusal_at,
        title=f"Orphan cleanup shut down network 209 while {VM_START.name} was implementing it",
        let=[work, strike, refusal],
        then=[
            Sentence("strike came 7.941 s after work began", (f"{LOG}:25", f"{LOG}:30")),
            Sentence("work went on for 30.380 s after strike", (f"{LOG}:30", f"{LOG}:36")),
            Sentence("refusal followed 0.018 s after work ended, same actor", (f"{LOG}:36", f"{LOG}:40")),
        ],
        because='The cleanup judges "stuck" by the network\'s age and takes no lock; the implementing thread holds it.',
        margins={"after_start": 7.941, "before_end": 30.38},
        evidence=[
            evidence(trace, 25, VM_START, "lock.network.implement.acquired"),
            evidence(trace, 30, CLEANUP, "network.orphan.found"),
            evidence(trace, 36, VM_START, "lock.network.implement.released"),
            evidence(trace, 40, VM_START, "vm.start.resource_unavailable"),
        ],
        outcome="failed",
        references=["apache/cloudstack#14522", "apache/cloudstack#12409"],
        remedy="Give the network a persistent offering, or start one VM in it before the boot group starts.",
    )


def network_timeline() -> Timeline:
    def event(time: str, of: str, title: str, actor: Actor, line: int, depth: int = 0) -> Entry:
        moment = at(f"2026-10-29 {time}")
        return Entry(moment, moment, "event", of, title, actor, "", f"{LOG}:{line}", depth=depth)

    return Timeline(
        NETWORK,
        [
            Entry(
                at("2026-10-29 01:19:46.044"),
                at("2026-10-29 01:19:50.019"),
                "interval",
                "network.shutdown",
                "shutdown hold on network 209",
                SCAVENGER,
                "closed",
                f"{LOG}:2",
                f"{LOG}:15",
            ),
            event("01:19:50.002", "network.shutdown.success", "network 209 is shut down", SCAVENGER, 14, 1),
            Entry(
                at("2026-10-29 01:20:23.709"),
                at("2026-10-29 01:21:02.030"),
                "interval",
                "network.implement",
                "implement hold on network 209",
                VM_START,
                "closed",
                f"{LOG}:25",
                f"{LOG}:36",
            ),
            event("01:20:23.713", "network.implement.guru", "network guru implements network 209", VM_START, 26, 1),
            event("01:20:23.742", "network.implement.element", "VirtualRouter implements network 209", VM_START, 27, 1),
            event("01:20:31.650", "network.orphan.found", "orphan cleanup of network 209", CLEANUP, 30, 1),
            event("01:20:31.668", "network.orphan.transitioned", "network 209 set to Shutdown", CLEANUP, 31, 1),
            event(
                "01:21:00.262",
                "lock.network.router_startup.released",
                "router startup lock of network 209 released",
                VM_START,
                35,
                1,
            ),
            event("01:21:02.035", "nic.count", "active NICs of network 209: +1", VM_START, 37),
            event(
                "01:21:02.048",
                "vm.start.resource_unavailable",
                "VM start refused: network 209 is not implemented",
                VM_START,
                40,
            ),
        ],
    )


def network_209() -> Report:
    """Seed 1: one finding, one incident, one failure, explained."""
    finding = network_finding()
    failure = Failure(
        "vm.start.resource_unavailable", "start of VM 612 failed", NETWORK, finding.end, f"{LOG}:40", VM_START, 0
    )
    return Report(
        version="0.1.0",
        tz="",
        sources=[summary(CLEANUP_RULE, 56, 50, 44)],
        coverage=Coverage(50, 44, 5, 1, 0),
        findings=[finding],
        incidents=[
            Incident(
                "c41a90be77f0-1",
                "network 209 was shut down under a VM start",
                [NETWORK],
                [0],
                finding.start,
                finding.end,
                [0],
            )
        ],
        failures=[failure],
        rules=statuses((CLEANUP_RULE, 2, 1)),
        timelines=[network_timeline()],
        problems=[],
    )


PROXY = Resource("vm", "57", "c07478de-5097-40ec-8ef8-28a989b3f041", "v-57-VM")
DESTROY = Actor("console proxy destroy (job-900, vm 57)", "ms1", "API-Job-Executor-4", "ctx-b7702f1d", 900)
SCANNER = Actor("console proxy scanner", "ms1", "consoleproxy-1", "ctx-d3c59012")
QUEUED = Actor("VM start (job-903, vm 57, API job 902)", "ms1", "Work-Job-Executor-22", "ctx-90cc1af2", 903, 902)


def proxy_finding(order: str) -> Finding:
    """The restart of console proxy 57: order "A" (the destroy wins) or "B" (the restart wins)."""
    wins = order == "A"
    trace, day = ("console-proxy-destroy-wins", "2026-09-02") if wins else ("console-proxy-restart-wins", "2026-09-03")
    end_line = 22 if wins else 21
    destroy = Let(
        "destroy",
        "interval",
        "cpvm.destroy",
        "destroy of console proxy 57",
        DESTROY,
        at(f"{day} 10:41:07.240"),
        at(f"{day} 10:41:14.851" if wins else f"{day} 10:41:12.560"),
        "closed",
        f"{LOG}:2",
        f"{LOG}:{end_line}",
    )
    strike_at = at(f"{day} 10:41:10.744" if wins else f"{day} 10:41:10.589")
    restart = Let(
        "restart",
        "event",
        "cpvm.alloc.found_stopped",
        "scanner starts stopped console proxy 57",
        SCANNER,
        strike_at,
        strike_at,
        "",
        f"{LOG}:11",
    )
    end = at(f"{day} 10:41:13.940" if wins else f"{day} 10:41:12.540")
    refusal = Let(
        "refusal",
        "event",
        "vm.start.bad_state" if wins else "vm.expunge.bad_state",
        "start of VM 57 refused: it is Expunging" if wins else "expunge of VM 57 refused: it is Starting",
        QUEUED if wins else DESTROY,
        end,
        end,
        "",
        f"{LOG}:{17 if wins else 15}",
        role="proves",
    )
    after, before = (strike_at - destroy.start) / SECOND, (destroy.end - strike_at) / SECOND
    return Finding(
        rule=PROXY_RULE,
        severity="high",
        certainty="certain",
        fingerprint="0d3c77aa" + order,
        cause="77aa0d3c",
        resource=PROXY,
        start=destroy.start,
        end=destroy.end,
        title="Capacity scan restarted console proxy 57 while console proxy destroy (job-900, vm 57) was destroying it",
        let=[destroy, restart, refusal],
        then=[
            Sentence(f"restart came {after:.3f} s after destroy began", (f"{LOG}:2", f"{LOG}:11")),
            Sentence(f"destroy went on for {before:.3f} s after restart", (f"{LOG}:11", f"{LOG}:{end_line}")),
            Sentence("refusal followed, on the same VM", (f"{LOG}:{17 if wins else 15}",)),
        ],
        because="The destroy stops the proxy before it expunges it; the scanner starts any proxy it finds stopped.",
        margins={"after_start": after, "before_end": before},
        evidence=[
            evidence(trace, 2, DESTROY, "job.monitor.add"),
            evidence(trace, 11, SCANNER, "cpvm.alloc.found_stopped"),
            evidence(trace, 17 if wins else 15, refusal.actor, refusal.of),
            evidence(trace, end_line, DESTROY, "job.completed"),
        ],
        outcome="recovered" if wins else "failed",
        references=["apache/cloudstack#14175"],
    )


def console_proxy(order: str) -> Report:
    """Seed 2: order "A" (the destroy wins) or "B" (the restart wins)."""
    finding = proxy_finding(order)
    trace = "console-proxy-destroy-wins" if order == "A" else "console-proxy-restart-wins"
    refusal = finding.let[-1]
    failure = Failure(refusal.of, refusal.title, PROXY, refusal.start, refusal.opened_by, refusal.actor, 0)
    incident = Incident("77aa0d3c-1", "console proxy 57", [PROXY], [0], finding.start, finding.end, [0])
    return Report(
        version="0.1.0",
        tz="+02:00" if order == "B" else "",
        sources=[summary(trace, 22, 21 if order == "A" else 18, 20)],
        coverage=Coverage(21, 20, 1, 0, 0),
        findings=[finding],
        incidents=[incident],
        failures=[failure],
        rules=statuses((PROXY_RULE, 1, 1)),
        timelines=[],
        problems=[],
    )


def quiet() -> Report:
    """Nothing found, one failure that no rule explains, a part that could not be read."""
    source = summary("console-proxy-scan-waits", 3, 3, 3)
    source.problems.append("2 lines with bytes that are no UTF-8")
    failure = Failure("job.completed", "job-77 failed", None, source.first or 0, f"{LOG}:1", SCANNER)
    return Report(
        version="0.1.0",
        tz="",
        sources=[source, SourceSummary("agent.log.gz", "agent", "kvm1", 0, 0, 0, None, None, [])],
        coverage=Coverage(3, 3, 0, 0, 2),
        findings=[],
        incidents=[],
        failures=[failure],
        rules=statuses(),
        timelines=[],
        problems=[Problem("agent.log.gz", "the gzip stream ends early; 0 bytes were read")],
        notes=[Problem("", "both logs are taken to be of one cluster"), Problem("ms1", "its clock is taken as it is")],
    )


def empty() -> Report:
    """Nothing at all: no source had a record, no rule was asked."""
    return Report("0.1.0", "", [], Coverage(), [], [], [], [], [], [])
