"""Tells the mistakes in grammar files to the person at standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from logscope.errors import Diagnostic


def tell(diagnostics: Sequence[Diagnostic]) -> None:
    """Print each mistake with its line and a caret, parted by blank lines."""
    sys.stderr.write(text(diagnostics))


def text(diagnostics: Sequence[Diagnostic]) -> str:
    """The diagnostics as they are told to a person."""
    from logscope.diagnostics import render
    from logscope.language.load import source_text

    sources = {path: source_text(path) for path in {one.span.path for one in diagnostics}}
    return "".join(f"{render(one, sources[one.span.path])}\n" for one in diagnostics)
