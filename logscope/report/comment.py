"""The tests of a CI run as a comment on a pull request: the table that reviewers know, and why each test failed.

GitHub refuses a comment of more than 65,536 characters; what does not fit is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from logscope.model import Finding, Report, TestCase
from logscope.report.parts import verdicts, words
from logscope.report.parts.order import failed_tests, worst_first
from logscope.report.parts.references import address
from logscope.report.parts.times import moment
from logscope.report.parts.visible import visible

SUFFIX = ""  # it is posted, not kept in a file
LIMIT = 65_000

# An underscore within a word marks nothing up, and the names of tests are full of them.
_MARKUP = re.compile(r"[\\`*{}\[\]<>|~&$!#]|(?<!\w)_|_(?!\w)")
_LIVELY = re.compile(r"(@)(?=\w)|(\w:)(?=//)|(www)(?=\.)", re.IGNORECASE)
_LONGEST = 300
_RESULTS = {"failure": "`Failure`", "error": "`Error`", "skipped": "`Skipped`", "success": "Success"}


def render(report: Report) -> str:
    """Give the comment as Markdown in the dialect of GitHub, at most `LIMIT` characters."""
    runs = list(dict.fromkeys(test.run for test in report.tests))
    head = ["**Failures and what explains them**" + (f" in {words.plural(len(runs), 'run')}" if len(runs) > 1 else "")]
    if len(runs) == 1 and runs[0]:
        head.append(f"Run: {_code(runs[0])}")
    head.append(_plain(words.tests(report) or words.verdict(report)) + ".")
    head += [
        f"Not everything could be read: {_plain(words.joined(problem))}." for problem in words.problems(report)[:3]
    ]
    head += [f"Note: {_plain(words.joined((note.source, note.text)))}." for note in report.notes[:3]]
    foot = f"<sub>Made by logscope {_plain(report.version)}.</sub>\n"
    room = LIMIT - len(foot) - sum(len(line) + 1 for line in head) - 400
    table = _table(report, several=len(runs) > 1, room=room * 2 // 3)
    findings = _findings(report, room - len(table))
    return "\n".join([*head, "", *([table] if table else []), *([findings] if findings else []), foot])


def _table(report: Report, several: bool, room: int) -> str:
    skipped = [test for test in report.tests if test.result == "skipped" and test.seconds is None]
    shown = [*failed_tests(report), *skipped]
    if not shown:
        return ""
    titles = ["Test", "Result", "Time (s)", "Test File", *(["Run"] if several else []), "Explanation"]
    rows = (" | ".join(_row(report, test, several)) for test in shown)
    lines, left = _fitting(rows, room)
    more = f"\n+{left:,} more\n" if left else ""
    return "\n".join([" | ".join(titles), " | ".join("---" for _ in titles), *lines]) + f"\n{more}"


def _row(report: Report, test: TestCase, several: bool) -> list[str]:
    seconds = "---" if test.seconds is None else f"{test.seconds:.2f}"
    failed = test.result in words.FAILED
    explanation = _explanation(report, test) if failed else _plain(test.text)
    run = [_plain(test.run)] if several else []
    return [
        _plain(test.name),
        _RESULTS.get(test.result, _plain(test.result)),
        seconds,
        _plain(test.file),
        *run,
        explanation,
    ]


def _explanation(report: Report, test: TestCase) -> str:
    finding = verdicts.best(report, test)
    if finding is None:
        return _plain(verdicts.brief(report, test))
    verdict = _plain(words.VERDICTS.get(test.verdict, test.verdict))
    told = f"{verdict} by {_code(finding.rule)} ({_plain(finding.certainty)})"
    return words.joined((told, _known(finding), _plain(test.why)))


def _known(finding: Finding) -> str:
    if finding.known:
        return f"known: {_plain(finding.known)}"
    return ", ".join(
        f"[{_plain(text)}]({address(text)})" if address(text) else _plain(text) for text in finding.references
    )


def _findings(report: Report, room: int) -> str:
    rows = []
    for number in worst_first(report, range(len(report.findings))):
        finding = report.findings[number]
        place = f"{finding.evidence[0].source}:{finding.evidence[0].line}" if finding.evidence else ""
        told = (
            f"{_plain(finding.severity)}, {_plain(finding.certainty)}, {moment(finding.start)}: {_plain(finding.title)}"
        )
        known = f" ({_known(finding)})" if _known(finding) else ""
        rows.append(f"- {told}{known}" + (f", {_code(place)}" if place else ""))
    if not rows:
        return ""
    lines, left = _fitting(rows, room)
    more = [f"- +{left:,} more"] if left else []
    summary = f"<details><summary>{words.plural(len(rows), 'finding')}, worst first</summary>"
    return "\n".join([summary, "", *lines, *more, "", "</details>", ""])


def _fitting(rows: Iterable[str], room: int) -> tuple[list[str], int]:
    """Give as many rows as fit, and the number of the others."""
    listed = list(rows)
    kept: list[str] = []
    for row in listed:
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    return kept, len(listed) - len(kept)


def _plain(text: str) -> str:
    """Text that stays text, on one line and of bearable length."""
    text = visible(text)
    text = text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + "…"
    return _LIVELY.sub(r"\g<0><!-- -->", _MARKUP.sub(r"\\\g<0>", text))


def _code(text: str) -> str:
    text = visible(text)[:_LONGEST].replace("`", "'").replace("|", "\\|")
    return f"`{text or ' '}`"
