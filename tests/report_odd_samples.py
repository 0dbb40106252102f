"""Reports that are hard to render: hostile text, very many findings, drawings that are hard to lay out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from report_samples import (
    CLEANUP,
    CLEANUP_RULE,
    DESTROY,
    LOG,
    PROXY_RULE,
    SCAVENGER,
    SECOND,
    VM_START,
    at,
    console_proxy,
    empty,
    network_209,
    network_finding,
    proxy_finding,
    quiet,
    statuses,
)

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
    TestCase,
    Timeline,
)

HOSTILE = (
    "web<script>alert(1)</script> \x1b[31mred\x1b[0m `tick` ``` |pipe| [link](http://example.org) ![i](x) "
    "\u202egnp.exe\u202c @everyone fixes #1 <!-- --> &amp; *b* _i_ ~~s~~ $x$ \r\n# heading\n- item\t\x00\ud800 日本語"
)


def hostile() -> Report:
    """Log text and names that try to break out of every format, in every place that takes text."""
    nasty = HOSTILE
    source = f"run.zip!{nasty}/{LOG}"
    actor = Actor(nasty, nasty, nasty, nasty, 7, 6)
    resource = Resource("vm", nasty, nasty, nasty)
    start = at("2026-10-29 23:59:59.999")
    lets = [
        Let(
            nasty,
            "interval",
            nasty,
            nasty,
            actor,
            start,
            start + 5000,
            "cut-by-end",
            f"{source}:1",
            f"{source}:3",
        ),
        Let("strike", "event", nasty, nasty, CLEANUP, start + 1000, start + 1000, "", f"{source}:2"),
        Let("refusal", "event", nasty, nasty, actor, start + 2000, start + 2000, "", f"{source}:3", role="proves"),
    ]
    finding = Finding(
        rule=nasty,
        severity=nasty,
        certainty=nasty,
        fingerprint=nasty,
        cause=nasty,
        resource=resource,
        start=start,
        end=start + 5000,
        title=nasty,
        let=lets,
        then=[Sentence(nasty, (f"{source}:1", nasty))],
        because=nasty,
        margins={nasty: 0.001},
        evidence=[Evidence(source, 1, start, nasty, nasty, f"{nasty}\n\tat x\n" + "long " * 2000)],
        outcome=nasty,
        references=[nasty, "javascript:alert(1)#1", "../..#1", "apache/cloudstack#1", "a/b#1\n"],
        doubts=[nasty],
        remedy=nasty,
        known=nasty,
    )
    return Report(
        version=nasty,
        tz="",
        sources=[SourceSummary(source, nasty, nasty, 3, 3, 3, start, start + 5000, [nasty])],
        coverage=Coverage(3, 3, 0, 0, 1),
        findings=[finding],
        incidents=[Incident(nasty, nasty, [resource], [0], start, start + 5000, [0])],
        failures=[Failure(nasty, nasty, resource, start, f"{source}:3", actor, 0)],
        rules=[RuleStatus(nasty, nasty, nasty, "fired", [nasty], nasty, 1, 1)],
        timelines=[
            Timeline(resource, [Entry(start, start, "event", nasty, nasty, actor, nasty, f"{source}:1", depth=2)])
        ],
        problems=[Problem(nasty, nasty)],
        notes=[Problem(nasty, nasty)],
        tests=[TestCase(nasty, nasty, "error", 1.0, start, start + 5000, "ms", "explained", [0], nasty, nasty, nasty)],
    )


def crowded() -> Report:
    """200 findings on 50 resources over two days, certain and possible, of both rules, on two servers."""
    report = network_209()
    report.findings, report.incidents, report.failures, report.timelines = [], [], [], []
    for number in range(200):
        shift = number * 11 * 60 * SECOND
        network = Resource("network", str(200 + number % 50), "", f"net-{number % 50}")
        finding = network_finding() if number % 4 else proxy_finding("B")
        finding.let = [_moved(let, shift, "ms2" if number % 3 == 0 else "ms1") for let in finding.let]
        finding.start, finding.end = finding.start + shift, finding.end + shift
        finding.resource, finding.fingerprint = network, f"{number:08x}"
        if number % 5 == 0:
            finding.certainty, finding.outcome = "possible", "unknown"
            finding.doubts = ["the log ends before the time in which the consequence would be logged"]
            del finding.let[-1]
        report.findings.append(finding)
        if number % 5:
            refusal = finding.let[-1]
            report.failures.append(
                Failure(refusal.of, refusal.title, network, refusal.start, refusal.opened_by, refusal.actor, number)
            )
    for number in range(50):
        members = list(range(number, 200, 50))
        first, last = report.findings[members[0]], report.findings[members[-1]]
        network = first.resource
        failures = [place for place, failure in enumerate(report.failures) if failure.explained_by in members]
        report.incidents.append(
            Incident(f"i{number}", f"network {network.id}", [network], members, first.start, last.end, failures)
        )
        entries = [
            Entry(let.start, let.end, let.kind, let.of, let.title, let.actor, let.outcome, let.opened_by, let.closed_by)
            for member in members
            for let in report.findings[member].let
        ]
        report.timelines.append(Timeline(network, entries * (60 if number == 0 else 1)))
    report.rules = statuses((CLEANUP_RULE, 300, 150), (PROXY_RULE, 60, 50))
    times = [finding.start for finding in report.findings]
    report.sources = [
        SourceSummary(
            f"ms{n}/{LOG}", "management-server", f"ms{n}", 900_000, 812_345, 9_000, min(times), max(times), []
        )
        for n in (1, 2)
    ]
    report.coverage = Coverage(1_624_690, 18_000, 1_600_000, 6_690, 0)
    return report


def _moved(let: Let, shift: int, server: str) -> Let:
    actor = replace(let.actor, server=server)
    return replace(let, actor=actor, start=let.start + shift, end=let.end + shift)


def ci_run() -> Report:
    """The tests of a run: passed, skipped, explained, likely, not explained, without a log; one finding is known."""
    report = console_proxy("B")
    report.findings[0].known = "apache/cloudstack#14175 is open"
    start, end = report.findings[0].start, report.findings[0].end

    def test(name: str, result: str, verdict: str, text: str = "", explained_by: tuple[int, ...] = ()) -> TestCase:
        timed = verdict != "no-log"
        span = (start, end, "ms") if timed else (None, None, "none")
        return TestCase(name, "test_ssvm.py", result, 4.25 if timed else None, *span, verdict, [*explained_by], text)

    report.tests = [
        test("test_01_list_sec_storage_vm", "success", "passed"),
        test("test_04_cpvm_internals", "failure", "explained", "Check list response returns a valid list", (0,)),
        test("test_05_stop_ssvm", "error", "unexplained", "Exception: <b>no | host</b>"),
        test("test_06_stop_cpvm", "failure", "likely", "Check list response returns a valid list", (0,)),
        test("test_07_reboot_ssvm", "skipped", "passed"),
        test("test_08_reboot_cpvm", "error", "no-log", "Connection refused"),
    ]
    report.tests[1].why = "the proxy that it lists is the one of the finding"
    report.tests[2].run = "run-16943"
    return report


def odd_shapes() -> Report:
    """Drawings that are hard to lay out: ends that were not logged, moments within milliseconds, two intervals."""
    start = at("2026-10-29 23:59:40.000")

    def work(name: str, first: float, last: float, outcome: str, actor: Actor = VM_START) -> Let:
        first_at, last_at = start + round(first * SECOND), start + round(last * SECOND)
        title = f"implement hold on network 209 ({outcome or 'closed'})"
        line = f"{LOG}:{round(first) % 1000 + 1000}"
        return Let(name, "interval", "network.implement", title, actor, first_at, last_at, outcome, line, f"{LOG}:99")

    def strike(name: str, time: float, role: str = "find", actor: Actor = CLEANUP) -> Let:
        moment, title = start + round(time * SECOND), f"{name} of network 209"
        return Let(name, "event", "network.orphan.found", title, actor, moment, moment, "", f"{LOG}:7", role=role)

    talker = Actor("VM start of a name that goes on " * 4, "ms1", "T" * 90, "r")
    foreign = Actor("日本語の長い名前" * 12, "ms1", "consoleproxy-1", "r")
    cases = {
        "within milliseconds": [
            work("work", 0, 0.004, "closed"),
            strike("strike", 0.001),
            strike("second", 0.002),
            strike("refusal", 0.003, "proves", VM_START),
        ],
        "strike at the rim": [
            work("work", 0, 38.321, "closed"),
            strike("strike", 38.3),
            strike("refusal", 38.339, "proves", VM_START),
        ],
        "began before the log": [work("work", -90_000, 30, "unbegun"), strike("strike", 7)],
        "open where the log ends": [
            work("work", 0, 200_000, "cut-by-end"),
            strike("strike", 7),
            strike("refusal", 20, "proves"),
        ],
        "two intervals": [
            work("work", 0, 30, "closed"),
            work("other", 12.5, 47, "cut-by-restart", SCAVENGER),
            strike("refusal", 46, "proves", VM_START),
        ],
        "a short one in a long one": [
            work("running", -86_400, 86_400, "closed"),
            work("shutdown", 3, 7.2, "closed", SCAVENGER),
        ],
        "lost, superseded, limited": [
            work("work", 0, 9, "lost"),
            work("again", 9, 40, "superseded", SCAVENGER),
            work("third", 30, 630, "limit", CLEANUP),
            strike("strike", 33, actor=DESTROY),
        ],
        "one moment": [strike("line", 3)],
        "a consequence inside": [
            work("work", 0, 60, "closed"),
            strike("strike", 20),
            strike("refusal", 20.01, "proves"),
        ],
        "long names": [work("work", 0, 60, "closed", talker), strike("strike", 20, actor=foreign)],
    }
    report = network_209()
    report.incidents, report.failures, report.timelines, report.findings = [], [], [], []
    for name, lets in cases.items():
        finding = network_finding()
        finding.let, finding.title, finding.evidence, finding.then = lets, f"A drawing: {name}", [], []
        finding.start, finding.end = min(let.start for let in lets), max(let.end for let in lets)
        report.findings.append(finding)
    return report


ALL: dict[str, Callable[[], Report]] = {
    "network-209": network_209,
    "console-proxy-a": lambda: console_proxy("A"),
    "console-proxy-b": lambda: console_proxy("B"),
    "quiet": quiet,
    "empty": empty,
    "hostile": hostile,
    "crowded": crowded,
    "ci-run": ci_run,
    "odd-shapes": odd_shapes,
}
