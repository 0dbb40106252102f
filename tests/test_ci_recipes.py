"""The commands of docs/ci.md do what the page says of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "ci.md").read_text()
RUN = Path(__file__).parent / "fixtures" / "ci" / "trillian-run"


def commands() -> list[str]:
    """Every line of the page's code that calls logscope, in order."""
    blocks = re.findall(r"```(?:bash|yaml|groovy)\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("logscope ")]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the results and the log of a run, apart from each other, and a `logscope` on the path."""
    shutil.copytree(RUN, tmp_path / "results")
    (tmp_path / "logs").mkdir()
    shutil.move(tmp_path / "results" / "management-server.log", tmp_path / "logs" / "management-server.log")
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "logscope"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m logscope "$@"\n')
    shim.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("command", commands(), ids=lambda text: text[:60])
def test_command_works(command: str, place: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "RESULTS": "results",
        "LOGS": "logs",
        "BEFORE": "results",
        "AFTER": "results",
        "GITHUB_STEP_SUMMARY": str(place / "summary.md"),
    }
    done = subprocess.run(["bash", "-ec", command], cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in re.findall(r"-o (\S+)", command):
        assert (place / name).stat().st_size
    if "--format github" in command:
        assert "::error" in done.stdout
        assert "console-proxy-restarted-while-destroying" in (place / "summary.md").read_text()


def test_the_page_has_all_three_recipes() -> None:
    assert len(commands()) == 4
