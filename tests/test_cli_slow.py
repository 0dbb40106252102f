"""`logscope slow`: where the time went, and what was tried again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logscope.language.printer import Printer, Who
from logscope.session import load_catalog
from tests.cli_runner import NETWORK, PROXY, logscope

START = 1_793_232_000_000_000
API = Who("ms1", "API-Job-Executor-1", "ctx-00000001", 40, None, "0a0a0a0a")
WORK = Who("ms1", "Work-Job-Executor-1", "ctx-00000002", 41, 40, "0a0a0a0a")
HANDLER = Who("ms1", "AgentManager-Handler-1", "", None, None, "")
START_WORK = "com.cloud.vm.VmWorkStart"
COMMAND = "com.cloud.agent.api.StartCommand"


@pytest.fixture(scope="module")
def retried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A VM start that fails on host 1 and on host 2 and gives up, as releases print it."""
    printer = Printer(load_catalog([]))
    steps: list[tuple[float, Who, str, dict[str, str]]] = [
        (0.0, API, "job.monitor.add", {"job": "40"}),
        (0.1, API, "job.synced", {"job": "41", "vm": "46"}),
        (1.1, WORK, "job.monitor.add", {"job": "41"}),
        (1.2, WORK, "job.vmwork.run", {"cmd": START_WORK, "vm": "46", "parent": "40"}),
        (1.3, WORK, "vm.start.attempt", {"pods": "[]", "clusters": "[]", "hosts": "[]"}),
        (1.5, WORK, "vm.start.deployment", {"attempt": "1", "vm": "46", "dest.host": "1"}),
        (2.0, WORK, "cmd.sending", {"command": "1-100", "host": "1", "cmd": COMMAND, "vm": "46"}),
        (7.0, HANDLER, "cmd.processing", {"command": "1-100", "host": "1", "answer": "x.StartAnswer"}),
        (7.1, WORK, "vm.start.host_failed", {"host": "1", "reason": "the storage pool is out of reach"}),
        (7.3, WORK, "vm.start.attempt", {"pods": "[]", "clusters": "[]", "hosts": "[1]"}),
        (7.6, WORK, "vm.start.deployment", {"attempt": "2", "vm": "46", "dest.host": "2"}),
        (8.0, WORK, "cmd.sending", {"command": "2-100", "host": "2", "cmd": COMMAND, "vm": "46"}),
        (9.0, WORK, "cmd.timed_out", {"command": "2-100"}),
        (9.5, WORK, "job.vmwork.unable_to_complete", {"job": "41", "parent": "40"}),
        (9.6, WORK, "job.vmwork.run_done", {"cmd": START_WORK, "vm": "46", "parent": "40"}),
        (9.7, WORK, "job.monitor.remove", {"job": "41"}),
        (9.9, API, "job.monitor.remove", {"job": "40"}),
    ]
    path = tmp_path_factory.mktemp("retried") / "management-server.log"
    lines = [printer.line(START + round(at * 1_000_000), who, event, fields) for at, who, event, fields in steps]
    path.write_text("\n".join(lines) + "\n")
    return path


def tables(text: str) -> list[list[str]]:
    """The lines of each table."""
    return [part.splitlines() for part in text.split("\n\n")]


def test_operations_stand_with_their_steps_commands_and_holds_below(retried: Path) -> None:
    done = logscope("slow", retried)
    assert (done.code, done.err) == (0, "")
    operations, commands, holds, tries, failed = tables(done.out)
    rows = {" ".join(line.split()[:-1]) for line in operations}
    assert operations[1].startswith("API job                                 1      9.900 s ")
    assert operations[2].startswith("  operation: run of job *: VmWorkStart  1      8.600 s ")
    assert "phase: place for VM * is looked for 2 0.500 s 0.250 s 0.295 s 0.300 s" in rows
    assert "command: StartCommand to host * 2 6.000 s 3.000 s 4.800 s 5.000 s" in rows
    assert "wait: job * waits in its queue 1 1.000 s 1.000 s 1.000 s 1.000 s" in rows
    assert commands[1].split()[:5] == ["StartCommand", "to", "host", "*", "2"]
    assert holds[1].startswith("8.400 s   VmWorkStart on VM 46  VM start (job-41 of job-40, vm 46), ")
    assert (len(tries), len(failed)) == (3, 2)


def test_each_attempt_is_a_row_and_the_first_failure_is_the_cause(retried: Path) -> None:
    found = json.loads(logscope("slow", retried, "--format", "json").out)
    (one,) = found["retried"]
    assert one["actor"]["thread"] == "Work-Job-Executor-1"
    rows = [[told and told["title"] for told in attempt.values()] for attempt in one["attempts"]]
    assert rows == [
        [
            "VM 46 goes to host 1",
            "start failed on host 1: the storage pool is out of reach",
            "attempt to start VM 46, avoiding pods [], clusters [], hosts [1]",
        ],
        ["VM 46 goes to host 2", "command 2-100 timed out", None],
    ]
    (failed,) = found["failed"]
    assert failed["cause"] == {
        "title": "start failed on host 1: the storage pool is out of reach",
        "time": "2026-10-29T00:00:07.100",
        "line": f"{retried}:9",
        "text": failed["cause"]["text"],
    }
    assert failed["cause"]["text"].endswith("due to the storage pool is out of reach")
    assert failed["failed"]["line"] == f"{retried}:14"
    shown = logscope("slow", retried).out
    assert (
        "1: VM 46 goes to host 1  start failed on host 1: the storage pool is out of reach: Unable to start VM on"
        in shown
    )
    assert "2: VM 46 goes to host 2  command 2-100 timed out: Seq 2-100: Timed out on" in shown


def test_json_has_seconds_and_the_longest_one() -> None:
    found = json.loads(logscope("slow", NETWORK, "--format", "json", "--tz", "UTC").out)
    assert (found["schema"], found["tz"]) == ("logscope/slow/1", "+00:00")
    start = next(one for one in found["operations"] if one["what"] == "API job")
    hold = next(one for one in start["parts"] if one["what"] == "implement hold on network *")
    actor = hold["longest"].pop("actor")
    assert actor["thread"] == "Work-Job-Executor-17"
    assert hold == {
        "is": "hold",
        "what": "implement hold on network *",
        "count": 1,
        "without_end": 0,
        "total_s": 38.321,
        "median_s": 38.321,
        "p95_s": 38.321,
        "max_s": 38.321,
        "longest": {
            "title": "implement hold on network 209",
            "start": "2026-10-29T01:20:23.709+00:00",
            "line": f"{NETWORK}:25",
        },
        "parts": [],
    }


def test_resource_restricts_to_operations_in_which_it_has_a_part() -> None:
    whole = json.loads(logscope("slow", NETWORK, "--format", "json").out)
    mine = json.loads(logscope("slow", NETWORK, "-r", "vm:612", "--format", "json").out)
    assert [one["what"] for one in whole["operations"]] == ["API job", "network GC"]
    assert [one["what"] for one in mine["operations"]] == ["API job"]
    by_job = logscope("slow", NETWORK, "-r", "job:4248", "--format", "json").out
    assert json.loads(by_job) == mine
    assert [
        one["what"]
        for one in json.loads(logscope("slow", NETWORK, "-r", "job:4228", "--format", "json").out)["operations"]
    ] == ["network GC"]


def test_top_limits_every_list() -> None:
    operations, *others = tables(logscope("slow", NETWORK, "--top", "1").out)
    assert len(operations) == 3, "one operation with one part"
    assert [len(lines) for lines in others] == [2, 2, 2]


def test_request_gives_the_operation_its_name_and_its_cause() -> None:
    found = json.loads(logscope("slow", PROXY, "--format", "json").out)
    assert "API request destroySystemVm" in [one["what"] for one in found["operations"]]


def test_log_without_operations_is_told(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text("2026-10-29 01:20:31,650 INFO  [o.x.Y] (main:[]) (logid:) nothing of interest\n")
    assert logscope("slow", path).out == "no operation has both ends in this log\n"


def test_wrong_use_is_told() -> None:
    assert logscope("slow", NETWORK, "--top", "0").code == 2
    done = logscope("slow", NETWORK, "-r", "vm:613")
    assert (done.code, done.out) == (2, "")
    assert "similar ones are vm:612" in done.err


def test_texts_cannot_control_a_terminal(retried: Path, tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(retried.read_text().replace("the storage pool", "\x1b[2J"))
    done = logscope("slow", path)
    assert "\x1b" not in done.out
    assert r"\x1b[2J" in done.out
