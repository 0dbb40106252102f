"""Writes a log of any size whose races are known: `python -m bench.generate -o bench/data/day.log --size-mb 1000`.

Beside the log stands `NAME.truth.json`: the races with their lines, and how often each operation was done.
The same options give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import heapq
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, cast

from bench.chatter import LOGID, RUN, Group, make_groups
from bench.cloud import Cloud, Network
from bench.operations import collect_network, destroy_proxy, start_vm, stop_vm
from bench.steps import Script, Threads, Truth

START = datetime(2026, 10, 29, tzinfo=UTC)
LINES_A_SECOND = 40
POOL = 6000
MILLISECONDS = tuple(b",%03d" % number for number in range(1000))

Entry = tuple[int, int, bytes, Truth | None, str]


@dataclass(slots=True)
class Operations:
    """Which operation comes next, and on what: no network and no thread is used by two at a time."""

    cloud: Cloud
    idle: list[Network] = field(default_factory=list)
    busy: list[tuple[int, int, Network]] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    races: int = 0
    proxies: int = 0
    scavenger_free: int = 0

    def __post_init__(self) -> None:
        self.idle = list(self.cloud.networks)

    def next(self, now: int) -> Script:
        """An operation on an idle network, whatever its state asks for."""
        while self.busy and self.busy[0][0] <= now:
            self.idle.append(heapq.heappop(self.busy)[2])
        network = self.idle.pop(self.cloud.dice.below(len(self.idle)))
        threads = self._threads(now)
        running = [vm for vm in network.vms if vm.running]
        stopped = [vm for vm in network.vms if not vm.running]
        if network.implemented and not running and now >= self.scavenger_free:
            script = collect_network(self.cloud, threads, network)
            self.scavenger_free = now + script.end + 1000
        elif stopped and (not running or self.cloud.dice.below(2) == 0):
            script = start_vm(self.cloud, threads, network, stopped[0])
        else:
            script = stop_vm(self.cloud, threads, network, running[0])
        return self._occupy(now, script, threads, network)

    def race_for_network(self, now: int) -> Script:
        """A start whose network is cleaned up meanwhile."""
        network = next(item for item in self.idle if not item.implemented)
        self.idle.remove(network)
        threads = self._threads(now)
        vm = next(vm for vm in network.vms if not vm.running)
        return self._occupy(now, start_vm(self.cloud, threads, network, vm, raced=True), threads, network)

    def next_proxy(self, now: int) -> Script:
        """The destroy of a console proxy; two of four meet the scanner."""
        order = ("destroy", "restart", "quiet", "quiet")[self.proxies % 4]
        self.proxies += 1
        threads = self._threads(now)
        return self._occupy(now, destroy_proxy(self.cloud, threads, order), threads, None)

    def _threads(self, now: int) -> Threads:
        slot = next((slot for slot, free_at in enumerate(self.threads) if free_at <= now), len(self.threads))
        if slot == len(self.threads):
            self.threads.append(0)
        return Threads(slot + 1, 2 * slot + 1, 2 * slot + 2)

    def _occupy(self, now: int, script: Script, threads: Threads, network: Network | None) -> Script:
        until = now + script.end + 1000
        self.threads[threads.api - 1] = until
        if network:
            heapq.heappush(self.busy, (until, network.id, network))
        return script


@dataclass(slots=True)
class Stream:
    """All lines in the order of their writing, second by second, and what was done in them."""

    cloud: Cloud
    dense: bool
    operations: Operations = field(init=False)
    groups: list[Group] = field(init=False)
    waiting: dict[int, list[Entry]] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    owed: float = 0.0
    operation_lines: int = 0

    def __post_init__(self) -> None:
        self.operations = Operations(self.cloud)
        self.groups = make_groups(self.cloud, POOL)

    def second(self, second: int) -> list[Entry]:
        """The entries that are written in this second."""
        now, dice = second * 1000, self.cloud.dice
        # A race or two an hour, and one of each kind within the first ten minutes, for logs that are short.
        if second % 3600 == 20:
            self._add(now, self.operations.race_for_network(now))
        if second % 1800 == 75 or second == 525:
            self._add(now, self.operations.next_proxy(now))
        # Every third line, or one in thirty-six, belongs to an operation of some forty lines.
        self.owed += LINES_A_SECOND * (1 / 3 if self.dense else 1 / 36)
        while self.owed > 0:
            self.owed -= self._add(now + dice.below(1000), self.operations.next(now))
        quiet = LINES_A_SECOND * (2 / 3 if self.dense else 35 / 36)
        while quiet > 0:
            quiet -= self._chat(now + dice.below(1000))
        entries = self.waiting.pop(second, [])
        entries.sort(key=itemgetter(0))
        return entries

    def _add(self, start: int, script: Script) -> int:
        self.done[script.name] += 1
        self.operation_lines += len(script.lines)
        for line in script.lines:
            at = start + line.at
            self.waiting.setdefault(at // 1000, []).append((at, at, line.text, line.truth, line.part))
        return len(script.lines)

    def _chat(self, start: int) -> int:
        dice = self.cloud.dice
        group = self.groups[dice.below(len(self.groups))]
        run, logid = dice.hex8().encode(), dice.hex8().encode()
        late = dice.below(4)  # a line is written a little after its time was taken
        for delay, text in group.lines:
            at = start + delay
            if group.fresh:
                text = text.replace(RUN.encode(), run).replace(LOGID.encode(), logid)
            self.waiting.setdefault((at + late) // 1000, []).append((at + late, at, text, None, ""))
        return len(group.lines)


def write_log(out: BinaryIO, size: int, *, seed: int = 1, era: str = "C", dense: bool = False) -> dict[str, object]:
    """Write a log of at least `size` bytes to `out`, and give the truth about it."""
    cloud = Cloud(seed, era)
    stream = Stream(cloud, dense)
    truths: dict[int, Truth] = {}
    second = written = lines = 0
    while written < size:
        parts: list[bytes] = []
        for _, at, text, truth, part in stream.second(second):
            parts += (_stamp(at // 1000), MILLISECONDS[at % 1000], text)
            if truth:
                truth.lines[part], truth.times[part] = (
                    lines + 1,
                    (_stamp(at // 1000) + MILLISECONDS[at % 1000]).decode(),
                )
                truths[id(truth)] = truth
            lines += text.count(b"\n")
        block = b"".join(parts)
        out.write(block)
        written += len(block)
        second += 1
    races = sorted((race for race in truths.values() if "strike" in race.lines), key=lambda race: race.lines["open"])
    for race in races:
        if "consequence" not in race.lines:
            race.outcome = "unknown"  # the log ends before it
    return {
        "seed": seed,
        "era": era,
        "dense": dense,
        "lines": lines,
        "bytes": written,
        "operation_lines": stream.operation_lines,
        "operations": dict(sorted(stream.done.items())),
        "races": [asdict(race) for race in races],
    }


@cache
def _stamp(second: int) -> bytes:
    return (START + timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S").encode()


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield raw


def main(arguments: list[str] | None = None) -> None:
    """Write the log and its truth."""
    parser = argparse.ArgumentParser(prog="python -m bench.generate", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, help="log to write; .gz packs it")
    parser.add_argument("--size-mb", type=float, default=100, help="size of the unpacked log (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another log (default: 1)")
    parser.add_argument("--era", choices=["B", "C"], default="C", help="layout of 4.19 or of 4.22 (default: C)")
    parser.add_argument("--dense", action="store_true", help="every third line belongs to an operation")
    options = parser.parse_args(arguments)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with _open(options.output) as out:
        truth = write_log(out, int(options.size_mb * 10**6), seed=options.seed, era=options.era, dense=options.dense)
    beside = options.output.with_name(options.output.name + ".truth.json")
    beside.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
