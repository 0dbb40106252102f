from __future__ import annotations

import copy
import html
import re
import unicodedata

import pytest
from markdown_it import MarkdownIt
from report_odd_samples import ALL, HOSTILE, crowded, hostile
from report_samples import network_209, quiet

from logscope import report
from logscope.model import Incident, Sentence
from logscope.report.parts.visible import visible, visible_lines


def harmless(text: str) -> bool:
    """Whether a terminal shows the text as it is: no control, format or lone surrogate character but line feeds."""
    return all(char == "\n" or unicodedata.category(char)[0] != "C" for char in text)


@pytest.mark.parametrize("name", ["text", "md", "html", "json"])
def test_nothing_reaches_a_terminal_that_could_drive_it(name: str) -> None:
    assert harmless(report.render(hostile(), name))


def test_what_does_not_print_is_shown_as_an_escape() -> None:
    assert visible("a\x1b[2J\r\nb\tc\u202ed\u2028\U000e0041\ud800 e\u00a0") == (
        "a\\x1b[2J\\r\\nb\\tc\\u202ed\\u2028\\U000e0041\\ud800 e\\xa0"
    )
    assert visible("Größe 日本語 ✓") == "Größe 日本語 ✓"
    assert visible_lines("a\r\n\tb\x00") == ["a", "    b\\x00"]


def test_a_name_cannot_forge_a_line_of_the_text() -> None:
    lines = report.render(hostile(), "text").splitlines()
    assert not [line for line in lines if line.startswith(("# heading", "- item"))]


def test_colour_is_only_added_on_demand_and_changes_no_word() -> None:
    plain = report.render(network_209(), "text")
    painted = report.render(network_209(), "text", color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31mcritical\x1b[0m, certain" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain


def test_sentences_name_a_source_once() -> None:
    text = report.render(network_209(), "text")
    assert "  - strike came 7.941 s after work began                   management-server.log:25, :30\n" in text
    assert "  - refusal followed 0.018 s after work ended, same actor  :36, :40\n" in text


def test_unread_parts_and_unexplained_failures_are_told() -> None:
    text = report.render(quiet(), "text")
    assert text.startswith("No overlap found; 1 failed operation, 0 explained; rules: 4 not evaluated, 1 quiet; ")
    assert "  not read: agent.log.gz: the gzip stream ends early; 0 bytes were read\n" in text
    assert "management-server.log:1  not explained by any rule\n" in text


def test_findings_are_told_worst_first_and_once() -> None:
    text = report.render(crowded(), "text")
    heads = re.findall(r"^\S+ #(\d+)   (\w+), (\w+)$", text, re.MULTILINE)
    assert len(heads) == len({number for number, _, _ in heads}) == 200
    for block in re.split(r"^Incident ", text, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^\S+ #\d+   (\w+), (\w+)$", block, re.MULTILINE)
        assert kinds == sorted(kinds, key=lambda kind: (kind[0] != "critical", kind[1] != "certain"))


FOLDS = re.compile(
    r"</details>|<details><summary>(?:Evidence: [\d,]+ records?"
    r"|What the failed tests said, and how they were joined with the log|<b>Finding \d+</b> [^<>]*)</summary>"
)


def tokens(markdown: str) -> list[tuple[str, str]]:
    flat = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        flat += [(inner.type, inner.content) for inner in token.children or [token]]
    return flat


@pytest.mark.parametrize("sample", ALL)
def test_markdown_has_no_markup_but_ours(sample: str) -> None:
    for kind, content in tokens(report.render(ALL[sample](), "md")):
        assert kind not in ("image", "em_open", "s_open", "hr", "lheading_open", "blockquote_open", "code_block")
        if kind == "html_inline":
            assert content == "<!-- -->"
        if kind == "html_block":
            assert FOLDS.fullmatch(content.strip().replace("<!-- -->", ""))
            for awake in (r"@\w", r"#\d", r"http://", r"www\.\w"):
                assert not re.search(awake, content), awake


def test_markdown_links_lead_to_issues_only() -> None:
    parsed = MarkdownIt("commonmark").enable("table").parse(report.render(hostile(), "md"))
    links = [inner.attrs["href"] for token in parsed for inner in token.children or [] if inner.type == "link_open"]
    assert links == ["https://github.com/apache/cloudstack/issues/1"]


def test_markdown_shows_hostile_text_as_it_was() -> None:
    page = MarkdownIt("commonmark").enable("table").render(report.render(hostile(), "md"))
    text = html.unescape(page.replace("<!-- -->", ""))
    shown = visible(HOSTILE)
    assert f"): {shown}</summary>" in text
    assert f"<code>vm:{shown}</code>" in text


def test_markdown_wakes_nobody() -> None:
    """No mention of a person, no number of an issue and no bare address stands in text, but that of our own link."""
    texts = [content for kind, content in tokens(report.render(hostile(), "md")) if kind == "text"]
    assert len(texts) > 50
    for awake in (r"@\w", r"(?<!^apache/cloudstack)#\d", r"http://", r"www\.\w"):
        assert [text for text in texts if re.search(awake, text)] == [], awake


@pytest.mark.parametrize("name", ["text", "md", "html"])
def test_a_sentence_may_stand_without_lines(name: str) -> None:
    given = network_209()
    given.findings[0].then.append(Sentence("the same actor did so 3 more times meanwhile", ()))
    told = next(line for line in report.render(given, name).splitlines() if "3 more times" in line)
    assert "()" not in told
    assert told.strip(" -")[:3] == ("<li" if name == "html" else "the")


def test_tables_keep_their_columns() -> None:
    lines = [line for line in report.render(hostile(), "md").splitlines() if line.startswith("|")]
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) in (6, 7)


def test_incidents_are_numbered_in_the_order_in_which_they_are_told() -> None:
    given = network_209()
    late = copy.deepcopy(given.findings[0])
    late.severity = "low"
    late.start -= 10_000_000
    given.findings.append(late)
    given.incidents.insert(0, Incident("low", "a lesser one", [late.resource], [1], late.start, late.end, []))
    for name in ("text", "md", "html"):
        page = report.render(given, name)
        assert re.findall(r"Incident (\d+):", page) == ["1", "2"]
        assert page.index("Incident 1:") < page.index("Incident 2: a lesser one")
