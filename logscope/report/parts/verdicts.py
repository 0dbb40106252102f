"""Why a test failed, in words: the verdict with the finding behind it."""

from __future__ import annotations

import re

from logscope.model import Finding, Report, TestCase
from logscope.report.parts import words

_PLACE = re.compile(r"\{[\w.-]+\}")


def general(title: str) -> str:
    """Give the title of a rule without the names of its places: `Cleanup shut down network …`."""
    return _PLACE.sub("…", title)


def known(finding: Finding) -> str:
    """Say as what a finding is known: what the baseline says, else the references of its rule."""
    return finding.known or words.joined(finding.references)


def best(report: Report, test: TestCase) -> Finding | None:
    """Give the best explanation of a test, if there is one."""
    return report.findings[test.explained_by[0]] if test.explained_by else None


def brief(report: Report, test: TestCase) -> str:
    """Give the verdict on a failed test in one line: the rule, how certain it is, as what it is known."""
    verdict = words.VERDICTS.get(test.verdict, test.verdict)
    finding = best(report, test)
    if finding is None:
        return f"{verdict}: {test.why}" if test.why else verdict
    told = f"{verdict} by {finding.rule} ({finding.certainty}"
    told += f", known: {known(finding)})" if known(finding) else ")"
    more = len(test.explained_by) - 1
    return told + (f" and {words.plural(more, 'more finding')}" if more else "")


def full(report: Report, test: TestCase) -> list[str]:
    """Give the verdict with what the finding says and how it was joined with the test, line by line."""
    lines = [brief(report, test)]
    finding = best(report, test)
    if finding is not None:
        lines += [f"joined {test.why}"] if test.why else []
        lines.append(f"{finding.title}; {words.consequence(finding.outcome)}")
        for sentence in finding.then:
            where = ", ".join(words.short_lines(sentence.lines))
            lines.append(f"{sentence.text} ({where})" if where else sentence.text)
        lines += [f"remedy: {finding.remedy}"] if finding.remedy else []
    return lines
