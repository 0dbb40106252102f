"""What was open at a time or at the end: since when, by whom, who waits, and what its thread wrote last."""

from __future__ import annotations

import io

from logscope.language.printer import Who
from logscope.model import Source
from logscope.stuck import Last, Open, Stuck, find, last_lines
from tests.operations import ASKED, CHILD, OVER, PARENT, READER, TASK, Step, log
from tests.small_log import START

OTHER = Who("ms1", "other-1", "ctx-00000009")
HELD: list[Step] = [
    (2.0, CHILD, "thing.taken", {"thing": "1"}),
    (3.0, OTHER, "thing.wanted", {"thing": "1"}),
    (4.0, TASK, "thing.wanted", {"thing": "2"}),
]
SERVER = Who("ms1", "main")


def at(seconds: float) -> int:
    return START + round(seconds * 1_000_000)


def told(every: list[Open]) -> list[tuple[str, float, float, str]]:
    """Title, when it began, how long it was open (seconds), by which thread."""
    return [(one.title, (one.start - START) / 1e6, (one.until - one.start) / 1e6, one.actor.thread) for one in every]


def test_what_has_no_end_is_open_at_the_end_of_the_log_the_oldest_first() -> None:
    found = find(log([*ASKED, *HELD]))
    assert found.at == at(4.0)
    assert told(found.open) == [
        ("job 10: start", 0.3, 3.7, "job-1"),
        ("job 11: lift", 1.4, 2.6, "work-1"),
        ("hold on 1", 2.0, 2.0, "work-1"),
        ("wait for 1", 3.0, 1.0, "other-1"),
        ("wait for 2", 4.0, 0.0, "task-1"),
    ]
    assert found.cut == []


def test_what_is_open_comes_with_its_cause_and_its_resources() -> None:
    job, _, hold, *_ = find(log([*ASKED, *HELD])).open
    assert job.caused_by == hold.caused_by == "request for start by me, job 10 asked for by me"
    assert (job.resources, hold.resources) == (["job:10"], ["thing:1"])
    assert (hold.line, hold.is_begun, hold.end, hold.outcome) == ("memory:7", True, None, "")


def test_a_hold_tells_who_waits_for_its_resource() -> None:
    found = find(log([*ASKED, *HELD]))
    waiting = {one.title: [(w.title, w.actor.thread, w.line) for w in one.waiting] for one in found.open if one.waiting}
    assert waiting == {"hold on 1": [("wait for 1", "other-1", "memory:8")]}


def test_nobody_waits_for_what_he_holds_himself() -> None:
    again: list[Step] = [(2.5, CHILD, "thing.wanted", {"thing": "1"})]
    assert not any(one.waiting for one in find(log([*ASKED, *HELD[:1], *again])).open)


def test_at_a_time_what_ended_later_was_open_too() -> None:
    steps = [*ASKED, *HELD, (5.0, CHILD, "thing.left", {"thing": "1"}), *OVER]
    found = find(log(steps), at(3.5))
    assert told(found.open) == [
        ("job 10: start", 0.3, 3.2, "job-1"),
        ("job 11: lift", 1.4, 2.1, "work-1"),
        ("hold on 1", 2.0, 1.5, "work-1"),
        ("wait for 1", 3.0, 0.5, "other-1"),
    ]
    assert [(one.end, one.outcome) for one in found.open][1:] == [
        (at(9.0), "closed"),
        (at(5.0), "closed"),
        (None, ""),
    ]
    assert told(find(log(steps), at(0.05)).open) == [("request for start", 0.0, 0.05, "web-1")]


def test_what_began_before_the_log_was_open_for_at_least_as_long_as_that() -> None:
    found = find(log([(0.0, TASK, "thing.avoided", {"thing": "1", "tools": "x"}), *OVER]), at(5.0))
    job = found.open[-1]
    assert (job.is_begun, job.start, job.until) == (False, at(0.0), at(5.0))


def test_states_that_should_pass_are_told_others_are_not() -> None:
    broken: list[Step] = [(1.0, TASK, "thing.broken", {"thing": "1"}), (2.0, TASK, "thing.avoided", {"thing": "1"})]
    assert told(find(log(broken)).open) == [("1 is broken", 1.0, 1.0, "task-1")]


def cut_by(*steps: Step) -> Stuck:
    broken: list[Step] = [(0.0, TASK, "thing.broken", {"thing": "1"}), (1.0, SERVER, "server.begins", {})]
    return find(log([*broken, *steps]))


def test_what_a_restart_cut_off_stands_apart() -> None:
    found = cut_by((2.0, SERVER, "thing.broken", {"thing": "2"}))
    assert told(found.cut) == [("1 is broken", 0.0, 1.0, "task-1")]
    assert told(found.open) == [("2 is broken", 2.0, 0.0, "main")]


def test_what_ended_or_began_anew_after_the_restart_is_not_stuck() -> None:
    assert cut_by((2.0, SERVER, "thing.fixed", {"thing": "1"})).cut == []
    assert cut_by((2.0, SERVER, "thing.broken", {"thing": "1"})).cut == []
    assert cut_by((2.0, SERVER, "thing.fixed", {"thing": "2"})).cut != []


def test_before_the_restart_what_it_cuts_off_is_open() -> None:
    steps: list[Step] = [(0.0, TASK, "thing.broken", {"thing": "1"}), (1.0, SERVER, "server.begins", {})]
    found = find(log(steps), at(0.5))
    assert [(one.end, one.outcome) for one in found.open] == [(at(1.0), "cut-by-restart")]
    assert found.cut == []


UNKNOWN = (
    "2027-01-15 08:00:02,500 DEBUG [o.x.Y] (other-1:[ctx-00000009]) (logid:1) no grammar knows this\n\tat a.b.C\n"
    "2027-01-15 08:00:02,600 DEBUG [o.x.Y] (other-1:[ctx-00000019]) (logid:1) another run of the thread\n"
    "2027-01-15 08:00:02,700 DEBUG [o.x.Y] (other-2:[ctx-00000009]) (logid:1) another thread\n"
    "2027-01-15 08:00:04,000 DEBUG [o.x.Y] (other-1:[ctx-00000009]) (logid:1) too late\n"
)


def test_the_last_line_of_an_owner_is_found_whether_a_grammar_knows_it_or_not() -> None:
    known = log([*ASKED, *HELD, (3.1, READER, "thing.broken", {"thing": "3"})])
    source = Source("a.log", "management-server", "ms1", lambda: io.BytesIO(UNKNOWN.encode()))
    owner, reader = ("ms1", "other-1", "ctx-00000009"), ("ms1", "reader-1", "")
    found = last_lines(known, [source], {owner, reader, ("ms2", "other-2", "ctx-00000009")}, at(3.5))
    assert START == 1_800_000_000_000_000
    assert found == {
        owner: Last(at(2.5), "a.log:1", UNKNOWN.partition("\n")[0]),
        reader: Last(at(3.1), "memory:9", found[reader].text),
    }
    assert found[reader].text.endswith("thing-3 is broken")


def test_nothing_is_open_in_a_log_in_which_all_ended() -> None:
    assert find(log([*ASKED, *OVER])).open == []
    assert find(log([*ASKED, *OVER, (10.0, PARENT, "job.fails", {})])).open == []


def test_a_log_whose_last_time_is_not_known_ends_with_its_last_event() -> None:
    found = log([*ASKED, *HELD])
    found.horizon.last.clear()
    assert find(found).at == at(4.0)
    assert [one.title for one in find(found).open][:2] == ["job 10: start", "job 11: lift"]
