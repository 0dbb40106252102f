"""Syntax trees as compact JSON and back.

A node is the list of its fields in the order of the class; where several classes may stand, a list
begins with the name of its class. A span is `[line, column, length]`: its path is that of the file.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from logscope.errors import Span
from logscope.language import tree
from logscope.language.tree import Grammar

Decode = Callable[[Any, str], Any]  # the JSON value, and the path of its file


def encode(grammar: Grammar) -> list[Any]:
    """The tree of a file as JSON values, without its path."""
    return [_encode(getattr(grammar, one.name), hint) for one, hint in _members(Grammar) if one.name != "path"]


def decode(values: Any, path: str) -> Grammar:
    """The tree of the file at `path` from what `encode` made of it.

    Raises:
        ValueError, TypeError, KeyError, IndexError: `values` is not such a tree.
    """
    parts = [
        _decoder(hint)(value, path)
        for value, (_, hint) in zip([*values[:1], path, *values[1:]], _members(Grammar), strict=True)
    ]
    return Grammar(*parts)


def _class(value: Any) -> Any:
    return type(value)


@cache
def _members(of: Any) -> list[tuple[Any, Any]]:
    hints = typing.get_type_hints(of, vars(tree))
    return [(one, hints[one.name]) for one in fields(of)]


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """The members of a union apart from None, or nothing for anything else."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return ()
    return tuple(one for one in typing.get_args(hint) if one is not type(None))


def _tagged(hint: Any) -> bool:
    """Whether values of this hint need the name of their class."""
    return sum(is_dataclass(one) or typing.get_origin(one) is tuple for one in _alternatives(hint)) > 1


def _encode(value: Any, hint: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Span):
        return [value.line, value.column, value.length]
    if isinstance(value, tuple):
        options = [one for one in (hint, *_alternatives(hint)) if typing.get_origin(one) is tuple]
        encoded = [_encode(one, typing.get_args(options[0])[0]) for one in value]
        return ["tuple", *encoded] if _tagged(hint) else encoded
    encoded = [_encode(getattr(value, one.name), member) for one, member in _members(_class(value))]
    return [type(value).__name__, *encoded] if _tagged(hint) else encoded


@cache
def _decoder(hint: Any) -> Decode:
    """What turns a JSON value into a value of that hint."""
    if hint is Span:
        return lambda value, path: Span(path, *value)
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        if item is str:
            return lambda value, path: tuple(value)
        one = _decoder(item)
        return lambda value, path: tuple([one(part, path) for part in value])
    if is_dataclass(hint):
        return _node(hint)
    options = _alternatives(hint)
    if _tagged(hint):
        by_name = {getattr(option, "__name__", "tuple"): _decoder(option) for option in options}
        return lambda value, path: by_name[value[0]](value[1:], path)
    nodes = [option for option in options if is_dataclass(option) or typing.get_origin(option) is tuple]
    if nodes:
        inner = _decoder(nodes[0])
        return lambda value, path: None if value is None else inner(value, path)
    return lambda value, path: value


def _node(of: Any) -> Decode:
    plain = (str, int, float, bool)
    decoders: list[Decode | None] = []
    for _, hint in _members(of):
        simple = hint in plain or (_alternatives(hint) and all(one in plain for one in _alternatives(hint)))
        decoders.append(None if simple else _decoder(hint))
    count = len(decoders)

    def node(value: Any, path: str) -> Any:
        if len(value) != count:
            raise ValueError(f"expected {count} fields of {of.__name__}, found {len(value)}")
        return of(*[part if one is None else one(part, path) for part, one in zip(value, decoders, strict=True)])

    return node
