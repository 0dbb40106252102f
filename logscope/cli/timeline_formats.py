"""Timelines as text, JSON, Markdown and HTML."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING

from logscope.cli import tree_formats
from logscope.cli.tables import table
from logscope.model import Entry, Report, Resource
from logscope.report import to_dict
from logscope.report.parts import page, templates, words
from logscope.report.parts.times import duration, moment
from logscope.report.parts.visible import visible

if TYPE_CHECKING:
    from logscope.causes import Act

Trees = Mapping[str, Sequence["Act"]]
"""The trees of the jobs among the resources, by what these are called (`job:4251`)."""

_SCHEMA = "logscope/timeline/1"
_HEADS = ("TIME", "LASTED", "WHO", "WHAT", "CAUSED BY", "LINE")
_INDENT = "  "
_MIN_FENCE = 3


def _text(report: Report, trees: Trees, color: bool) -> str:
    several = len(words.servers(report)) > 1
    parts = []
    for timeline in report.timelines:
        acts = trees.get(str(timeline.resource), ())
        if acts:
            shown = tree_formats.text(acts, report.tz, several, color)
        else:
            shown = table(_HEADS, [_row(entry, report.tz, several) for entry in timeline.entries], color=color)
        parts.append(f"{visible(_named(timeline.resource))}\n\n{shown}")
    return "\n".join(parts)


def _row(entry: Entry, tz: str, several_servers: bool) -> tuple[str, ...]:
    lasted = duration(entry.end - entry.start) if entry.kind == "interval" else ""
    ending = words.ending(entry.outcome)
    what = _INDENT * entry.depth + entry.title + (f" ({ending})" if ending else "")
    lines = " – ".join(words.short_lines(line for line in (entry.line, entry.closed_by) if line))
    who = words.who(entry.actor, several_servers)
    return moment(entry.start) + tz, lasted, who, what, entry.caused_by, lines


def _named(resource: Resource) -> str:
    names = [name for name in (resource.name, resource.uuid) if name and name != resource.id]
    return f"{resource} ({', '.join(names)})" if names else str(resource)


def _json(report: Report, trees: Trees, color: bool) -> str:
    found = {"schema": _SCHEMA, "version": report.version, "tz": report.tz, "timelines": to_dict(report)["timelines"]}
    shown = {job: [tree_formats.plain(act, report.tz) for act in acts] for job, acts in trees.items()}
    return json.dumps({**found, "trees": shown}, indent=2) + "\n"


def _md(report: Report, trees: Trees, color: bool) -> str:
    # Within a block of code nothing that a log says can become markup.
    text = _text(report, trees, False)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(_MIN_FENCE, longest + 1)
    return f"{fence}text\n{text}{fence}\n"


def _html(report: Report, trees: Trees, color: bool) -> str:
    environment = templates.environment(templates.folder())
    sheet = environment.get_template("_report.css").render()
    style_hash = f"sha256-{b64encode(sha256(sheet.encode()).digest()).decode()}"
    tables = []
    for timeline in report.timelines:
        styles: dict[object, str] = {}
        rows = [
            page.Row(entry, styles.setdefault(entry.actor, f"actor-{len(styles) % 6}"), None, "")
            for entry in timeline.entries
        ]
        tables.append(page.Table(timeline, rows, 0, [], True))
    shown = SimpleNamespace(tables=tables, several_servers=len(words.servers(report)) > 1)
    title = ", ".join(_named(timeline.resource) for timeline in report.timelines)
    return templates.render("_timeline_page.html.j2", report, page=shown, style_hash=style_hash, title=title)


FORMATS = {"text": _text, "json": _json, "md": _md, "html": _html}
