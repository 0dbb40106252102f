"""Times of all files on one clock, as far as zones tell; offsets of clocks are told and never corrected."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from logscope.demand import for_rules
from logscope.errors import UsageError
from logscope.kinds import Kinds
from logscope.language.catalog import Catalog
from logscope.language.load import load, shipped_dir
from logscope.report.parts.times import iso
from logscope.session import Question, Session, open_log
from logscope.zones import Zones

COMMAND = '{ Cmd , MgmtId: 90520745341234, via: 1, Ver: v1, Flags: 100011, [{"com.cloud.agent.api.StopCommand":{}}] }'
ANSWER = '{ Ans: , MgmtId: 90520745341234, via: 1, Ver: v1, Flags: 10, [{"com.cloud.agent.api.StopAnswer":{}}] }'
ACCESS = '192.0.2.50 - - [2026-10-29 00:20:22] "GET /client/api?command=listZones HTTP/1.1" 200 1234 "-" "curl/8.5.0"\n'
SENDER = "[c.c.a.t.Request] (Work-Job-Executor-17:[ctx-8f2b6c04, job-2/job-3]) (logid:7b40c6ee)"
ANSWERED = "[c.c.a.t.Request] (AgentManager-Handler-9:[]) (logid:)"
AGENT = "[cloud.agent.Agent] (AgentRequest-Handler-2:[]) (logid:7b40c6ee)"


@cache
def catalog() -> Catalog:
    return load([shipped_dir()])[0]


def server(*commands: tuple[str, str], day: str = "2026-10-29") -> str:
    """A log with commands: when each was sent and answered."""
    lines = []
    for number, (sent, answered) in enumerate(commands):
        lines.append(f"{day} {sent} DEBUG {SENDER} Seq 1-{number}: Sending  {COMMAND}")
        lines.append(f"{day} {answered} DEBUG {ANSWERED} Seq 1-{number}: Processing:  {ANSWER}")
    return "\n".join(lines) + "\n"


def agent(*commands: tuple[str, str]) -> str:
    lines = []
    for number, (received, answered) in enumerate(commands):
        lines.append(f"2026-10-29 {received} DEBUG {AGENT} Request:Seq 1-{number}:  {COMMAND}")
        lines.append(f"2026-10-29 {answered} DEBUG {AGENT} Seq 1-{number}:  {ANSWER}")
    return "\n".join(lines) + "\n"


ONE = server(("01:20:24,000", "01:20:26,010"))


def opened(folder: Path, files: dict[str, str], *zones: str) -> Session:
    for name, text in files.items():
        (folder / name).write_text(text)
    rules = catalog().rules.values()
    return open_log(Question([str(folder)], tz=zones), catalog(), for_rules(catalog(), rules))


def notes(session: Session, name: str) -> list[str]:
    return [note.text for note in session.log.notes if Path(note.source).name == name]


def first(session: Session, name: str) -> str:
    return next(iso(one.first or 0) for one in session.log.sources if Path(one.name).name == name)


def test_a_file_in_gmt_stands_as_written_until_the_servers_zone_is_given(tmp_path: Path) -> None:
    session = opened(tmp_path, {"server.log": ONE, "access.log": ACCESS})
    assert first(session, "access.log") == "2026-10-29T00:20:22.000"
    assert "stand as they are written; give --tz ZONE" in notes(session, "access.log")[0]
    assert not session.log.problems
    session = opened(tmp_path, {}, "Europe/Berlin")
    assert first(session, "access.log") == "2026-10-29T01:20:22.000"
    assert notes(session, "access.log") == [
        "its times are GMT; +01:00 brings them onto the clock of the management server"
    ]
    assert session.tz == "+01:00"


def test_a_zone_that_the_server_tells_is_enough(tmp_path: Path) -> None:
    line = "2026-10-29 01:20:25,000 DEBUG [c.c.X] (API-Job-Executor-1:[ctx-0a0a0a0a, job-2]) (logid:0a) created: "
    session = opened(tmp_path, {"server.log": ONE + line + "Thu Oct 29 01:20:22 UTC 2026\n", "access.log": ACCESS})
    assert first(session, "access.log") == "2026-10-29T00:20:22.000"
    assert notes(session, "access.log") == ["its times are GMT, as those of the management server are"]
    session = opened(tmp_path, {"server.log": ONE + line + "Thu Oct 29 01:20:22 IST 2026\n", "access.log": ACCESS})
    assert "give --tz ZONE" in notes(session, "access.log")[0]


def test_each_kind_of_file_has_its_zone(tmp_path: Path) -> None:
    files = {"server.log": ONE, "agent.log": agent(("03:20:24,004", "03:20:26,006"))}
    session = opened(tmp_path, files, "+01:00", "agent=+03:00")
    assert first(session, "agent.log") == "2026-10-29T01:20:24.004"
    assert notes(session, "agent.log") == [
        "its times are +03:00; -02:00 brings them onto the clock of the management server",
        "its clock agrees with that of ms1 to 0.004 s (by 1 command)",
    ]


def test_a_clock_that_is_ahead_is_told_and_not_corrected(tmp_path: Path) -> None:
    files = {
        "server.log": server(("01:20:24,000", "01:20:26,010"), ("01:21:00,000", "01:21:00,500")),
        "agent.log": agent(("01:20:26,010", "01:20:28,000"), ("01:21:02,004", "01:21:02,100")),
    }
    session = opened(tmp_path, files)
    assert first(session, "agent.log") == "2026-10-29T01:20:26.010"
    assert notes(session, "agent.log") == [
        "its clock is 1.997 s ahead of that of ms1, give or take 0.007 s (by 2 commands); nothing was corrected by that"
    ]


def test_a_clock_that_was_changed_is_told(tmp_path: Path) -> None:
    files = {
        "server.log": server(("01:20:24,000", "01:20:26,010"), ("01:21:00,000", "01:21:00,500")),
        "agent.log": agent(("01:20:26,010", "01:20:28,000"), ("01:21:00,004", "01:21:00,100")),
    }
    assert "the difference changes by 1.986 s or more" in notes(opened(tmp_path, files), "agent.log")[0]


def test_a_clock_in_another_zone_is_told_as_one(tmp_path: Path) -> None:
    files = {"server.log": ONE, "agent.log": agent(("03:20:24,004", "03:20:26,005"))}
    assert "give --tz agent=ZONE" in notes(opened(tmp_path, files), "agent.log")[0]


def test_lines_without_a_year_are_put_beside_the_others(tmp_path: Path) -> None:
    journal = f"Oct 29 01:20:25 kvm1 java[1204]: DEBUG {AGENT} Processing command: com.cloud.agent.api.StopCommand\n"
    session = opened(tmp_path, {"server.log": ONE, "journal.txt": journal})
    assert first(session, "journal.txt") == "2026-10-29T01:20:25.000"
    assert "taken to be of 2026" in notes(session, "journal.txt")[0]
    new_year = server(("00:00:10,000", "00:00:12,000"), day="2027-01-01")
    session = opened(tmp_path, {"server.log": new_year, "journal.txt": journal.replace("Oct 29", "Dec 31")})
    assert first(session, "journal.txt") == "2026-12-31T01:20:25.000"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["agnt=UTC"], "there is no kind of log 'agnt'; did you mean 'agent'?"),
        (["agent=Europa/Berlin"], "there is no time zone 'Europa/Berlin'; did you mean 'Europe/Berlin'?"),
        (["+01:00", "+02:00"], "two zones are given for management-server: +01:00 and +02:00"),
        (["+25:00"], "there is no offset '+25:00'; give one such as +02:00"),
    ],
)
def test_a_wrong_zone_is_one_clear_error(given: list[str], said: str) -> None:
    with pytest.raises(UsageError) as told:
        Zones.of(given, Kinds(catalog()))
    assert str(told.value) == said


def test_the_servers_zone_may_be_given_by_its_kind() -> None:
    assert Zones.of(["management-server=UTC", "agent=Z"], Kinds(catalog())) == Zones("UTC", {"agent": "Z"})
