from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from report_odd_samples import ALL, HOSTILE, hostile, odd_shapes
from report_samples import network_209

from logscope import report
from logscope.report.parts.visible import visible

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

pytestmark = pytest.mark.browser

SAMPLES = ["network-209", "console-proxy-a", "hostile", "odd-shapes", "ci-run"]

# Everything is measured in pixels of the drawing, whatever size it is shown at.
BARS = """() => [...document.querySelectorAll('svg')].filter(svg => svg.checkVisibility()).flatMap(svg => {
  const {start, end, left, right} = svg.dataset;
  const x = time => +left + Math.min(Math.max(time - start, 0), end - start) / (end - start) * (right - left);
  const bars = [...svg.querySelectorAll('.bar')].map(bar => {
    const box = bar.getBBox();
    return [box.x, box.x + box.width, x(bar.dataset.start), x(bar.dataset.end)];
  });
  const marks = [...svg.querySelectorAll('[data-time]')].map(mark => {
    const box = mark.getBBox(), at = mark.getCTM().e / mark.getCTM().a + box.x + box.width / 2;
    return [at, at, x(mark.dataset.time), x(mark.dataset.time)];
  });
  return [...bars, ...marks];
})"""

CLASHES = """() => [...document.querySelectorAll('svg')].filter(svg => svg.checkVisibility()).flatMap(svg => {
  const room = svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBBox()]);
  const signs = [...svg.querySelectorAll('.sign')].map(sign => {
    const box = sign.getBBox(), place = sign.getCTM();
    return ['sign', new DOMRect(place.e / place.a + box.x, place.f / place.d + box.y, box.width, box.height)];
  });
  const outside = box => box.x < -0.5 || box.x + box.width > room + 0.5;
  const found = texts.filter(([, box]) => outside(box)).map(([text]) => [text, 'rim']);
  texts.forEach(([text, a], at) => [...texts.slice(at + 1), ...signs].forEach(([other, b]) => {
    // The lines of a text have some pixels of air above and below.
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height - 3 && b.y + 3 < a.y + a.height - 3)
      found.push([text, other]);
  }));
  return found;
})"""


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")


@pytest.mark.parametrize("sample", ["quiet", "crowded", *SAMPLES])
@pytest.mark.parametrize("width", [1280, 390, 360])
def test_page_opens_from_disk_and_fits_the_screen(visit: Visit, sample: str, width: int) -> None:
    page = visit(report.render(ALL[sample](), "html"), width)
    if sample != "crowded":
        unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontWeight") == "700", "the style is blocked"


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("width", [1280, 390])
def test_bars_and_marks_stand_where_their_times_are(visit: Visit, sample: str, width: int) -> None:
    given = ALL[sample]()
    page = visit(report.render(given, "html"), width)
    unfold(page)
    placed = page.evaluate(BARS)
    assert len(placed) >= sum(len(finding.let) for finding in given.findings)
    for first, last, start, end in placed:
        assert first == pytest.approx(start, abs=0.6)
        assert last == pytest.approx(end, abs=1.1)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("width", [1280, 390])
def test_no_text_of_a_drawing_runs_into_another(visit: Visit, sample: str, width: int) -> None:
    page = visit(report.render(ALL[sample](), "html"), width)
    unfold(page)
    assert page.evaluate(CLASHES) == []


def test_one_drawing_is_shown_at_each_width(visit: Visit) -> None:
    for width, shown in ((1280, "wide"), (390, "narrow")):
        page = visit(report.render(network_209(), "html"), width)
        classes = page.evaluate(
            "[...document.querySelectorAll('svg')].filter(s => s.checkVisibility()).map(s => s.parentNode.className)"
        )
        assert classes == [shown]


def test_hold_strike_and_margins_are_drawn(visit: Visit) -> None:
    page = visit(report.render(network_209(), "html"))
    drawing = page.locator("figure svg:visible")
    told = drawing.evaluate("svg => svg.textContent")
    for part in ("38.321 s", "7.941 s after the start", "30.380 s before the end", "01:20:31.650", "2026-10-29"):
        assert part in told
    assert drawing.locator("line.at.find").count() == 1
    assert drawing.locator("line.at.proves").count() == 1


def test_evidence_opens_on_click(visit: Visit) -> None:
    page = visit(report.render(network_209(), "html"))
    record = page.locator("#finding-1-line-2 pre")
    assert not record.is_visible()
    page.get_by_text("Evidence: 4 records").click()
    assert record.is_visible()
    assert "Found orphaned network 209" in record.inner_text()


def test_a_line_of_a_sentence_leads_to_its_record(visit: Visit) -> None:
    page = visit(report.render(network_209(), "html"))
    page.locator(".then a.line").first.click()
    assert page.url.endswith("#finding-1-line-1")
    assert page.locator("#finding-1-line-1 pre").is_visible()


def test_evidence_opens_by_keyboard(visit: Visit) -> None:
    page = visit(report.render(network_209(), "html"))
    page.locator(".evidence > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#finding-1-line-2 pre").is_visible()


def test_markup_in_the_log_stays_text(visit: Visit) -> None:
    page = visit(report.render(hostile(), "html"))
    unfold(page)
    assert page.locator("script, img, link").count() == 0
    assert visible(HOSTILE) in page.locator("h4").inner_text()
    assert "<script>alert(1)</script>" in page.locator("pre").first.inner_text()
    links: list[str] = page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert [link for link in links if not link.startswith("#")] == ["https://github.com/apache/cloudstack/issues/1"]


def test_page_prints_its_evidence_and_bars_in_light_colours(visit: Visit) -> None:
    page = visit(report.render(network_209(), "html"), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.bar')).printColorAdjust") == "exact"
    assert page.locator("#finding-1-line-2 pre").is_visible()
    assert page.locator(".wide svg").is_visible()
    printed = page.pdf(format="A4", print_background=False)
    assert printed.startswith(b"%PDF")
    assert len(printed) > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(visit: Visit, scheme: str) -> None:
    page = visit(report.render(odd_shapes(), "html"), color_scheme=scheme)
    unfold(page)
    pairs: list[Any] = page.evaluate("""() => {
      const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
      const on = ['actor-0', 'actor-1', 'actor-2', 'actor-3', 'actor-4', 'actor-5', 'critical'];
      const grounds = ['ground', 'raised', 'note', 'bad', 'good'];
      return [...on.map(name => [name, colour('on'), colour(name)]),
              ...['strike', 'high', 'medium', 'low', 'link'].map(name => [name, colour(name), colour('ground')]),
              ...grounds.flatMap(name => ['text', 'muted'].map(t => [t + ' on ' + name, colour(t), colour(name)]))];
    }""")
    assert len(pairs) == 22
    for name, text, ground in pairs:
        light, dark = sorted((luminance(text), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
