"""xunit XML: the result of each test of one file, without times of day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, ParseError

from logscope.ci.text import first_line, last_line
from logscope.ci.values import Outcome

if TYPE_CHECKING:
    from _typeshed import SupportsRead

_RESULTS = {"failure": "failure", "error": "error", "skipped": "skipped"}


def read(blocks: Iterator[bytes]) -> tuple[list[Outcome], str]:
    """Read the test cases in order, and say what is wrong with the file, or nothing.

    What stands before the mistake is given all the same. Entities are refused: a few lines of
    them unfold to gigabytes.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    found: list[Outcome] = []
    source = _Reader(blocks)
    try:
        for _, element in iterparse(source, forbid_dtd=True):
            if element.tag == "testcase":
                found.append(_outcome(element))
                element.clear()
    except ParseError as error:
        if not source.size:
            return [], ""
        line, column = error.position
        return found, f"is broken XML at line {line}, column {column + 1}; the tests before that are counted"
    except DefusedXmlException:
        return found, "declares entities or a document type, which are not read; the tests before that are counted"
    return found, ""


class _Reader:
    """Blocks as the file object that a parser reads from; `size` counts what was read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.size = 0

    def read(self, _length: int = -1) -> bytes:
        for block in self._blocks:
            if block:
                self.size += len(block)
                return block
        return b""


if TYPE_CHECKING:
    _: SupportsRead[bytes] = _Reader(iter(()))


def _outcome(element: Element) -> Outcome:
    result, text = "success", ""
    for child in element:
        if child.tag in _RESULTS:
            result, text = _RESULTS[child.tag], _cause(child)
            break
    try:
        seconds = float(element.get("time", ""))
    except ValueError:
        seconds = None
    return Outcome(element.get("name", ""), result, seconds, text, element.get("classname", ""))


def _cause(child: Element) -> str:
    kind = child.get("type", "").rpartition(".")[2]
    # A Python 3 runner writes the message, an older one the whole traceback into it.
    message = child.get("message", "")
    told = last_line(message) if message.lstrip().startswith("Traceback") else first_line(message)
    told = told or last_line(child.text or "")
    if child.tag == "skipped" or not kind or told.startswith(kind):
        return told
    return f"{kind}: {told}" if told else kind
