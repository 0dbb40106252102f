"""Gaps and steps of the clock: said, and findings across them are only possible."""

from __future__ import annotations

import random

import pytest
from test_grammars import shipped

from logscope.demand import for_rules
from logscope.language.printer import Printer, Who, clock
from logscope.model import Report, Source
from logscope.pipeline import analyze, read_log

START = 1_792_202_400_000_000  # 2026-10-17 02:00:00
RULE = "network-cleaned-up-while-implementing"
A, B = Who("ms1", "thread-a", "ctx-0000000a"), Who("ms1", "thread-b", "ctx-0000000b")
NETWORK = {"network": "209"}


def line(at: float) -> str:
    return clock(START + round(at * 1_000_000))


def filler(start: int, end: int) -> list[str]:
    return [f"{line(at)} DEBUG [o.x.Y] (main:[]) (logid:) nothing of interest" for at in range(start, end)]


def said(at: float, who: Who, event: str, fields: dict[str, str] = NETWORK) -> str:
    return Printer(shipped()[0]).line(START + round(at * 1_000_000), who, event, fields)


def judged(*files: list[str]) -> Report:
    catalog = shipped()[0]
    rules = [catalog.rules[RULE]]
    sources = []
    for number, lines in enumerate(files):
        data = ("\n".join(lines) + "\n").encode()
        sources.append(Source(f"log.{number}", "management-server", "ms1", lambda data=data: iter([data])))  # type: ignore[misc]
    return analyze(read_log(sources, [], catalog, for_rules(catalog, rules)), rules)


RACE = [said(100, A, "lock.network.implement.acquired"), said(110, B, "network.orphan.found")]
END = [said(8000, A, "lock.network.implement.released"), said(8000.1, A, "vm.start.resource_unavailable")]


def test_without_a_gap_it_is_certain() -> None:
    found = judged([*filler(0, 100), *RACE, *filler(111, 8000), *END])
    assert [finding.certainty for finding in found.findings] == ["certain"]
    assert not found.notes


def test_a_gap_is_said_and_lowers_certainty() -> None:
    found = judged([*filler(0, 100), *RACE, *filler(111, 600), *filler(7000, 8000), *END])
    assert [note.text for note in found.notes] == [
        "nothing was logged for 1 h 46 min from 2026-10-17 02:09:59 on; a file may be missing; "
        "findings across this gap are only possible"
    ]
    assert [finding.doubts for finding in found.findings] == [["the log of ms1 is silent for 6,401 s within work"]]


def test_a_missing_file_is_a_gap() -> None:
    found = judged([*filler(0, 100), *RACE, *filler(111, 600)], [*filler(4250, 8000), *END])
    assert [note.text for note in found.notes] == [
        "nothing was logged for 1 h 0 min from 2026-10-17 02:09:59 on; a file may be missing, "
        "or the clock was set forward by an hour; findings across this gap are only possible"
    ]
    assert found.findings[0].certainty == "possible"


def test_a_log_that_says_little_has_no_gaps() -> None:
    every_minute = [f"{line(at * 60)} DEBUG [o.x.Y] (main:[]) (logid:) tick" for at in range(100)]
    late = [f"{line(6000 + at * 900)} DEBUG [o.x.Y] (main:[]) (logid:) tick" for at in range(1, 4)]
    assert not judged([*every_minute, *late]).notes


def test_a_server_that_was_down_has_no_gap() -> None:
    stops = said(600, Who("ms1", "main"), "ms.components.stopping", {})
    assert not judged([*filler(0, 600), stops, *filler(4000, 4600)]).notes


def test_a_clock_that_went_back_is_said_and_lowers_certainty() -> None:
    before = said(4399.5, B, "network.orphan.too_young", {"network": "210", "age": "12"})
    again = [said(800, A, "lock.network.implement.released"), *filler(801, 1400)]
    found = judged([*filler(0, 100), *RACE, *filler(111, 4399), before, *again])
    assert [note.text for note in found.notes] == [
        "its clock went back by 1 h 0 min at 2026-10-17 03:13:19, as at the end of summer time; "
        "the order of lines is unsure in the time that came twice"
    ]
    assert "the clock of ms1 was set back meanwhile: the order of its lines is unsure" not in found.findings[0].doubts


def test_what_lies_in_a_time_that_came_twice_is_only_possible() -> None:
    before = said(3699, B, "network.orphan.too_young", {"network": "210", "age": "12"})
    again = [*filler(99, 100), *RACE, *filler(111, 140), said(140, A, "lock.network.implement.released")]
    found = judged([*filler(0, 3699), before, *again, said(140.1, A, "vm.start.resource_unavailable")])
    assert [finding.doubts for finding in found.findings] == [
        ["the clock of ms1 was set back meanwhile: the order of its lines is unsure"]
    ]


def durations(report: Report) -> list[int]:
    entries = [entry for timeline in report.timelines for entry in timeline.entries]
    return [entry.end - entry.start for entry in entries] + [f.end - f.start for f in report.findings]


@pytest.mark.parametrize("seed", range(3))
def test_lines_in_any_order_give_no_impossible_times(seed: int) -> None:
    lines = [*filler(0, 100), *RACE, *filler(111, 600), said(620, B, "network.orphan.found"), *filler(621, 700)]
    for at in range(130, 600, 7):
        lines += [said(at, A, "lock.network.implement.released"), said(at + 3, B, "network.orphan.found")]
    plain = judged(sorted(lines))
    random.Random(seed).shuffle(lines)
    found = judged(lines)
    assert (found.sources[0].first, found.sources[0].last) == (START, START + 699_000_000)
    assert all(0 <= one <= 700_000_000 for one in durations(found))
    assert len(durations(found)) == len(durations(plain)) > 0
    assert found.notes
    assert all("run backwards" in note.text or "clock went back" in note.text for note in found.notes)


def test_an_older_part_behind_a_newer_one_is_no_gap() -> None:
    early, late = [*filler(0, 1000), *RACE], [said(4000 + at, A, "lock.network.implement.released") for at in range(9)]
    middle = [said(at, B, "network.orphan.found") for at in range(1100, 3900, 100)]
    found = judged([*early, *late, *filler(4010, 4500), *middle])
    assert (found.sources[0].first, found.sources[0].last) == (START, START + 4_499_000_000)
    assert [note.text.partition(" at ")[0] for note in found.notes] == ["its clock went back by 48 min 28 s"]


def test_one_damaged_time_makes_no_log_of_years() -> None:
    lines = [*filler(0, 100), *RACE]
    lines += [said(at, B, "network.orphan.found") for at in range(200, 500)]
    damaged = said(300.5, A, "lock.network.implement.released").replace("2026-", "2096-")
    before = said(301.5, Who("ms1", "thread-c", "ctx-0000000c"), "lock.network.implement.released")
    found = judged([*lines[:200], damaged, before.replace("2026-", "1996-"), *lines[200:]])
    assert (found.sources[0].first, found.sources[0].last) == (START, START + 499_000_000)
    assert all(one >= 0 for one in durations(found))


def test_a_log_that_was_cut_within_a_header_ends_with_what_is_known_of_it() -> None:
    found = judged([*filler(0, 100), *RACE, f"{line(131)[:21]},0 DEBUG [o.x"])
    assert (found.sources[0].first, found.sources[0].last) == (START, START + 110_000_000)
