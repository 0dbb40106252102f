"""Sources: what stands in files, directories, globs, pipes and the standard input, and what a log looks like."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from source_samples import TEXT, log_text, read, zip_of

from logscope.model import Problem
from logscope.sources import discover, walk
from logscope.sources.sniff import first_time, is_log


class TestFilesAndDirectories:
    def test_a_directory_gives_its_logs_and_nothing_else(self, tmp_path: Path) -> None:
        (tmp_path / "deep" / "er").mkdir(parents=True)
        (tmp_path / "deep" / "er" / "x.log").write_bytes(TEXT)
        (tmp_path / "deep" / ".hidden.log").write_bytes(TEXT)
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git" / "y.log").write_bytes(TEXT)
        (tmp_path / "notes.txt").write_text("Deploy on 2026-10-28 failed, see ERROR in the log.\n")
        (tmp_path / "empty.log").touch()
        (tmp_path / "a.bin").write_bytes(bytes(100))
        (tmp_path / "b.bin").write_bytes(bytes(200))
        os.mkfifo(tmp_path / "pipe.log")
        sources, problems = discover([str(tmp_path)])
        assert [source.name for source in sources] == [f"{tmp_path}/deep/er/x.log"]
        assert problems == [Problem(str(tmp_path), "2 binary files in it were left out")]

    def test_links_out_of_the_tree_are_told_and_links_into_it_are_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "tree" / "sub").mkdir(parents=True)
        (tmp_path / "outside.log").write_bytes(TEXT)
        (tmp_path / "tree" / "x.log").write_bytes(log_text(day=29))
        (tmp_path / "tree" / "current.log").symlink_to("x.log")
        (tmp_path / "tree" / "sub" / "loop").symlink_to("..")
        (tmp_path / "tree" / "out.log").symlink_to("../outside.log")
        sources, problems = discover([str(tmp_path / "tree")])
        assert [source.name for source in sources] == [f"{tmp_path}/tree/x.log"]
        assert problems == [
            Problem(
                f"{tmp_path}/tree/out.log", "is a link out of the directory, not followed; name its target to read it"
            )
        ]
        sources, problems = discover([str(tmp_path / "tree" / "out.log")])
        assert (len(sources), problems) == (1, [])

    def test_a_directory_without_a_log_is_told(self, tmp_path: Path) -> None:
        assert discover([str(tmp_path)]) == ([], [Problem(str(tmp_path), "holds no log: it is empty")])
        (tmp_path / "notes.txt").write_text("nothing\n")
        _, problems = discover([str(tmp_path)])
        assert problems[0].text.startswith("holds no log: of 1 files none has a line like '2026-")

    def test_a_named_file_is_read_whatever_it_says(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("no time, no level\n")
        sources, problems = discover([str(tmp_path / "notes.txt")])
        assert problems == []
        assert (sources[0].first, read(sources[0])) == (None, b"no time, no level\n")

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"", "is empty"),
            (gzip.compress(b"", mtime=0), "is empty"),
            (b"\x7fELF\0\0\0", "is a binary file, not a log"),
            (gzip.compress(bytes(10), mtime=0), "is a binary file, not a log"),
            (b"\x1f\x8b\x08\0\0", "the gzip stream ends early after 0 bytes; what was readable is reported"),
        ],
    )
    def test_a_named_file_that_is_none_is_told(self, tmp_path: Path, content: bytes, text: str) -> None:
        (tmp_path / "a").write_bytes(content)
        assert discover([str(tmp_path / "a")]) == ([], [Problem(str(tmp_path / "a"), text)])

    def test_what_is_not_there_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "x.log").write_bytes(TEXT)
        sources, problems = discover([f"{tmp_path}/gone.log", f"{tmp_path}/*.gz", f"{tmp_path}/x.log"])
        assert len(sources) == 1
        assert problems == [
            Problem(f"{tmp_path}/*.gz", "no file fits this glob"),
            Problem(f"{tmp_path}/gone.log", "no such file or directory"),
        ]

    def test_what_may_not_be_read_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_args: object, **_options: object) -> None:
            raise PermissionError(13, "Permission denied")

        (tmp_path / "x.log").write_bytes(TEXT)
        monkeypatch.setattr("logscope.sources.content.open", refuse, raising=False)
        for path in (f"{tmp_path}/x.log", str(tmp_path)):
            sources, problems = discover([path])
            assert sources == []
            assert problems == [Problem(f"{tmp_path}/x.log", "cannot be read: permission denied")]

    def test_what_stands_where_one_may_not_look_is_not_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_args: object, **_options: object) -> None:
            raise PermissionError(13, "Permission denied")

        for name in ("stat", "lstat"):
            monkeypatch.setattr(f"os.{name}", refuse)
        path = f"{tmp_path}/closed/x.log"
        assert discover([path]) == ([], [Problem(path, "cannot be read: permission denied")])

    def test_a_file_that_vanishes_is_told_by_its_source(self, tmp_path: Path) -> None:
        (tmp_path / "x.log").write_bytes(TEXT)
        sources, _ = discover([f"{tmp_path}/x.log"])
        (tmp_path / "x.log").unlink()
        assert read(sources[0]) == b""
        assert sources[0].problems == ["cannot be read: no such file or directory"]

    def test_globs_that_the_shell_left_alone(self, tmp_path: Path) -> None:
        for name in ("a/x.log", "b/x.log", "b/notes.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(log_text(day=28 + (name[0] == "b")) if "log" in name else b"notes\n")
        names = [source.name.removeprefix(f"{tmp_path}/") for source in discover([f"{tmp_path}/*/x.log"])[0]]
        assert names == ["a/x.log", "b/x.log"]
        assert len(discover([f"{tmp_path}/**/x.*"])[0]) == 2
        (tmp_path / "[odd].log").write_bytes(TEXT)
        assert len(discover([f"{tmp_path}/[odd].log"])[0]) == 1

    def test_names_that_are_not_utf8_can_be_shown(self, tmp_path: Path) -> None:
        path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.log")
        with open(path, "wb") as file:
            file.write(TEXT)
        sources, _ = discover([str(tmp_path)])
        assert sources[0].name == f"{tmp_path}/caf\ufffd.log"
        assert read(sources[0]) == TEXT

    def test_utf16_is_text(self, tmp_path: Path) -> None:
        (tmp_path / "x.log").write_bytes(TEXT.decode().encode("utf-16"))
        sources, problems = discover([str(tmp_path)])
        assert problems == []
        assert sources[0].first == first_time(TEXT)

    def test_a_log_with_nul_bytes_is_a_log(self, tmp_path: Path) -> None:
        (tmp_path / "x.log").write_bytes(b"\0" * 100 + b"\n" + TEXT)
        assert len(discover([str(tmp_path)])[0]) == 1
        assert len(discover([str(tmp_path / "x.log")])[0]) == 1


class TestStandardInput:
    @pytest.fixture(params=["small", "large"])
    def text(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bytes:
        if request.param == "large":
            monkeypatch.setattr("logscope.sources.content._IN_MEMORY", 1000)
        return log_text(3000)

    @pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda text: zip_of({"x.log": text})])
    def test_it_can_be_read_again_and_at_once(
        self, monkeypatch: pytest.MonkeyPatch, text: bytes, pack: Callable[[bytes], bytes]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(text))))
        sources, problems = discover(["-"])
        assert problems == []
        assert sources[0].name == "stdin" if pack is not None and len(pack(b"")) < 50 else True
        results: list[bytes] = []
        threads = [threading.Thread(target=lambda: results.append(read(sources[0]))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [text] * 4

    def test_an_empty_one_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        assert discover(["-"]) == ([], [Problem("stdin", "is empty")])

    def test_a_closed_one_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        assert discover(["-"]) == ([], [Problem("stdin", "is closed")])

    def test_a_named_pipe_is_read_like_it(self, tmp_path: Path) -> None:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
        writer.start()
        sources, problems = discover([str(path)])
        writer.join()
        assert problems == []
        assert read(sources[0]) == read(sources[0]) == TEXT

    def test_a_device_is_refused(self) -> None:
        assert discover(["/dev/zero"]) == ([], [Problem("/dev/zero", "is neither a file nor a directory")])


@pytest.mark.parametrize(
    "line",
    [
        b"2026-10-28 01:20:23,709 DEBUG [o.e.Worker] (main:null) text",
        b"2026-10-28T01:20:23,709 INFO  [o.e.Worker] (main:[]) (logid:) text",
        b"2026-10-28 01:20:23.709 WARN [e.Worker] (main:null) text",
        b"./vmops.log:1000042:2026-10-28 01:20:23,709 DEBUG [o.e.Worker] (main:null) text",
        b"srv02 2026-10-28 01:20:23,709 DEBUG [o.e.Worker] (main:null) text",
        b"2026-10-28T01:20:23.7104567Z 2026-10-28 01:20:23,709 DEBUG [o.e.Worker] (main:null) text",
    ],
)
def test_lines_that_make_a_log(line: bytes) -> None:
    assert is_log(b"\tat something\n" + line + b"\n")
    assert first_time(line) == 1_793_150_423_709_000


def test_journal_lines_make_a_log_of_no_year() -> None:
    line = b"Mar  9 14:20:31 host java[1204]: INFO  [o.e.Worker] (main:null) text\n"
    assert is_log(line)
    assert first_time(line) == 952_611_631_000_000


@pytest.mark.parametrize(
    "line",
    [
        b"2026-10-28 01:20:23,709 - DEBUG - ::::STARTED : TC: test_x ::::",
        b'192.0.2.1 - - [28/Oct/2026:01:20:23 +0000] "GET / HTTP/1.1" 200 1 "-" "INFO"',
        b"2026-10-28 01:20:23,709 INFO     Executing: something",
        b"9999-99-99 01:20:23,709 DEBUG [o.e.Worker] (main:null) text",
        b"x" * 300 + b"2026-10-28 01:20:23,709 DEBUG [o.e.Worker] (main:null) quoted in a long line",
    ],
)
def test_lines_that_make_no_log(line: bytes) -> None:
    assert not is_log(line + b"\n")


def test_walk_gives_files_that_are_no_logs_too(tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(zip_of({"results.txt": b"Ran 10 tests\n", "x.log": TEXT}))
    problems: list[Problem] = []
    files = list(walk(str(tmp_path), problems))
    assert [(file.name, file.head) for file in files] == [
        (f"{tmp_path}/run.zip!results.txt", b"Ran 10 tests\n"),
        (f"{tmp_path}/run.zip!x.log", TEXT[: 64 << 10]),
    ]
    assert b"".join(files[0].open([])) == b"Ran 10 tests\n"
