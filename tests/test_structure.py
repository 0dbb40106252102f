"""What holds for the repository as a whole, beyond what ruff, mypy and import-linter check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "logscope").rglob("*.py"))
PYTHON = [*MODULES, *sorted((ROOT / "bench").glob("*.py")), *sorted((ROOT / "tests").rglob("*.py"))]
DOCUMENTED_NETWORKS = re.compile(
    r"(192\.0\.2|198\.51\.100|203\.0\.113|10\.1\.\d+|169\.254\.\d+|127\.0\.0|255\.255\.\d+)\."
)


def text_files() -> Iterator[Path]:
    for folder in (".ci", "bench", "docs", "grammars", "logscope", "templates", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and "data" not in path.relative_to(ROOT).parts:
                yield path
    yield from (path for path in sorted(ROOT.glob("*")) if path.is_file() and not path.name.startswith("report."))


def readable(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PYTHON, ids=name)
def test_module_has_at_most_400_lines(path: Path) -> None:
    assert len(readable(path).splitlines()) <= 400, f"{name(path)} is two modules"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_the_command_line_prints_or_exits(path: Path) -> None:
    if path.is_relative_to(ROOT / "logscope" / "cli") or path.name in ("cli.py", "__main__.py"):
        return
    for node in ast.walk(ast.parse(readable(path))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("print", "exit", "quit", "sys.exit", "os._exit"), f"line {node.lineno} calls {called}"
        if isinstance(node, ast.Attribute):
            assert ast.unparse(node) not in ("sys.stdout", "sys.stderr"), (
                f"line {node.lineno} writes past the command line"
            )


def cloudstack_texts() -> list[str]:
    """Logger names and longer pieces of message text, as the grammars have them."""
    found = {"com.cloud.", "org.apache.cloudstack", "cloud.vm"}
    for path in (ROOT / "grammars").glob("*.lsg"):
        for line in readable(path).splitlines():
            words = line.split()
            if words[:1] == ["logger"]:
                found.update(words[1:])
            elif words[:1] == ["match"]:
                template = line.partition("| ")[2]
                found.update(piece for piece in re.split(r"\{\w+(?::\w+)?\}", template) if len(piece) > 15)
    return sorted(found)


def test_engine_knows_nothing_of_cloudstack() -> None:
    texts = cloudstack_texts()
    assert len(texts) > 100, "the grammars give no texts to look for"
    for path in MODULES:
        source = readable(path)
        inside = [text for text in texts if text in source]
        assert not inside, f"{name(path)} knows {inside}; that belongs into a grammar"


def test_nothing_tells_of_this_machine() -> None:
    places = re.compile(rf"{re.escape(str(ROOT))}/|/(?:home|root|Users)/\w")
    for path in text_files():
        found = places.search(readable(path))
        assert not found, f"{name(path)} names the path {found.group() if found else ''}"


def test_addresses_are_from_documentation_ranges() -> None:
    # Releases such as 4.22.0.0 look like addresses too.
    address = re.compile(r"(?<![\w.])(?!4\.|0\.)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
    for path in text_files():
        for found in address.findall(readable(path)):
            assert DOCUMENTED_NETWORKS.match(found), f"{name(path)} holds the address {found}"


@pytest.mark.parametrize("module", ["logscope", "logscope.cli"])
def test_start_up_imports_nothing_heavy(module: str) -> None:
    heavy = {"polars", "pandas", "pyarrow", "numpy", "pyparsing", "jinja2"}
    code = f"import sys, {module}; print(*sorted({heavy!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert loaded.split() == []


def test_wheel_holds_grammars_and_templates(tmp_path: Path) -> None:
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    for folder in ("grammars", "templates"):
        files = [path.name for path in (ROOT / folder).iterdir()]
        assert files
        assert {f"logscope/{folder}/{file}" for file in files} <= names
    assert "logscope/py.typed" in names
    assert not [entry for entry in names if entry.startswith(("bench", "tests"))]
