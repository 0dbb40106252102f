"""`logscope.read`: a log as pandas frames."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

import logscope
from logscope.errors import GrammarError, NothingReadError, UsageError
from tests.cli_runner import NETWORK, PROXY, ROOT
from tests.cli_runner import logscope as run


@pytest.fixture(scope="module")
def result() -> logscope.api.Result:
    return logscope.read(NETWORK)


def test_events_are_indexed_by_real_times(result: logscope.api.Result) -> None:
    events = result.events
    assert events.index.name == "time"
    assert str(events.index.dtype) == "datetime64[us]"
    row = events.loc[pd.Timestamp("2026-10-29T01:20:31.650")]
    assert (row["event"], row["line"], row["actor"]) == (
        "network.orphan.found",
        30,
        "orphan cleanup, AsyncJobMgr-Heartbeat-1",
    )
    assert row["resources"] == ["network:209"]
    assert row["text"] == NETWORK.read_text().splitlines()[29]


def test_whole_numbers_stay_whole_where_some_are_missing(result: logscope.api.Result) -> None:
    assert {str(result.events[name].dtype) for name in ("line", "job", "origin", "work")} == {"Int64"}
    assert set(result.events["job"].dropna()) == {4229, 4248, 4251}
    assert result.events["work"].isna().all()


def test_fields_of_an_event_are_columns_of_their_types(result: logscope.api.Result) -> None:
    found = result.fields("network.orphan.found")
    assert found[["line", "age", "network.id"]].to_numpy().tolist() == [[30, 2087, 209]]
    assert result.fields("cpvm.alloc.found_stopped").empty
    with pytest.raises(UsageError, match=r"did you mean 'network\.orphan\.found'\?"):
        result.fields("network.orphan.fond")


def test_intervals_have_durations(result: logscope.api.Result) -> None:
    holds = result.intervals.query("interval == 'network.implement'")
    assert holds["duration"].tolist() == [timedelta(seconds=38.321)]
    assert holds["opened_by"].tolist() == [f"{NETWORK}:25"]
    assert (result.intervals["end"] - result.intervals["start"] == result.intervals["duration"]).all()


def test_findings_say_where_their_evidence_is(result: logscope.api.Result) -> None:
    (found,) = result.findings.to_dict("records")
    assert (found["rule"], found["certainty"]) == ("network-cleaned-up-while-implementing", "certain")
    assert found["resource"] == "network:209"
    assert f"{NETWORK}:30" in found["lines"]


def test_timeline_is_found_by_id_uuid_and_name(result: logscope.api.Result) -> None:
    timeline = result.timeline("network:209")
    assert timeline.index.name == "start"
    assert timeline.index.is_monotonic_increasing
    assert timeline.query("of == 'network.implement'")["duration"].tolist() == [timedelta(seconds=38.321)]
    assert result.timeline("net-a").equals(timeline)
    behind = dict(zip(timeline["of"], timeline["caused_by"], strict=True))
    assert (behind["network.implement"], behind["network.orphan.found"]) == ("API job (job-4248)", "")
    with pytest.raises(UsageError, match="similar ones are network:209"):
        result.timeline("network:2090")


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+01:00"])
def test_with_a_zone_times_are_instants(zone: str) -> None:
    found = logscope.read(str(NETWORK), tz=zone)
    start = pd.Timestamp("2026-10-29T00:20:23.709Z")
    assert found.findings["start"].tolist() == [start]
    assert start in found.timeline("network:209").index
    assert str(found.events.index.tz) in ("Europe/Berlin", "UTC+01:00")


def test_paths_may_be_several_and_a_window_is_taken() -> None:
    found = logscope.read([NETWORK, str(PROXY)], since="2026-10-29", until="2026-10-29 01:19")
    assert found.events.index.max() < pd.Timestamp("2026-10-29T01:20")
    assert set(found.events["source"]) == {str(NETWORK)}


@pytest.mark.parametrize("format", ["text", "json", "html", "md"])
def test_report_is_that_of_the_command_line(result: logscope.api.Result, format: str) -> None:
    shown = result.report(format)
    assert "network-cleaned-up-while-implementing" in shown
    assert result.report() == result.report("text")
    if format == "html":
        assert shown.startswith("<!doctype html>")
    with pytest.raises(UsageError, match="there is no report format 'pdf'"):
        result.report("pdf")


def test_notebooks_show_a_small_summary(result: logscope.api.Result) -> None:
    shown = result._repr_html_()
    assert shown.startswith("<p>1 finding (1 certain) in 1 incident; ")
    assert str(NETWORK) in shown
    assert len(shown) < 1000


def test_a_log_without_events_gives_empty_frames(tmp_path: Path) -> None:
    path = tmp_path / "management-server.log"
    path.write_text("2026-10-29 01:20:23,709 DEBUG [o.e.Other] (main:[]) (logid:) nothing that is known\n")
    found = logscope.read(path, tz="+02:00")
    assert found.events.empty
    assert found.intervals.empty
    assert found.findings.empty
    assert str(found.findings["start"].dtype) == "datetime64[us, UTC+02:00]"


def test_errors_are_raised_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.lsg").write_text("grammar own\n\nevnt x\n")
    with pytest.raises(GrammarError, match="1 mistake") as wrong:
        logscope.read(NETWORK, grammars=tmp_path)
    assert [mistake.code for mistake in wrong.value.diagnostics] == ["LG102"]
    with pytest.raises(NothingReadError, match=r"nowhere\.log: no such file"):
        logscope.read("nowhere.log")
    with pytest.raises(UsageError, match="no path was given"):
        logscope.read([])
    assert capsys.readouterr() == ("", "")


def test_reading_alone_does_not_import_pandas() -> None:
    code = f"import sys, logscope; logscope.read({str(NETWORK)!r}); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"


def test_frames_and_command_line_agree(result: logscope.api.Result) -> None:
    lines = run("events", NETWORK, "--format", "jsonl").out.splitlines()
    assert len(lines) == len(result.events)
