"""Lines: whole lines in chunks, read ahead, whatever the bytes are."""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logscope import lines
from logscope.errors import LogscopeError
from logscope.lines import chunks, valid_utf8
from logscope.model import Chunk, Source


def source_of(blocks: Iterable[bytes]) -> Source:
    kept = list(blocks)
    return Source("x.log", "management-server", "ms1", lambda: iter(kept))


def joined(found: Iterable[Chunk]) -> bytes:
    return b"".join(chunk.data for chunk in found)


def normal(data: bytes) -> bytes:
    data = data.removeprefix(b"\xef\xbb\xbf")
    data += b"" if data.endswith(b"\n") or not data else b"\n"
    return data.replace(b"\r\n", b"\n")


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "reading"]


def wait_until_no_reader() -> None:
    deadline = time.monotonic() + 5
    while readers() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert readers() == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"a\nb\n", b"a\nb\n"),
        (b"a\nb", b"a\nb\n"),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\r\nb\r", b"a\nb\n"),
        (b"a\rb\n", b"a\rb\n"),
        (b"a\0b\n\0", b"a\0b\n\0\n"),
        (b"\xef\xbb\xbfa\n", b"a\n"),
        ("größer\r\n".encode("utf-16"), "größer\n".encode()),
        (b"\xfe\xff" + "größer\n".encode("utf-16-be"), "größer\n".encode()),
        (b"\xff\xfea\0\n\0b", "a\n\ufffd\n".encode()),
        (b"\xff", b"\xff\n"),
    ],
)
def test_lines_end_with_a_line_feed_and_else_stay(data: bytes, expected: bytes) -> None:
    assert joined(chunks(source_of([data]))) == expected
    assert joined(chunks(source_of(bytes([byte]) for byte in data))) == expected


@settings(max_examples=300, deadline=None)
@given(
    blocks=st.lists(st.one_of(st.binary(max_size=30), st.text("ab\r\n", max_size=20).map(str.encode)), max_size=20),
    size=st.integers(1, 64),
)
def test_any_bytes_come_through_in_whole_lines(blocks: list[bytes], size: int) -> None:
    data = b"".join(blocks)
    found = list(chunks(source_of(blocks), size=size))
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        assert joined(found) == normal(data)
    line = 1
    for chunk in found:
        assert chunk.data.endswith(b"\n")
        assert chunk.first_line == line
        line += chunk.data.count(b"\n")


def test_chunks_are_about_as_large_as_asked_for() -> None:
    rows = [b"x" * 99 + b"\n"] * 100_000
    data = b"".join(rows)
    for blocks in (rows, [data[start : start + 77_777] for start in range(0, len(data), 77_777)]):
        sizes = [len(chunk.data) for chunk in chunks(source_of(blocks), size=1 << 20)]
        assert sum(sizes) == len(data)
        assert all(-100 <= size - (1 << 20) <= 77_777 for size in sizes[:-1])


def test_a_line_longer_than_a_chunk_is_one_line() -> None:
    long = b"y" * (30 << 20)
    data = b"first\n" + long + b"\nlast"
    blocks = [data[start : start + (1 << 20)] for start in range(0, len(data), 1 << 20)]
    found = list(chunks(source_of(blocks), size=1 << 16))
    assert joined(found) == data + b"\n"
    assert [chunk.first_line for chunk in found] == [1, 3]


def test_a_line_without_end_is_cut_and_told_and_the_next_keeps_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 2 << 20)
    data = b"first\n" + b"y" * (5 << 20) + b"\nthird\n"
    for step in (1 << 20, 100_003, 1 << 19):
        source = source_of(data[start : start + step] for start in range(0, len(data), step))
        found = list(chunks(source, size=1 << 16))
        assert joined(found) == b"first\n" + b"y" * (2 << 20) + b"\nthird\n"
        assert found[-1].first_line + found[-1].data.count(b"\n") == 4
        assert source.problems == ["line 2 is longer than 2 MiB and was cut short"]
        list(chunks(source))
        assert len(source.problems) == 1


class TestReadingAhead:
    def blocks(self, taken: list[int]) -> Iterator[bytes]:
        for number in range(1000):
            taken.append(number)
            yield b"line\n" * 10

    def test_no_thread_outlives_a_caller_that_stops(self) -> None:
        taken: list[int] = []
        source = Source("x", "k", "s", lambda: self.blocks(taken))
        stream = chunks(source, size=10)
        next(stream)
        stream.close()
        assert readers() == []
        assert len(taken) < 10

    def test_no_thread_outlives_a_caller_that_forgets(self) -> None:
        stream = chunks(Source("x", "k", "s", lambda: self.blocks([])), size=10)
        next(stream)
        del stream
        gc.collect()
        wait_until_no_reader()

    def test_no_thread_outlives_a_caller_that_fails(self) -> None:
        def consume() -> None:
            for _ in chunks(Source("x", "k", "s", lambda: self.blocks([])), size=10):
                raise KeyError("of the caller")

        with pytest.raises(KeyError):
            consume()
        gc.collect()
        wait_until_no_reader()

    def test_no_thread_is_left_at_the_end(self) -> None:
        assert sum(len(chunk.data) for chunk in chunks(Source("x", "k", "s", lambda: self.blocks([])))) == 50_000
        assert readers() == []

    def test_an_error_of_the_source_arrives_after_what_came_before_it(self) -> None:
        def blocks() -> Iterator[bytes]:
            yield b"good\n"
            raise LogscopeError("broken")

        stream = chunks(Source("x", "k", "s", blocks), size=1)
        assert next(stream) == Chunk(b"good\n", 1)
        with pytest.raises(LogscopeError, match="broken"):
            next(stream)
        assert readers() == []

    def test_a_source_that_cannot_be_opened_raises(self) -> None:
        def refuse() -> Iterator[bytes]:
            raise LogscopeError("closed")

        with pytest.raises(LogscopeError, match="closed"):
            next(chunks(Source("x", "k", "s", refuse)))

    def test_the_next_chunk_is_made_while_the_caller_works(self) -> None:
        taken: list[int] = []
        stream = chunks(Source("x", "k", "s", lambda: self.blocks(taken)), size=50)
        next(stream)
        deadline = time.monotonic() + 5
        while len(taken) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert 2 <= len(taken) <= 4
        stream.close()


class TestProgress:
    def test_it_counts_the_bytes_given_where_the_source_says_no_more(self) -> None:
        told: list[int] = []
        list(chunks(source_of([b"a\r\n", b"b\r\n", b"c"]), size=1, progress=told.append))
        assert told == sorted(told)
        assert told[-1] == 7

    def test_it_counts_what_the_source_consumed(self) -> None:
        class Stream:
            consumed = 0

            def __iter__(self) -> Iterator[bytes]:
                for _ in range(3):
                    self.consumed += 2
                    yield b"decompressed\n"

        told: list[int] = []
        list(chunks(Source("x", "k", "s", lambda: Stream()), size=1, progress=told.append))  # type: ignore[arg-type]
        assert told[-1] == 6


class TestUtf8:
    def test_good_text_is_given_back_itself(self) -> None:
        for data in (b"", b"plain\n", "größer 字 🙂\n".encode() * 100_000):
            assert valid_utf8(data)[0] is data
            assert valid_utf8(data)[1] == 0

    @pytest.mark.parametrize(
        ("data", "expected", "count"),
        [
            (b"caf\xe9\nplain\n", "caf\ufffd\nplain\n".encode(), 1),
            (b"\xff\xfe\n\xed\xa0\x80\n", "\ufffd\ufffd\n\ufffd\ufffd\ufffd\n".encode(), 2),
            (b"cut \xf0\x9f\x99\nnext\n", "cut \ufffd\nnext\n".encode(), 1),
            (b"a\n" * 5 + b"\xc3", b"a\n" * 5 + "\ufffd".encode(), 1),
        ],
    )
    def test_bad_bytes_are_replaced_and_their_lines_counted(self, data: bytes, expected: bytes, count: int) -> None:
        assert valid_utf8(data) == (expected, count)

    @given(st.lists(st.binary(max_size=20), max_size=20).map(b"\n".join))
    def test_any_bytes_become_text_of_as_many_lines(self, data: bytes) -> None:
        text, count = valid_utf8(data)
        text.decode()
        assert text.count(b"\n") == data.count(b"\n")
        assert (count == 0) == (text == data)

    def test_a_bad_byte_far_behind_is_found(self) -> None:
        data = bytearray("größer\n".encode() * 500_000)
        place = random.Random(1).randrange(3_000_000, len(data))
        data[place] = 0xFF
        assert valid_utf8(bytes(data))[1] == 1
