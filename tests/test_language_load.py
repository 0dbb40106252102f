"""Directories of grammar files, the cache, and the dump."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from logscope.errors import UsageError
from logscope.language import cache
from logscope.language.dump import dump
from logscope.language.load import load, shipped_dir, source_text

SCHEMA = Path(__file__).parent.parent / "logscope" / "schemas" / "grammar-dump.schema.json"
TYPE = "grammar types\n\n# All there is.\ntype network\n  match | Network {id:int}\n"
EVENT = """grammar events

event network.begin
  match  | Begin of {network:network} for {purpose:word}
  sample | 2026-10-29 01:20:23,709 DEBUG Begin of Network 209 for implement
         expect network.id = 209, purpose = "implement"

event network.found
  match  | Found {network:network}
  sample | 2026-10-29 01:20:23,709 DEBUG Found Network 209

interval network.work
  title | work on network {network.id}
  opens network.begin where purpose = "implement"
  same  network.id, actor
  limit 90s

actor finder
  title  | finder
  thread | finder-{n:int}
  doing  network.found

rule network-found-while-working
  title    | Network {work.network.id} found
  severity high
  find     work   = network.work
           strike = network.found
  when     strike.network.id = work.network.id
           and strike during work
  proves   refusal = network.found within 60s after work same family means failed
  because  | It takes no lock.
  refs     apache/cloudstack#14522
  fires certain
    +0.000 A network.begin network=209 purpose=implement
    +1.000 B network.found network=209
    +9.000 end
  quiet
    +0.000 A network.begin network=209 purpose=implement
    +1.000 B network.found network=210
"""


@pytest.fixture
def grammars(tmp_path: Path) -> Path:
    (tmp_path / "b.lsg").write_text(TYPE)
    (tmp_path / "a.lsg").write_text(EVENT)
    (tmp_path / "notes.txt").write_text("no grammar")
    return tmp_path


@pytest.fixture(autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the cache, which is empty."""
    home = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: home / name)
    return home / "logscope"


def test_files_come_in_the_order_of_their_names(grammars: Path) -> None:
    catalog, trees, diagnostics = load([grammars])
    assert not diagnostics
    assert [Path(tree.path).name for tree in trees] == ["a.lsg", "b.lsg"]
    assert set(catalog.events) == {"network.begin", "network.found"}


def test_the_first_directory_comes_first_and_no_file_twice(
    grammars: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    own = tmp_path_factory.mktemp("own")
    (own / "0.lsg").write_text("grammar own\nactor own\n  title | own\n  thread | own\n")
    _, trees, _ = load([grammars, own / "0.lsg", own])
    assert [Path(tree.path).name for tree in trees] == ["a.lsg", "b.lsg", "0.lsg"]


def test_paths_are_shown_from_the_working_directory(grammars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(grammars.parent)
    _, trees, _ = load([grammars])
    assert trees[0].path == f"{grammars.name}/a.lsg"
    assert source_text(trees[0].path) == EVENT
    assert source_text("missing.lsg") == ""


def test_a_directory_without_grammars_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no grammar file \(\*\.lsg\) in"):
        load([tmp_path])
    with pytest.raises(UsageError, match="there is no directory of grammar files"):
        load([tmp_path / "missing"])


def test_an_unreadable_file_is_told_and_the_rest_is_read(grammars: Path) -> None:
    (grammars / "c.lsg").write_bytes(b"grammar c\nevent x\n  match | caf\xe9\n")
    (grammars / "d.lsg").symlink_to(grammars / "d.lsg")
    catalog, _, diagnostics = load([grammars])
    assert [(one.code, one.span.line, one.span.column) for one in diagnostics] == [("LG114", 1, 1), ("LG114", 3, 14)]
    assert "network.begin" in catalog.events


def test_the_digest_is_that_of_the_contents(grammars: Path) -> None:
    first = load([grammars])[0].digest
    assert first == load([grammars], use_cache=False)[0].digest
    assert len(first) == 64
    (grammars / "b.lsg").write_text(TYPE + "# more\n")
    assert load([grammars])[0].digest != first


def test_what_is_kept_is_what_was_read(grammars: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (grammars / "c.lsg").write_text("grammar c\ntype unused\n  match | Unused {id:int}\n")
    read = load([grammars])
    assert len(list(kept.glob("grammars-*.json"))) == 1
    monkeypatch.setattr("logscope.language.syntax.parse", lambda text, path: pytest.fail("parsed again"))
    again = load([grammars])
    assert again == read
    assert [one.code for one in again[2]] == ["LG305"]


def test_mistakes_are_not_kept(grammars: Path, kept: Path) -> None:
    (grammars / "c.lsg").write_text("grammar c\nevent x\n")
    load([grammars])
    assert not kept.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b"network", b"netwerk"),
        lambda content: sealed(b"{}"),
        lambda content: sealed(b'{"grammars": [[], []], "diagnostics": []}'),
        lambda content: sealed(b'{"grammars": [{"a": 1}, 5], "diagnostics": []}'),
        lambda content: sealed(b"[" * 100_000),
        lambda content: b"\xff\xfe",
    ],
    ids=["empty", "cut", "changed", "bare", "hollow", "foreign", "deep", "binary"],
)
def test_a_broken_cache_is_no_cache(grammars: Path, kept: Path, damage: object) -> None:
    read = load([grammars])
    (file,) = kept.glob("grammars-*.json")
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert load([grammars]) == read


def sealed(payload: bytes) -> bytes:
    return hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload


def test_a_cache_that_cannot_be_written_is_no_cache(grammars: Path, kept: Path) -> None:
    kept.write_text("not a directory")
    assert load([grammars]) == load([grammars], use_cache=False)


def test_old_caches_are_removed(grammars: Path, kept: Path) -> None:
    for number in range(12):
        (grammars / "b.lsg").write_text(TYPE + f"# {number}\n")
        load([grammars])
    assert len(list(kept.iterdir())) == 8


def test_kept_grammars_need_no_pyparsing(grammars: Path) -> None:
    catalog, trees, diagnostics = load([grammars])
    cache.store(catalog.digest, trees, diagnostics)
    script = (
        "import sys, pathlib, platformdirs\n"
        "platformdirs.user_cache_path = lambda name: pathlib.Path(sys.argv[2]) / name\n"
        "from logscope.language.load import load\n"
        "load([pathlib.Path(sys.argv[1])])\n"
        "assert not {'pyparsing', 'polars', 'pandas'} & set(sys.modules), 'imported too much'\n"
    )
    home = cache._file(catalog.digest).parent.parent
    subprocess.run([sys.executable, "-c", script, str(grammars), str(home)], check=True, timeout=60)


def test_the_shipped_grammars_are_found() -> None:
    assert list(shipped_dir().glob("*.lsg"))


def test_the_dump_follows_its_schema(grammars: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for place in (grammars, shipped_dir()):
        catalog, _, _ = load([place], use_cache=False)
        jsonschema.validate(json.loads(json.dumps(dump(catalog))), schema)


def test_the_dump_says_what_was_written(grammars: Path) -> None:
    value = dump(load([grammars])[0])
    assert value["schema"] == "logscope/grammar/1"
    (rule,) = value["rules"]
    assert rule["find"] == {"work": "network.work", "strike": "network.found"}
    assert rule["when"] == ["strike.network.id = work.network.id", "strike during work"]
    assert rule["proves"] == ["refusal = network.found within 60s after work same family means failed"]
    assert rule["fires"][0]["steps"][2] == {"seconds": 9.0, "actor": None, "event": None, "fields": {}}
    begin = next(event for event in value["events"] if event["name"] == "network.begin")
    assert begin["fields"] == {"network": "network", "network.id": "int", "purpose": "word"}
    assert begin["kinds"] == ["network"]
    assert begin["samples"][0]["expect"] == {"network.id": 209, "purpose": "implement"}
    assert value["intervals"][0]["opens"] == ['network.begin where purpose = "implement"']
