"""Sources: compressions and archives, whole and damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from source_samples import ARCHIVES, COMPRESSIONS, TEXT, log_text, read, tar_of

from logscope.model import Problem
from logscope.sources import DEFAULT_KIND, discover


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)
class TestCompressions:
    def test_is_told_by_content_not_by_suffix(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        (tmp_path / "server.log").write_bytes(compress(TEXT))
        sources, problems = discover([str(tmp_path / "server.log")])
        assert problems == []
        assert read(sources[0]) == TEXT
        assert sources[0].problems == []
        assert sources[0].size == (tmp_path / "server.log").stat().st_size

    def test_several_streams_are_one_text(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        (tmp_path / "a").write_bytes(compress(TEXT) + compress(b"") + compress(TEXT))
        sources, _ = discover([str(tmp_path / "a")])
        assert read(sources[0]) == TEXT + TEXT
        assert sources[0].problems == []

    def test_zeros_at_the_end_are_padding(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        (tmp_path / "a").write_bytes(compress(TEXT) + bytes(1024))
        sources, _ = discover([str(tmp_path / "a")])
        assert (read(sources[0]), sources[0].problems) == (TEXT, [])

    def test_garbage_at_the_end_is_told_and_costs_nothing(
        self, tmp_path: Path, compress: Callable[[bytes], bytes]
    ) -> None:
        (tmp_path / "a").write_bytes(compress(TEXT) + b"and something else")
        sources, _ = discover([str(tmp_path / "a")])
        assert read(sources[0]) == TEXT
        assert len(sources[0].problems) == 1
        assert "ends after" in sources[0].problems[0]

    def test_a_cut_stream_gives_its_beginning_and_a_problem(
        self, tmp_path: Path, compress: Callable[[bytes], bytes]
    ) -> None:
        text = log_text(4000)
        packed = compress(text)
        previous = -1
        for cut in range(len(packed) // 50, len(packed) - 12, len(packed) // 50):
            path = tmp_path / "cut"
            path.write_bytes(packed[:cut])
            sources, problems = discover([str(path)])
            if not sources:
                assert previous <= 0
                assert [problem.source for problem in problems] == [str(path)]
                continue
            got = read(sources[0])
            assert text.startswith(got)
            assert len(got) >= previous
            assert len(sources[0].problems) == 1
            previous = len(got)
        assert previous > len(text) // 2 or compress is bz2.compress

    def test_a_flipped_byte_loses_nothing_before_it(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        text = log_text(30_000)
        packed = bytearray(compress(text))
        packed[len(packed) // 2] ^= 0xFF
        (tmp_path / "a").write_bytes(packed)
        sources, _ = discover([str(tmp_path / "a")])
        got = read(sources[0])
        assert got[: len(text) // 4] == text[: len(text) // 4]
        assert len(sources[0].problems) == 1

    def test_reading_twice_tells_a_problem_once(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        (tmp_path / "a").write_bytes(compress(log_text(20_000))[:-12])
        sources, _ = discover([str(tmp_path / "a")])
        assert read(sources[0]) == read(sources[0])
        assert len(sources[0].problems) == 1

    def test_compressed_over_again(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        (tmp_path / "a").write_bytes(gzip.compress(compress(TEXT)))
        sources, _ = discover([str(tmp_path / "a")])
        assert read(sources[0]) == TEXT

    def test_a_compressed_tar(self, tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
        other = log_text(100, day=29)
        (tmp_path / "a").write_bytes(compress(tar_of({"ms1/x.log.1": TEXT, "readme": b"no log", "ms1/x.log": other})))
        sources, problems = discover([str(tmp_path / "a")])
        assert problems == []
        assert [source.name for source in sources] == [f"{tmp_path}/a!ms1/x.log.1", f"{tmp_path}/a!ms1/x.log"]
        assert [read(source) for source in reversed(sources)] == [other, TEXT]


def test_a_gzip_cut_at_every_byte_of_its_end_keeps_all_that_can_be_decoded(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    for cut in range(len(packed) - 60, len(packed)):
        (tmp_path / "a").write_bytes(packed[:cut])
        sources, _ = discover([str(tmp_path / "a")])
        got = read(sources[0])
        assert TEXT.startswith(got)
        if cut >= len(packed) - 8:  # only checksum and length are missing
            assert got == TEXT
        assert sources[0].problems == [
            f"the gzip stream ends early after {len(got):,} bytes; what was readable is reported"
        ]


def test_a_wrong_checksum_is_told_and_the_text_is_whole(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 1
    (tmp_path / "a").write_bytes(packed)
    sources, _ = discover([str(tmp_path / "a")])
    assert read(sources[0]) == TEXT
    assert sources[0].problems == [
        f"the gzip stream of {len(TEXT):,} bytes fails its checksum; it is reported as it is"
    ]


def test_without_zstandard_the_problem_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    sources, problems = discover([str(tmp_path / "a.zst")])
    assert sources == []
    assert problems == [
        Problem(
            str(tmp_path / "a.zst"),
            "is compressed with zstd, which needs the package zstandard: pip install 'logscope[zstd]'",
        )
    ]


@pytest.mark.parametrize("pack", ARCHIVES.values(), ids=ARCHIVES)
class TestArchives:
    def test_members_are_told_by_content(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        members = {
            "run/ms1/x.log.2026-10-28.gz": gzip.compress(TEXT),
            "run/ms1/x.log": log_text(day=29),
            "run/notes.txt": b"nothing to see\n",
            "run/empty.log": b"",
            "run/picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\r" * 20,
        }
        (tmp_path / "run.bin").write_bytes(pack(members))
        sources, problems = discover([str(tmp_path / "run.bin")])
        prefix = f"{tmp_path}/run.bin!run/ms1/"
        assert [source.name for source in sources] == [prefix + "x.log.2026-10-28.gz", prefix + "x.log"]
        assert [read(source) for source in sources] == [TEXT, log_text(day=29)]
        assert {(source.kind, source.server) for source in sources} == {(DEFAULT_KIND, "ms1")}
        assert problems == [Problem(f"{tmp_path}/run.bin", "1 binary file in it was left out")]
        for source in sources:
            stream = source.open()
            assert sum(map(len, stream)) > 0
            assert stream.consumed == source.size  # type: ignore[attr-defined]

    def test_long_names_and_other_scripts(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        ustar = pack is ARCHIVES["tar-ustar"]  # has room for 255 bytes
        name = "журнал/" + "a-very-long-directory/" * (8 if ustar else 12) + "x.log"
        (tmp_path / "a").write_bytes(pack({name: TEXT}))
        sources, _ = discover([str(tmp_path / "a")])
        assert sources[0].name == f"{tmp_path}/a!{name}"

    def test_names_that_lead_outside_are_made_harmless(
        self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]
    ) -> None:
        members = {"../../etc/x.log": TEXT, "/abs/y.log": log_text(seed=2), "a\x1b[31m\n.log": log_text(seed=3)}
        (tmp_path / "a").write_bytes(pack(members))
        sources, _ = discover([str(tmp_path / "a")])
        names = {source.name.removeprefix(f"{tmp_path}/a!") for source in sources}
        assert names == {"etc/x.log", "abs/y.log", "a\ufffd[31m\ufffd.log"}
        assert os.listdir(tmp_path) == ["a"]

    def test_archives_in_archives(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        inner = pack({"deep/x.log": TEXT, "deep/y.log": log_text(day=29)})
        for wrap in ARCHIVES.values():
            middle = wrap({"inner.bin": inner, "beside.log": log_text(day=27)})
            (tmp_path / "outer").write_bytes(wrap({"z/middle.bin": middle}))
            sources, problems = discover([str(tmp_path / "outer")])
            prefix = f"{tmp_path}/outer!z/middle.bin!"
            assert problems == []
            assert [source.name.removeprefix(prefix) for source in sources] == [
                "beside.log",
                "inner.bin!deep/x.log",
                "inner.bin!deep/y.log",
            ]
            assert [read(source) for source in sources] == [log_text(day=27), TEXT, log_text(day=29)]

    def test_too_deep_is_told(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        data = TEXT
        for _ in range(5):
            data = pack({"x": data})
        (tmp_path / "a").write_bytes(data)
        sources, problems = discover([str(tmp_path / "a")])
        assert sources == []
        assert [problem.text for problem in problems] == ["is an archive in more than 3 others and was left out"]
        assert problems[0].source == f"{tmp_path}/a!x!x!x!x"

    def test_cut_anywhere_it_gives_what_it_can(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        texts = {"a.log": log_text(300, 27), "b.log": log_text(300, 28, 2), "c.log": log_text(300, 29, 3)}
        packed = pack(texts)
        best = 0
        for cut in range(len(packed) // 50, len(packed) - 1100, len(packed) // 50):
            path = tmp_path / "cut"
            path.write_bytes(packed[:cut])
            sources, problems = discover([str(path)])
            total = 0
            for source in sources:
                got = read(source)
                total += len(got)
                whole = texts[source.name.rpartition("!")[2]]
                assert whole.startswith(got)
                assert got == whole or source.problems
            assert problems or total == sum(map(len, texts.values()))
            assert total >= best
            best = total
        assert best >= 2 * len(texts["a.log"]) - 80

    def test_an_archive_without_a_log_is_told(self, tmp_path: Path, pack: Callable[[dict[str, bytes]], bytes]) -> None:
        (tmp_path / "a").write_bytes(pack({"x.txt": b"hello\n"}))
        sources, problems = discover([str(tmp_path / "a")])
        assert sources == []
        assert [problem.text.split(":")[0] for problem in problems] == ["holds no log"]


def test_links_and_devices_in_a_tar_are_skipped_and_told(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind in (("to-shadow", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("null", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "../../etc/shadow"
            archive.addfile(info)
        info = tarfile.TarInfo("x.log")
        info.size = len(TEXT)
        archive.addfile(info, io.BytesIO(TEXT))
    (tmp_path / "a.tar").write_bytes(buffer.getvalue())
    sources, problems = discover([str(tmp_path / "a.tar")])
    assert [read(source) for source in sources] == [TEXT]
    assert [problem.text for problem in problems] == [
        "null was left out: a device",
        "to-shadow and 1 more were left out: a link",
    ]


def test_links_and_encrypted_members_of_a_zip_are_skipped_and_told(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.log")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("secret.log", TEXT)
        archive.writestr("x.log", TEXT)
    data = bytearray(buffer.getvalue())
    directory = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[directory + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    sources, problems = discover([str(tmp_path / "a.zip")])
    assert [source.name for source in sources] == [f"{tmp_path}/a.zip!x.log"]
    assert [problem.text for problem in problems] == [
        "link.log was left out: a link",
        "secret.log was left out: encrypted",
    ]


def test_a_broken_header_in_a_tar_costs_one_member(tmp_path: Path) -> None:
    texts = [log_text(300, 27), log_text(300, 28, 2), log_text(300, 29, 3)]
    data = bytearray(tar_of({f"{number}.log": text for number, text in enumerate(texts)}, form=tarfile.USTAR_FORMAT))
    broken = data.index(b"1.log")
    data[broken + 3] ^= 1
    (tmp_path / "a.tar").write_bytes(data)
    sources, problems = discover([str(tmp_path / "a.tar")])
    assert [read(source) for source in sources] == [texts[0], texts[2]]
    text = f"the archive is damaged at byte {broken:,}; what was readable is reported"
    assert problems == [Problem(f"{tmp_path}/a.tar", text)]


def test_members_of_one_name_are_told_apart(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for day in (28, 29):
            info = tarfile.TarInfo("x.log")
            data = log_text(day=day)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    (tmp_path / "a.tar").write_bytes(buffer.getvalue())
    sources, _ = discover([str(tmp_path / "a.tar")])
    assert [source.name.rpartition("!")[2] for source in sources] == ["x.log", "x.log#2"]
    assert [read(source) for source in sources] == [log_text(day=28), log_text(day=29)]
