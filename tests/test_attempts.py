"""What was tried again and why, and what failed first inside an operation that failed."""

from __future__ import annotations

from logscope.attempts import Attempt, Failed, Retried, Told, failed, retried
from logscope.language.printer import Who
from tests.operations import ASKED, CHILD, OVER, PARENT, TASK, Step, log

TRIED: list[Step] = [
    (2.0, CHILD, "thing.avoided", {"thing": "1", "tools": "none"}),
    (2.1, CHILD, "thing.tried", {"thing": "1", "tool": "rope"}),
    (2.2, CHILD, "thing.broken", {"thing": "1"}),
    (2.3, CHILD, "thing.broken", {"thing": "9"}),
    (2.4, CHILD, "thing.avoided", {"thing": "1", "tools": "rope"}),
    (2.5, CHILD, "thing.tried", {"thing": "1", "tool": "crane"}),
]


def words(told: Told | None) -> str:
    return f"{told.title} at {told.line.rpartition(':')[2]}" if told else ""


def told(every: list[Retried]) -> list[list[tuple[str, str, str]]]:
    def of(attempt: Attempt) -> tuple[str, str, str]:
        return words(attempt.tried), words(attempt.failed), words(attempt.avoided)

    return [[of(attempt) for attempt in one.attempts] for one in every]


def causes(every: list[Failed]) -> list[tuple[str, str, str]]:
    return [(one.actor.thread, words(one.failed), words(one.cause)) for one in every]


def test_each_attempt_tells_what_failed_first_and_what_the_next_one_left_out() -> None:
    (one,) = retried(log([*ASKED, *TRIED, *OVER]))
    assert told([one]) == [
        [("1 tried with rope at 8", "1 is broken at 9", "1 avoids rope at 11"), ("1 tried with crane at 12", "", "")]
    ]
    assert (one.actor.thread, one.caused_by) == ("work-1", "request for start by me, job 10 asked for by me")
    assert one.attempts[0].failed is not None
    assert one.attempts[0].failed.text == "thing-1 is broken"


def test_what_was_tried_once_is_not_retried() -> None:
    assert retried(log([*ASKED, *TRIED[:4], *OVER])) == []


def test_attempts_at_other_things_stand_apart() -> None:
    inner: list[Step] = [
        (2.15, CHILD, "thing.tried", {"thing": "2", "tool": "rope"}),
        (2.45, CHILD, "thing.avoided", {"thing": "2", "tools": "all"}),
        (2.46, CHILD, "thing.tried", {"thing": "2", "tool": "hand"}),
    ]
    outer, within = told(retried(log([*ASKED, *TRIED, *inner, *OVER])))
    assert [attempt[0].partition(" at")[0] for attempt in outer] == ["1 tried with rope", "1 tried with crane"]
    assert [attempt[2].partition(" at")[0] for attempt in outer] == ["1 avoids rope", ""]
    assert [attempt[0].partition(" at")[0] for attempt in within] == ["2 tried with rope", "2 tried with hand"]
    assert [attempt[2].partition(" at")[0] for attempt in within] == ["2 avoids all", ""]


def test_attempts_of_two_runs_are_not_taken_together() -> None:
    other = Who("ms1", "other-1", "ctx-00000009")
    assert retried(log([*ASKED, *TRIED[:3], (3.0, other, "thing.tried", {"thing": "1", "tool": "rope"}), *OVER])) == []


def test_the_first_failure_inside_an_operation_is_its_cause() -> None:
    ends: list[Step] = [(8.0, CHILD, "job.fails", {})]
    assert causes(failed(log([*ASKED, *TRIED, *ends, *OVER]))) == [
        ("work-1", "the job fails at 13", "1 is broken at 9")
    ]


def test_of_lines_that_tell_of_one_failure_the_last_counts() -> None:
    ends: list[Step] = [(8.0, CHILD, "job.fails", {}), (9.2, PARENT, "job.fails", {})]
    (one,) = failed(log([*ASKED, *TRIED, *ends, *OVER]))
    assert causes([one]) == [("job-1", "the job fails at 15", "1 is broken at 9")]
    assert one.caused_by == "request for start by me, job 10 asked for by me"


def test_failures_of_others_and_earlier_ones_are_no_cause() -> None:
    other: list[Step] = [(0.35, TASK, "thing.broken", {"thing": "1"}), (8.0, CHILD, "job.fails", {})]
    assert causes(failed(log([*ASKED, *other, *OVER]))) == [("work-1", "the job fails at 8", "the job fails at 8")]


def test_a_second_operation_of_a_thread_has_its_own_cause() -> None:
    again = Who("ms2", "work-1", "ctx-0000000a", 12, 10)
    steps: list[Step] = [
        (3.0, CHILD, "job.fails", {}),
        (10.0, again, "job.begins", {"job": "12", "work": "lift"}),
        (11.0, again, "thing.broken", {"thing": "3"}),
        (12.0, again, "job.fails", {}),
    ]
    assert causes(failed(log([*ASKED, *TRIED, *steps]))) == [
        ("work-1", "the job fails at 13", "1 is broken at 9"),
        ("work-1", "the job fails at 16", "3 is broken at 15"),
    ]


def test_only_some_families_can_be_asked_for() -> None:
    found = log([*ASKED, *TRIED, (8.0, CHILD, "job.fails", {}), (9.0, TASK, "job.fails", {})])
    families = found.causes.families_of(10)
    assert (len(failed(found)), len(failed(found, families)), len(retried(found, families))) == (2, 1, 1)
    assert failed(found, []) == retried(found, []) == []
