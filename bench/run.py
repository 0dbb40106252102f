"""Measures logscope and the tools people use today on the same generated logs: `python -m bench.run`.

What has a target is the median of three runs with the files in the page cache; what is compared runs in turns.
Exits with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
DATA = BENCH / "data"
ROUNDS = 3
LOGSCOPE = (sys.executable, "-m", "logscope")
LITERALS = """
from logscope.language.load import load, shipped_dir
from logscope.pipeline import literals_for_analyze
print(*literals_for_analyze(load([shipped_dir()])[0]), sep="\\n")
"""


class BenchError(Exception):
    """A command that is measured did not do its work; the text says which and how it ended."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: seconds of the clock, and the megabytes of its largest process."""

    seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `value` is what `target` limits, None where the tool is missing."""

    what: str
    cost: Cost | None
    size_mb: float = 0.0
    value: float | None = None
    unit: str = ""
    target: float | None = None
    at_least: bool = False

    @property
    def missed(self) -> bool:
        """Whether the value is on the wrong side of the target."""
        if self.value is None or self.target is None:
            return False
        return self.value < self.target if self.at_least else self.value > self.target

    def cells(self) -> list[str]:
        """The texts of the columns."""
        if self.cost is None and self.value is None:
            return [self.what, "not installed", "", "", "", "", ""]
        seconds = f"{self.cost.seconds:.2f}" if self.cost else ""
        peak = f"{self.cost.peak_mb:.0f}" if self.cost else ""
        speed = f"{self.size_mb / self.cost.seconds:.0f}" if self.cost and self.size_mb else ""
        value = "" if self.value is None else f"{self.value:.4g} {self.unit}"
        target = "" if self.target is None else f"{'≥' if self.at_least else '≤'} {self.target:g}"
        verdict = "" if self.target is None else "missed" if self.missed else "ok"
        return [self.what, seconds, speed, peak, value, target, verdict]


def measure(*commands: Sequence[str], times: int = ROUNDS) -> list[Cost]:
    """Run the commands in turns, several times each, and give the median cost of each."""
    rounds = [[_run(command) for command in commands] for _ in range(times)]
    return [
        Cost(median(cost.seconds for cost in costs), max(cost.peak_mb for cost in costs))
        for costs in zip(*rounds, strict=True)
    ]


def _run(command: Sequence[str]) -> Cost:
    with tempfile.TemporaryFile() as errors:
        start = perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, cwd=ROOT
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
            raise BenchError(f"{shlex.join(command)[:300]}\nended with {process.returncode}: {said[-2000:]}")
    # Kilobytes on Linux, bytes on macOS.
    return Cost(seconds, usage.ru_maxrss / (1000 if sys.platform != "darwin" else 10**6))


@dataclass(frozen=True, slots=True)
class Logs:
    """The generated files."""

    day: Path
    packed: Path
    dense: Path
    small: Path


def prepare(size_mb: int) -> Logs:
    """Generate the logs that are not there yet; logs of another generator are removed first."""
    sources = sorted(path for path in BENCH.glob("*.py") if path.name != "run.py")
    version = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]
    DATA.mkdir(exist_ok=True)
    for stale in DATA.glob("*.log*"):
        if version not in stale.name:
            stale.unlink()
    day, dense = DATA / f"day-{size_mb}-{version}.log", DATA / f"dense-{size_mb // 4}-{version}.log"
    packed, small = day.with_name(day.name + ".gz"), DATA / f"small-{version}.log"
    if not _truth(day).exists():
        _generate(day, size_mb)
    if not _truth(dense).exists():
        _generate(dense, size_mb // 4, "--dense")
    if not packed.exists():
        partly = packed.with_suffix(".part")
        with day.open("rb") as plain, gzip.open(partly, "wb", 6) as out:
            shutil.copyfileobj(plain, out, 1 << 20)
        partly.rename(packed)
    with day.open("rb") as plain:
        small.write_bytes(b"".join(islice(plain, 100)))
    return Logs(day, packed, dense, small)


def _truth(log: Path) -> Path:
    return log.with_name(log.name + ".truth.json")


def _generate(log: Path, size_mb: int, *options: str) -> None:
    print(f"generating {log.name}", file=sys.stderr)
    command = [sys.executable, "-m", "bench.generate", "-o", str(log), "--size-mb", str(size_mb), *options]
    subprocess.run(command, check=True, cwd=ROOT)


def _warm(*paths: Path) -> None:
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


def table(rows: Sequence[Row]) -> str:
    """The rows as a text table."""
    head = ["", "seconds", "MB/s", "peak MB", "measure", "target", ""]
    cells = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = []
    for line in cells:
        first, *others = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def rows(logs: Logs, scratch: Path) -> list[Row]:
    """Measure everything."""
    size, dense_size = logs.day.stat().st_size / 10**6, logs.dense.stat().st_size / 10**6
    words, found = scratch / "literals", scratch / "report.json"
    literals = subprocess.run(
        [sys.executable, "-c", LITERALS], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ).stdout
    words.write_text(literals, encoding="utf-8")
    analyze = [*LOGSCOPE, "analyze", "--quiet", "-o", str(found)]
    rg = ["rg", "-c", "-F", "-f", str(words)]
    piped = ["sh", "-c", f"zcat {shlex.quote(str(logs.packed))} | {shlex.join(rg)} -"]
    have = {tool: shutil.which(tool) is not None for tool in ("rg", "zcat", "lnav")}

    _warm(logs.day, logs.packed, logs.dense)
    plain, *other = measure([*analyze, str(logs.day)], *([[*rg, str(logs.day)]] if have["rg"] else []))
    findings = _findings(found)
    result = [Row(f"analyze, {size:.0f} MB", plain, size, plain.peak_mb, "MB", 500 if size <= 1100 else 700)]
    result.append(_compared("  against rg -c -F with the same literals", other, plain, size, 1.0))

    packed, *other = measure([*analyze, str(logs.packed)], *([piped] if have["rg"] and have["zcat"] else []))
    result.append(Row("analyze, the same as .gz", packed, size))
    result.append(_compared("  against zcat | rg", other, packed, size, 1.25))

    (dense,) = measure([*analyze, str(logs.dense)])
    speed = dense_size / dense.seconds
    result.append(Row("analyze, every third line an event", dense, dense_size, speed, "MB/s", 120, at_least=True))
    events = [*LOGSCOPE, "events", "--quiet", "-o", str(scratch / "events.parquet"), str(logs.dense)]
    result.append(Row("events to Parquet, the same log", measure(events, times=1)[0], dense_size))

    small, version = measure([*analyze, str(logs.small)], [*LOGSCOPE, "--version"])
    result.append(Row("analyze, 100 lines", small, 0, small.seconds, "s", 1.0))
    result.append(Row("logscope --version", version, 0, version.seconds, "s", 0.2))

    filtered = "|".join(re.escape(literal) for literal in literals.splitlines())
    lnav = measure(["lnav", "-n", "-c", f":filter-in {filtered}", str(logs.day)], times=1) if have["lnav"] else [None]
    result.append(Row("lnav with the same literals", lnav[0], size))

    wrong = _missing(findings, json.loads(_truth(logs.day).read_text(encoding="utf-8"))["races"])
    result.append(Row("races not found or found wrongly", None, 0, wrong, "", 0))
    return result


def _compared(what: str, other: list[Cost], ours: Cost, size: float, target: float) -> Row:
    if not other:
        return Row(what, None)
    return Row(what, other[0], size, ours.seconds / other[0].seconds, "×", target)


def _findings(report: Path) -> Counter[tuple[str, str]]:
    found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return Counter((one["rule"], f"{one['resource']['kind']}:{one['resource']['id']}") for one in found)


def _missing(found: Counter[tuple[str, str]], races: list[dict[str, str]]) -> int:
    true = Counter((race["rule"], race["resource"]) for race in races)
    return ((true - found) + (found - true)).total()


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--size-mb", type=int, default=1000, help="size of the log of a day (default: 1000)")
    options = parser.parse_args(arguments)
    logs = prepare(options.size_mb)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            measured = rows(logs, Path(scratch))
        except (BenchError, subprocess.CalledProcessError) as error:
            print(f"bench: {error}", file=sys.stderr)
            return 2
    print(table(measured))
    return int(any(row.missed for row in measured))


if __name__ == "__main__":
    sys.exit(main())
