"""Renders a report, each format from the model alone.

The folder is the registry. A format is a module here with `SUFFIX` and `render(report, **options) -> str`,
or a template `NAME.EXT.j2` beside the templates of the HTML page, for a format of markup.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from logscope.errors import UsageError
from logscope.model import Report
from logscope.report.json import from_json, to_dict
from logscope.report.parts import templates

__all__ = ["Format", "format_for_suffix", "formats", "from_json", "render", "to_dict"]


@dataclass(frozen=True, slots=True)
class Format:
    """An output format: its name, the suffix of its files (with the dot, empty if it has none), how it is made."""

    name: str
    suffix: str
    render: Callable[..., str]


def formats() -> dict[str, Format]:
    """All formats by name, in the order of the names."""
    found = {}
    for module in iter_modules(__path__):
        if not module.ispkg:
            code = import_module(f"{__name__}.{module.name}")
            found[module.name] = Format(module.name, code.SUFFIX, code.render)
    for name, suffix in templates.formats():
        found[name] = Format(name, suffix, partial(templates.render, f"{name}{suffix}.j2"))
    return dict(sorted(found.items()))


def render(report: Report, name: str, **options: Any) -> str:
    """Give `report` in the format `name`; `options` are those of the format (`color` of text).

    Raises:
        UsageError: there is no such format.
    """
    known = formats()
    if name not in known:
        raise UsageError(f"there is no report format '{name}'; choose one of {', '.join(known)}")
    return known[name].render(report, **options)


def format_for_suffix(path: str | Path) -> str:
    """Name of the format whose suffix `path` has.

    Raises:
        UsageError: no format has it.
    """
    known = formats()
    suffix = Path(path).suffix.lower()
    for name, form in known.items():
        if form.suffix and form.suffix == suffix:
            return name
    suffixes = ", ".join(sorted(form.suffix for form in known.values() if form.suffix))
    raise UsageError(f"no report format has the suffix '{suffix}' of '{path}'; the known ones are {suffixes}")
