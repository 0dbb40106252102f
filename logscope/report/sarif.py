"""The findings as SARIF 2.1.0, as code scanning services read it.

A result stands at a line of a log, always; its code flow tells how the actors interleaved, a thread flow
for each. What services refuse or cut silently is cut here, and said.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from logscope.model import Finding, Report, RuleStatus
from logscope.report.parts import verdicts, words
from logscope.report.parts.order import worst_first
from logscope.report.parts.references import address
from logscope.report.parts.times import clock, iso
from logscope.report.parts.visible import visible

SUFFIX = ".sarif"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

# GitHub takes more results, and shows this many; of a result it takes more steps, and shows this many.
MOST_RESULTS = 5000
MOST_STEPS = 1000
_LONGEST = 2000
_LEVELS = ("error", "error", "warning", "note")  # by severity, critical first
_SECURITY = ("9.0", "7.0", "4.0", "2.0")


def render(report: Report) -> str:
    """Give the log file as JSON text with one run."""
    shown = worst_first(report, range(len(report.findings)))[:MOST_RESULTS]
    rules = sorted(report.rules, key=lambda rule: rule.rule)
    known = {rule.rule for rule in rules}
    extra = sorted({report.findings[n].rule for n in shown} - known)
    described = [*(_rule(rule, report) for rule in rules), *({"id": name} for name in extra)]
    places = {rule["id"]: index for index, rule in enumerate(described)}
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "logscope", "version": report.version, "rules": described}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, len(shown))],
        "results": [_result(report, number, places) for number in shown],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: RuleStatus, report: Report) -> dict[str, Any]:
    severity = _severity(rule.severity)
    described: dict[str, Any] = {
        "id": rule.rule,
        "shortDescription": _text(verdicts.general(rule.title)),
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {
            "tags": ["concurrency"],
            "problem.severity": _LEVELS[severity].replace("note", "recommendation"),
        },
    }
    of_rule = next((finding for finding in report.findings if finding.rule == rule.rule), None)
    if of_rule is not None:
        if of_rule.because:
            described["fullDescription"] = _text(of_rule.because)
        help_text = "\n\n".join(filter(None, (of_rule.because, of_rule.remedy, *of_rule.references)))
        if help_text:
            described["help"] = _text(help_text)
        addresses = [address(reference) for reference in of_rule.references if address(reference)]
        if addresses:
            described["helpUri"] = addresses[0]
    return described


def _invocation(report: Report, shown: int) -> dict[str, Any]:
    told = [("warning", text, source) for source, text in words.problems(report)]
    told += [("note", note.text, note.source) for note in report.notes]
    left = len(report.findings) - shown
    if left:
        told.append(("warning", f"{left:,} more findings are left out; the JSON report has all", ""))
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if told:
        invocation["toolExecutionNotifications"] = [_notification(*one) for one in told]
    silent = [rule for rule in report.rules if rule.status == "not-evaluated"]
    if silent:
        invocation["toolConfigurationNotifications"] = [
            {
                "level": "note",
                "message": _text(f"{rule.rule} was not evaluated: {rule.reason}"),
                "associatedRule": {"id": rule.rule},
            }
            for rule in sorted(silent, key=lambda rule: rule.rule)
        ]
    return invocation


def _notification(level: str, text: str, source: str) -> dict[str, Any]:
    notification: dict[str, Any] = {"level": level, "message": _text(text)}
    if source:
        notification["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": _uri(source)}}}]
    return notification


def _result(report: Report, number: int, places: dict[str, int]) -> dict[str, Any]:
    finding = report.findings[number]
    level = min(_severity(finding.severity) + (finding.certainty != "certain"), len(_LEVELS) - 1)
    failed = [test.name for test in report.tests if number in test.explained_by]
    consequence = words.consequence(finding.outcome)
    message = f"{finding.title}. {consequence[:1].upper()}{consequence[1:]}."
    if failed:
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        message += f" Explains {', '.join(failed[:3])}{more}."
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": places[finding.rule],
        "level": _LEVELS[level],
        "message": _text(message),
        "locations": [_primary(report, finding)],
        "fingerprints": {"logscope/v1": finding.fingerprint},
        "partialFingerprints": {"cause/v1": finding.cause, "primaryLocationLineHash": f"{finding.fingerprint}:1"},
        "properties": {
            "certainty": finding.certainty,
            "severity": finding.severity,
            "security-severity": _SECURITY[_severity(finding.severity)],
            "outcome": finding.outcome,
            "resource": visible(str(finding.resource)),
            "start": iso(finding.start, report.tz),
            "end": iso(finding.end, report.tz),
        },
    }
    flow = _flow(report, finding)
    if flow:
        result["codeFlows"] = [flow]
    if finding.known:
        result["suppressions"] = [{"kind": "external", "justification": visible(verdicts.known(finding))}]
    return result


def _primary(report: Report, finding: Finding) -> dict[str, Any]:
    """Give the line of the last thing that the rule binds: what struck, not what it struck."""
    lines = [let.opened_by for let in finding.let if let.role == "find" and let.opened_by]
    if lines:
        source, line = words.split_line(lines[-1])
    elif finding.evidence:
        source, line = finding.evidence[0].source, finding.evidence[0].line
    else:
        source, line = next((one.name for one in report.sources), "log"), None
    texts = [one.text for one in finding.evidence if (one.source, one.line) == (source, line)]
    return _location(source, line, texts[0] if texts else "")


def _location(source: str, line: int | None, text: str = "", message: str = "") -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(line or 1, 1)}
    if text:
        region["snippet"] = {"text": _cut(visible(text.partition("\n")[0]))}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(source)}, "region": region}}
    if message:
        location["message"] = _text(message)
    return location


def _flow(report: Report, finding: Finding) -> dict[str, Any] | None:
    """Give the records behind the finding by actor; their order of execution runs through all actors."""
    flows: dict[str, list[dict[str, Any]]] = {}
    for order, item in enumerate(finding.evidence[:MOST_STEPS], 1):
        step: dict[str, Any] = {
            "location": _location(item.source, item.line, item.text, f"{clock(item.time)} {item.actor}: {item.event}"),
            "executionOrder": order,
        }
        if report.tz:
            step["executionTimeUtc"] = _utc(item.time, report.tz)
        flows.setdefault(item.actor, []).append(step)
    if not flows:
        return None
    told = "; ".join(sentence.text for sentence in finding.then) or finding.title
    left = len(finding.evidence) - MOST_STEPS
    told += f"; {left:,} more records are left out" if left > 0 else ""
    threads = [{"id": visible(actor), "message": _text(actor), "locations": steps} for actor, steps in flows.items()]
    return {"message": _text(told), "threadFlows": threads}


def _utc(time: int, tz: str) -> str:
    moment = datetime.fromisoformat(f"{iso(time)}{tz}").astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _severity(name: str) -> int:
    return words.SEVERITIES.index(name) if name in words.SEVERITIES else len(words.SEVERITIES) - 1


def _uri(source: str) -> str:
    """Give the source as a reference that is valid whatever is in its name: relative unless it is absolute."""
    shown = visible(source)
    if shown.startswith("/"):
        return "file://" + quote(shown)
    first, slash, rest = shown.partition("/")
    # A colon in the first part would make it a scheme.
    return quote(f"./{first}{slash}{rest}" if ":" in first else shown)


def _text(text: str) -> dict[str, str]:
    """Give a message; what does not print is visible, no text becomes a link, the endless is cut."""
    lines = "\n".join(visible(line) for line in text.split("\n"))
    return {"text": _cut(lines.replace("](", "] (")) or " "}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
