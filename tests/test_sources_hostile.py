"""Sources: bombs, and any bytes at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from source_samples import ARCHIVES, TEXT, read, streamed_zip_of, tar_of, zip_of

from logscope.model import Problem
from logscope.sources import discover, limits


class TestBombs:
    @pytest.mark.parametrize("compress", [bz2.compress, zstandard.compress], ids=["bzip2", "zstd"])
    def test_a_stream_that_unpacks_without_measure_is_cut_off(
        self, tmp_path: Path, compress: Callable[[bytes], bytes]
    ) -> None:
        (tmp_path / "a").write_bytes(compress(TEXT) + compress(bytes(130 << 20)))
        sources, _ = discover([str(tmp_path / "a")])
        size = sum(map(len, sources[0].open()))
        assert size <= limits.FREE_BYTES
        assert sources[0].problems == ["unpacks to more than 2000 times its size; what goes beyond is left out"]

    def test_a_log_that_compresses_very_well_is_no_bomb(self, tmp_path: Path) -> None:
        text = TEXT + b"2026-10-28 00:00:10,000 DEBUG [o.e.Worker] (main:null) again\n" * 2_000_000
        assert len(text) > limits.FREE_BYTES
        (tmp_path / "a").write_bytes(gzip.compress(text))
        sources, _ = discover([str(tmp_path / "a")])
        assert sum(map(len, sources[0].open())) == len(text)
        assert sources[0].problems == []

    def test_a_log_beyond_the_limit_of_a_log_is_cut_off(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "MAX_STREAM", 1 << 30)
        with open(tmp_path / "a", "wb") as file:
            file.write(TEXT)
            file.truncate(1 << 30 | 1 << 20)
        sources, _ = discover([str(tmp_path / "a")])
        assert sum(map(len, sources[0].open())) <= 1 << 30
        assert sources[0].problems == ["is longer than 1 GiB; what goes beyond is left out"]

    def test_overlapping_members_are_refused(self, tmp_path: Path) -> None:
        data = bytearray(zip_of({"a": TEXT, "b": TEXT}))
        second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
        data[second + 20 : second + 24] = (1 << 30).to_bytes(4, "little")
        (tmp_path / "a.zip").write_bytes(data)
        sources, problems = discover([str(tmp_path / "a.zip")])
        assert sources == []
        assert "overlap" in problems[0].text

    def test_archives_that_multiply_are_given_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "FREE_BYTES", 1 << 20)
        monkeypatch.setattr(limits, "MAX_RATIO", 100)
        data = gzip.compress(bytes(100_000))
        for _ in range(3):
            data = zip_of({f"{number:03}": data for number in range(40)})
        (tmp_path / "a.zip").write_bytes(data)
        started = time.process_time()
        sources, problems = discover([str(tmp_path / "a.zip")])
        assert time.process_time() - started < 20
        assert sources == []
        assert any("unpacks to more than" in problem.text for problem in problems)

    @pytest.mark.parametrize("pack", [zip_of, tar_of, ARCHIVES["tgz"]], ids=["zip", "tar", "tgz"])
    def test_a_hundred_thousand_members_are_read_and_no_more(
        self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        members = {f"{number % 100}/{number}": b"" for number in range(20_000)} | {"x.log": TEXT}
        (tmp_path / "a").write_bytes(pack(members))
        started = time.process_time()
        sources, problems = discover([str(tmp_path / "a")])
        assert time.process_time() - started < 20
        assert ([read(source) for source in sources], problems) == ([TEXT], [])
        monkeypatch.setattr("logscope.sources.files.MAX_MEMBERS", 20_000)
        sources, problems = discover([str(tmp_path / "a")])
        assert sources == []
        assert problems[0] == Problem(str(tmp_path / "a"), "holds more than 20,000 files; the rest was left out")


MAGIC = [
    gzip.compress(TEXT),
    bz2.compress(TEXT),
    lzma.compress(TEXT),
    zstandard.compress(TEXT),
    zip_of({"a": TEXT, "b/c": TEXT}),
    streamed_zip_of({"a": TEXT, "b/c": TEXT}),
    tar_of({"a": TEXT, "b/c": TEXT}),
    tar_of({"a" * 200: TEXT}, form=tarfile.GNU_FORMAT),
    TEXT,
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    base=st.sampled_from(MAGIC),
    changes=st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(max_size=6)), max_size=6),
    cut=st.integers(0, 1 << 20),
    noise=st.binary(max_size=200),
)
def test_any_bytes_give_sources_or_problems(
    tmp_path: Path, base: bytes, changes: list[tuple[int, bytes]], cut: int, noise: bytes
) -> None:
    data = bytearray(base)
    for position, change in changes:
        # Headers stand at the front and at the end: there a change does the most.
        place = position % 64 if position % 3 else len(data) - position % 300
        data[place : place + len(change)] = change
    data = data[: cut % (4 * len(data) + 1)] + noise
    (tmp_path / "a").write_bytes(data)
    sources, problems = discover([str(tmp_path)])
    for source in sources:
        for _ in source.open():
            pass
    assert sources or problems
