"""Small logs in memory: a grammar text, a history, and the log that comes of them."""

from __future__ import annotations

from logscope.demand import for_everything
from logscope.language.catalog import Catalog
from logscope.language.printer import Printer, Who
from logscope.language.resolve import resolve
from logscope.language.syntax import parse
from logscope.pipeline import Log, read_text

START = 1_800_000_000_000_000
GRAMMAR = """grammar small

type thing
  match | thing-{id:int}

type job
  match | {id:int}

event thing.taken
  match | {thing:thing} is taken for {purpose:word}

event thing.left
  match | {thing:thing} is left

event thing.poked
  tag   change
  match | {thing:thing} is poked

event job.asked
  tag   submits
  match | asked for job {job:job} about {thing:thing}

event job.over
  match | the job is over

event server.starts
  tag   restart
  match | server starts

interval thing.hold
  tag    hold
  opens  thing.taken
  closes thing.left
  same   thing.id, actor
  nested

interval thing.use
  opens  thing.taken
  closes thing.left
  same   thing.id
"""


def catalog(text: str = GRAMMAR) -> Catalog:
    """The catalog of one grammar text, which must be without mistakes."""
    grammar, diagnostics = parse(text, "small.lsg")
    assert not diagnostics
    found, more = resolve([grammar])
    assert not more
    return found


def who(name: str, run: str = "", job: int | None = None, server: str = "ms1") -> Who:
    return Who(server, f"thread-{name}", f"ctx-{run or name:0>8}"[:12], job)


def log_of(known: Catalog, steps: list[tuple[float, Who, str, dict[str, str]]]) -> Log:
    """Read the history back from its printed lines (steps: seconds, who, event, fields)."""
    printer = Printer(known)
    lines = [printer.line(START + round(at * 1_000_000), w, event, fields) for at, w, event, fields in steps]
    return read_text("\n".join(lines) + "\n", known, for_everything(known, all_fields=True))
