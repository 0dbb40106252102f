"""Where the time went: operations by step, commands and holds, with their quantiles."""

from __future__ import annotations

import pandas as pd
import pytest

from logscope.language.printer import Who
from logscope.model import Resource
from logscope.slow import Slow, Times, measure
from tests.operations import ASKED, CHILD, OVER, READER, TASK, Step, log
from tests.small_log import START

STEPS: list[Step] = [
    (2.0, CHILD, "thing.wanted", {"thing": "1"}),
    (3.0, CHILD, "thing.taken", {"thing": "1"}),
    (3.5, CHILD, "command.queued", {"command": "7", "what": "lift"}),
    (3.75, READER, "command.sent", {"command": "7"}),
    (5.75, READER, "command.answered", {"command": "7"}),
    (6.0, CHILD, "thing.left", {"thing": "1"}),
]


def told(every: list[Times]) -> list[tuple[str, str, int, int, float]]:
    """Kind, name, how many, how many without an end, and the seconds of all."""
    return [(one.tag, one.what, one.count, one.unended, one.total / 1e6) for one in every]


def asked(number: int, length: float) -> list[Step]:
    """A request that lasts so many seconds."""
    who = Who("ms1", "web-2", f"ctx-{number:08x}")
    begin = 100.0 * number
    return [
        (begin, who, "request.begins", {"what": "list", "client": "me"}),
        (begin + length, who, "request.ends", {}),
    ]


def test_an_operation_goes_from_its_request_to_the_end_of_its_last_job() -> None:
    (operation,) = measure(log([*ASKED, *STEPS, *OVER]), 10).operations
    assert told([operation]) == [("operation", "request for start", 1, 0, 9.5)]
    assert told(operation.parts) == [
        ("operation", "job *: start", 1, 0, 9.2),
        ("operation", "job *: lift", 1, 0, 7.6),
        ("hold", "hold on *", 1, 0, 3.0),
        ("command", "lift", 1, 0, 2.0),
        ("wait", "wait of job *", 2, 0, 1.2),
        ("wait", "wait for *", 1, 0, 1.0),
        ("wait", "wait of command *", 1, 0, 0.25),
    ]
    assert operation.longest is not None
    assert (operation.longest.title, operation.longest.line) == ("request for start", "memory:1")


@pytest.mark.parametrize(
    "lengths", [[1.0], [3.0, 1.0], [5.0, 1.0, 2.0, 4.0], [float(n * n % 37) for n in range(1, 31)]]
)
def test_quantiles_are_those_of_pandas(lengths: list[float]) -> None:
    steps = [step for number, length in enumerate(lengths, 1) for step in asked(number, length)]
    (one,) = measure(log(steps), 10).operations
    series = pd.Series(lengths) * 1_000_000
    assert (one.count, one.total, one.max) == (len(lengths), series.sum(), series.max())
    assert (one.median, one.p95) == (round(series.median()), round(series.quantile(0.95)))
    assert one.longest is not None
    assert (one.longest.start - START) / 1e6 == 100.0 * (lengths.index(max(lengths)) + 1)


def test_what_has_not_both_ends_is_counted_apart() -> None:
    slow = measure(log([*asked(1, 1.0), *asked(2, 2.0), *asked(3, 9.0)[:1], *ASKED, *STEPS]), 10)
    assert told(slow.operations) == [
        ("operation", "request for list", 2, 1, 3.0),
        ("operation", "request for start", 0, 1, 0.0),
    ]
    assert slow.operations[1].longest is None
    assert told(slow.operations[1].parts)[-2:] == [
        ("operation", "job *: lift", 0, 1, 0.0),
        ("operation", "job *: start", 0, 1, 0.0),
    ]


def test_what_a_task_does_is_called_by_the_task() -> None:
    child = Who("ms1", "work-2", "ctx-00000005", 21, 20)
    steps: list[Step] = [
        (0.0, TASK, "thing.taken", {"thing": "1"}),
        (0.1, TASK, "job.asked", {"job": "21", "user": "task"}),
        (0.5, child, "job.begins", {"job": "21", "work": "drop"}),
        (1.5, child, "job.ends", {"job": "21"}),
        (2.0, TASK, "thing.left", {"thing": "1"}),
    ]
    (operation,) = measure(log(steps), 10).operations
    assert told([operation, *operation.parts]) == [
        ("operation", "task-1", 1, 0, 2.0),
        ("hold", "hold on *", 1, 0, 2.0),
        ("operation", "job *: drop", 1, 0, 1.0),
        ("wait", "wait of job *", 1, 0, 0.4),
    ]


def two_kinds_of_hold() -> Slow:
    steps: list[Step] = []
    for number in range(1, 6):
        steps += [
            (10.0 * number, TASK, "thing.taken", {"thing": str(number)}),
            (10.0 * number + number, TASK, "thing.left", {"thing": str(number)}),
        ]
    return measure(log(steps), 3)


def test_the_longest_holds_are_told_one_by_one() -> None:
    found = two_kinds_of_hold().holds
    assert [(one.title, (one.end - one.start) / 1e6, one.line, one.closed_by) for one in found] == [
        ("hold on 5", 5.0, "memory:9", "memory:10"),
        ("hold on 4", 4.0, "memory:7", "memory:8"),
        ("hold on 3", 3.0, "memory:5", "memory:6"),
    ]


def test_commands_stand_together_whatever_operation_sent_them() -> None:
    other = Who("ms1", "other-1", "ctx-00000009")
    more: list[Step] = [
        (20.0, other, "command.queued", {"command": "8", "what": "lift"}),
        (20.0, other, "command.sent", {"command": "8"}),
        (21.0, READER, "command.answered", {"command": "8"}),
        (22.0, other, "command.queued", {"command": "9", "what": "drop"}),
        (22.0, other, "command.sent", {"command": "9"}),
    ]
    assert told(measure(log([*ASKED, *STEPS, *OVER, *more]), 10).commands) == [
        ("command", "lift", 2, 0, 3.0),
        ("command", "drop", 0, 1, 0.0),
    ]


@pytest.mark.parametrize("about", [Resource("job", "11"), Resource("job", "10"), Resource("thing", "1")])
def test_only_operations_in_which_a_resource_has_a_part_are_measured(about: Resource) -> None:
    steps = log([*ASKED, *STEPS, *OVER, *asked(1, 1.0), *asked(2, 2.0)])
    slow = measure(steps, 10, about)
    assert [one.what for one in slow.operations] == ["request for start"]
    assert len(slow.operations[0].parts) == 7
    assert measure(steps, 10, Resource("thing", "2")) == Slow([], [], [])


def test_no_more_is_told_than_asked_for() -> None:
    slow = measure(log([*ASKED, *STEPS, *OVER, *asked(1, 1.0)]), 1)
    assert [one.what for one in slow.operations] == ["request for start"]
    assert [one.what for one in slow.operations[0].parts] == ["job *: start"]
