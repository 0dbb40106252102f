"""What the text of a failure says by itself: the kind of failure, and which failed operation of the grammars it is.

The texts come from strangers, so they are searched with the frames' engine, which takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from logscope.language.catalog import Catalog
from logscope.language.template import Compiler, literal_size
from logscope.language.tree import Literal

# Whoever changes these: the first that fits is taken.
_KINDS = (
    ("a job failed", r"Job failed|jobresultcode"),
    ("a call was refused", r"CloudstackAPIException|errorCode ?: ?\d+"),
    ("nothing answered", r"SSH|[Tt]imed? ?out|[Cc]onnection (?:refused|reset|timed)|[Nn]o route to host|urlopen error"),
    ("a check of the test failed", r"AssertionError|^Check |^Failed to "),
    ("the test itself broke", r"(?:Attribute|Key|Type|Index|Name|UnboundLocal|Value)Error"),
    ("the test did not end", r"^did not end$"),
)
_CODE = re.compile(r"error[Cc]ode ?: ?(\d+)")
_TELLING = 12  # literal characters; a template with less fits too much
_PLACE = re.compile(r"\{[\w.-]+\}")


class FailureTexts:
    """Reads the texts of failures by the grammars' failed operations."""

    def __init__(self, catalog: Catalog) -> None:
        compiler = Compiler(catalog)
        shapes: list[tuple[int, str, str, str]] = []
        for name in catalog.events_tagged("failure"):
            event = catalog.events[name]
            templates = [*(match.template for match in event.matches), *(inside.template for inside in event.insides)]
            for template in templates:
                if literal_size(template) >= _TELLING:
                    regex = compiler.shape(template, anchored=False).regex
                    literal = max((part.text for part in template.parts if isinstance(part, Literal)), key=len)
                    shapes.append((-literal_size(template), name, regex, literal))
        self._shapes = sorted(shapes)
        self._titles = {
            name: _PLACE.sub("…", event.title.text) if event.title else name for name, event in catalog.events.items()
        }
        self._rules: dict[str, list[str]] = {}
        for rule in catalog.rules.values():
            for attachment in rule.proves:
                self._rules.setdefault(attachment.binding.spec.name.text, []).append(rule.name.text)

    def read(self, texts: Sequence[str]) -> list[str]:
        """Say in a few words what each text is; empty where it says nothing."""
        told = [_kind(text) for text in texts]
        column = pl.Series(texts, dtype=pl.String)
        left = set(range(len(texts)))
        for _, event, regex, literal in self._shapes:
            # Most fit none of the texts, which costs less to see by a literal than by an expression.
            if not any(literal in texts[number] for number in left):
                continue
            fits = column.str.contains(regex)
            for number in sorted(number for number in left if fits[number]):
                left.discard(number)
                told[number] = "; ".join(filter(None, (told[number], self._consequence(event))))
        return told

    def _consequence(self, event: str) -> str:
        rules = ", ".join(self._rules.get(event, ()))
        return f"its text is that of '{self._titles[event]}'" + (f", as after {rules}" if rules else "")


@lru_cache(maxsize=4)
def texts_of(catalog: Catalog) -> FailureTexts:
    """What reads texts by a catalog, made once for it."""
    return FailureTexts(catalog)


def _kind(text: str) -> str:
    for kind, regex in _KINDS:
        if re.search(regex, text):
            code = _CODE.search(text)
            return f"{kind} ({code[1]})" if code else kind
    return ""
