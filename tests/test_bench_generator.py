"""The bench's logs: the same bytes for the same options, and a truth that fits them."""

from __future__ import annotations

import gzip
import io
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bench.generate import main, write_log

HEADER = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<level>[A-Z]+) +\[(?P<logger>[^\]]+)\] "
    r"\((?P<thread>[^:()]+):(?P<contexts>\[[^\]]*\]|[^()\[\]]+)\) \(logid:(?P<logid>[0-9a-f]{8}|)\) (?P<message>.*)"
)
TWO_RACES = 3_000_000
ALL_ORDERS = 7_000_000


def log_of(size: int, **options: Any) -> tuple[list[str], dict[str, Any]]:
    out = io.BytesIO()
    truth = write_log(out, size, **options)
    return out.getvalue().decode().splitlines(), truth


@pytest.fixture(scope="module", params=["B", "C"])
def day(request: pytest.FixtureRequest) -> tuple[list[str], dict[str, Any]]:
    return log_of(ALL_ORDERS, era=request.param)


def test_same_options_give_same_bytes() -> None:
    first, second, other = (io.BytesIO() for _ in range(3))
    truths = [write_log(first, 500_000, seed=3), write_log(second, 500_000, seed=3)]
    write_log(other, 500_000, seed=4)
    assert first.getvalue() == second.getvalue() != other.getvalue()
    assert truths[0] == truths[1]


def test_size_is_reached_and_counted(day: tuple[list[str], dict[str, Any]]) -> None:
    lines, truth = day
    size = sum(len(line.encode()) + 1 for line in lines)
    assert truth["bytes"] == size
    assert ALL_ORDERS <= size < ALL_ORDERS * 1.1
    assert truth["lines"] == len(lines)


def test_every_line_is_a_header_or_continues_one(day: tuple[list[str], dict[str, Any]]) -> None:
    lines, truth = day
    for line in lines:
        header = HEADER.fullmatch(line)
        if header is None:
            assert re.match(r"\tat |[\w.]+Exception: ", line), line
        else:
            assert header["contexts"].startswith("[") == (truth["era"] == "C"), line


def test_times_go_back_by_a_few_milliseconds_at_most(day: tuple[list[str], dict[str, Any]]) -> None:
    lines, _ = day
    times = [datetime.strptime(line[:23], "%Y-%m-%d %H:%M:%S,%f") for line in lines if HEADER.match(line)]
    latest = times[0]
    for time in times:
        assert (latest - time).total_seconds() <= 0.003
        latest = max(latest, time)
    assert times != sorted(times)


def test_truth_points_at_the_lines_of_each_race(day: tuple[list[str], dict[str, Any]]) -> None:
    lines, truth = day
    assert {(race["rule"], race["outcome"]) for race in truth["races"]} >= {
        ("network-cleaned-up-while-implementing", "failed"),
        ("console-proxy-restarted-while-destroying", "recovered"),
        ("console-proxy-restarted-while-destroying", "failed"),
    }
    for race in truth["races"]:
        parts = {part: lines[number - 1] for part, number in race["lines"].items()}
        assert all(line.startswith(race["times"][part]) for part, line in parts.items())
        assert race["lines"]["open"] < race["lines"]["strike"] < race["lines"].get("close", len(lines))
        assert (race["outcome"] == "unknown") == ("consequence" not in parts)
        number = race["resource"].partition(":")[2]
        if race["resource"].startswith("network"):
            assert "as a part of network implement" in parts["open"]
            assert f"Found orphaned network {number} in Implementing state" in parts["strike"]
            assert "Unable to contact resource." in parts.get("consequence", "Unable to contact resource.")
        else:
            assert f'"id":{number},' in parts["open"]
            assert "to [Stopping]" in parts["open"]
            assert "Found a stopped console proxy, starting it." in parts["strike"]


def test_nothing_overlaps_on_a_network_but_the_races(day: tuple[list[str], dict[str, Any]]) -> None:
    lines, truth = day
    holder: dict[str, str] = {}
    for line in lines:
        lock = re.search(
            r"Lock is (acquired|released) for network (?:id )?(?:Network \{\"id\": )?(\d+).* as a part of network", line
        )
        if lock and lock[1] == "acquired":
            assert lock[2] not in holder, line
            holder[lock[2]] = line
        elif lock:
            del holder[lock[2]]
    strikes = [line for line in lines if "Found orphaned network" in line]
    assert len(strikes) == sum(race["resource"].startswith("network") for race in truth["races"])


@pytest.mark.parametrize(("dense", "low", "high"), [(False, 0.02, 0.05), (True, 0.27, 0.38)])
def test_share_of_lines_that_belong_to_operations(dense: bool, low: float, high: float) -> None:
    _, truth = log_of(TWO_RACES, dense=dense)
    assert low < truth["operation_lines"] / truth["lines"] < high


def test_statistics_reach_tens_of_kilobytes() -> None:
    lines, _ = log_of(TWO_RACES)
    sizes = [len(line) for line in lines if "GetVmStatsAnswer" in line and "Processing:" in line]
    assert min(sizes) < 2_000
    assert max(sizes) > 50_000


def test_command_writes_the_log_packed_and_its_truth(tmp_path: Path) -> None:
    main(["-o", str(tmp_path / "plain" / "a.log"), "--size-mb", "0.3"])
    main(["-o", str(tmp_path / "a.log.gz"), "--size-mb", "0.3"])
    plain = (tmp_path / "plain" / "a.log").read_bytes()
    assert gzip.decompress((tmp_path / "a.log.gz").read_bytes()) == plain
    truth = json.loads((tmp_path / "a.log.gz.truth.json").read_text())
    assert truth["bytes"] == len(plain)
