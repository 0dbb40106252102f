"""`logscope lines`: the original lines of an operation, whatever threads, files and servers they are on."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli_runner import FIXTURES, NETWORK, logscope

# One operation over two servers and an agent, lines marked with +: an API request, its job, a work job, a command to
# a host and the answer to it. Lines marked with - are not part of it, though some look like it: the first line of the
# work job carries the logid of what its thread did before, and that work has lines of its own.
PARTS = (FIXTURES / "cli" / "operation.txt").read_text(encoding="utf-8").removeprefix("@ ").split("\n@ ")
FILES = dict(part.split("\n", 1) for part in PARTS)


@pytest.fixture
def cloud(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("".join(f"{line[1:]}\n" for line in text.splitlines()))
    return tmp_path


def operation(folder: Path) -> list[str]:
    """The lines marked with +, with their places, in order of time."""
    found = []
    for name, text in FILES.items():
        time = ""
        for number, line in enumerate(text.splitlines(), 1):
            time = line[1:24] if line[1] != "\t" else time
            if line[0] == "+":
                found.append((time, name, number, f"{folder / name}:{number}:{line[1:]}"))
    return [line for *_, line in sorted(found)]


@pytest.mark.parametrize("text", ["job:900", "job:901", "logid:0fa61b7d", "0fa61b7d-1111-42b9-8b49-554a253e0db9"])
def test_an_operation_is_followed_over_threads_files_and_servers(cloud: Path, text: str) -> None:
    done = logscope("lines", cloud, "-r", text)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == operation(cloud)


def test_logid_of_the_request_leads_to_the_whole_operation(cloud: Path) -> None:
    assert logscope("lines", cloud, "-r", "logid:5e12c9b8").out.splitlines() == operation(cloud)


def test_logid_that_only_a_first_line_carries_leads_nowhere_else(cloud: Path) -> None:
    lines = logscope("lines", cloud, "-r", "logid:d95b10c7").out.splitlines()
    assert [line.rpartition(") ")[2] for line in lines] == [
        "a line of other work",
        "Run VM work job: com.cloud.vm.VmWorkStop for VM 77, job origin: 700",
        "Add job-901 into job monitoring",
    ]


def lines_about(resource: str) -> list[int]:
    """Numbers of the lines of all records whose events name the resource."""
    events = logscope("events", NETWORK, "-r", resource, "--format", "jsonl").out.splitlines()
    records = [(event["line"], event["text"].count("\n")) for event in map(json.loads, events)]
    return [number for first, more in records for number in range(first, first + more + 1)]


def test_resource_gives_the_records_that_name_it_as_they_are() -> None:
    done = logscope("lines", NETWORK, "-r", "network:209")
    log = NETWORK.read_bytes().splitlines(keepends=True)
    wanted = lines_about("network:209")
    assert {30, 40, 41, 42, 43} < set(wanted)
    assert done.raw == b"".join(log[number - 1] for number in wanted)


def test_context_is_parted_as_grep_does() -> None:
    log = NETWORK.read_text().splitlines()
    wanted = sorted({near for number in lines_about("network:209") for near in (number - 1, number, number + 1)})
    shown: list[str] = []
    for before, number in pairwise([wanted[0] - 1, *wanted]):
        shown += ["--"] * (number > before + 1) + [log[number - 1]]
    assert shown.count("--") >= 3
    assert logscope("lines", NETWORK, "-r", "network:209", "--context", "1").out.splitlines() == shown


def test_context_lines_have_a_dash_behind_their_place(cloud: Path) -> None:
    lines = logscope("lines", cloud, "-r", "job:900", "-C", "1").out.splitlines()
    other = next(line for line in lines if line.endswith("a line of other work"))
    assert other.startswith(f"{cloud}/ms1/management-server.log-6-2026-10-29")
    assert lines.count("--") == len([line for line in lines if line == "--"]) > 0


def test_packed_logs_are_read_a_second_time(cloud: Path) -> None:
    path = cloud / "ms2" / "management-server.log"
    plain = logscope("lines", path, "-r", "job:900").raw
    packed = cloud / "packed.log.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert logscope("lines", packed, "-r", "job:900").raw == plain


def test_lines_that_two_files_hold_are_given_once(tmp_path: Path) -> None:
    lines = NETWORK.read_text().splitlines(keepends=True)
    (tmp_path / "a.log").write_text("".join(lines[:39]))
    (tmp_path / "b.log").write_text("".join(lines[12:]))
    shown = logscope("lines", tmp_path, "-r", "job:4251").out.splitlines()
    whole = logscope("lines", NETWORK, "-r", "job:4251").out.splitlines()
    assert [line.split(".log:", 1)[1].split(":", 1)[1] for line in shown] == whole


def test_file_that_is_no_log_is_in_nobodys_way(cloud: Path) -> None:
    (cloud / "letter.txt").write_text("dear reader\nabout job-900\n")
    done = logscope("lines", cloud / "ms2", cloud / "letter.txt", "-r", "job:900", "-C", "1")
    assert done.code == 4
    assert "letter.txt: no line has a recognised header" in done.err
    assert "dear reader" not in done.out
    assert "Add job-901 into job monitoring" in done.out


def test_lines_that_a_shipper_has_prefixed_are_records_too(tmp_path: Path) -> None:
    path = tmp_path / "shipped.log"
    numbered = enumerate(NETWORK.read_text().splitlines(keepends=True), 1)
    path.write_text("".join(f"./vmops.log:{at}: {line}" for at, line in numbered))
    plain = logscope("lines", NETWORK, "-r", "job:4251").out.splitlines()
    shipped = logscope("lines", path, "-r", "job:4251").out.splitlines()
    assert [line.split(": ", 1)[1] for line in shipped] == plain


def test_job_numbers_beyond_all_numbers_harm_nothing(cloud: Path) -> None:
    path = cloud / "ms1" / "management-server.log"
    path.write_text(path.read_text().replace("Sync job-901 ", f"Sync job-{10**30} "))
    assert "Add job-901 into job monitoring" in logscope("lines", cloud, "-r", "job:900").out
    assert logscope("lines", cloud, "-r", f"job:{10**30}").code == 2


def test_window_holds_for_what_is_followed(cloud: Path) -> None:
    lines = logscope("lines", cloud, "-r", "job:900", "--since", "10:00:05", "--until", "10:00:05.0").out.splitlines()
    assert [line.partition(":[")[0].rpartition("(")[2] for line in lines] == ["AgentManager-Handler-3"]


def test_bytes_that_are_no_text_stay_as_they_are(cloud: Path) -> None:
    path = cloud / "ms2" / "management-server.log"
    path.write_bytes(path.read_bytes().replace(b"a line that no grammar knows", b"caf\xe9 \x1b[2J"))
    assert b"caf\xe9 \x1b[2J\n" in logscope("lines", path, "-r", "job:900").raw


def test_records_longer_than_the_bulk_path_keeps_are_whole(tmp_path: Path) -> None:
    log = NETWORK.read_text().splitlines()
    trace = [f"\tat com.example.Deep.call(Deep.java:{number})" for number in range(300)]
    path = tmp_path / "management-server.log"
    path.write_text("\n".join([*log[:40], *trace, *log[43:]]) + "\n")
    lines = logscope("lines", path, "-r", "job:4251").out.splitlines()
    first = lines.index(trace[0])
    assert lines[first - 1 : first + 301] == [log[39], *trace, log[43]]
