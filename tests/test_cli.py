"""The command line as a whole: help, versions, streams, exit codes, what is said when something is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
import typer

from logscope import __version__
from logscope.cli.app import app
from tests.cli_runner import FIXTURES, NETWORK, PROXY, ROOT, Outcome, logscope


def all_commands(group: Any, prefix: str = "") -> list[str]:
    """Names of the commands of a group and of the groups in it, such as `grammar check`."""
    found = []
    for name, command in group.commands.items():
        below = hasattr(command, "commands")
        found += all_commands(command, f"{prefix}{name} ") if below else [f"{prefix}{name}"]
    return found


COMMANDS = all_commands(typer.main.get_command(app))


def subprocess_of(*args: str, **options: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "logscope", *args]
    return subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = logscope(*command.split(), "--help")
    assert done.code == 0
    assert "Examples" in done.out
    assert f"logscope {command}" in done.out.partition("Examples")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_the_readme(command: str) -> None:
    assert f"logscope {command}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_help_is_shown_when_nothing_is_asked() -> None:
    done = logscope()
    assert done.code == 2
    assert "analyze" in done.out
    assert done.err == ""


@pytest.mark.parametrize("args", [["--version"], ["analyze", "--help"]])
def test_runs_as_a_module(args: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "logscope", *args], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == ""
    assert args != ["--version"] or done.stdout == f"logscope {__version__}\n"


def test_version_is_an_option_of_the_help_too() -> None:
    assert logscope("--version").out == f"logscope {__version__}\n"
    assert "--version" in logscope("--help").out


def test_version_needs_nothing_that_is_slow_to_import() -> None:
    code = "import sys; from logscope.cli import main; sys.argv[1:] = ['--version']; main(); print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout.splitlines()[1]) < 150


def test_completion_can_be_shown() -> None:
    environment = {**os.environ, "_LOGSCOPE_COMPLETE": "complete_bash", "COMP_WORDS": "logscope ti", "COMP_CWORD": "1"}
    code = "from logscope.cli.app import app; app(prog_name='logscope')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    assert "timeline" in done.stdout


def wrong_uses() -> list[tuple[str, str]]:
    """Pairs of a command and what it says, LOG standing for a log."""
    lines = (FIXTURES / "cli" / "wrong-use.txt").read_text(encoding="utf-8").splitlines()
    return list(zip(lines[::2], lines[1::2], strict=True))


@pytest.mark.parametrize(("command", "message"), wrong_uses())
def test_wrong_use_gives_one_message_and_exit_code_2(command: str, message: str) -> None:
    done = logscope(*command.replace("LOG", str(NETWORK)).split()[2:])
    assert (done.code, done.out) == (2, "")
    assert done.err.replace(str(NETWORK), "LOG") == f"{message}\n"


def test_unknown_diagnostic_code_names_the_known_ones() -> None:
    done = logscope("grammar", "explain", "LG999")
    assert done.code == 2
    assert done.err.startswith("logscope: error: there is no diagnostic code 'LG999'; the codes are LG101, ")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A directory of inputs that cannot be read."""
    (tmp_path / "empty.log").touch()
    (tmp_path / "binary.log").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "letter.log").write_text("dear reader\nthis is no log\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "readme.txt").write_text("no log here\n")
    return tmp_path


UNREADABLE = {
    "nowhere.log": "no such file or directory",
    "empty.log": "is empty",
    "binary.log": "is a binary file, not a log",
    "letter.log": "no line has a recognised header, so none of it was understood",
    "docs": "holds no log: of 1 files none has a line like '2026-10-28 01:20:23,709 DEBUG [logger] (thread:context)'",
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize(
    "command", [["analyze"], ["timeline", "-r", "vm:612"], ["lines", "-r", "job:4251"], ["events"]], ids=lambda c: c[0]
)
def test_nothing_readable_gives_one_message_and_exit_code_3(odd: Path, name: str, command: list[str]) -> None:
    done = logscope(*command, odd / name)
    assert (done.code, done.out) == (3, "")
    assert done.err == f"logscope: error: nothing could be read: {odd / name}: {UNREADABLE[name]}\n"


@pytest.mark.parametrize("name", UNREADABLE)
def test_one_unreadable_path_costs_nothing_else(odd: Path, name: str) -> None:
    alone = logscope("analyze", NETWORK, "--format", "text")
    done = logscope("analyze", odd / name, NETWORK, "--format", "text")
    assert (alone.code, done.code) == (0, 4)
    assert done.err == f"logscope: {odd / name}: {UNREADABLE[name]}\n"
    finding = alone.out.index("network-cleaned-up-while-implementing #1")
    told = alone.out[finding : alone.out.index("\n\n", finding)]
    assert told in done.out
    assert UNREADABLE[name] in done.out


def test_unreadable_member_of_an_archive_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(NETWORK, "ms1/management-server.log")
        packed.write(PROXY, "ms2/management-server.log")
    data = bytearray(path.read_bytes())
    second = data.index(b"PK\x03\x04", 10)
    data[second + 200 : second + 260] = bytes(60)
    path.write_bytes(data)
    done = logscope("analyze", path, "--format", "text")
    assert done.code == 4
    assert "run.zip!ms2/management-server.log: " in done.err
    assert "network-cleaned-up-while-implementing #1" in done.out


def test_findings_win_over_unread_input() -> None:
    assert logscope("analyze", NETWORK, "nowhere.log", "--fail-on", "high").code == 1


def test_quiet_says_nothing_but_errors(odd: Path) -> None:
    done = logscope("analyze", NETWORK, odd / "empty.log", "--quiet", "-o", odd / "report.json")
    assert (done.code, done.out, done.err) == (4, "", "")
    assert logscope("analyze", odd / "empty.log", "--quiet").err != ""


def test_error_shows_nothing_that_controls_a_terminal() -> None:
    done = logscope("timeline", NETWORK, "-r", "evil\x1b[2Jname")
    assert done.code == 2
    assert "\x1b" not in done.err
    assert r"evil\x1b[2Jname" in done.err


def test_mistake_of_ours_is_one_line_and_a_traceback_only_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("logscope.session.load_catalog", fail)
    expected = (
        "this is a mistake in logscope; please report it with what LOGSCOPE_DEBUG=1 shows (ZeroDivisionError: division)"
    )
    assert logscope("rules") == Outcome(70, b"", f"logscope: error: {expected}\n")
    monkeypatch.setenv("LOGSCOPE_DEBUG", "1")
    assert "Traceback" in logscope("rules").err


def test_reader_that_goes_away_is_no_error() -> None:
    process = subprocess_of("rules", stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_full_disk_is_told() -> None:
    with open("/dev/full", "wb") as full:
        process = subprocess_of("rules", stdout=full)
        _, err = process.communicate()
    assert process.returncode == 2
    assert err == b"logscope: error: cannot write to standard output: No space left on device\n"


def test_interrupt_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.log"
    os.mkfifo(pipe)
    process = subprocess_of("analyze", str(pipe), stdout=subprocess.PIPE)
    with pipe.open("wb") as writer:  # opens when the command has begun to read
        writer.write(NETWORK.read_bytes())
        writer.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")


def test_standard_input_is_a_source() -> None:
    with NETWORK.open("rb") as log:
        process = subprocess_of("events", "-", "--event", "network.orphan.found", stdin=log, stdout=subprocess.PIPE)
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"stdin:30\n" in out


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "logscope", "analyze", str(NETWORK), "--format", "text"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment, cwd=tmp_path)
    assert done.stdout == logscope("analyze", NETWORK, "--format", "text").raw


@pytest.mark.parametrize(
    ("window", "when"),
    [
        (("--since", "2027-01-01"), "from 2027-01-01 00:00:00.000 on"),
        (("--until", "2020-01-01"), "up to 2020-01-01 23:59:59.999"),
        (("--since", "01:22", "--until", "01:23"), "between 2026-10-29 01:22:00.000 and 2026-10-29 01:23:59.999"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [("analyze",), ("timeline", "-r", "network:209"), ("events",), ("lines", "-r", "job:4251"), ("slow",), ("stuck",)],
    ids=" ".join,
)
def test_a_time_outside_of_the_log_is_told_with_what_the_log_covers(
    command: tuple[str, ...], window: tuple[str, ...], when: str
) -> None:
    done = logscope(*command, NETWORK, *window)
    covers = "this log goes from 2026-10-29 01:19:46.031 to 2026-10-29 01:21:02.441"
    assert (done.code, done.out, done.err) == (3, "", f"logscope: error: nothing was logged {when}; {covers}\n")


def test_a_time_of_which_the_log_tells_nothing_is_noted() -> None:
    window = ("--since", "01:20:25", "--until", "01:20:26")
    text = (
        "nothing of what was looked for was logged between 2026-10-29 01:20:25.000 and 2026-10-29 01:20:26.999; "
        "this log goes from 2026-10-29 01:19:46.031 to 2026-10-29 01:21:02.441"
    )
    for command in ("events", "slow", "stuck"):
        done = logscope(command, NETWORK, *window)
        assert (done.code, done.err) == (0, f"logscope: {text}\n")
    notes = json.loads(logscope("analyze", NETWORK, *window, "--format", "json").out)["notes"]
    assert notes == [{"source": "", "text": text}]


_INTERRUPTED = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[0]:
            raise KeyboardInterrupt
sys.argv = [{name!r}, "rules"]
sys.meta_path.insert(0, Interrupting())
from logscope.cli import main
main()
"""


@pytest.mark.parametrize("name", ["typing", "typer", "logscope.cli.run", "logscope.session", "polars"])
def test_an_interrupt_while_modules_are_imported_is_quiet(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED.format(name=name)], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.parametrize("redirected", [">&-", ">&- <&-", ">&- 2>&-", "2>&- >/dev/null"])
def test_closed_streams_are_quiet_and_change_no_exit_code(redirected: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m logscope analyze {NETWORK} --fail-on high -o {tmp_path}/r.json --format text"
    done = subprocess.run(["sh", "-c", f"{command} {redirected}"], capture_output=True, timeout=60, cwd=ROOT)
    assert (done.returncode, done.stdout, b"error" in done.stderr) == (1, b"", False)
    assert json.loads((tmp_path / "r.json").read_text())["findings"]


@pytest.mark.parametrize(
    "args",
    [
        ("slow", NETWORK, "--top"),
        ("lines", NETWORK, "-r", "job:4251", "--context"),
        ("grammar", "coverage", NETWORK, "--top"),
        ("grammar", "coverage", NETWORK, "--stub"),
        ("scan", NETWORK, "--processes"),
        ("compare", NETWORK, NETWORK, "--processes"),
    ],
)
def test_a_number_beyond_all_bounds_is_wrong_use(args: tuple[str | Path, ...]) -> None:
    done = logscope(*args, "9" * 30)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"invalid value for '{args[-1]}'" in done.err


def test_what_logscope_wrote_beside_a_log_changes_nothing_of_what_it_finds(tmp_path: Path) -> None:
    (tmp_path / "management-server.log").write_bytes(NETWORK.read_bytes())
    outputs = [part for suffix in ("html", "json", "md", "sarif", "xml") for part in ("-o", tmp_path / f"r.{suffix}")]
    first = logscope("analyze", tmp_path, *outputs)
    saved = json.loads((tmp_path / "r.json").read_text())
    for suffix in ("csv", "jsonl"):
        logscope("events", NETWORK, "-o", tmp_path / f"events.{suffix}")
    page = logscope("timeline", NETWORK, "-r", "vm:612", "--format", "html")
    (tmp_path / "timeline.html").write_bytes(page.raw)
    again = logscope("analyze", tmp_path, *outputs)
    assert (first.code, again.code) == (0, 0)
    after = json.loads((tmp_path / "r.json").read_text())
    note = {"source": str(tmp_path), "text": "8 files that logscope wrote were left out"}
    assert note in after["notes"]
    assert after | {"notes": []} == saved | {"notes": []}
    named = logscope("analyze", tmp_path / "r.md")
    assert (named.code, named.out) == (3, "")
    assert "r.md: is what logscope wrote of a log, not a log; give the log itself" in named.err


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (("slow", NETWORK, "-r", "job:4248", "--resource", "job:4229"), "--resource"),
        (("events", NETWORK, "-o", "a.csv", "-o", "b.jsonl"), "--output"),
        (("stuck", NETWORK, "--at", "01:20:40", "--at", "01:20:50"), "--at"),
        (("rules", "--check-clean", "a", "--check-clean", "b"), "--check-clean"),
    ],
)
def test_an_option_of_one_value_given_twice_is_wrong_use(args: tuple[str | Path, ...], option: str) -> None:
    done = logscope(*args)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"'{option}' can be given only once; see 'logscope {args[0]} --help'" in done.err


def test_what_may_be_given_more_often_may(tmp_path: Path) -> None:
    assert logscope("timeline", NETWORK, NETWORK, "-r", "vm:612", "-r", "host:1", "-q", "-q").code == 0
