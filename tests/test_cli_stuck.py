"""`logscope stuck`: what had begun and not ended."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli_runner import NETWORK, PROXY, logscope


def test_what_was_open_at_a_time_is_a_table_with_the_last_line_of_each_owner() -> None:
    done = logscope("stuck", NETWORK, "--at", "01:20:40")
    assert (done.code, done.err) == (0, "")
    opened, lasts = done.out.split("\n\n", 1)[1].split("\n\n")
    assert done.out.partition(" ")[2].startswith("things open at 2026-10-29 01:20:40.000\n\n")
    assert opened.splitlines()[0].split("  ")[0] == "SINCE"
    hold = next(line for line in opened.splitlines() if "implement hold" in line)
    assert hold.startswith("2026-10-29 01:20:23.709  16.291 s  implement hold on network 209 (ended, 22.030 s later)  ")
    assert hold.endswith(f"{NETWORK}:25")
    command = opened.splitlines()[-1]
    assert "15.783 s  StartCommand to host 1 (ended, 18.904 s later)" in command
    last = lasts.splitlines()[-1]
    assert last.startswith("VM start (job-4251 of job-4248, vm 612), Work-Job-Executor-17  15.783 s    ")
    assert f"{NETWORK}:29  2026-10-29 01:20:24,217 DEBUG [c.c.a.t.Request] (Work-Job-Executor-17:" in last
    assert last.endswith("…")
    assert len(last.partition(f"{NETWORK}:29  ")[2]) == 300


def test_queued_work_waits_for_the_work_that_holds_the_queue() -> None:
    found = json.loads(logscope("stuck", PROXY, "--at", "10:41:12", "--format", "json").out)
    work = next(one for one in found["open"] if one["of"] == "vm.work")
    assert (found["schema"], found["at"], work["is"]) == ("logscope/stuck/1", "2026-09-02T10:41:12.000", "hold")
    assert [(one["title"], one["seconds"], one["actor"]["thread"]) for one in work["waiting"]] == [
        ("job 903 waits in its queue", 1.24, "consoleproxy-1")
    ]
    shown = logscope("stuck", PROXY, "--at", "10:41:12").out
    assert "  job 903 waits in its queue (1.240 s)  " in shown


def test_json_says_how_it_went_on() -> None:
    found = json.loads(logscope("stuck", NETWORK, "--at", "01:20:40", "--format", "json", "--tz", "+02:00").out)
    hold = next(one for one in found["open"] if one["of"] == "network.implement")
    assert {key: hold[key] for key in hold if key not in ("actor", "last")} == {
        "is": "hold",
        "of": "network.implement",
        "title": "implement hold on network 209",
        "resources": ["network:209"],
        "since": "2026-10-29T01:20:23.709+02:00",
        "seconds": 16.291,
        "end": "2026-10-29T01:21:02.030+02:00",
        "outcome": "closed",
        "line": f"{NETWORK}:25",
        "caused_by": "API job (job-4248)",
        "waiting": [],
    }
    assert hold["last"]["line"] == f"{NETWORK}:29"


def test_end_of_the_log_is_what_is_asked_about_otherwise() -> None:
    done = logscope("stuck", NETWORK)
    assert " open at 2026-10-29 01:21:02.441\n" in done.out
    assert "run of job 4229" in done.out
    assert "VM 612 Starting" not in done.out
    until = logscope("stuck", NETWORK, "--until", "01:20:40.0")
    assert " things open at 2026-10-29 01:20:40.099\n" in until.out
    assert "VM 612 Starting" in until.out


def test_restart_of_the_server_stands_apart(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    head = NETWORK.read_text().splitlines()[:29]
    start = "2026-10-29 01:22:00,000 INFO  [o.a.c.s.l.CloudStackExtendedLifeCycle] (main:[]) (logid:) "
    steps = [f"{start}{step} CloudStack Components" for step in ("Configuring", "Starting")]
    path.write_text("\n".join([*head, *steps]) + "\n")
    done = logscope("stuck", path)
    opened, cut = done.out.split("cut off by a restart\n\n")
    assert "implement hold on network 209" not in opened
    assert "start of the management server" in opened
    assert "2026-10-29 01:20:23.709  96.291 s " in next(line for line in cut.splitlines() if "implement hold" in line)


def test_nothing_open_is_told(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text("2026-10-29 01:20:31,650 INFO  [o.x.Y] (main:[]) (logid:) nothing of interest\n")
    assert logscope("stuck", path).out == "nothing was open at 2026-10-29 01:20:31.650\n"


def test_time_must_lie_in_the_log(tmp_path: Path) -> None:
    bounds = "which goes from 2026-10-29 01:19:46.031 to 2026-10-29 01:21:02.441"
    late, early = (logscope("stuck", NETWORK, "--at", day) for day in ("2026-10-30", "2026-10-28"))
    assert (late.code, late.err) == (2, f"logscope: error: '2026-10-30' lies behind this log, {bounds}\n")
    assert (early.code, early.err) == (2, f"logscope: error: '2026-10-28' lies before this log, {bounds}\n")
    both = tmp_path / "management-server.log"
    both.write_text(PROXY.read_text() + NETWORK.read_text())
    done = logscope("stuck", both, "--at", "01:20")
    assert done.code == 2
    assert "'01:20' is on several days of this log" in done.err
    assert logscope("stuck", NETWORK, "--at", "soon").code == 2
    assert logscope("stuck", NETWORK, "--format", "html").code == 2


def test_names_cannot_control_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(NETWORK.read_text().replace("Sending  {", "Sending  {\x1b[2J", 1))
    done = logscope("stuck", path, "--at", "01:20:00")
    assert "\x1b" not in done.out
