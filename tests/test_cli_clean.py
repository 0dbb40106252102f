"""`rules --check-clean`: silence about good logs, and a failure about others."""

from __future__ import annotations

from pathlib import Path

from cli_runner import NETWORK, logscope
from test_grammars import shipped

from logscope.language.printer import Printer, Who


def quiet_log() -> str:
    printer, who = Printer(shipped()[0]), Who("ms1", "Network-Scavenger-1", "ctx-00000001")
    start = 1_800_000_000_000_000
    lines = [printer.line(start + n, who, "network.gc.interval", {"seconds": "600"}) for n in range(3)]
    return "\n".join(lines) + "\n"


def test_good_logs_are_clean(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(quiet_log())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "management-server.log").write_text(quiet_log())
    done = logscope("rules", "--check-clean", tmp_path)
    told = "a.log: clean\nb: clean\n2 of 2 logs read, 0 with findings that a clean log must not give\n"
    assert (done.code, done.out) == (0, told)


def test_a_finding_in_a_good_log_fails(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(quiet_log())
    (tmp_path / "raced.log").write_bytes(NETWORK.read_bytes())
    done = logscope("rules", "--check-clean", tmp_path)
    assert done.code == 1
    told = "good.log: clean\nraced.log: 1 finding\n  critical, certain: network-cleaned-up-while-implementing: "
    assert told in done.out


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(quiet_log())
    (tmp_path / "other.log").write_text("no log at all\n")
    done = logscope("rules", "--check-clean", tmp_path)
    assert (done.code, "1 of 2 logs read" in done.out, "other.log" in done.err) == (4, True, True)


def test_there_must_be_something(tmp_path: Path) -> None:
    assert logscope("rules", "--check-clean", tmp_path).code == 2
    assert logscope("rules", "--check-clean", tmp_path / "none").code == 2
