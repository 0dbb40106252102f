"""`logscope timeline -r job:…`: the tree of an operation, and what is behind the acts on other resources."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli_runner import FIXTURES, NETWORK, PROXY, logscope

# An API request, its job, a work job on another server, and a command to a host: what belongs to it is marked with +.
PARTS = (FIXTURES / "cli" / "operation.txt").read_text(encoding="utf-8").removeprefix("@ ").split("\n@ ")


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    for part in PARTS:
        name, text = part.split("\n", 1)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("".join(f"{line[1:]}\n" for line in text.splitlines()))
    monkeypatch.chdir(tmp_path)
    return Path("ms1/management-server.log"), Path("ms2/management-server.log")


def columns(text: str) -> list[list[str]]:
    """The cells of a table, by the places of its heads."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("TIME"))
    heads = ["TIME", "LASTED", "WAITED", "WHAT", "WHO", "LINE"]
    places = [*(lines[start].index(head) for head in heads), None]
    return [[line[a:b].rstrip() for a, b in pairwise(places)] for line in lines[start + 1 :] if line]


@pytest.mark.parametrize("job", ["job:900", "job:901", "0fa61b7d-1111-42b9-8b49-554a253e0db9"])
def test_job_is_a_tree_over_threads_and_servers(cloud: tuple[Path, Path], job: str) -> None:
    done = logscope("timeline", *cloud, "-r", job)
    assert (done.code, done.err) == (0, "")
    ms1, ms2 = cloud
    open_end = "(still open where the log ends)"
    assert [row[1:] for row in columns(done.out)] == [
        ["0.030 s", "", "API request startVirtualMachine", "API request, qtp1533908812-412, ms1", f"{ms1}:1 – :3"],
        [
            "5.860 s",
            "0.020 s",
            f"  run of job 900: StartVMCmd {open_end}",
            "API job (job-900), API-Job-Executor-4, ms1",
            f"{ms1}:4, asked for by :2",
        ],
        [
            "4.900 s",
            "0.150 s",
            f"    run of job 901: VmWorkStart {open_end}",
            "VM start (job-901 of job-900, vm 612), Work-Job-Executor-17, ms2",
            f"{ms2}:2, asked for by {ms1}:5",
        ],
        ["4.890 s", "", f"      VmWorkStart on VM 612 {open_end}", "", f"{ms2}:3"],
        ["4.600 s", "", "        StartCommand to host 1", "", f"{ms2}:4 – {ms1}:7"],
    ]


def test_json_has_the_tree_beside_the_timeline(cloud: tuple[Path, Path]) -> None:
    done = json.loads(logscope("timeline", *cloud, "-r", "job:900", "--format", "json", "--tz", "UTC").out)
    assert [timeline["resource"]["id"] for timeline in done["timelines"]] == ["900"]
    (request,) = done["trees"]["job:900"]
    (job,) = request["steps"]
    (work,) = job["steps"]
    assert {key: work[key] for key in work if key not in ("actor", "steps")} == {
        "is": "operation",
        "of": "job.run",
        "title": "run of job 901: com.cloud.vm.VmWorkStart",
        "start": "2026-10-29T10:00:00.300+00:00",
        "end": "2026-10-29T10:00:05.200+00:00",
        "outcome": "cut-by-end",
        "waited": 0.15,
        "asked_by": f"{cloud[0]}:5",
        "line": f"{cloud[1]}:2",
        "closed_by": "",
    }
    assert (work["actor"]["thread"], work["actor"]["server"]) == ("Work-Job-Executor-17", "ms2")


def test_job_of_a_background_task_that_never_logs_is_found_too() -> None:
    by_parent = logscope("timeline", NETWORK, "-r", "job:4228")
    assert by_parent.out.startswith("job:4228\n\nTIME")
    assert [row[3].partition(" (")[0] for row in columns(by_parent.out)] == [
        "network GC, Network-Scavenger-1",
        "  shutdown hold on network 209",
        "    run of job 4229: VmWorkStop",
        "      VmWorkStop on VM 598",
        "        StopCommand to host 1",
    ]
    assert columns(logscope("timeline", NETWORK, "-r", "job:4229").out) == columns(by_parent.out)


def test_failures_stand_where_they_happened() -> None:
    rows = columns(logscope("timeline", NETWORK, "-r", "job:4251").out)
    start, job = ((row[1], row[3].strip(), row[5]) for row in rows if "failure" in row[3])
    assert start[1].startswith("failure: start of VM 612 ")
    assert (start[0], start[2]) == ("", f"{NETWORK}:40")
    assert job == ("", "failure: work job 4251 failed", f"{NETWORK}:50")


def test_job_that_does_not_occur_is_told() -> None:
    done = logscope("timeline", NETWORK, "-r", "job:77")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("logscope: error: no resource 'job:77' occurs in this log; ")


def test_timeline_of_a_vm_names_the_request_and_the_user_or_the_task_behind_each_act() -> None:
    entries = json.loads(logscope("timeline", PROXY, "-r", "vm:57", "--format", "json").out)["timelines"][0]["entries"]
    causes: dict[str, set[str]] = {}
    for entry in entries:
        causes.setdefault(entry["actor"]["thread"], set()).add(entry["caused_by"])
    request = "API request destroySystemVm from 192.0.2.50, job 900 submitted by user 2"
    assert causes == {
        "qtp1533908812-412": {request},
        "API-Job-Executor-4": {request},
        "Work-Job-Executor-21": {request},
        "consoleproxy-1": {""},
        "Work-Job-Executor-22": {"console proxy scanner, consoleproxy-1"},
    }
