"""`logscope events`: the events as a table, JSON Lines, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from tests.cli_runner import NETWORK, logscope

COLUMNS = ["time", "source", "line", "event", "actor", "resources", "fields", "text"]


def test_table_shows_when_what_who_and_where() -> None:
    done = logscope("events", NETWORK, "--event", "network.orphan.*")
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.splitlines()
    assert head.split() == ["TIME", "EVENT", "WHO", "RESOURCES", "LINE"]
    assert [row.split()[2] for row in rows] == ["network.orphan.found", "network.orphan.transitioned"]
    assert rows[0].endswith(f"  network:209  {NETWORK}:30")


def test_json_lines_have_the_promised_keys() -> None:
    done = logscope("events", NETWORK, "--event", "network.orphan.found", "--format", "jsonl", "--tz", "+02:00")
    (event,) = map(json.loads, done.out.splitlines())
    assert list(event) == COLUMNS
    assert event == {
        "time": "2026-10-29T01:20:31.650+02:00",
        "source": str(NETWORK),
        "line": 30,
        "event": "network.orphan.found",
        "actor": "orphan cleanup, AsyncJobMgr-Heartbeat-1",
        "resources": ["network:209"],
        "fields": {
            "age": 2087,
            "created": "2026-10-27T14:32:37",
            "network": "209",
            "network.id": 209,
            "threshold": 1440,
        },
        "text": NETWORK.read_text().splitlines()[29],
    }


def test_all_events_come_unless_some_are_asked_for() -> None:
    every = [json.loads(line) for line in logscope("events", NETWORK, "--format", "jsonl").out.splitlines()]
    some = logscope("events", NETWORK, "--event", "lock.*", "--event", "vm.s*", "--format", "jsonl").out
    wanted = [event for event in every if event["event"].startswith(("lock.", "vm.s"))]
    assert [json.loads(line) for line in some.splitlines()] == wanted
    assert [event["line"] for event in every] == sorted(event["line"] for event in every)


def test_resources_narrow_the_events() -> None:
    done = logscope("events", NETWORK, "-r", "network:209", "-r", "kvm1", "--format", "jsonl")
    resources = [json.loads(line)["resources"] for line in done.out.splitlines()]
    assert resources
    assert all({"network:209", "host:1"} & set(one) for one in resources)


def test_csv_can_be_read_back_with_the_text_of_several_lines() -> None:
    done = logscope("events", NETWORK, "--event", "vm.start.resource_*", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0]) == COLUMNS
    assert rows[0]["text"].splitlines() == NETWORK.read_text().splitlines()[39:43]
    assert json.loads(rows[0]["fields"])["network.id"] == 209


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-x", "@SUM(A1)"])
def test_csv_holds_no_formula(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.log"
    path.write_bytes(NETWORK.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = logscope("events", "--format", "csv", "--", path.name)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert {row["source"] for row in rows} == {f"'{name}.log"}
    assert rows[0]["line"] == "1"


@pytest.mark.parametrize(
    ("tz", "time"), [([], "2026-10-29T01:20:31.650"), (["--tz", "+02:00"], "2026-10-28T23:20:31.650+00:00")]
)
def test_parquet_has_typed_columns(tmp_path: Path, tz: list[str], time: str) -> None:
    path = tmp_path / "events.parquet"
    done = logscope("events", NETWORK, "-o", path, *tz)
    assert (done.code, done.out) == (0, "")
    frame = pl.read_parquet(path)
    assert done.err == f"logscope: wrote {frame.height} events to {path}\n"
    row = frame.filter(pl.col("event") == "network.orphan.found").row(0, named=True)
    assert row["time"] == datetime.fromisoformat(time)
    assert (row["line"], row["resources"], row["run"]) == (30, ["network:209"], "ctx-9be3f0d8")
    assert frame.schema["job"] == pl.Int64


def test_parquet_goes_to_a_pipe_too() -> None:
    assert pl.read_parquet(io.BytesIO(logscope("events", NETWORK, "--format", "parquet").raw)).height == 50


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".txt"])
def test_suffix_of_the_file_says_the_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"events{suffix}"
    name = {".jsonl": "jsonl", ".csv": "csv", ".txt": "table"}[suffix]
    assert logscope("events", NETWORK, "-o", path, "--quiet").err == ""
    assert path.read_bytes() == logscope("events", NETWORK, "--format", name).raw


def test_no_event_is_no_error() -> None:
    done = logscope("events", NETWORK, "--event", "cpvm.*", "--format", "jsonl")
    assert (done.code, done.out, done.err) == (0, "", "")
