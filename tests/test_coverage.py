"""How much of a log the grammars understand, and grammars for what they do not."""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

import pytest
from cli_runner import NETWORK, logscope

from logscope.coverage import cover
from logscope.language.catalog import Catalog
from logscope.language.load import load
from logscope.mining import Mined, mine
from logscope.selftest import run
from logscope.sources import discover
from logscope.stubs import stub

GRAMMAR = """grammar small

type thing
  match | thing-{id:int}

event thing.taken
  match | {thing:thing} is taken
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    file = tmp_path_factory.mktemp("grammars") / "small.lsg"
    file.write_text(GRAMMAR)
    return load([file], use_cache=False)[0]


def record(message: str, logger: str = "o.e.Keeper", level: str = "DEBUG", second: int = 1) -> str:
    return (
        f"2026-10-29 01:20:{second:02},709 {level:<5} [{logger}] (Worker-1:[ctx-0a0b0c0d]) (logid:0a0b0c0d) {message}"
    )


def log(*records: str) -> str:
    return "".join(f"{line}\n" for line in records)


def mined(folder: Path, catalog: Catalog, text: str) -> Mined:
    (folder / "a.log").write_text(text)
    return mine(cover(discover([str(folder / "a.log")])[0], [], catalog))


def test_every_record_counts_once(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "a.log").write_text(
        log(
            record("thing-5 is taken"),
            record("thing-6 is taken", "o.e.Keeper$2"),
            record("thing-x is taken"),
            record("nothing to do") + "\n\tat org.example.Keeper.run(Keeper.java)",
            record("poll", "o.e.Poller"),
        )
    )
    found = cover(discover([str(tmp_path)])[0], [], catalog)
    assert (found.records, found.recognised) == (5, 2)
    assert [(one.name, one.records, one.recognised) for one in found.kinds] == [("management-server", 5, 2)]
    assert [(one.name, one.records, one.recognised) for one in found.loggers] == [("Keeper", 4, 2), ("Poller", 1, 0)]
    assert found.events == [("thing.taken", 2)]
    assert found.unknown.select("mask", "count", "line").rows() == [
        ("thing-x is taken", 1, 3), ("nothing to do", 1, 4), ("poll", 1, 6),
    ]  # fmt: skip


def test_messages_that_differ_in_numbers_and_names_are_one(tmp_path: Path, catalog: Catalog) -> None:
    uuid = "3d9a5f0e-7c41-4b7e-9d34-0c8f1a6b2e57"
    found = mined(
        tmp_path,
        catalog,
        log(
            record("copied alpha from pool 1 to pool 22 in 350 ms", second=1),
            record("copied beta from pool 3 to pool 4 in 12 ms", second=2),
            record("copied gamma from pool 3 to pool 4 in 12 ms", second=3),
            record(f"volume [name=a, uuid={uuid}] is gone", second=4),
            record(f"volume [name=b, uuid={uuid.replace('3', '4')}] is gone", second=5),
            record("copied alpha from pool 1 to pool 22 in 350 ms", "o.e.Other", second=6),
        ),
    )
    assert [(one.count, one.logger, one.text) for one in found.messages] == [
        (3, "Keeper", "copied <*> from pool <*> to pool <*> in <*> ms"),
        (2, "Keeper", "volume [name=<*>, uuid=<*>] is gone"),
        (1, "Other", "copied alpha from pool <*> to pool <*> in <*> ms"),
    ]
    assert found.messages[0].examples[0].place.endswith("a.log:1")
    assert found.is_joined
    assert found.left == 0


MESSAGES = (
    "copied from pool 1 to pool 22 in 350 ms",
    'state of {"id":5,"name":"web-1"} {{is known}} by 3d9a5f0e-7c41-4b7e-9d34-0c8f1a6b2e57',
    "{5} of {x}{7} done",
    "job 5 of server 7 where level 3 is 0x1f",
    "x" * 400,
    "step 1 " + "and so on " * 60,
    "ends with a brace {1",
    "takes 5",
    "  two  blanks   7 ",
    "12",
)


@pytest.mark.parametrize("message", MESSAGES[:-1], ids=range(len(MESSAGES) - 1))
def test_a_stub_is_a_sound_grammar_that_reads_its_sample(message: str, tmp_path: Path, catalog: Catalog) -> None:
    found = mined(tmp_path, catalog, log(record(message, level="WARN")))
    text = stub(found.messages[0], catalog)
    (tmp_path / "stub.lsg").write_text(text)
    loaded, _, mistakes = load([tmp_path / "stub.lsg"], use_cache=False)
    assert [*mistakes, *run(loaded, loaded.rules.values())] == [], text
    assert "  level  WARN\n" in text
    assert "  logger Keeper\n" in text


def test_a_stub_names_its_fields_and_gives_them_narrow_types(tmp_path: Path, catalog: Catalog) -> None:
    found = mined(
        tmp_path,
        catalog,
        log(
            record("copied alpha from pool 1 to hostName x-1, job 5"),
            record("copied b@c from pool 3 to hostName y, job 6"),
        ),
    )
    text = stub(found.messages[0], catalog)
    assert (
        "match  | copied {copied:word} from pool {pool:int} to hostName {host_name:name}, job {job_value:int}" in text
    )
    assert text.startswith("grammar local\n\nevent new.copied_from_pool_to\n")


def test_the_same_bytes_come_out_whatever_the_order_of_files(tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        path = tmp_path / f"{number}.log.gz"
        lines = [
            record(f"poll {word} of {number}", second=number)
            for word in ("ann", "bob", "cid")
            for _ in range(number + 1)
        ]
        path.write_bytes(gzip.compress(log(*lines).encode(), mtime=0))
        paths.append(path)
    told = {logscope("grammar", "coverage", *order, "--format", "json").raw for order in (paths, paths[::-1])}
    assert len(told) == 1


def test_the_table_and_the_json_say_the_same(tmp_path: Path) -> None:
    text = logscope("grammar", "coverage", NETWORK)
    plain = json.loads(logscope("grammar", "coverage", NETWORK, "--format", "json").out)
    assert text.code == 0
    assert text.err == ""
    assert text.out.startswith(f"{plain['records']:,} records, {plain['recognised']:,} of them (")
    assert plain["schema"] == "logscope/coverage/1"
    assert sum(one["records"] for one in plain["kinds"]) == plain["records"]
    assert sum(one["records"] for one in plain["loggers"]) == plain["records"]
    assert sum(one["records"] for one in plain["events"]) == plain["recognised"]
    unknown = sum(one["records"] for one in plain["messages"]) + plain["more"]["records"]
    assert unknown == plain["records"] - plain["recognised"]


def test_a_stub_from_the_command_line_passes_the_check_and_reads_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(log(record("the kettle of host 5 boils", "c.c.k.KettleManagerImpl")))
    done = logscope("grammar", "coverage", path, "--stub", "1")
    assert done.code == 0
    assert "take out of it what others must not see" in done.err
    (tmp_path / "new.lsg").write_bytes(done.raw)
    assert logscope("grammar", "check", tmp_path / "new.lsg").code == 0
    again = json.loads(logscope("grammar", "coverage", path, "--grammars", tmp_path, "--format", "json").out)
    assert (again["records"], again["recognised"], again["messages"]) == (1, 1, [])


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ((), 2, "missing argument 'PATH'"),
        (("a.log", "--stub", "2"), 2, "there is no unknown message number 2; the last one is 1"),
        (("a.log", "--stub", "0"), 2, "'--stub'"),
        (("a.log", "--format", "xml"), 2, "there is no format 'xml'; choose one of text, json"),
        (("gone.log",), 3, "nothing could be read: gone.log: no such file or directory"),
        (("b.log",), 3, "no line has a recognised header"),
    ],
)
def test_wrong_use_is_one_clear_error(
    args: tuple[str, ...], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(log(record("12")))
    Path("b.log").write_text("no header\n")
    done = logscope("grammar", "coverage", *args)
    assert done.code == code
    assert re.fullmatch(r"logscope: error: .*\n", done.err)
    assert said in done.err


def test_a_message_without_text_of_its_own_has_no_stub(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(log(record("12")))
    done = logscope("grammar", "coverage", path, "--stub", "1")
    assert done.code == 2
    assert "has no text of its own" in done.err


def test_without_the_library_messages_stand_apart_and_that_is_said(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "drain3.drain", None)
    text = log(record("copied alpha of 1"), record("copied beta of 1"), record("copied beta of 2"))
    found = mined(tmp_path, catalog, text)
    assert not found.is_joined
    assert [(one.count, one.text) for one in found.messages] == [(2, "copied beta of <*>"), (1, "copied alpha of <*>")]
    done = logscope("grammar", "coverage", tmp_path / "a.log")
    assert done.code == 0
    assert "pip install 'logscope[mining]', or pipx install --force '.[mining]' in a checkout" in done.err
    assert logscope("grammar", "coverage", NETWORK).err == ""


def test_what_cannot_be_read_is_told_and_the_rest_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(log(record("poll")))
    (tmp_path / "b.log").write_bytes(b"\x00\x01\x02")
    done = logscope("grammar", "coverage", tmp_path / "a.log", tmp_path / "b.log")
    assert done.code == 4
    assert "b.log: is a binary file, not a log" in done.err
    assert done.out.startswith("1 record, ")
