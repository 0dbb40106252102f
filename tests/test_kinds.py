"""Files are told by what stands in them, and each gets the server that wrote it."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import pytest

from logscope.kinds import Kinds
from logscope.language.load import load, shipped_dir
from logscope.model import Source
from logscope.sources import discover


def line(time: str, logger: str, context: str, message: str) -> str:
    return f"2026-10-29 {time} DEBUG [{logger}] ({context}) (logid:5e12c9b8) {message}\n"


CALL = "(userId=2 accountId=2 sessionId=null) 192.0.2.50 -- GET command=listZones 200 {}"
SERVER = (
    line("01:20:22,101", "c.c.a.ApiServlet", "qtp15-412:[ctx-a01f77d9]", "===START===  192.0.2.50 -- GET  command=x")
    + line(
        "01:20:23,362", "o.a.c.f.j.i.AsyncJobMonitor", "Work-Job-Executor-17:[ctx-8f2b6c04, job-2/job-3]", "Add job-3"
    )
    + line("01:20:24,900", "c.c.a.ApiServer", "qtp15-412:[ctx-a01f77d9]", CALL)
)
AGENT = line(
    "01:20:24,229", "cloud.agent.Agent", "AgentRequest-Handler-2:[]", "Processing command: StartCommand"
) + line("01:20:26,300", "utils.script.Script", "AgentRequest-Handler-2:[]", "Execution is successful.")
API = line("01:20:24,900", "a.c.c.a.ApiServlet", "qtp15-412:[ctx-a01f77d9, ctx-2b8e4c51]", CALL)
ACCESS = '192.0.2.50 - - [2026-10-29 00:20:22] "GET /client/api?command=listZones HTTP/1.1" 200 1234 "-" "curl/8.5.0"\n'
PROXY = "2026-10-29T00:21:09,114 INFO  [cloud.consoleproxy.ConsoleProxy] (main:[]) Start Console proxy\n"
USAGE = line("01:00:00,002", "cloud.usage.UsageManagerImpl", "Usage-Job-1:[]", "starting usage job...")


@cache
def kinds() -> Kinds:
    return Kinds(load([shipped_dir()])[0])


def prefixed(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def undated(text: str) -> str:
    return "".join(f"{line[24:]}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SERVER, "management-server"),
        (AGENT, "agent"),
        (API, "apilog"),
        (ACCESS, "access"),
        (PROXY, "system-vm"),
        (AGENT + PROXY.replace("T", " ", 1), "agent"),
        (USAGE, "usage"),
        (prefixed("2026-10-29T01:20:25.1234567Z ", AGENT), "agent"),
        (prefixed("2026-10-29T01:20:25.1234567Z ", undated(AGENT)), "agent"),
        (prefixed("Oct 29 01:20:24 kvm1 java[1204]: ", undated(AGENT)), "agent"),
        (prefixed("./agent.log:2825:", AGENT), "agent"),
        (
            "2026-10-29 01:20:24.229 DEBUG (logid: 7b40c6ee) 10333 --- [agentRequest-Handler-4] c.c.a.Agent : text\n",
            "agent",
        ),
        ('192.0.2.50 - - [29/Oct/2026:00:20:22 +0000] "GET /shop HTTP/1.1" 200 1 "-" "curl/8.5.0"\n', ""),
        ("2026-10-29 01:20:24,229 DEBUG [o.e.Worker] (Worker-1:[]) step 1\n", ""),
        ("no header\n", ""),
        ("", ""),
    ],
)
def test_a_file_is_told_by_its_lines(text: str, kind: str) -> None:
    assert kinds().of(text.encode()) == kind


def found(folder: Path, files: dict[str, str]) -> dict[str, Source]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode())
    sources, problems = discover([str(folder)], kinds())
    assert not problems
    return {str(Path(source.name).relative_to(folder)): source for source in sources}


def test_what_one_process_writes_is_of_one_server(tmp_path: Path) -> None:
    files = {
        "ms/management-server.log": SERVER,
        "ms/apilog.log": API,
        "ms/access.log": ACCESS,
        "kvm1/agent.log": AGENT,
        "kvm2/agent.log": AGENT.replace("5e12c9b8", "0a0b0c0d"),
        "usage/usage.log": USAGE,
    }
    sources = found(tmp_path, files)
    assert {name: (source.kind, source.server) for name, source in sources.items()} == {
        "ms/management-server.log": ("management-server", "ms1"),
        "ms/apilog.log": ("apilog", "ms1"),
        "ms/access.log": ("access", "ms1"),
        "kvm1/agent.log": ("agent", "kvm1"),
        "kvm2/agent.log": ("agent", "kvm2"),
        "usage/usage.log": ("usage", "usage"),
    }
    assert all(source.first is not None for source in sources.values())


def test_neighbours_do_not_change_what_management_servers_are_called(tmp_path: Path) -> None:
    alone = found(tmp_path / "a", {"x/server.log": SERVER, "y/server.log": SERVER.replace("ctx-", "ctx-0")})
    beside = found(
        tmp_path / "b",
        {"x/server.log": SERVER, "y/server.log": SERVER.replace("ctx-", "ctx-0"), "x/agent.log": AGENT},
    )
    assert [alone[name].server for name in alone] == ["x", "y"]
    assert [beside[f"{name}/server.log"].server for name in "xy"] == ["x", "y"]
    assert beside["x/agent.log"].server not in ("x", "y")


def test_a_short_rotated_file_is_of_the_kind_of_its_set(tmp_path: Path) -> None:
    text = "2026-10-28 23:59:59,000 INFO  [utils.nio.NioClient] (main:[]) (logid:) connecting\n"
    sources = found(
        tmp_path,
        {"agent.log": AGENT, "agent.log.2026-10-27.gz": AGENT.replace("-29", "-27"), "agent.log.2026-10-28.gz": text},
    )
    assert {(source.kind, source.server) for source in sources.values()} == {("agent", "agent1")}
