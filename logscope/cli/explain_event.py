"""An event as a page of text."""

from __future__ import annotations

from logscope.language.format import releases_text
from logscope.language.tree import Event


def page(event: Event) -> str:
    """What the grammars say of an event: where it is declared, with which texts of which releases, and a sample."""
    rows = [("declared", f"{event.span.path}:{event.span.line}")]
    if event.title:
        rows.append(("title", event.title.text))
    rows += [("logger", logger.text) for logger in event.loggers]
    if event.level:
        rows.append(("level", event.level.text))
    if event.tags:
        rows.append(("tags", ", ".join(tag.text for tag in event.tags)))
    for match in event.matches:
        which = f" (release {releases_text(match.releases)})" if match.releases else ""
        rows.append(("template", f"{match.template.text}{which}"))
    rows += [("inside", f"{inside.place.text}: {inside.template.text}") for inside in event.insides]
    rows += [("sample", line) for sample in event.samples[:1] for line in sample.lines]
    lines = [event.name.text]
    before = ""
    for label, text in rows:
        lines.append(f"  {label if label != before else '':<10}{text}")
        before = label
    return "".join(f"{line}\n" for line in lines)
