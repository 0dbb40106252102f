"""Artifacts of test runs, written line by line as Marvin writes them."""

from __future__ import annotations

from datetime import datetime

from logscope.ci import recognise
from logscope.ci.values import Artifact

JOB = "7b40c6ee-38d1-4c70-b1a5-d9c06f2e8a14"
VM = "a89c3684-f9f8-48ba-86c6-813f023357de"


def at(clock: str) -> int:
    moment = datetime.fromisoformat(f"2026-09-03 {clock}") - datetime(1970, 1, 1)
    return round(moment.total_seconds() * 1000) * 1000


def record(clock: str, message: str, level: str = "DEBUG") -> str:
    return f"2026-09-03 {clock.replace('.', ',')} - {level} - {message}"


def started(clock: str, test: str) -> str:
    return record(clock, f"::::::::::::STARTED : TC: {test} :::::::::::")


def ended(clock: str, test: str, result: str = "FAILED") -> str:
    times = "StartTime: Thu Sep  3 10:00:00 2026; EndTime: Thu Sep  3 10:00:01 2026"
    return record(clock, f"TestCaseName: {test}; Time Taken: 1 Seconds; {times}; Result: {result}")


def artifact(path: str, content: str | bytes) -> Artifact:
    data = content.encode() if isinstance(content, str) else content
    kind = recognise.kind_of(path, data[:65536])
    assert kind, f"{path} is not recognised"
    return Artifact(path, path, kind, lambda: iter([data]))


def passed(*names: str) -> str:
    cases = "".join(f'<testcase classname="smoke.test_x.TestX" name="{name}" time="1.5"/>' for name in names)
    return f"<testsuite>{cases}</testsuite>"
