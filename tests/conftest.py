"""Golden files: what was printed once and read by a person, held against what is printed now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, so that a change is judged by itself; `--hypothesis-profile=default` looks for others.
settings.register_profile("same-examples", derandomize=True)
settings.load_profile("same-examples")

FIXTURES = Path(__file__).parent / "fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files; read the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file below `fixtures`, or rewrite the file with `--update-golden`."""
    update = request.config.getoption("--update-golden")

    def check(actual: str, name: str) -> None:
        path = FIXTURES / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
        assert path.is_file(), f"{path} is missing; write it with --update-golden and read it"
        assert actual == path.read_bytes().decode(), f"{path.name} differs; if that is right, use --update-golden"

    return check
