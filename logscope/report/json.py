"""The report as JSON, and back: everything that the other formats need is in it.

Keys are the names of the model, but for `is` (the model's `kind` of a bound name or timeline entry, as `kind`
is a resource's). Times are ISO 8601 with milliseconds. `schemas/report.schema.json` describes it.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from logscope.errors import UsageError
from logscope.model import Entry, Let, Report
from logscope.report.parts.times import from_iso, iso

SUFFIX = ".json"
SCHEMA = "logscope/report/1"

_TIMES = frozenset({"start", "end", "time", "first", "last"})
_RENAMED = {(Let, "kind"): "is", (Entry, "kind"): "is"}


def render(report: Report) -> str:
    """Give the report as JSON text in ASCII, indented, with a line feed at the end."""
    return "".join(_pieces(report))


def _pieces(report: Report) -> Iterator[str]:
    """Give the text member by member: all of it in small parts takes many times the room of the text."""
    yield f'{{\n  "schema": {_text(SCHEMA)}'
    for field in fields(report):
        value = getattr(report, field.name)
        yield f",\n  {_text(field.name)}: "
        if isinstance(value, list) and value:
            for number, item in enumerate(value):
                yield f"{',' if number else '['}\n    " + _text(_plain(item, report.tz)).replace("\n", "\n    ")
            yield "\n  ]"
        else:
            yield _text(_member(field.name, value, report.tz)).replace("\n", "\n  ")
    yield "\n}\n"


def _text(plain: Any) -> str:
    return json.dumps(plain, indent=2, allow_nan=False)


def to_dict(report: Report) -> dict[str, Any]:
    """Give the report as plain dictionaries, lists, strings and numbers; keys as in the JSON."""
    plain: dict[str, Any] = _plain(report, report.tz)
    return {"schema": SCHEMA, **plain}


def from_json(text: str) -> Report:
    """Read a report that `render` wrote; keys that this release does not know are passed over.

    Raises:
        UsageError: it is no JSON, not a report, or lacks something; the message says where.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is not a JSON report: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f'this is not a report of logscope: it lacks "schema": "{SCHEMA}"')
    tz = data.get("tz", "")
    if not isinstance(tz, str):
        raise UsageError("the report is damaged: 'tz' is no string")
    report: Report = _object(Report, data, "", tz)
    return report


def _plain(value: Any, tz: str) -> Any:
    if is_dataclass(value):
        return {
            _RENAMED.get((type(value), field.name), field.name): _member(field.name, getattr(value, field.name), tz)
            for field in fields(value)
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item, tz) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, tz) for key, item in value.items()}
    return value


def _member(name: str, value: Any, tz: str) -> Any:
    if name in _TIMES and value is not None:
        return iso(value, tz)
    return _plain(value, tz)


def _object(cls: Any, data: Any, where: str, tz: str) -> Any:
    if not isinstance(data, dict):
        raise _damaged(where, "is no object")
    hints = _hints(cls)
    values = {}
    for field in fields(cls):
        key = _RENAMED.get((cls, field.name), field.name)
        place = f"{where}.{key}" if where else key
        if key in data:
            read = _time if field.name in _TIMES else _value
            values[field.name] = read(hints[field.name], data[key], place, tz)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _damaged(place, "is missing")
    return cls(**values)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _time(hint: Any, data: Any, where: str, tz: str) -> int | None:
    if data is None and type(None) in get_args(hint):
        return None
    try:
        return from_iso(data, tz)
    except (TypeError, ValueError, AttributeError):
        raise _damaged(where, "is no time of this report") from None


def _value(hint: Any, data: Any, where: str, tz: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if data is None else _value(inner[0], data, where, tz)
    if origin in (list, tuple):
        if not isinstance(data, list):
            raise _damaged(where, "is no list")
        return origin(_value(inner[0], item, f"{where}[{at}]", tz) for at, item in enumerate(data))
    if origin is dict:
        if not isinstance(data, dict):
            raise _damaged(where, "is no object")
        return {key: _value(inner[1], item, f"{where}.{key}", tz) for key, item in data.items()}
    if is_dataclass(hint):
        return _object(hint, data, where, tz)
    if hint is float and type(data) is int:
        return float(data)
    if type(data) is not hint:
        raise _damaged(where, f"is no {'string' if hint is str else 'number'}")
    return data


def _damaged(where: str, what: str) -> UsageError:
    return UsageError(f"the report is damaged: '{where or 'it'}' {what}")
