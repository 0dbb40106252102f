"""The report as JUnit XML: the tests of a CI run with their explanations, or the rules where there are no tests.

A failure that is explained stays a failure, unless known ones are asked for as skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from logscope.model import Report, RuleStatus, TestCase
from logscope.report.parts import verdicts, words
from logscope.report.parts.order import rules, worst_first
from logscope.report.parts.times import iso, stretch
from logscope.report.parts.visible import visible

SUFFIX = ".xml"


@dataclass(frozen=True, slots=True)
class _Suite:
    name: str
    cases: list[Element]


def render(report: Report, known_as_skipped: bool = False) -> str:
    """Give the XML; with `known_as_skipped`, a test explained by something known counts as skipped."""
    root = Element("testsuites", name="logscope")
    suites = _tests(report, known_as_skipped) if report.tests else [_Suite("rules", _rules(report))]
    for suite in suites:
        part = SubElement(root, "testsuite", {"name": visible(suite.name), **_counts(suite.cases)})
        part.extend(suite.cases)
    root.attrib.update(_counts([case for suite in suites for case in suite.cases]))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _counts(cases: Iterable[Element]) -> dict[str, str]:
    listed = list(cases)
    counts = {"tests": str(len(listed))}
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        counts[name] = str(sum(case.find(tag) is not None for case in listed))
    counts["time"] = f"{sum(float(case.get('time', '0')) for case in listed):.3f}"
    return counts


def _tests(report: Report, known_as_skipped: bool) -> list[_Suite]:
    several = len({test.run for test in report.tests}) > 1
    suites: dict[tuple[str, str], _Suite] = {}
    for test in report.tests:
        name = words.joined((test.run if several else "", test.file)) or "tests"
        suite = suites.setdefault((test.run, test.file), _Suite(name, []))
        suite.cases.append(_test(report, test, several, known_as_skipped))
    return list(suites.values())


def _test(report: Report, test: TestCase, several: bool, known_as_skipped: bool) -> Element:
    module = test.file.removesuffix(".py") or "tests"
    case = Element(
        "testcase", classname=visible(f"{test.run}.{module}" if several else module), name=visible(test.name)
    )
    if test.seconds is not None:
        case.set("time", f"{test.seconds:.3f}")
    properties = {"verdict": test.verdict, "precision": test.precision}
    if test.start is not None:
        properties["start"] = iso(test.start, report.tz)
    if test.end is not None:
        properties["end"] = iso(test.end, report.tz)
    properties |= {f"finding.{number}": report.findings[n].fingerprint for number, n in enumerate(test.explained_by, 1)}
    listed = SubElement(case, "properties")
    for name, value in properties.items():
        SubElement(listed, "property", name=name, value=visible(value))
    if test.result == "skipped":
        SubElement(case, "skipped", message=visible(test.text))
    elif test.result in words.FAILED:
        _failed(case, report, test, known_as_skipped)
    return case


def _failed(case: Element, report: Report, test: TestCase, known_as_skipped: bool) -> None:
    finding = verdicts.best(report, test)
    told = "\n".join(visible(line) for line in (test.text, *verdicts.full(report, test)) if line)
    if known_as_skipped and test.verdict == "explained" and finding is not None and verdicts.known(finding):
        SubElement(case, "skipped", message=visible(f"known: {verdicts.known(finding)}")).text = told
        return
    message = words.joined((test.text, verdicts.brief(report, test)))
    SubElement(case, test.result, type=visible(test.verdict), message=visible(message)).text = told


def _rules(report: Report) -> list[Element]:
    return [_rule(report, rule) for rule in rules(report)]


def _rule(report: Report, rule: RuleStatus) -> Element:
    case = Element("testcase", classname="logscope.rules", name=visible(rule.rule))
    if rule.status == "not-evaluated":
        SubElement(case, "skipped", message=visible(words.joined(("not evaluated", rule.reason))))
    elif rule.status == "fired":
        own = [n for n, finding in enumerate(report.findings) if finding.rule == rule.rule]
        lines = []
        for n in worst_first(report, own):
            finding = report.findings[n]
            lines += [
                f"{finding.severity}, {finding.certainty}: {finding.title} ({stretch(finding.start, finding.end)})"
            ]
            lines += [f"  {item.source}:{item.line} {item.text.partition(chr(10))[0]}" for item in finding.evidence]
        counts = f"{words.plural(rule.fired, 'finding')} of {words.plural(rule.chances, 'chance')}"
        message = f"{counts}: {verdicts.general(rule.title)}"
        failure = SubElement(case, "failure", type=visible(rule.severity), message=visible(message))
        failure.text = "\n".join(visible(line) for line in lines)
    return case
