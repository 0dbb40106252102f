"""The report as one HTML file: no scripts, no network, readable on paper and on a phone."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from logscope.model import Report
from logscope.report.parts import page, templates

SUFFIX = ".html"


def render(report: Report) -> str:
    """Give the page. Only its own style sheet may style it: its hash stands in the content security policy."""
    sheet = templates.environment(templates.folder()).get_template("_report.css").render()
    digest = b64encode(sha256(sheet.encode()).digest()).decode()
    return templates.render(templates.PAGE, report, page=page.build(report), style_hash=f"sha256-{digest}")
