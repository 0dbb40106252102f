"""The drawing of all findings over the time of the log: tests above, a row for every rule that fired, the failures."""

from __future__ import annotations

from logscope.model import Report, TestCase
from logscope.report.parts import axis, words
from logscope.report.parts.order import failed_tests, worst_first
from logscope.report.parts.shapes import Bar, Drawing, Link, Mark, Scale, Shape, Text, fit
from logscope.report.parts.times import SECOND, moment

_RIM = 10.0
_SIZE = 12.0
_MOST_TESTS = 20
_CERTAIN = "M-2,-8H2V8H-2Z"
_POSSIBLE = "M-2,-8H2V8H-2ZM-1,-7V7H1V-7Z"


def draw(name: str, report: Report, across: float) -> Drawing | None:
    """Lay out the overview `across` pixels wide; None if there are not two findings or tests to compare."""
    tests = [test for test in failed_tests(report) if test.start is not None and test.end is not None]
    if len(report.findings) + len(tests) < 2:
        return None
    scale = _scale(report, across)
    shapes: list[Shape] = []
    y = 0.0
    room = across - 2 * _RIM
    for test in tests[:_MOST_TESTS]:
        y = _test(shapes, y, test, scale, room)
    if len(tests) > _MOST_TESTS:
        more = words.plural(len(tests) - _MOST_TESTS, "failed test")
        shapes.append(Text(_RIM, y + 14, ((f"and {more} more, in the table below", "muted"),)))
        y += 24
    for rule in dict.fromkeys(
        report.findings[index].rule for index in worst_first(report, range(len(report.findings)))
    ):
        found = [(n, finding) for n, finding in enumerate(report.findings) if finding.rule == rule]
        y = _title(shapes, y, fit(f"{rule}: {words.plural(len(found), 'finding')}", room, _SIZE, bold=True), rule)
        for number, finding in found:
            form = _CERTAIN if finding.certainty == "certain" else _POSSIBLE
            title = f"finding {number + 1}, {finding.certainty}, {moment(finding.start)}: {finding.title}"
            mark = Mark(scale.x(finding.start), y, form, f"sign {finding.severity}", title, finding.start)
            shapes.append(Link(f"finding-{number + 1}", (mark,)))
        y += 12
    if report.failures:
        known = sum(failure.explained_by is not None for failure in report.failures)
        text = f"{words.plural(len(report.failures), 'failed operation')}, {known:,} explained (filled)"
        y = _title(shapes, y, fit(text, room, _SIZE, bold=True), "")
        for failure in report.failures:
            form = _CERTAIN if failure.explained_by is not None else _POSSIBLE
            title = f"{moment(failure.time)}: {failure.title}"
            shapes.append(Mark(scale.x(failure.time), y, form, "sign failure", title, failure.time))
        y += 12
    y += 4
    told = f"When the {words.plural(len(report.findings), 'finding')} occurred"
    if tests:
        told += f", below the {words.plural(len(tests), 'failed test')}"
    ground = axis.draw(scale, 4, y, report.tz)
    return Drawing(name, across, y + axis.HEIGHT, told, f"{words.verdict(report)}.", scale, [*ground, *shapes])


def _scale(report: Report, across: float) -> Scale:
    times = [time for finding in report.findings for time in (finding.start, finding.end)]
    times += [failure.time for failure in report.failures]
    times += [time for test in failed_tests(report) for time in (test.start, test.end) if time is not None]
    times += words.span(report) or ()
    first, last = min(times), max(times)
    rim = max((last - first) // 50, SECOND // 100)
    return Scale(first - rim, last + rim, _RIM, across - _RIM)


def _test(shapes: list[Shape], y: float, test: TestCase, scale: Scale, room: float) -> float:
    """A lane of one failed test: its name and what explains it, and a bar from its beginning to its end."""
    assert test.start is not None
    assert test.end is not None
    verdict = words.VERDICTS.get(test.verdict, test.verdict)
    by = ", ".join(f"finding {number + 1}" for number in test.explained_by)
    label = f"{test.name}: {verdict}{f' by {by}' if by else ''}"
    shapes.append(Text(_RIM, y + 14, ((fit(label, room, _SIZE), ""),), full=label))
    left, right = scale.x(test.start), scale.x(test.end)
    title = f"{test.name}, {moment(test.start)} – {moment(test.end, test.start)}, {verdict}"
    pieces = ((left, max(right - left, 2.0)),)
    shapes.append(Bar(y + 19, 8, pieces, f"test {test.verdict}", title, test.start, test.end))
    return y + 32


def _title(shapes: list[Shape], y: float, text: str, full: str) -> float:
    shapes.append(Text(_RIM, y + 18, ((text, "strong"),), full=full))
    return y + 36
