"""What caused what: requests, jobs, commands and waits as trees, whatever threads and servers they are on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from logscope.causes import Act
from logscope.language.printer import Who
from tests.operations import ASKED, CHILD, OVER, READER, TASK, Step, log


def lines(acts: list[Act], depth: int = 0) -> Iterator[str]:
    """Each act with its depth, its waiting time and how long it lasted."""
    for act in acts:
        waited = f" after {act.waited / 1e6:g}" if act.waited is not None else ""
        yield f"{'  ' * depth}{act.tag} {act.title}{waited}, {(act.end - act.start) / 1e6:g}"
        yield from lines(act.children, depth + 1)


def tree(steps: list[Step], job: int = 10) -> list[str]:
    return list(lines(log(steps).causes.of_job(job)))


@pytest.mark.parametrize("job", [10, 11])
def test_jobs_hang_below_what_submitted_them(job: int) -> None:
    assert tree([*ASKED, *OVER], job) == [
        "operation request for start, 0.2",
        "  operation job 10: start after 0.2, 9.2",
        "    operation job 11: lift after 1, 7.6",
    ]


def test_a_job_of_which_no_line_tells_has_no_tree() -> None:
    assert tree(ASKED, 12) == []


def test_holds_and_commands_lie_in_each_other_and_tell_how_long_they_waited() -> None:
    steps: list[Step] = [
        (2.0, CHILD, "thing.wanted", {"thing": "1"}),
        (3.0, CHILD, "thing.taken", {"thing": "1"}),
        (3.5, CHILD, "command.queued", {"command": "7", "what": "lift"}),
        (3.7, READER, "command.sent", {"command": "7"}),
        (5.7, READER, "command.answered", {"command": "7"}),
        (6.0, CHILD, "thing.left", {"thing": "1"}),
        (6.1, CHILD, "thing.broken", {"thing": "1"}),
        (6.2, CHILD, "job.fails", {}),
    ]
    assert tree([*ASKED, *steps, *OVER])[2:] == [
        "    operation job 11: lift after 1, 7.6",
        "      hold hold on 1 after 1, 3",
        "        command lift after 0.2, 2",
        "      failure 1 is broken, 0",
        "      failure the job fails, 0",
    ]


def test_a_command_is_its_senders_though_another_thread_sends_it() -> None:
    steps: list[Step] = [
        (3.5, CHILD, "command.queued", {"command": "7", "what": "lift"}),
        (3.7, READER, "command.sent", {"command": "7"}),
        (5.7, READER, "command.answered", {"command": "7"}),
    ]
    top = log([*ASKED, *steps, *OVER]).causes.of_job(11)[0]
    (act,) = top.children[0].children[0].children
    assert (act.title, act.actor.thread) == ("lift", "work-1")
    assert (act.asked_by, act.line, act.closed_by) == ("memory:7", "memory:8", "memory:9")


def test_work_of_a_task_hangs_below_the_task_though_its_parent_job_never_logs() -> None:
    child = Who("ms1", "work-2", "ctx-00000005", 21, 20)
    steps: list[Step] = [
        (0.0, TASK, "thing.taken", {"thing": "1"}),
        (0.1, TASK, "job.asked", {"job": "21", "user": "task"}),
        (0.5, child, "job.begins", {"job": "21", "work": "drop"}),
        (1.5, child, "job.ends", {"job": "21"}),
        (2.0, TASK, "thing.left", {"thing": "1"}),
    ]
    expected = ["run task-1, 2", "  hold hold on 1, 2", "    operation job 21: drop after 0.4, 1"]
    assert tree(steps, 21) == expected
    assert tree(steps, 20) == expected


def test_a_job_that_has_not_begun_is_a_wait() -> None:
    assert tree(ASKED[:5])[2:] == ["    wait wait of job 11, 0"]


def test_another_run_of_a_job_hangs_below_what_the_first_one_did_then() -> None:
    helper = Who("ms2", "helper-1", "ctx-00000006", 11, 10)
    steps: list[Step] = [
        (2.0, CHILD, "thing.taken", {"thing": "1"}),
        (2.5, helper, "thing.broken", {"thing": "2"}),
        (3.0, CHILD, "thing.left", {"thing": "1"}),
    ]
    assert tree([*ASKED, *steps, *OVER])[2:] == [
        "    operation job 11: lift after 1, 7.6",
        "      hold hold on 1, 1",
        "        run helper-1 (job-11 of job-10), 0",
        "          failure 2 is broken, 0",
    ]


def test_jobs_that_submit_each_other_do_not_go_round_in_circles() -> None:
    one, two = Who("ms1", "job-1", "ctx-00000007", 30), Who("ms1", "job-2", "ctx-00000008", 31)
    steps: list[Step] = [
        (0.0, one, "job.begins", {"job": "30", "work": "a"}),
        (0.1, two, "job.begins", {"job": "31", "work": "b"}),
        (0.2, one, "job.asked", {"job": "31", "user": "x"}),
        (0.3, two, "job.asked", {"job": "30", "user": "x"}),
        (0.4, one, "job.ends", {"job": "30"}),
        (0.5, two, "job.ends", {"job": "31"}),
    ]
    assert tree(steps, 30) == [
        "operation job 31: b, 0.4",
        "  operation job 30: a after 0, 0.4",
        "    wait wait of job 31, 0.3",
    ]


def test_what_is_behind_an_act_is_the_request_or_the_task() -> None:
    child = Who("ms1", "work-2", "ctx-00000005", 21, 20)
    found = log(
        [*ASKED, *OVER, (10.0, TASK, "job.asked", {"job": "21", "user": "task"}), (11.0, child, "job.fails", {})]
    )
    table = found.events.table
    behind = found.causes.behind(table)
    told = {behind.get(row["family"]) for row in table.iter_rows(named=True) if row["job"] in (10, 11)}
    assert told == {"request for start by me, job 10 asked for by me"}
    assert {behind.get(row["family"]) for row in table.iter_rows(named=True) if row["job"] == 21} == {"task-1"}


def test_a_thread_without_runs_has_nothing_behind_it() -> None:
    found = log([*ASKED, (2.0, READER, "thing.broken", {"thing": "1"})])
    rows = found.events.of("thing.broken")
    assert found.causes.behind(rows) == {}
