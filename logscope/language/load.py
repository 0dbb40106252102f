"""Reads directories of grammar files into one catalog."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from logscope.errors import Diagnostic, LogscopeError, Span, UsageError
from logscope.language import cache
from logscope.language.catalog import Catalog
from logscope.language.tree import Grammar

_FORMAT = b"logscope grammar 1"


def shipped_dir() -> Path:
    """The directory of the grammar files that come with logscope, in a checkout or installed."""
    package = Path(__file__).parent.parent
    for place in (package / "grammars", package.parent / "grammars"):
        if place.is_dir():
            return place
    raise LogscopeError("the grammar files of this installation are missing; install logscope again")


def load(dirs: Sequence[Path], *, use_cache: bool = True) -> tuple[Catalog, list[Grammar], list[Diagnostic]]:
    """The catalog of all `*.lsg` files of the directories, their trees, and what is wrong with them.

    Files come in the order of the directories and of their names; a directory may also be a single
    file. The catalog holds the sound declarations only, so it is complete if no diagnostic is an
    error. Samples and histories are not run here.

    Raises:
        UsageError: a directory does not exist or has no grammar file in it.
    """
    texts: list[tuple[str, bytes]] = []
    diagnostics: list[Diagnostic] = []
    for file in _files(dirs):
        try:
            texts.append((_shown(file), file.read_bytes()))
        except OSError as error:
            message = f"cannot read the file: {error.strerror}"
            diagnostics.append(Diagnostic("LG114", message, Span(_shown(file), 1, 1)))
    digest = hashlib.sha256(_FORMAT)
    for path, content in texts:
        digest.update(f"\n{os.path.basename(path)} {len(content)}\n".encode(errors="surrogateescape") + content)
    key = digest.hexdigest()
    kept = cache.fetch(key, [path for path, _ in texts]) if use_cache and not diagnostics else None
    if kept is not None:
        grammars, diagnostics = kept
        catalog = Catalog(digest=key)
        for grammar in grammars:
            for declaration in grammar.declarations:
                catalog.add(declaration)
        return catalog, grammars, diagnostics
    catalog, grammars, found = _read(texts)
    diagnostics += found
    if use_cache and all(one.severity != "error" for one in diagnostics):
        cache.store(key, grammars, diagnostics)
    return replace(catalog, digest=key), grammars, diagnostics


def source_text(path: str) -> str:
    """The text of a grammar file as diagnostics show it, empty if it cannot be read."""
    try:
        return Path(path).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def shown_paths(dirs: Sequence[Path]) -> list[str]:
    """The files that `load` reads of these directories, as their grammars and diagnostics name them.

    Raises:
        UsageError: a directory does not exist or has no grammar file in it.
    """
    return [_shown(file) for file in _files(dirs)]


def _files(dirs: Sequence[Path]) -> list[Path]:
    files: dict[str, Path] = {}
    for place in dirs:
        if place.is_file():
            found = [place]
        elif place.is_dir():
            found = sorted(one for one in place.glob("*.lsg") if one.is_file() or one.is_symlink())
        else:
            raise UsageError(f"there is no directory of grammar files '{place}'")
        if not found:
            raise UsageError(f"there is no grammar file (*.lsg) in '{place}'")
        for file in found:
            files.setdefault(os.path.realpath(file), file)
    return list(files.values())


def _shown(file: Path) -> str:
    """The path as diagnostics name it: relative where the file is below the working directory."""
    absolute = Path(os.path.abspath(file))
    here = Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else file)


def _read(texts: Sequence[tuple[str, bytes]]) -> tuple[Catalog, list[Grammar], list[Diagnostic]]:
    # pyparsing takes longer to import than a command with cached grammars may take.
    from logscope.language.check import check
    from logscope.language.resolve import resolve
    from logscope.language.syntax import parse

    grammars: list[Grammar] = []
    diagnostics: list[Diagnostic] = []
    for path, content in texts:
        grammar, mistakes = parse(content.decode(errors="replace"), path)
        grammars.append(grammar)
        diagnostics += _undecodable(path, content) or mistakes
    catalog, mistakes = resolve(grammars)
    diagnostics += mistakes
    diagnostics += check(catalog, grammars)
    # What stands in a file that is not text says nothing about its declarations.
    unreadable = {one.span.path for one in diagnostics if one.code == "LG114"}
    diagnostics = [one for one in diagnostics if one.code == "LG114" or one.span.path not in unreadable]
    order = {path: index for index, (path, _) in enumerate(texts)}
    diagnostics.sort(key=lambda one: (order[one.span.path], one.span))
    return catalog, grammars, diagnostics


def _undecodable(path: str, content: bytes) -> list[Diagnostic]:
    """The first place that is not UTF-8, if there is one."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        message = f"expected UTF-8, found the byte 0x{content[error.start]:02x}"
        return [Diagnostic("LG114", message, Span(path, line, column), "save the file as UTF-8")]
    return []
