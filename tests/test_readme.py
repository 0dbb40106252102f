"""Every command and every piece of Python in the README runs and gives what the README shows."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_runner import NETWORK, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "…"


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(README) if name == language]


def commands() -> list[tuple[str, str]]:
    """Pairs of a command and the output that is shown for it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shown_as(output: str) -> re.Pattern[str]:
    """What fits the shown output: `…` alone on a line stands for any lines, within a line for any text."""
    lines = []
    for line in output.rstrip("\n").split("\n"):
        pieces = [re.sub(r"(?:\\ )+", r"\\ +", re.escape(piece)) for piece in line.split(ANY)]
        lines.append("(?:.*\n)*?" if line == ANY else f"{'.*'.join(pieces)}\n")
    return re.compile("".join(lines))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the log and the grammar file of the README, and the command in its `bin`."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copy(NETWORK, folder)
    (grammar,) = blocks("lsg")
    (folder / "audit.lsg").write_text(grammar)
    (folder / "bin").mkdir()
    script = folder / "bin" / "logscope"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m logscope "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.mark.parametrize(("command", "output"), commands())
def test_command_gives_what_is_shown(place: Path, command: str, output: str) -> None:
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        shell=True,
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert shown_as(output).fullmatch(done.stdout), f"the README does not show what is printed:\n{done.stdout}"


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_gives_what_is_shown(place: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    session = doctest.DocTestParser().get_doctest(blocks("python")[number], {}, "README.md", "README.md", 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(session, out=told.append)
    assert not told, "".join(told)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), f"there is no '{target}'"
