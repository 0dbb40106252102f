from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from report_odd_samples import ALL
from report_samples import console_proxy, network_209

import logscope
from logscope import report
from logscope.errors import UsageError

SCHEMA: dict[str, Any] = json.loads(
    (Path(logscope.__file__).parent / "schemas" / "report.schema.json").read_text(encoding="utf-8")
)


def data(sample: str = "network-209") -> dict[str, Any]:
    read: dict[str, Any] = json.loads(report.render(ALL[sample](), "json"))
    return read


def unknown_keys(value: Any, schema: dict[str, Any], place: str) -> list[str]:
    """Keys of `value` that its schema does not describe."""
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [key for item in value for key in unknown_keys(item, schema["items"], f"{place}[]")]
    if not isinstance(value, dict) or "additionalProperties" in schema:
        return []
    found = [f"{place}.{key}" for key in value if key not in schema["properties"]]
    for key, item in value.items():
        found += unknown_keys(item, schema["properties"].get(key, {}), f"{place}.{key}")
    return found


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("sample", ALL)
def test_every_report_fits_the_schema_and_nothing_is_undescribed(sample: str) -> None:
    written = data(sample)
    Draft202012Validator(SCHEMA).validate(written)
    assert unknown_keys(written, SCHEMA, "") == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: found.pop("schema"),
        lambda found: found["findings"][0].pop("rule"),
        lambda found: found["findings"][0]["let"][0].update({"is": "hold"}),
        lambda found: found["findings"][0].update(start="yesterday"),
        lambda found: found["coverage"].update(records=-1),
    ],
)
def test_schema_refuses_what_is_no_report(damage: Any) -> None:
    written = data()
    damage(written)
    assert not Draft202012Validator(SCHEMA).is_valid(written)


@pytest.mark.parametrize("sample", ALL)
def test_round_trip(sample: str) -> None:
    given = ALL[sample]()
    assert report.from_json(report.render(given, "json")) == given


@pytest.mark.parametrize("sample", ALL)
@pytest.mark.parametrize("name", ["html", "md", "text"])
def test_other_formats_come_from_the_json_alone(sample: str, name: str) -> None:
    given = ALL[sample]()
    assert report.render(report.from_json(report.render(given, "json")), name) == report.render(given, name)


def test_keys_are_those_of_the_contract() -> None:
    written = data()
    assert list(written)[:2] == ["schema", "version"]
    assert written["schema"] == "logscope/report/1"
    finding = written["findings"][0]
    assert finding["resource"]["name"] == "net-a"
    assert finding["start"] == "2026-10-29T01:20:23.709"
    assert finding["margins"] == {"after_start": 7.941, "before_end": 30.38}
    work = finding["let"][0]
    assert (work["is"], work["of"]) == ("interval", "network.implement")
    assert (work["opened_by"], work["closed_by"]) == ("management-server.log:25", "management-server.log:36")
    assert finding["then"][0]["lines"] == ["management-server.log:25", "management-server.log:30"]
    assert finding["evidence"][1]["line"] == 30
    assert written["failures"][0]["explained_by"] == 0
    assert written["rules"][0].keys() >= {"rule", "status", "missing", "chances", "fired"}


def test_times_carry_the_offset_only_if_there_is_one() -> None:
    plain, zoned = report.to_dict(network_209()), report.to_dict(console_proxy("B"))
    assert plain["sources"][0]["first"] == "2026-10-29T01:19:46.031"
    assert zoned["sources"][0]["first"] == "2026-09-03T10:41:07.212+02:00"


def test_output_is_ascii() -> None:
    assert report.render(ALL["hostile"](), "json").isascii()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is not a JSON report: "),
        ("[" * 100_000, "this is not a JSON report: "),
        ("[]", 'this is not a report of logscope: it lacks "schema": "logscope/report/1"'),
        ('{"schema": "logscope/report/2"}', 'it lacks "schema": "logscope/report/1"'),
        ('{"schema": "logscope/report/1", "tz": 2}', "the report is damaged: 'tz' is no string"),
        ('{"schema": "logscope/report/1"}', "the report is damaged: 'version' is missing"),
    ],
)
def test_what_is_no_report_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        report.from_json(text)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda d: d["findings"][0].pop("severity"), "'findings[0].severity' is missing"),
        (lambda d: d["findings"][0]["let"][1].pop("is"), "'findings[0].let[1].is' is missing"),
        (lambda d: d["findings"][0].update(start="noon"), "'findings[0].start' is no time of this report"),
        (lambda d: d["findings"][0].update(start="2026-10-29T01:20:23.709+02:00"), "'findings[0].start' is no time"),
        (lambda d: d["findings"][0].update(end=None), "'findings[0].end' is no time of this report"),
        (lambda d: d["findings"][0].update(title=7), "'findings[0].title' is no string"),
        (lambda d: d["coverage"].update(records="1"), "'coverage.records' is no number"),
        (lambda d: d["coverage"].update(records=True), "'coverage.records' is no number"),
        (lambda d: d.update(findings={}), "'findings' is no list"),
        (lambda d: d.update(findings=["x"]), "'findings[0]' is no object"),
        (lambda d: d["findings"][0].update(margins=[]), "'findings[0].margins' is no object"),
    ],
)
def test_damage_is_told_with_its_place(damage: Any, told: str) -> None:
    written = data()
    damage(written)
    with pytest.raises(UsageError) as error:
        report.from_json(json.dumps(written))
    assert f"the report is damaged: {told}" in str(error.value)


def test_later_keys_are_passed_over_and_optional_ones_may_lack() -> None:
    written = data()
    written["later"] = 1
    written["findings"][0]["later"] = {}
    del written["findings"][0]["remedy"]
    written["findings"][0]["margins"]["after_start"] = 8
    read = report.from_json(json.dumps(written)).findings[0]
    assert (read.remedy, read.margins["after_start"]) == ("", 8.0)


@pytest.mark.parametrize("sample", ALL)
def test_the_text_is_that_of_the_plain_values(sample: str) -> None:
    given = ALL[sample]()
    plain = report.to_dict(given)
    assert report.render(given, "json") == json.dumps(plain, indent=2) + "\n"
