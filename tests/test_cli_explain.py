"""`logscope explain`: what a rule is about, what a line says; and `logscope rules`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from logscope.session import load_catalog
from tests.cli_runner import NETWORK, PROXY, logscope

RULE = "network-cleaned-up-while-implementing"


def labelled(text: str) -> dict[str, list[str]]:
    """The rows of an explained line by their label."""
    found: dict[str, list[str]] = {}
    label = ""
    for line in text.splitlines()[1:]:
        label = line[2:12].strip() or label
        found.setdefault(label, []).append(line[12:])
    return found


@pytest.mark.parametrize("name", load_catalog([]).rules)
def test_every_rule_is_explained_with_examples(name: str) -> None:
    done = logscope("explain", name)
    assert (done.code, done.err) == (0, "")
    for heading in ("Why it is a race", "What is looked for", "References", "Example in which it", "Counter-example"):
        assert f"\n{heading}" in done.out
    assert "{" not in done.out.partition("What is looked for")[0]
    assert max(map(len, done.out.partition("\nExample in which it")[0].splitlines())) <= 120


def test_rule_says_what_it_needs_and_at_which_level() -> None:
    needs = logscope("explain", RULE).out.partition("What must be in the log\n")[2].partition("\n\n")[0]
    assert "  work: network.implement opens lock.network.implement.acquired (DEBUG)" in needs.splitlines()
    assert "  strike: network.orphan.found (INFO)" in needs.splitlines()


def test_line_is_told_with_all_that_the_grammars_read_in_it() -> None:
    done = logscope("explain", f"{NETWORK}:30")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{NETWORK}:30\n")
    rows = labelled(done.out)
    assert rows["record"] == ["line 30"]
    assert rows["time"] == ["2026-10-29T01:20:31.650"]
    assert (rows["level"], rows["logid"]) == (["INFO"], ["e4117c05"])
    assert rows["actor"] == ["orphan cleanup, AsyncJobMgr-Heartbeat-1"]
    assert rows["event"] == ["network.orphan.found: orphan check puts network 209 to Shutdown"]
    assert rows["template"][0].startswith("Found orphaned network {network:network} in Implementing state")
    assert "networks.lsg:" in rows["template"][0]
    assert "network.id = 209" in rows["fields"]
    assert rows["resources"] == ["network:209 (net-a, 5df664d2-9d1a-495e-8854-b1206b3f5e7a)"]
    hold = "network.implement: implement hold on network 209, 01:20:23.709 – 01:21:02.030, 38.321 s"
    assert hold in rows["lies in"]


def test_line_says_which_intervals_it_opens_and_closes() -> None:
    opens, closes = (labelled(logscope("explain", f"{NETWORK}:{line}").out) for line in (25, 36))
    assert [row.partition(":")[0] for row in opens["opens"]] == ["network.implement"]
    assert opens["opens"] == closes["closes"]
    assert not set(opens["opens"]) & set(opens.get("lies in", []))


def test_continuation_line_belongs_to_the_record_above_it() -> None:
    rows = labelled(logscope("explain", f"{NETWORK}:42").out)
    assert rows["record"] == ["line 40 to 43"]
    assert rows["context"] == ["ctx-8f2b6c04, job-4251 of job-4248"]


def test_line_that_no_grammar_knows_is_told_with_what_begins_alike(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(NETWORK.read_text().replace("Found orphaned network 209 in", "Found orphaned network 209 within"))
    rows = labelled(logscope("explain", f"{path}:30", "--tz", "+02:00").out)
    assert rows["time"] == ["2026-10-29T01:20:31.650+02:00"]
    assert rows["event"] == ["none: no template of the grammars fits the message"]
    assert rows["alike"][0].startswith("network.orphan.found: Found orphaned network {network:network} in")


def test_line_in_an_archive_is_named_as_reports_name_it(tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(NETWORK, "ms1/management-server.log")
        packed.write(PROXY, "ms2/management-server.log")
    done = logscope("explain", f"{path}!ms1/management-server.log:30")
    assert labelled(done.out)["event"] == ["network.orphan.found: orphan check puts network 209 to Shutdown"]
    unnamed = logscope("explain", f"{path}:30")
    assert unnamed.code == 2
    assert unnamed.err == (
        f"logscope: error: '{path}' holds 2 logs; say which, such as '{path}!ms1/management-server.log:LINE'\n"
    )


def test_line_before_the_first_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text("the tail of a record\n" + NETWORK.read_text())
    done = logscope("explain", f"{path}:1")
    assert done.code == 2
    assert done.err.endswith("belongs to no record: it stands before the first one\n")


def test_line_of_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.log").write_text("dear reader\nthis is no log\n")
    done = logscope("explain", f"{tmp_path}/letter.log:2")
    assert done.code == 2
    assert done.err.endswith("belongs to no record: no line has a recognised header\n")


def test_source_that_cannot_be_read_gives_exit_code_3() -> None:
    done = logscope("explain", "nowhere.log:4")
    assert (done.code, done.err) == (3, "logscope: error: nowhere.log: no such file or directory\n")


def test_rules_are_listed_the_most_severe_first() -> None:
    lines = logscope("rules").out.splitlines()
    assert lines[0].split() == ["RULE", "SEVERITY", "TITLE", "REFERENCES"]
    rows = [line.split() for line in lines[1:]]
    severities = ["critical", "high", "medium", "low"]
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), key=severities.index)
    assert {row[0] for row in rows} == set(load_catalog([]).rules)
    row = next(line for line in lines if line.startswith(RULE))
    assert "Orphan cleanup shut down network ID while ACTOR was implementing it" in row
    assert "apache/cloudstack#14522" in row


def test_rules_are_listed_as_json_too() -> None:
    found = json.loads(logscope("rules", "--format", "json").out)
    assert found["schema"] == "logscope/rules/1"
    assert {rule["rule"] for rule in found["rules"]} == set(load_catalog([]).rules)


def test_an_event_is_explained_by_its_declaration() -> None:
    done = logscope("explain", "network.orphan.found")
    assert (done.code, done.err) == (0, "")
    labels = [line.split()[0] for line in done.out.splitlines()]
    assert labels[0] == "network.orphan.found"
    assert {"declared", "title", "logger", "template", "sample"} <= set(labels)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("explain", "stdin:30"), "standard input cannot be read again; save it to a file, and give FILE:LINE of that"),
        (
            ("explain", str(NETWORK)),
            f"'{NETWORK}' is a file, of which one line can be explained; say which, such as '{NETWORK}:1'",
        ),
        (
            ("timeline", str(NETWORK), "-r", "logid:7b40c6ee"),
            "a logid is no resource; 'logscope lines PATH -r logid:7b40c6ee' shows what was written under it",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_explained_says_what_to_do(command: tuple[str, ...], message: str) -> None:
    done = logscope(*command)
    assert (done.code, done.out, done.err) == (2, "", f"logscope: error: {message}\n")


@pytest.mark.parametrize("number", ["0", "x", ""])
def test_what_is_no_number_of_a_line_is_told_as_such(number: str) -> None:
    done = logscope("explain", f"{NETWORK}:{number}")
    assert (done.code, done.out) == (2, "")
    assert f"'{number}' is no line of '{NETWORK}'; lines are counted from 1, such as '{NETWORK}:1'" in done.err
