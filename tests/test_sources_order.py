"""Sources: rotated sets, duplicates, and which server wrote what."""

from __future__ import annotations

import bz2
import gzip
import itertools
import random
from pathlib import Path

import pytest
from source_samples import TEXT, log_text, read, tar_of, zip_of

from logscope.model import Problem
from logscope.sources import discover
from logscope.sources.order import stem


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def found(folder: Path, *names: str) -> list[tuple[str, str]]:
    """Server and name of each source, in order."""
    sources, problems = discover([str(folder / name) for name in names] or [str(folder)])
    assert problems == []
    return [(source.server, source.name.removeprefix(f"{folder}/")) for source in sources]


@pytest.mark.parametrize(
    "name",
    [
        "management-server.log",
        "management-server.log.2026-10-28",
        "management-server.log.2026-10-28.gz",
        "management-server.log-20261028.xz",
        "management-server-2026-10-28.log",
        "management-server.log.3.gz",
        "management-server.1.log",
        "management-server.log.2026-10-28.2.gz",
        "management-server.tar.gz",
    ],
)
def test_rotation_and_compression_leave_the_stem(name: str) -> None:
    assert stem(name) == "management-server"


@pytest.mark.parametrize("name", [".1", "2026-10-28", "ms1", "i-2-6-VM", "management-server.out"])
def test_other_names_stay(name: str) -> None:
    assert stem(name) == name


class TestRotatedSets:
    def test_they_stand_in_order_of_time_whatever_they_are_called(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {
                "x.log": log_text(day=30),
                "x.log.2026-10-29.gz": gzip.compress(log_text(day=29)),
                "x.log.2026-10-28": log_text(day=28),
                "x.log.7.bz2": bz2.compress(log_text(day=27)),
            },
        )
        names = ["x.log.7.bz2", "x.log.2026-10-28", "x.log.2026-10-29.gz", "x.log"]
        assert found(tmp_path) == [("ms1", name) for name in names]

    def test_the_order_of_the_arguments_makes_no_difference(self, tmp_path: Path) -> None:
        write(tmp_path, {f"{name}/x.log": log_text(day=day) for name, day in (("a", 28), ("b", 28), ("c", 29))})
        write(tmp_path, {"copy.log": log_text(day=29), "torn.gz": gzip.compress(TEXT)[:-9], "empty.log": b""})
        paths = [str(tmp_path / name) for name in ("a", "b/x.log", "c", "copy.log", "torn.gz", "gone", "empty.log")]
        outcomes = set()
        for order in itertools.islice(itertools.permutations(paths), 0, 5040, 97):
            notes: list[Problem] = []
            sources, problems = discover(order, notes=notes)
            text = [
                (source.server, source.name, source.first, read(source), tuple(source.problems)) for source in sources
            ]
            outcomes.add(repr((text, problems, notes)))
        assert len(outcomes) == 1

    def test_logs_without_a_time_stand_last_the_oldest_first(self, tmp_path: Path) -> None:
        write(tmp_path, {f"x.log{suffix}": f"text {suffix}\n".encode() for suffix in ("", ".1", ".2", ".10")})
        write(tmp_path, {"x.log.3": TEXT})
        names = ["x.log.3", "x.log.10", "x.log.2", "x.log.1", "x.log"]
        assert found(tmp_path, *sorted(names)) == [("ms1", name) for name in names]


class TestDuplicates:
    def test_a_file_and_its_compressed_twin_are_one(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {"x.log.2026-10-28.gz": gzip.compress(TEXT), "x.log.2026-10-28": TEXT, "y.zip": zip_of({"z": TEXT})},
        )
        notes: list[Problem] = []
        sources, problems = discover([str(tmp_path)], notes=notes)
        kept = f"{tmp_path}/x.log.2026-10-28"
        assert [source.name for source in sources] == [kept]
        assert problems == []
        assert notes == [
            Problem(f"{kept}.gz", f"has the same text as {kept} and was left out"),
            Problem(f"{tmp_path}/y.zip!z", f"has the same text as {kept} and was left out"),
        ]

    def test_an_older_copy_of_a_growing_log_is_its_beginning(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {"a.log": log_text(3000)[:100_000], "b.log": log_text(3000), "c.gz": gzip.compress(log_text(2000))},
        )
        notes: list[Problem] = []
        sources, problems = discover([str(tmp_path)], notes=notes)
        assert [source.name for source in sources] == [f"{tmp_path}/b.log"]
        assert problems == []
        assert {note.text for note in notes} == {f"is the beginning of {tmp_path}/b.log and was left out"}
        assert [note.source for note in notes] == [f"{tmp_path}/a.log", f"{tmp_path}/c.gz"]

    def test_a_torn_copy_is_the_beginning_of_the_whole_one(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.gz": gzip.compress(TEXT)[:-40], "b.gz": gzip.compress(TEXT)})
        notes: list[Problem] = []
        sources, problems = discover([str(tmp_path)], notes=notes)
        assert [source.problems for source in sources] == [[]]
        assert problems == []
        assert notes == [Problem(f"{tmp_path}/a.gz", f"is the beginning of {tmp_path}/b.gz and was left out")]

    def test_a_file_that_several_paths_lead_to_is_read_once(self, tmp_path: Path) -> None:
        write(tmp_path, {"d/x.log": TEXT})
        (tmp_path / "link.log").symlink_to("d/x.log")
        path = f"{tmp_path}/d/x.log"
        notes: list[Problem] = []
        sources, problems = discover([path, path, f"{tmp_path}/d", f"{tmp_path}/link.log"], notes=notes)
        assert len(sources) == 1
        assert problems == []
        assert {(note.source, note.text) for note in notes} == {
            (path, "is named twice and was read once"),
            (path, f"is the same file as {tmp_path}/link.log and was read once")
            if len(f"{tmp_path}/link.log") < len(path)
            else (f"{tmp_path}/link.log", f"is the same file as {path} and was read once"),
        }

    def test_logs_that_begin_alike_are_two(self, tmp_path: Path) -> None:
        first = log_text(3000)
        other = first[:-20] + b"another last record\n"
        write(tmp_path, {"a/x.log": first, "b/x.log": other})
        assert len(discover([str(tmp_path)])[0]) == 2


class TestServers:
    def test_overlapping_directories_are_servers(self, tmp_path: Path) -> None:
        for name, seed in (("node-a", 1), ("node-b", 2)):
            write(
                tmp_path,
                {
                    f"run/{name}/logs/x.log.1.gz": gzip.compress(log_text(day=28, seed=seed)),
                    f"run/{name}/logs/x.log": log_text(day=29, seed=seed + 10),
                },
            )
        assert found(tmp_path) == [
            (server, f"run/{server}/logs/{name}") for server in ("node-a", "node-b") for name in ("x.log.1.gz", "x.log")
        ]

    def test_so_are_overlapping_directories_of_an_archive(self, tmp_path: Path) -> None:
        members = {"ms1/x.log": log_text(seed=1), "ms2/x.log": log_text(seed=2)}
        for name, data in (("a.zip", zip_of(members)), ("b.tgz", tar_of(members, "w:gz"))):
            (tmp_path / name).write_bytes(data)
            assert found(tmp_path, name) == [("ms1", f"{name}!ms1/x.log"), ("ms2", f"{name}!ms2/x.log")]

    def test_and_overlapping_archives(self, tmp_path: Path) -> None:
        write(tmp_path, {f"{name}.zip": zip_of({"logs/x.log": log_text(seed=ord(name))}) for name in "pq"})
        assert [server for server, _ in found(tmp_path)] == ["p", "q"]

    def test_directories_one_after_the_other_are_one_server(self, tmp_path: Path) -> None:
        write(tmp_path, {f"2026-10-{day}/x.log": log_text(day=day, seed=day) for day in (27, 28, 29)})
        assert [server for server, _ in found(tmp_path)] == ["ms1"] * 3

    @pytest.mark.parametrize("suffix", ["gz", "2026-10-27.gz"])
    def test_so_are_compressed_ones(self, tmp_path: Path, suffix: str) -> None:
        for day in (27, 28):
            name = suffix.replace("27", str(day))
            write(tmp_path, {f"{day}/x.log.{name}": gzip.compress(log_text(day=day, seed=day))})
        assert [server for server, _ in found(tmp_path)] == ["ms1"] * 2

    @pytest.mark.parametrize("suffix", ["gz", "2026-10-28.gz"])
    def test_compressed_ones_that_overlap_are_two(self, tmp_path: Path, suffix: str) -> None:
        write(tmp_path, {f"a/x.log.{suffix}": gzip.compress(log_text(20_000, seed=1))})
        write(tmp_path, {f"b/x.log.{suffix}": gzip.compress(log_text(20_000, seed=2))})
        assert [server for server, _ in found(tmp_path)] == ["a", "b"]

    def test_a_log_that_begins_late_in_another_overlaps_it(self, tmp_path: Path) -> None:
        long = log_text(200_000, seed=1)  # two hours
        write(tmp_path, {"a/x.gz": gzip.compress(long), "b/x.gz": gzip.compress(log_text(hour=1, seed=2))})
        assert [server for server, _ in found(tmp_path)] == ["a", "b"]
        write(tmp_path, {"b/x.gz": gzip.compress(log_text(hour=3, seed=2))})
        assert [server for server, _ in found(tmp_path)] == ["ms1", "ms1"]

    def test_days_of_servers_are_joined_by_the_directory_that_they_share(self, tmp_path: Path) -> None:
        for seed, (day, server) in enumerate(itertools.product((27, 28), ("ms1", "ms2"))):
            write(tmp_path, {f"{day}/{server}/x.log": log_text(day=day, seed=seed)})
        assert found(tmp_path) == [(server, f"{day}/{server}/x.log") for server in ("ms1", "ms2") for day in (27, 28)]

    def test_a_log_that_could_be_of_two_servers_is_of_neither(self, tmp_path: Path) -> None:
        days = {"a": 27, "b": 27, "c": 28}
        write(tmp_path, {f"{name}/x.log": log_text(day=day, seed=ord(name)) for name, day in days.items()})
        assert [server for server, _ in found(tmp_path)] == ["a", "b", "c"]

    @pytest.mark.parametrize(
        ("names", "servers"),
        [
            (("ms1-x.log", "ms2-x.log"), ["ms1", "ms2"]),
            (("x-east.log", "x-west.log"), ["east", "west"]),
            (("x.log.ms1", "x.log.ms2"), ["ms1", "ms2"]),
            (("alpha.log", "beta.log"), ["alpha", "beta"]),
            (("x.log", "x-second.log"), ["x", "second"]),
        ],
    )
    def test_names_of_files_in_one_directory(self, tmp_path: Path, names: tuple[str, str], servers: list[str]) -> None:
        write(tmp_path, {name: log_text(seed=number) for number, name in enumerate(names)})
        assert [server for server, _ in sorted(found(tmp_path), key=lambda pair: names.index(pair[1]))] == servers

    def test_files_in_one_directory_one_after_the_other_are_one_server(self, tmp_path: Path) -> None:
        write(tmp_path, {"before.log": log_text(), "after.log": log_text(hour=1, seed=2)})
        assert found(tmp_path) == [("ms1", "before.log"), ("ms1", "after.log")]

    def test_logs_that_share_a_context_are_of_one_process(self, tmp_path: Path) -> None:
        records = log_text(4000).splitlines(keepends=True)
        write(
            tmp_path, {"x.log": b"".join(records), "audit.log": b"".join(records[5:4000:9]).replace(b"step", b"call")}
        )
        assert [server for server, _ in found(tmp_path)] == ["ms1", "ms1"]

    def test_text_without_a_time_goes_with_what_stands_beside_it(self, tmp_path: Path) -> None:
        write(tmp_path, {"x.log": TEXT, "console.out": b"nothing but text\n"})
        assert found(tmp_path, "x.log", "console.out") == [("ms1", "x.log"), ("ms1", "console.out")]
        write(tmp_path, {"n1/x.log": TEXT, "n2/x.log": log_text(seed=2), "n2/console.out": b"nothing but text\n"})
        assert dict(map(reversed, found(tmp_path, "n1", "n2/x.log", "n2/console.out")))["n2/console.out"] == "n2"

    def test_the_same_directory_names_on_two_sites(self, tmp_path: Path) -> None:
        for seed, name in enumerate(("north/ms1", "north/ms2", "south/ms1")):
            write(tmp_path, {f"{name}/x.log": log_text(seed=seed)})
        assert [server for server, _ in found(tmp_path)] == ["ms2", "north/ms1", "south"]

    def test_many_servers_have_many_names(self, tmp_path: Path) -> None:
        names = [f"{random.Random(seed).getrandbits(40):x}" for seed in range(30)]
        write(tmp_path, {f"{name}/x.log": log_text(20, seed=seed) for seed, name in enumerate(names)})
        assert [server for server, _ in found(tmp_path)] == sorted(names)
