"""Virtual time: processes that sleep, wait for locks and for signals, and die with their server.

A process is a generator. It yields a number (seconds to sleep), a `Lock` (to have it), or a `Signal` (to wait for it;
the yield gives the signal's value). Whatever happens at one moment happens in a fixed order.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

SECOND = 1_000_000


@dataclass(eq=False, slots=True)
class Task:
    """A process under way; `server` is the one that it dies with."""

    process: Process
    server: str
    is_alive: bool = True


@dataclass(eq=False, slots=True)
class Lock:
    """Held by one task at a time, given to the others in the order in which they asked."""

    holder: Task | None = None
    waiting: deque[Task] = field(default_factory=deque)


@dataclass(eq=False, slots=True)
class Signal:
    """Fires once, with a value."""

    is_fired: bool = False
    value: Any = None
    waiting: list[Task] = field(default_factory=list)


Process = Generator[float | Lock | Signal, Any, Any]


class Engine:
    """The clock and everything that runs by it. `now` is in microseconds from the beginning."""

    def __init__(self) -> None:
        self.now = 0
        self.current: Task | None = None
        self._queue: list[tuple[int, int, Task, Any]] = []
        self._tasks: dict[str, list[Task]] = {}
        self._dead: list[Task] = []  # kept, for a generator that is thrown away runs its `finally` clauses
        self._count = 0

    def spawn(self, process: Process, delay: float = 0.0, server: str = "") -> Task:
        """Start a process after `delay` seconds, on the server of the current one unless another is named."""
        if not server and self.current is not None:
            server = self.current.server
        task = Task(process, server)
        self._tasks.setdefault(server, []).append(task)
        self._later(task, delay, None)
        return task

    def run(self, seconds: float) -> None:
        """Let everything run until that time."""
        end = round(seconds * SECOND)
        while self._queue and self._queue[0][0] <= end:
            self.now, _, task, value = heapq.heappop(self._queue)
            if task.is_alive:
                self._step(task, value)
        self.now = end

    def release(self, lock: Lock) -> None:
        """Give a lock to whoever waits for it next."""
        lock.holder = None
        while lock.waiting:
            task = lock.waiting.popleft()
            if task.is_alive:
                lock.holder = task
                self._later(task, 0.001, None)
                return

    def fire(self, signal: Signal, value: Any = None) -> None:
        """Wake those who wait for a signal; firing once more does nothing."""
        if signal.is_fired:
            return
        signal.is_fired, signal.value = True, value
        for task in signal.waiting:
            self._later(task, 0.0, value)

    def kill(self, server: str) -> None:
        """End all processes of a server; what they hold stays held until somebody releases it."""
        for task in self._tasks.pop(server, []):
            task.is_alive = task is self.current
            self._dead.append(task)

    def _later(self, task: Task, seconds: float, value: Any) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self.now + round(seconds * SECOND), self._count, task, value))

    def _step(self, task: Task, value: Any) -> None:
        self.current = task
        while True:
            try:
                asked = task.process.send(value)
            except StopIteration:
                break
            value = None
            if isinstance(asked, Lock):
                if asked.holder is not None:
                    asked.waiting.append(task)
                    break
                asked.holder = task
            elif isinstance(asked, Signal):
                if not asked.is_fired:
                    asked.waiting.append(task)
                    break
                value = asked.value
            else:
                self._later(task, asked, None)
                break
        self.current = None
