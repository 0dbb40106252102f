"""Keeps parsed grammar files on disk, so that commands need neither pyparsing nor a second look.

One file for one set of grammar files, named by their digest: a checksum, a line feed, JSON. Only
sets without errors are kept. A cache that cannot be read or written, or is not ours, is no cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from logscope.errors import Diagnostic, Span
from logscope.language import codec
from logscope.language.tree import Grammar

_KEPT = 8  # sets of grammar files


def fetch(digest: str, paths: Sequence[str]) -> tuple[list[Grammar], list[Diagnostic]] | None:
    """The trees of the files at `paths`, whose contents have that digest, and their warnings; None if not kept."""
    try:
        checksum, _, payload = _file(digest).read_bytes().partition(b"\n")
        if hashlib.sha256(payload).hexdigest().encode() != checksum:
            return None
        values = json.loads(payload)
        grammars = [codec.decode(tree, path) for tree, path in zip(values["grammars"], paths, strict=True)]
        return grammars, [_diagnostic(one, paths) for one in values["diagnostics"]]
    except (OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError):
        return None


def store(digest: str, grammars: Sequence[Grammar], diagnostics: Sequence[Diagnostic]) -> None:
    """Keep the trees of a set of files and their warnings under the digest of their contents."""
    paths = [grammar.path for grammar in grammars]
    values = {
        "grammars": [codec.encode(grammar) for grammar in grammars],
        "diagnostics": [
            [one.code, one.message, paths.index(one.span.path), one.span.line, one.span.column, one.span.length,
             one.hint, one.notes, one.severity]
            for one in diagnostics
        ],
    }  # fmt: skip
    payload = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
    with suppress(OSError, RuntimeError):
        target = _file(digest)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".grammars-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            os.replace(name, target)
        except OSError:
            os.unlink(name)
            raise
        _prune(target.parent)


def _file(digest: str) -> Path:
    from platformdirs import user_cache_path

    key = hashlib.sha256(digest.encode())
    # Another reader may read the same files otherwise: what it made of them is not ours.
    for source in sorted(Path(__file__).parent.glob("*.py")):
        key.update(source.read_bytes())
    return user_cache_path("logscope") / f"grammars-{key.hexdigest()[:32]}.json"


def _prune(directory: Path) -> None:
    kept = sorted(directory.glob("grammars-*.json"), key=lambda one: one.stat().st_mtime, reverse=True)
    for old in kept[_KEPT:]:
        old.unlink()


def _diagnostic(values: list[Any], paths: Sequence[str]) -> Diagnostic:
    code, message, index, line, column, length, hint, notes, severity = values
    return Diagnostic(code, message, Span(paths[index], line, column, length), hint, tuple(notes), severity)
