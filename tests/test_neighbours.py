"""Logs of agents, API calls and the web server beside that of the management server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import logscope

SERVER = """\
2026-10-29 01:20:24,100 DEBUG [c.c.a.ApiServlet] (qtp15-412:[ctx-a01f77d9]) (logid:5e12c9b8) ===START===  192.0.2.50 -- GET  command=startRouter&id=7
2026-10-29 01:20:24,217 DEBUG [c.c.a.t.Request] (Work-Job-Executor-17:[ctx-8f2b6c04, job-4248/job-4251]) (logid:7b40c6ee) Seq 1-51782: Sending  { Cmd , MgmtId: 90520745341234, via: 1(kvm1), Ver: v1, Flags: 100011, [{"com.cloud.agent.api.StartCommand":{"vm":{"id":"598","name":"r-598-VM"},"hostIp":"192.0.2.11"}}] }
2026-10-29 01:20:31,810 DEBUG [c.c.a.t.Request] (AgentManager-Handler-9:[]) (logid:) Seq 1-51782: Processing:  { Ans: , MgmtId: 90520745341234, via: 1, Ver: v1, Flags: 10, [{"com.cloud.agent.api.StartAnswer":{"result":"true"}}] }
"""  # noqa: E501
AGENT = """\
2026-10-29 00:20:24,100 INFO  [kvm.storage.LibvirtStorageAdaptor] (AgentRequest-Handler-1:[]) (logid:0a0a0a0a) Trying to fetch storage pool
2026-10-29 00:20:24,229 DEBUG [cloud.agent.Agent] (AgentRequest-Handler-2:[]) (logid:7b40c6ee) Request:Seq 1-51782:  { Cmd , MgmtId: 90520745341234, via: 1, Ver: v1, Flags: 100011, [{"com.cloud.agent.api.StartCommand":{"vm":{"id":"598","name":"r-598-VM"},"hostIp":"192.0.2.11"}}] }
2026-10-29 00:20:25,731 WARN  [resource.wrapper.LibvirtStartCommandWrapper] (AgentRequest-Handler-2:[]) (logid:7b40c6ee) LibvirtException  org.libvirt.LibvirtException: unsupported CPU
\tat org.libvirt.Connect.domainCreateXML(Connect.java:5)
2026-10-29 00:20:31,802 DEBUG [cloud.agent.Agent] (AgentRequest-Handler-2:[]) (logid:7b40c6ee) Seq 1-51782:  { Ans: , MgmtId: 90520745341234, via: 1, Ver: v1, Flags: 10, [{"com.cloud.agent.api.StartAnswer":{"result":"true"}}] }
"""  # noqa: E501
CALLS = """\
2026-10-29 01:20:24,900 INFO  [a.c.c.a.ApiServlet] (qtp15-412:[ctx-a01f77d9, ctx-2b8e4c51]) (logid:5e12c9b8) (userId=2 accountId=5 sessionId=null) 192.0.2.50 -- GET command=startRouter&id=7 200 {"startrouterresponse":{}}
"""  # noqa: E501
ACCESS = '192.0.2.50 - - [2026-10-29 00:20:24] "GET /client/api?command=startRouter HTTP/1.1" 200 1234 "-" "curl"\n'


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"ms/server.log": SERVER, "ms/apilog.log": CALLS, "ms/access.log": ACCESS, "kvm1/agent.log": AGENT}
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)


@pytest.mark.usefixtures("logs")
def test_the_lines_of_a_job_are_those_of_its_agent_too() -> None:
    done = logscope("lines", ".", "-r", "job:4248", "--tz", "+01:00", "--tz", "agent=UTC")
    assert [":".join(line.split(":")[:2]) for line in done.out.splitlines()] == [
        "./ms/server.log:2",
        "./kvm1/agent.log:2",
        "./kvm1/agent.log:3",
        "./kvm1/agent.log:4",
        "./kvm1/agent.log:5",
        "./ms/server.log:3",
    ]


@pytest.mark.usefixtures("logs")
def test_events_of_all_files_stand_in_one_order() -> None:
    done = logscope("events", ".", "--tz", "+01:00", "--tz", "agent=UTC", "--format", "jsonl")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [(one["event"], one["time"][11:]) for one in events] == [
        ("access.request", "01:20:24.000+01:00"),
        ("api.start", "01:20:24.100+01:00"),
        ("cmd.sending", "01:20:24.217+01:00"),
        ("agent.request.received", "01:20:24.229+01:00"),
        ("apilog.call", "01:20:24.900+01:00"),
        ("agent.libvirt.failed", "01:20:25.731+01:00"),
        ("agent.request.answered", "01:20:31.802+01:00"),
        ("cmd.processing", "01:20:31.810+01:00"),
    ]
    # The record of a call is written by the thread that serves it.
    actors = {one["event"]: one["actor"] for one in events}
    assert actors["apilog.call"] == actors["api.start"]
    assert "account:5" in next(one["resources"] for one in events if one["event"] == "apilog.call")


@pytest.mark.usefixtures("logs")
def test_the_report_names_kinds_and_clocks() -> None:
    done = logscope("analyze", ".", "--tz", "+01:00", "--tz", "agent=UTC", "--format", "json")
    report = json.loads(done.out)
    assert done.code == 0
    assert {Path(one["name"]).name: (one["kind"], one["server"]) for one in report["sources"]} == {
        "access.log": ("access", "ms1"),
        "agent.log": ("agent", "kvm1"),
        "apilog.log": ("apilog", "ms1"),
        "server.log": ("management-server", "ms1"),
    }
    assert {Path(one["source"]).name for one in report["notes"]} == {"access.log", "agent.log"}
    assert any("its clock agrees with that of ms1 to 0.010 s" in one["text"] for one in report["notes"])


@pytest.mark.usefixtures("logs")
def test_a_line_of_each_file_is_explained() -> None:
    for place, told in (
        ("ms/access.log:1", "access.request: GET /client/api?command=startRouter from the web: 200"),
        ("ms/apilog.log:1", "apilog.call: API call startRouter of account 5 from 192.0.2.50: 200"),
        ("kvm1/agent.log:4", "agent.libvirt.failed: libvirt refused: unsupported CPU"),
    ):
        done = logscope("explain", place)
        assert done.code == 0, done.err
        assert f"  event     {told}\n" in done.out
