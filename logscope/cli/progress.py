"""How far reading has come: bytes, rate and time left, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from logscope.model import Source
from logscope.report.parts.visible import visible

_NAME_WIDTH = 40


@contextmanager
def shown(sources: Sequence[Source], *, color: bool) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on standard error; gives what is told how many bytes of a source, by its name, were read so far."""
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size for size in sizes if size is not None)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    done: dict[str, int] = {}
    with Progress(*columns, console=Console(stderr=True, no_color=not color), transient=True) as bar:
        task = bar.add_task("reading", total=total)

        def progress(name: str, count: int) -> None:
            done[name] = count
            bar.update(task, completed=sum(done.values()), description=visible(name)[-_NAME_WIDTH:])

        yield progress
