"""`logscope analyze`: formats, files, exit codes, and the same bytes for the same input."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest

from logscope.report import formats
from tests.cli_runner import NETWORK, PROXY, logscope


def test_report_goes_to_standard_output_as_text() -> None:
    done = logscope("analyze", NETWORK)
    assert (done.code, done.err) == (0, "")
    assert "network-cleaned-up-while-implementing #1   critical, certain" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize("name", formats())
def test_every_format_goes_to_standard_output(name: str) -> None:
    done = logscope("analyze", NETWORK, "--format", name)
    assert (done.code, done.err) == (0, "")
    assert "network-cleaned-up-while-implementing" in done.out


def test_files_are_written_by_their_suffix_and_the_verdict_is_told(tmp_path: Path) -> None:
    names = [name for name, form in formats().items() if form.suffix]
    paths = [tmp_path / f"report{formats()[name].suffix}" for name in names]
    done = logscope("analyze", NETWORK, *(word for path in paths for word in ("-o", str(path))))
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("logscope: 1 finding (1 certain) in 1 incident; ")
    assert done.err.endswith(f"; wrote {', '.join(map(str, paths))}\n")
    for path, name in zip(paths, names, strict=True):
        assert path.read_bytes() == logscope("analyze", NETWORK, "--format", name).raw


@pytest.mark.parametrize(("severity", "code"), [("none", 0), ("low", 1), ("medium", 1), ("high", 1), ("critical", 1)])
def test_fail_on_decides_the_exit_code(severity: str, code: int) -> None:
    assert logscope("analyze", NETWORK, "--fail-on", severity).code == code
    assert (
        logscope("analyze", NETWORK, "--rule", "console-proxy-restarted-while-destroying", "--fail-on", severity).code
        == 0
    )


def test_a_log_that_is_there_twice_is_noted_and_changes_no_exit_code(tmp_path: Path) -> None:
    shutil.copy(NETWORK, tmp_path / "a.log")
    alone = json.loads(logscope("analyze", tmp_path / "a.log", "--format", "json").out)
    shutil.copy(NETWORK, tmp_path / "b.log")
    for paths in ([tmp_path / "a.log"] * 2, [tmp_path / "a.log", tmp_path], [tmp_path / "a.log", tmp_path / "b.log"]):
        done = logscope("analyze", *paths, "--format", "json")
        report = json.loads(done.out)
        assert (done.code, done.err, report["problems"]) == (0, "", [])
        assert report["findings"] == alone["findings"]
        assert report["notes"]
        assert logscope("analyze", *paths, "--fail-on", "high").code == 1
        assert logscope("events", *paths).code == logscope("grammar", "coverage", *paths).code == 0


def test_fail_on_leaves_lower_severities_alone() -> None:
    assert logscope("analyze", PROXY, "--fail-on", "high").code == 1
    assert logscope("analyze", PROXY, "--fail-on", "critical").code == 0


def test_only_the_named_rules_are_judged() -> None:
    names = ["changed-under-anothers-lock", "network-cleaned-up-while-implementing"]
    done = logscope("analyze", NETWORK, "--rule", names[0], "--rule", names[1], "--format", "json")
    assert sorted(rule["rule"] for rule in json.loads(done.out)["rules"]) == names


def test_window_leaves_out_what_lies_outside() -> None:
    inside = logscope("analyze", NETWORK, "--since", "01:20", "--until", "2026-10-29T01:21:02.048", "--format", "json")
    before = logscope("analyze", NETWORK, "--until", "01:20:30", "--format", "json")
    assert [finding["certainty"] for finding in json.loads(inside.out)["findings"]] == ["certain"]
    assert json.loads(before.out)["findings"] == []


def test_clock_alone_needs_a_log_of_one_day(tmp_path: Path) -> None:
    shutil.copy(NETWORK, tmp_path / "today.log")
    (tmp_path / "yesterday.log").write_text(NETWORK.read_text().replace("2026-10-29", "2026-10-28"))
    done = logscope("analyze", tmp_path, "--since", "01:20")
    assert done.code == 2
    days = "(2026-10-28 to 2026-10-29); give the day too, such as 2026-10-28T01:20"
    assert done.err == f"logscope: error: '01:20' is on several days of this log {days}\n"


def test_clock_alone_needs_one_day_in_one_source_too(tmp_path: Path) -> None:
    path = tmp_path / "both.log"
    path.write_text(NETWORK.read_text().replace("2026-10-29", "2026-10-28") + NETWORK.read_text())
    assert "is on several days of this log" in logscope("analyze", path, "--since", "01:20").err


@pytest.mark.parametrize(("zone", "offset"), [("Europe/Berlin", "+01:00"), ("-03:30", "-03:30")])
def test_zone_is_appended_to_times(zone: str, offset: str) -> None:
    found = json.loads(logscope("analyze", NETWORK, "--tz", zone, "--format", "json").out)
    assert found["tz"] == offset
    assert found["findings"][0]["start"] == f"2026-10-29T01:20:23.709{offset}"


def test_same_bytes_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    first, second = tmp_path / "management-server.log.2026-10-28.gz", tmp_path / "management-server.log"
    first.write_bytes(gzip.compress(NETWORK.read_bytes().replace(b"2026-10-29", b"2026-10-28")))
    shutil.copy(NETWORK, second)
    for command in (
        ["analyze", "--format", "json"],
        ["analyze", "--format", "html"],
        ["timeline", "-r", "network:209"],
        ["lines", "-r", "job:4251", "--context", "1"],
        ["events", "--format", "jsonl"],
    ):
        one, other = logscope(*command, first, second), logscope(*command, second, first)
        assert one.code == 0
        assert one == other == logscope(*command, first, second)


def test_own_rules_are_judged_too(tmp_path: Path) -> None:
    (tmp_path / "own.lsg").write_text(
        "grammar own\n\n"
        "rule network-shut-down\n"
        "  title    | Network {end.network.id} was shut down\n"
        "  severity low\n"
        "  find     end = network.shutdown.success\n"
        "  because  | This is an example.\n"
        "  refs     apache/cloudstack#1\n"
        "  fires\n    +0.000 A network.shutdown.success network=209\n"
        "  quiet\n    +0.000 A network.orphan.found network=209\n"
    )
    done = logscope("analyze", NETWORK, "--grammars", tmp_path, "--rule", "network-shut-down", "--fail-on", "low")
    assert (done.code, done.err) == (1, "")
    assert "Network 209 was shut down" in done.out


def test_wrong_grammar_is_told_with_its_line_and_nothing_is_done(tmp_path: Path) -> None:
    (tmp_path / "own.lsg").write_text("grammar own\n\nevnt network.gone\n")
    done = logscope("analyze", NETWORK, "--grammars", tmp_path, "-o", tmp_path / "report.html")
    assert (done.code, done.out) == (2, "")
    assert f"{tmp_path}/own.lsg:3:1: error[LG102]: there is no declaration 'evnt'\n" in done.err
    assert done.err.endswith("logscope: error: 1 mistake in the grammar files; nothing was done\n")
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("command", ["analyze", "events"])
@pytest.mark.parametrize("is_link", [False, True])
def test_an_input_is_never_written_over(command: str, is_link: bool, tmp_path: Path) -> None:
    text = NETWORK.read_bytes()
    log, target = tmp_path / "log.txt", tmp_path / "target.txt"
    log.write_bytes(text)
    if is_link:
        target.symlink_to(log)
    else:
        target = log
    done = logscope(command, log, "-o", target, *(("--format", "jsonl") if command == "events" else ()))
    assert (done.code, done.out) == (2, "")
    assert "it is one of the inputs" in done.err
    assert log.read_bytes() == text


def test_incidents_stand_in_json_as_they_are_numbered_in_text(tmp_path: Path) -> None:
    # The lesser one of the two comes first by time.
    later = NETWORK.read_text().replace("2026-10-29", "2027-01-02")
    (tmp_path / "a.log").write_text(PROXY.read_text())
    (tmp_path / "b.log").write_text(later)
    found = json.loads(logscope("analyze", tmp_path, "--format", "json").out)
    titles = [incident["title"] for incident in found["incidents"]]
    text = logscope("analyze", tmp_path).out
    assert [f"Incident {number}: {title}" for number, title in enumerate(titles, 1)] == re.findall(
        r"^Incident \d+: .*$", text, re.MULTILINE
    )
    assert [incident["start"] for incident in found["incidents"]] != sorted(i["start"] for i in found["incidents"])
