"""`logscope grammar`: for those who write grammar files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logscope.language.load import shipped_dir
from tests.cli_runner import logscope

GOOD = """\
grammar own

event own.begun
  title  | work on network {network.id} began
  match  | Own work on network {network:network} begins
  sample | 2026-10-29 01:20:23,709 DEBUG [o.e.Own] (main:[]) (logid:) Own work on network 209 begins
         expect network.id = 209
"""
RULE = """\

rule own-work-begun
  title    | Work on network {work.network.id} began
  severity low
  find     work = own.begun
  because  | It did.
  refs     example/own#1
  fires
    +0.000 A own.begun  network=209
  quiet
    +0.000 A lock.network.implement.acquired  network=209
"""
UNTIDY = GOOD.replace("  title  |", "  title |").replace("  match  |", "    match |")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the working directory with a sound event."""
    monkeypatch.chdir(tmp_path)
    path = Path("own.lsg")
    path.write_text(GOOD)
    return path


def mistakes(number: int) -> str:
    return "grammar own\n" + "".join(
        f"\ninterval own.{at}\n  opens own.nothing{at}\n  same actor\n" for at in range(number)
    )


def test_shipped_grammars_are_sound() -> None:
    done = logscope("grammar", "check")
    assert (done.code, done.err) == (0, "")
    assert ": nothing wrong" in done.out.splitlines()[-1]


def test_own_file_is_checked_with_the_shipped_ones(own: Path) -> None:
    shipped, with_own = (logscope("grammar", "check", *args).out.split() for args in ([], [own]))
    assert int(with_own[0]) == int(shipped[0]) + 1
    assert logscope("grammar", "check", "--grammars", own).out.split() == with_own


def test_twenty_mistakes_are_told_in_one_run(own: Path) -> None:
    own.write_text(mistakes(20))
    done = logscope("grammar", "check", own)
    assert (done.code, done.err) == (2, "")
    assert done.out.count("own.lsg:") == 20
    assert "own.lsg:4:9: error[LG103]: interval 'own.0' opens on unknown event 'own.nothing0'\n" in done.out
    assert "\n4 |   opens own.nothing0\n  |         ^^^^^^^^^^^^\n" in done.out
    assert done.out.endswith("\n20 errors\n")


def test_diagnostics_for_programs(own: Path) -> None:
    own.write_text(mistakes(1))
    as_json, as_github = (logscope("grammar", "check", own, "--format", name) for name in ("json", "github"))
    found = json.loads(as_json.out)
    assert (as_json.code, found["schema"]) == (2, "logscope/diagnostics/1")
    (mistake,) = found["diagnostics"]
    assert (mistake["code"], mistake["path"], mistake["line"], mistake["column"]) == ("LG103", "own.lsg", 4, 9)
    assert as_github.code == 2
    assert as_github.out.startswith("::error file=own.lsg,line=4,col=9,title=LG103::interval 'own.0' opens on unknown")


def test_samples_and_histories_are_run_and_counted(own: Path) -> None:
    own.write_text(GOOD + RULE)
    done = logscope("grammar", "test", own)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].endswith("samples and 2 histories come out as they should")


def test_a_history_of_a_named_file_that_comes_out_otherwise_is_told(own: Path) -> None:
    own.write_text(GOOD + RULE.replace("A own.begun", "A lock.network.implement.acquired"))
    done = logscope("grammar", "test", own)
    assert (done.code, "error[LG205]" in done.out) == (2, True)


def test_sample_that_fits_nothing_is_told(own: Path) -> None:
    own.write_text(GOOD.replace("network 209 begins", "network 209 ends"))
    done = logscope("grammar", "test", own)
    assert done.code == 2
    assert "own.lsg:6:" in done.out
    assert "error[LG201]" in done.out


def test_format_rewrites_in_place_and_only_what_differs(own: Path) -> None:
    own.write_text(UNTIDY)
    done = logscope("grammar", "fmt", own)
    assert (done.code, done.out, done.err) == (0, "changed own.lsg\n", "")
    assert own.read_text() == GOOD
    assert logscope("grammar", "fmt", ".").out == ""


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_format_can_only_look(own: Path, option: str) -> None:
    assert logscope("grammar", "fmt", option, own).code == 0
    own.write_text(UNTIDY)
    done = logscope("grammar", "fmt", option, own)
    assert (done.code, done.err) == (1, "")
    assert own.read_text() == UNTIDY
    shown = {
        "--check": "would change own.lsg\n",
        "--diff": "-    match | Own work on network {network:network} begins\n",
    }
    assert shown[option] in done.out


def test_format_leaves_a_file_with_mistakes_alone(own: Path) -> None:
    Path("bad.lsg").write_text("grammar bad\n\nevnt x\n")
    own.write_text(UNTIDY)
    done = logscope("grammar", "fmt", "bad.lsg", own)
    assert (done.code, done.out) == (2, "changed own.lsg\n")
    assert done.err.startswith("bad.lsg:3:1: error[LG102]: there is no declaration 'evnt'\n")
    assert Path("bad.lsg").read_text() == "grammar bad\n\nevnt x\n"


def test_shipped_grammars_are_in_the_canonical_layout() -> None:
    assert logscope("grammar", "fmt", "--check", shipped_dir()).out == ""


def test_dump_is_json_with_own_declarations(own: Path) -> None:
    found = json.loads(logscope("grammar", "dump", "--grammars", own).out)
    assert found["schema"] == "logscope/grammar/1"
    assert "own.begun" in {event["name"] for event in found["events"]}


def test_codes_are_explained() -> None:
    assert logscope("grammar", "explain", "lg103").out.startswith("LG103: ")
