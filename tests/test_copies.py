"""A log beside an excerpt or a copy of itself: nothing is counted twice, and nothing is another server's."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from source_samples import log_text, zip_of

from bench.generate import write_log
from logscope.demand import for_rules
from logscope.model import Problem, Report
from logscope.pipeline import analyze
from logscope.session import Question, load_catalog, open_log
from logscope.sources import discover

BUFFER = io.BytesIO()
write_log(BUFFER, 1_000_000, dense=True)
WHOLE = BUFFER.getvalue()
LINES = WHOLE.splitlines(keepends=True)


def spoiled(lines: list[bytes]) -> bytes:
    """Some lines lost, some cut short, some with a byte changed."""
    chance = random.Random(3)
    kept = []
    for line in lines:
        fate = chance.random()
        place = chance.randrange(len(line))
        if fate > 0.06:
            kept.append(line)
        elif fate > 0.04:
            kept.append(line[:place] + b"\n")
        elif fate > 0.02:
            kept.append(line[:place] + b"7" + line[place + 1 :])
    return b"".join(kept)


@pytest.fixture(scope="module")
def judge() -> Callable[[Path], Report]:
    catalog = load_catalog([])
    rules = list(catalog.rules.values())

    def judged(folder: Path) -> Report:
        return analyze(open_log(Question([str(folder)]), catalog, for_rules(catalog, rules)).log, rules)

    return judged


def told(report: Report) -> set[tuple[str, str, int, int, str]]:
    return {(f.rule, str(f.resource), f.start, f.end, f.certainty) for f in report.findings}


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


MIDDLE = b"".join(LINES[1000:1500])
EXCERPTS = {
    "lines": ("part.log", MIDDLE),
    "torn-lines": ("part.log", MIDDLE[30:-30]),
    "carriage-returns": ("part.log", MIDDLE.replace(b"\n", b"\r\n")),
    "blanks": ("part.log", MIDDLE.replace(b"\n", b" \t\n")),
    "compressed": ("part.log.gz", gzip.compress(MIDDLE)),
    "in-an-archive": ("run.zip", zip_of({"ms/logs/m.log": MIDDLE})),
    "elsewhere": ("elsewhere/m.log", MIDDLE),
    "the-end": ("part.log", b"".join(LINES[-300:])),
}


@pytest.mark.parametrize(("name", "data"), EXCERPTS.values(), ids=EXCERPTS)
@pytest.mark.parametrize("is_packed", [False, True])
def test_an_excerpt_is_left_out(tmp_path: Path, name: str, data: bytes, is_packed: bool) -> None:
    whole = f"{tmp_path}/m.log.gz" if is_packed else f"{tmp_path}/m.log"
    write(tmp_path, {name: data, whole: gzip.compress(WHOLE) if is_packed else WHOLE})
    notes: list[Problem] = []
    sources, problems = discover([str(tmp_path)], notes=notes)
    assert [(source.name, source.server) for source in sources] == [(whole, "ms1")]
    assert problems == []
    assert [note.text for note in notes] == [f"is contained in {whole} and was left out"]


@pytest.mark.parametrize("end", [b"\r\n", b" \n"], ids=["carriage-returns", "blanks"])
def test_a_copy_with_other_line_ends_has_the_same_text(tmp_path: Path, end: bytes) -> None:
    write(tmp_path, {"a.log": WHOLE, "b.log": WHOLE.replace(b"\n", end)})
    notes: list[Problem] = []
    assert len(discover([str(tmp_path)], notes=notes)[0]) == 1
    assert [note.text for note in notes] == [f"has the same text as {tmp_path}/a.log and was left out"]


COPIES = {
    "selected-lines": b"".join(line for line in LINES if b"job-" in line),
    "numbered-lines": b"".join(b"%d:%s" % (n, line) for n, line in enumerate(LINES, 1) if b"job-" in line),
    "damaged": spoiled(LINES),
    "damaged-part": spoiled(LINES[1000:3000]),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("name", ["a.log", "z.log"])
def test_what_two_sources_hold_is_counted_once(
    tmp_path: Path, judge: Callable[[Path], Report], copy: bytes, name: str
) -> None:
    write(tmp_path, {"m.log": WHOLE})
    alone = judge(tmp_path)
    write(tmp_path, {name: copy})
    both = judge(tmp_path)
    assert told(both) == told(alone) != set()
    assert both.coverage.recognised == alone.coverage.recognised
    assert [failure.time for failure in both.failures] == [failure.time for failure in alone.failures]
    assert {source.server for source in both.sources} == {"ms1"}
    assert both.problems == []
    texts = [note.text for note in both.notes if note.source == f"{tmp_path}/{name}"]
    assert texts[0].endswith(f" of its events stand in {tmp_path}/m.log too and were counted once")
    assert ("it is a damaged copy" in "".join(texts)) == (copy in (COPIES["damaged"], COPIES["damaged-part"]))


def test_two_parts_that_overlap_are_one_log(tmp_path: Path, judge: Callable[[Path], Report]) -> None:
    write(
        tmp_path, {"whole/m.log": WHOLE, "parts/a.log": b"".join(LINES[:2000]), "parts/b.log": b"".join(LINES[1500:])}
    )
    whole, parts = judge(tmp_path / "whole"), judge(tmp_path / "parts")
    assert told(parts) == told(whole) != set()
    assert parts.coverage.recognised == whole.coverage.recognised
    assert [source.server for source in parts.sources] == ["ms1", "ms1"]


def test_a_record_that_one_source_holds_twice_stays_two(tmp_path: Path, judge: Callable[[Path], Report]) -> None:
    twice = b"".join(line * 2 for line in LINES)
    write(tmp_path, {"m.log": twice})
    alone = judge(tmp_path)
    write(tmp_path, {"n.log": b"".join(line for line in LINES if b"job-" in line)})
    assert judge(tmp_path).coverage.recognised == alone.coverage.recognised


def test_servers_that_write_at_one_time_are_two(tmp_path: Path) -> None:
    write(tmp_path, {"a/m.log": log_text(4000, seed=1), "b/m.log": log_text(4000, seed=2)})
    notes: list[Problem] = []
    assert [source.server for source in discover([str(tmp_path)], notes=notes)[0]] == ["a", "b"]
    assert notes == []
