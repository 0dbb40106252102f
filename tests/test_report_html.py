from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from report_odd_samples import ALL, crowded, hostile, odd_shapes
from report_samples import console_proxy, network_209, quiet

from logscope import report
from logscope.ci.merge import merge
from logscope.model import Incident, Timeline
from logscope.report.parts import axis, lanes, page, words
from logscope.report.parts.references import address
from logscope.report.parts.shapes import Scale, Text, fit, width
from logscope.report.parts.times import DAY, HOUR, MINUTE, SECOND, duration, from_iso, iso, stretch
from logscope.report.parts.window import window

VOID = {"meta", "br", "wbr"}


class Reader(HTMLParser):
    """Reads a page and holds every tag and attribute; complains about tags that do not pair."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, attribute: str) -> Iterator[str]:
        return (attributes[attribute] for _, attributes in self.tags if attribute in attributes)


@pytest.fixture(scope="module", params=ALL)
def read(request: pytest.FixtureRequest) -> Reader:
    return Reader(report.render(ALL[request.param](), "html"))


def test_page_holds_nothing_that_runs_or_loads(read: Reader) -> None:
    tags = {tag for tag, _ in read.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base", "form", "use", "image"})
    for _, attributes in read.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "xlink:href")]
    for target in read.values("href"):
        assert re.fullmatch(r"#[\w-]+|https://github\.com/[\w./-]+/issues/\d+", target)


def test_policy_allows_its_own_style_sheet_alone(read: Reader) -> None:
    policies = [a["content"] for tag, a in read.tags if tag == "meta" and "http-equiv" in a]
    assert len(policies) == 1
    pattern = r"default-src 'none'; style-src 'sha256-[\w+/]+='; base-uri 'none'; form-action 'none'"
    assert re.fullmatch(pattern, policies[0])


def test_anchors_are_unique_and_every_link_has_its_goal(read: Reader) -> None:
    anchors = list(read.values("id"))
    assert len(anchors) == len(set(anchors))
    goals = [target[1:] for target in read.values("href") if target.startswith("#")]
    goals += [
        one for name in ("aria-labelledby", "aria-describedby") for value in read.values(name) for one in value.split()
    ]
    assert set(goals) <= set(anchors)


def test_headings_are_in_order(read: Reader) -> None:
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_drawing_is_named_and_every_column_has_a_head(read: Reader) -> None:
    for tag, attributes in read.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-labelledby"]
        if tag == "th":
            assert attributes["scope"] in ("col", "row")


def test_lines_of_sentences_lead_to_their_evidence() -> None:
    text = report.render(network_209(), "html")
    assert '<a class="line" href="#finding-1-line-1" title="management-server.log:25">' in text
    assert '<li id="finding-1-line-1"><p><span class="line">management-server.log:25</span>' in text
    assert '<span class="at">41</span>    at org.apache' in text


def test_sources_are_named_as_shortly_as_they_differ() -> None:
    given = quiet()
    names = ["run.zip!ms1/a.log", "run.zip!ms2/a.log", "logs/b.log", "b.log", "c.log", "c.log", "/d/"]
    given.sources = [replace(given.sources[0], name=name) for name in names]
    assert list(words.short_names(given).values()) == ["ms1/a.log", "ms2/a.log", "logs/b.log", "b.log", "c.log", "d/"]
    lines = ["logs/b.log:7", "", "logs/b.log:8", "b.log:9", "odd"]
    assert words.named_lines(lines, {"logs/b.log": "b", "odd": "o"}) == [
        ("b:7", "logs/b.log:7"),
        (":8", "logs/b.log:8"),
        ("b.log:9", "b.log:9"),
        ("odd", "odd"),
    ]


def test_references_of_the_known_form_are_links() -> None:
    assert address("apache/cloudstack#14522") == "https://github.com/apache/cloudstack/issues/14522"
    for odd in ("../..#1", "javascript:alert(1)#1", "a/b#", "a/b/c#1", "a/b#1\n", "a/b#１", "https://a/b#1", ""):
        assert address(odd) == ""


def test_verdict_says_what_was_quiet_and_what_was_not_evaluated() -> None:
    text = report.render(quiet(), "html")
    assert '<section class="verdict unread"' in text
    assert "the events are logged at level TRACE, and this log has no TRACE lines" in text
    assert "agent.log.gz</span>: the gzip stream ends early" in text
    assert "Not explained by any rule (1)" in text


def test_doubts_and_what_is_known_are_told() -> None:
    given = console_proxy("A")
    given.findings[0].certainty, given.findings[0].doubts = "possible", ["the log ends <early>"]
    given.findings[0].known = "it is old"
    text = report.render(given, "html")
    assert "<strong>Why only possible</strong>" in text
    assert "<li>the log ends &lt;early&gt;</li>" in text
    assert "known: it is old" in text


def test_long_records_are_cut_and_that_is_told() -> None:
    text = report.render(hostile(), "html")
    assert "6,000 characters left out here; the JSON report has it whole" in text
    given = network_209()
    given.findings[0].evidence[0] = given.findings[0].evidence[0].__class__("a", 5, 0, "", "", "x\n" * 100)
    assert "41 lines left out here" in report.render(given, "html")


def test_few_findings_are_unfolded_many_are_folded_but_for_one_of_each_cause() -> None:
    assert '<details class="more">' not in report.render(network_209(), "html")
    assert report.render(crowded(), "html").count('<details class="more">') == 198


def test_a_finding_of_two_incidents_stands_under_the_first() -> None:
    given = network_209()
    given.incidents.append(Incident("other", "another view", [], [0], 0, 0, []))
    groups = page.build(given).groups
    assert [[card.number for card in group.cards] for group in groups] == [[1], []]
    assert groups[1].elsewhere == [1]


def test_long_timelines_keep_what_is_nearest_to_the_findings() -> None:
    given = network_209()
    line = given.timelines[0]
    far = [line.entries[0]] * 600
    given.timelines = [Timeline(line.resource, [*far, *line.entries])]
    table = page.build(given).tables[0]
    assert len(table.rows) == 500
    assert [row.entry for row in table.rows[-8:]] == line.entries[2:]
    assert table.left_out == 110
    assert not table.open
    assert "110 rows left out here" in report.render(given, "html")


def test_resources_of_one_name_in_two_runs_are_not_taken_for_each_other() -> None:
    def of_run(line: str) -> str:
        return f"second/{line}"

    other = network_209()
    (finding,), (timeline,) = other.findings, other.timelines
    finding.let = [replace(let, opened_by=of_run(let.opened_by)) for let in finding.let]
    timeline.entries = [replace(entry, line=of_run(entry.line)) for entry in timeline.entries[4:6]]
    built = page.build(merge([network_209(), other]))
    assert [table.findings for table in built.tables] == [[1], [2]]
    alone = [page.build(one).groups[0].cards[0].drawings for one in (network_209(), other)]
    assert [[len(drawing.shapes) for drawing in drawings] for drawings in alone] == [
        [len(drawing.shapes) for drawing in card.drawings] for group in built.groups for card in group.cards
    ]
    assert len(alone[0][0].shapes) > len(alone[1][0].shapes)


def test_a_crowded_resource_lane_says_what_it_leaves_out() -> None:
    given = network_209()
    given.timelines[0].entries.extend([given.timelines[0].entries[2]] * 10)
    given.timelines[0].entries.extend([given.timelines[0].entries[5]] * 300)
    drawn = page.build(given).groups[0].cards[0].drawings[0]
    texts = [run[0] for shape in drawn.shapes if isinstance(shape, Text) for run in shape.runs]
    assert "112 more are not drawn" in texts  # 5 of 11 intervals, 107 of 307 events


def test_rows_of_a_timeline_name_their_part_in_a_finding() -> None:
    rows = page.build(network_209()).tables[0].rows
    assert [(row.entry.of, row.name) for row in rows if row.finding == 1] == [
        ("network.implement", "work"),
        ("network.orphan.found", "strike"),
        ("vm.start.resource_unavailable", "refusal"),
    ]


@pytest.mark.parametrize("length", [3 * SECOND // 1000, SECOND, 40 * SECOND, 40 * MINUTE, 9 * HOUR, 3 * DAY, 900 * DAY])
@pytest.mark.parametrize("across", [lanes.WIDE, lanes.NARROW])
def test_ticks_are_round_and_their_labels_have_room(length: int, across: float) -> None:
    start = from_iso("2026-10-29T01:20:23.709")
    scale = Scale(start, start + length, 10, across - 10)
    labels = [shape for shape in axis.draw(scale, 0, 50, "") if isinstance(shape, Text) and shape.anchor == "middle"]
    assert 1 <= len(labels) <= 14
    step, marks = axis.ticks(scale, len(labels) + 2)
    assert str(step).rstrip("0") in ("1", "2", "5", "6", "12", "36", "72", "18", "432", "864", "1728", "216", "3", "4")
    assert all(mark % step == 0 for mark in marks)
    for before, after in pairwise(labels):
        ends = [width(text.runs[0][0], axis.SIZE) / 2 for text in (before, after)]
        assert before.x + ends[0] + 4 < after.x - ends[1]


def test_window_leaves_far_ends_outside_that_the_log_does_not_tell() -> None:
    findings = {finding.title.removeprefix("A drawing: "): finding for finding in odd_shapes().findings}
    for name in ("began before the log", "open where the log ends", "a short one in a long one"):
        first, last = window(findings[name].let)
        assert last - first < 2 * MINUTE, name
    for name in ("two intervals", "strike at the rim", "within milliseconds"):
        first, last = window(findings[name].let)
        assert first < findings[name].start
        assert findings[name].end < last


def test_text_is_shortened_to_its_room() -> None:
    assert fit("short", 100, 12) == "short"
    shortened = fit("a name that is far too long for it", 100, 12)
    assert shortened.endswith("…")
    assert width(shortened, 12) <= 100
    assert fit("日本語" * 9, 60, 12) == "日本語…"


def test_times_in_words() -> None:
    time = from_iso("2026-10-29T23:59:59.999")
    assert iso(time, "+02:00") == "2026-10-29T23:59:59.999+02:00"
    assert stretch(time, time) == "2026-10-29 23:59:59.999"
    assert stretch(time, time + 1000) == "2026-10-29 23:59:59.999 – 2026-10-30 00:00:00.000"
    assert stretch(time - SECOND, time, time) == "23:59:58.999 – 23:59:59.999"
    assert [duration(length) for length in (18_000, 38_321_000, 3 * MINUTE + 4_250_000, 26 * HOUR + 61 * SECOND)] == [
        "0.018 s",
        "38.321 s",
        "3 min 4.250 s",
        "26 h 1 min 1 s",
    ]
