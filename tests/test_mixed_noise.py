"""The traces of several days mixed with a log's noise, rotated, gzipped and zipped, give the same findings."""

from __future__ import annotations

import gzip
import heapq
import io
import random
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from test_grammars import shipped
from test_traces import TRACES

from logscope.demand import for_rules
from logscope.model import Report
from logscope.pipeline import analyze, read_log
from logscope.sources import discover

CASES = [path for path in TRACES if path.name.startswith(("console-proxy", "network-cleaned-up-while"))]


def noise(day: str, size: int, seed: int) -> Iterator[str]:
    """A day's lines of handlers, statistics and pings that belong to no operation."""
    dice = random.Random(seed)
    moment = datetime.fromisoformat(f"{day} 00:00:00")
    step = timedelta(days=1) / max(1, size // 700)
    written = 0
    while written < size:
        host, seq = dice.randrange(1, 40), dice.randrange(10**15, 10**18)
        text = dice.choice(
            [
                f"Ping from Routing host {host}(kvm{host})",
                f"Seq {host}-{seq}: Processing:  {{ Ans: , MgmtId: 90520745341234, via: {host}, Ver: v1, Flags: 10, "
                f'[{{"com.cloud.agent.api.GetVmStatsAnswer":{{"x":"{dice.randbytes(600).hex()}"}}}}] }}',
                f"Found {dice.randrange(9)} routers to update status. ",
            ]
        )
        head = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d} DEBUG [c.c.a.t.Request] "
        line = f"{head}(AgentManager-Handler-{host}:[]) (logid:) {text}\n"
        written += len(line)
        moment += step
        yield line


def records(text: str) -> Iterator[str]:
    record = ""
    for line in text.splitlines(keepends=True):
        if line[:2] == "20" and record:
            yield record
            record = ""
        record += line
    yield record


def days(size: int) -> dict[str, bytes]:
    """The traces by day, each merged by time into noise of about `size` bytes."""
    found: dict[str, list[str]] = {}
    for case in CASES:
        for record in records((case / "management-server.log").read_text()):
            found.setdefault(record[:10], []).append(record)
    return {
        day: "".join(heapq.merge(trace, noise(day, size, n), key=lambda line: line[:23])).encode()
        for n, (day, trace) in enumerate(sorted(found.items()))
    }


def judged(paths: list[str]) -> tuple[Report, set[tuple[str, str, int, int, str, str]]]:
    catalog = shipped()[0]
    rules = list(catalog.rules.values())
    sources, problems = discover(paths)
    assert not problems
    report = analyze(read_log(sources, problems, catalog, for_rules(catalog, rules)), rules)
    return report, {(f.rule, str(f.resource), f.start, f.end, f.certainty, f.outcome) for f in report.findings}


@pytest.fixture(scope="module")
def plain() -> set[tuple[str, str, int, int, str, str]]:
    """What the traces give one by one, without noise."""
    return set().union(*(judged([str(case)])[1] for case in CASES))


def rotated(folder: Path, size: int) -> None:
    parts = days(size)
    newest = max(parts)
    for day, data in parts.items():
        if day == newest:
            (folder / "management-server.log").write_bytes(data)
        else:
            (folder / f"management-server.log.{day}.gz").write_bytes(gzip.compress(data, 1))


def test_rotated_and_gzipped(tmp_path: Path, plain: set[tuple[str, str, int, int, str, str]]) -> None:
    rotated(tmp_path, 400_000)
    report, found = judged([str(tmp_path)])
    assert found == plain
    assert len(report.sources) == len(days(0))


def test_read_from_a_zip(tmp_path: Path, plain: set[tuple[str, str, int, int, str, str]]) -> None:
    rotated(tmp_path, 400_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(tmp_path.iterdir()):
            archive.write(path, f"ms1/{path.name}")
    target = tmp_path / "run.zip"
    target.write_bytes(packed.getvalue())
    assert judged([str(target)])[1] == plain
