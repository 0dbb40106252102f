"""Windows, periods, near misses and controls, on histories in which they can be counted by hand."""

from __future__ import annotations

import pytest
from histories import Step, judged

from logscope import report
from logscope.language.printer import Who
from logscope.model import Exposure, RuleStatus
from logscope.report.json import from_json
from logscope.report.parts.exposed import exposed

RULE = "network-cleaned-up-while-implementing"
A, B = (Who("ms1", f"thread-{name}", f"ctx-0000000{name}") for name in "ab")


def exposure_of(steps: list[Step]) -> Exposure:
    found = judged(steps, RULE).rules[0].exposure
    assert found is not None
    return found


def hold(start: float, end: float, network: int) -> list[Step]:
    about = {"network": str(network)}
    return [(start, A, "lock.network.implement.acquired", about), (end, A, "lock.network.implement.released", about)]


def strike(at: float, network: int) -> Step:
    return at, Who("ms1", "thread-b", f"ctx-{round(at * 10):08x}"), "network.orphan.found", {"network": str(network)}


def spared(at: float, network: int) -> Step:
    return at, B, "network.orphan.too_young", {"network": str(network), "age": "12"}


def ticks(count: int) -> list[Step]:
    return [(10.0 * number, B, "job.gc.begin", {}) for number in range(count)]


def test_windows_and_period_make_what_is_to_be_expected() -> None:
    found = exposure_of([*hold(1, 3, 209), *hold(11, 15, 210), *hold(21, 51, 211), *ticks(8), strike(60, 300)])
    assert (found.median, found.p95, found.longest, found.period) == (4.0, 30.0, 30.0, 10.0)
    assert found.expected == pytest.approx(0.2 + 0.4 + 1.0)
    assert (found.near, found.nearest, found.controls) == (0, None, 0)


def test_what_came_near_is_counted_and_what_hit_is_not() -> None:
    strikes = [strike(110, 209), strike(98.5, 209), strike(145, 209), strike(500, 209), strike(99.9, 210)]
    found = exposure_of([*hold(100, 140, 209), *strikes])
    assert (found.near, found.nearest) == (2, 1.5)


def test_checks_that_did_their_work_are_counted() -> None:
    assert exposure_of([*hold(0, 40, 209), spared(10, 209), spared(20, 209)]).controls == 2


def test_a_rule_that_was_not_evaluated_has_no_exposure() -> None:
    assert judged([(0, A, "job.gc.begin", {})], RULE).rules[0].exposure is None


def status(exposure: Exposure) -> RuleStatus:
    return RuleStatus("r", "t", "high", "fired", [], "", 5, 4, "destroy", [3.03, 3.04, 3.06], exposure)


def test_exposure_is_told_in_one_sentence() -> None:
    assert exposed(status(Exposure(3.04, 3.06, 3.06, 30.02, 0.51, 2, 1.25, 41))) == (
        "'destroy' lasted 3.04 s in the middle, 3.06 s at 95 %, at most 3.06 s; the other side acts every 30 s; "
        "by chance that makes 0.5, seen were 4; 2 near misses, the nearest by 1.25 s; "
        "the check was seen at work 41 times"
    )
    few = status(Exposure(near=1, nearest=0.2, controls=1))
    assert exposed(few) == "a near miss by 0.2 s; the check was seen at work once"


def test_exposure_is_in_every_format_and_comes_back_from_json() -> None:
    found = judged([*hold(100, 140, 209), strike(110, 209), strike(98.5, 209), spared(10, 210), *ticks(4)], RULE)
    assert from_json(report.render(found, "json")) == found
    for name in ("text", "md", "html"):
        assert "a near miss by 1.5 s" in report.render(found, name), name


def test_things_of_one_kind_that_follow_each_other_are_no_near_misses() -> None:
    steps: list[Step] = [(15.0, A, "nic.released", {"nic": "2214", "vm": "4"})]
    for number, nic in enumerate(("2214", "2214", "2215")):
        fields = {"nic": nic, "nic.address": "10.1.1.57", "element": "VirtualRouter"}
        who = Who("ms1", f"thread-{number}", f"ctx-0000000{number}")
        steps.append((10.0 * number, who, "nic.count", {"network": "209", "count": "1"}))
        steps.append((10.0 * number + 0.1, who, "nic.prepare", fields))
    found = judged(steps, "ip-assigned-twice").rules[0]
    assert found.status == "quiet"
    assert found.exposure is not None
    assert found.exposure.near == 0
