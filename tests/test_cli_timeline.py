"""`logscope timeline`: everything that happened to one resource."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli_runner import NETWORK, logscope


def test_table_has_intervals_with_what_happened_meanwhile_below() -> None:
    done = logscope("timeline", NETWORK, "-r", "network:209")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "network:209 (net-a, 5df664d2-9d1a-495e-8854-b1206b3f5e7a)"
    assert lines[2].split() == ["TIME", "LASTED", "WHO", "WHAT", "CAUSED", "BY", "LINE"]
    hold = next(line for line in lines if "implement hold on network 209" in line)
    strike = next(line for line in lines if "orphan check puts network 209 to Shutdown" in line)
    assert hold.startswith("2026-10-29 01:20:23.709  38.321 s  VM start (job-4251 of job-4248, vm 612)")
    assert hold.endswith(f"{NETWORK}:25 – :36")
    assert strike.startswith("2026-10-29 01:20:31.650            orphan cleanup, AsyncJobMgr-Heartbeat-1 ")
    assert strike.index("orphan check") > hold.index("implement hold")


def test_name_leads_to_the_same_timeline_as_the_id() -> None:
    by_id = logscope("timeline", NETWORK, "-r", "vm:598")
    assert by_id.out.startswith("vm:598 (r-598-VM, ")
    assert logscope("timeline", NETWORK, "-r", "r-598-VM") == by_id
    assert logscope("timeline", NETWORK, "-r", "r-598-VM", "-r", "vm:598") == by_id


def test_several_resources_follow_each_other() -> None:
    both = logscope("timeline", NETWORK, "-r", "vm:612", "-r", "network:209").out
    first, second = (logscope("timeline", NETWORK, "-r", text).out for text in ("vm:612", "network:209"))
    assert both == f"{first}\n{second}"


def test_json_has_the_entries_of_the_report() -> None:
    found = json.loads(logscope("timeline", NETWORK, "-r", "network:209", "--format", "json", "--tz", "+02:00").out)
    assert (found["schema"], found["tz"]) == ("logscope/timeline/1", "+02:00")
    entry = next(e for e in found["timelines"][0]["entries"] if e["of"] == "network.implement")
    assert (entry["start"], entry["end"]) == ("2026-10-29T01:20:23.709+02:00", "2026-10-29T01:21:02.030+02:00")


def test_markdown_is_a_block_of_code_that_nothing_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(NETWORK.read_text().replace('"name": "net-a"', '"name": "```` <b>x</b>"'))
    done = logscope("timeline", path, "-r", "network:209", "--format", "md").out
    assert done.startswith("`````text\nnetwork:209 (```` <b>x</b>, ")
    assert done.endswith("\n`````\n")


def test_html_is_a_page_of_its_own_and_markup_in_names_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(NETWORK.read_text().replace('"name": "net-a"', '"name": "<script>x</script>"'))
    done = logscope("timeline", path, "-r", "network:209", "--format", "html").out
    assert done.startswith("<!doctype html>")
    assert "default-src 'none'; style-src 'sha256-" in done
    assert "<script>" not in done
    assert "&lt;script&gt;x&lt;/script&gt;" in done
    as_json = logscope("timeline", path, "-r", "network:209", "--format", "json").out
    entries = json.loads(as_json)["timelines"][0]["entries"]
    assert len(re.findall('<tr class="(?:event|interval)">', done)) == len(entries) > 10


@pytest.mark.parametrize("format", ["text", "md"])
def test_names_cannot_control_a_terminal(tmp_path: Path, format: str) -> None:
    path = tmp_path / "management-server.log"
    path.write_text(NETWORK.read_text().replace('"name": "net-a"', '"name": "a\x1b[2Jb"'))
    done = logscope("timeline", path, "-r", "network:209", "--format", format).out
    assert "\x1b" not in done
    assert r"a\x1b[2Jb" in done


def test_window_cuts_the_timeline() -> None:
    done = logscope("timeline", NETWORK, "-r", "network:209", "--since", "01:20:31")
    assert "orphan check puts network 209 to Shutdown" in done.out
    assert "shutdown hold" not in done.out


def test_of_many_notes_the_rest_is_counted_as_notes(tmp_path: Path) -> None:
    for number in range(23):
        (tmp_path / f"copy{number:02}.log").write_text(NETWORK.read_text())
    done = logscope("timeline", tmp_path, "-r", "network:209")
    assert done.err.splitlines()[-1] == "logscope: 2 more notes on the input are not shown"
    assert done.code == 0
