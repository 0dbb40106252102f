"""Finds the templates and fills them. What they print is escaped for markup, always."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logscope.errors import LogscopeError
from logscope.model import Report
from logscope.report.parts import times, words
from logscope.report.parts.exposed import exposed
from logscope.report.parts.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment

# The page that `html.py` fills. Templates that start with an underscore are parts; every other one is a format.
PAGE = "report.html.j2"


def folder() -> Path:
    """The folder of templates: inside the package when installed, beside it in a checkout.

    Raises:
        LogscopeError: it is in neither place.
    """
    package = Path(__file__).parents[2]
    for place in (package / "templates", package.parent / "templates"):
        if (place / PAGE).is_file():
            return place
    raise LogscopeError(f"the report templates are missing from {package}; install logscope again")


def formats() -> list[tuple[str, str]]:
    """Name and suffix of every template that is a format: `lines.xml.j2` gives `lines` and `.xml`."""
    found = sorted(path.name for path in folder().glob("*.*.j2"))
    names = [name.removesuffix(".j2") for name in found if name != PAGE and not name.startswith("_")]
    return [(Path(name).stem, Path(name).suffix) for name in names]


def render(template: str, report: Report, **values: Any) -> str:
    """Fill a template with the report and further values."""
    return environment(folder()).get_template(template).render(report=report, **values)


@cache
def environment(place: Path) -> Environment:
    """The environment for the templates in `place`, with the words and times of the reports as functions."""
    # Only markup needs it, and it takes longer to import than all the other formats together.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(place),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    found.globals.update(words=words, times=times, exposed=exposed)
    return found


def _finalize(value: object) -> object:
    # Markup was made from text that went through here already.
    return value if hasattr(value, "__html__") else visible(str(value))
