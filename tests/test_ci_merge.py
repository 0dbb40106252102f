from __future__ import annotations

from dataclasses import replace

import pytest

from logscope import model
from logscope.ci.merge import merge
from logscope.model import Coverage, Incident, Problem, RuleStatus
from tests.test_ci_join import PROXY, failure, finding, report


def one(name: str, status: str = "quiet", fired: int = 0) -> model.Report:
    made = report(finding("10:00:00", "10:00:01"), failures=(replace(failure("10:00:01"), explained_by=0),))
    made.coverage = Coverage(10, 4, 3, 2, 1)
    made.incidents = [Incident(name, "t", [PROXY], [0], 0, 1, [0])]
    made.rules = [
        RuleStatus("r", "R", "high", status, [] if status != "not-evaluated" else ["x.y"], "", 2, fired, "work", [1.5])
    ]
    made.tests = [model.TestCase("t", "f.py", "failure", 1.0, 1, 2, "ms", "explained", [0], "x", run=name)]
    made.notes = [Problem("k.toml", "stale")]
    return made


def test_indexes_are_shifted_and_numbers_added() -> None:
    whole = merge([one("a"), one("b", "fired", 1), one("c", "not-evaluated")])
    assert [i.findings for i in whole.incidents] == [[0], [1], [2]]
    assert [i.failures for i in whole.incidents] == [[0], [1], [2]]
    assert [f.explained_by for f in whole.failures] == [0, 1, 2]
    assert [(t.run, t.explained_by) for t in whole.tests] == [("a", [0]), ("b", [1]), ("c", [2])]
    assert whole.coverage == Coverage(30, 12, 9, 6, 3)
    # The third run could not evaluate the rule, so its chances do not count.
    assert whole.rules == [RuleStatus("r", "R", "high", "fired", [], "", 4, 1, "work", [1.5, 1.5])]
    assert whole.notes == [Problem("k.toml", "stale")]


def test_merging_in_parts_gives_the_same() -> None:
    parts = [one("a"), one("b"), one("c")]
    assert merge([merge(parts[:2]), parts[2]]) == merge(parts)


def test_what_is_merged_stays_as_it_was() -> None:
    first, again = one("a"), one("a")
    merge([first, one("b")])
    assert first == again


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(ValueError, match="no report"):
        merge([])


def test_windows_are_thinned_evenly() -> None:
    first, second = one("a"), one("b")
    first.rules[0].windows = [float(number) for number in range(1000)]
    second.rules[0].windows = [float(number) for number in range(1000, 2000)]
    (rule,) = merge([first, second]).rules
    assert (len(rule.windows), rule.windows[0], rule.windows[-1]) == (1000, 0.0, 1999.0)


def test_a_rule_that_no_run_could_evaluate_keeps_its_chances() -> None:
    (rule,) = merge([one("a", "not-evaluated"), one("b", "not-evaluated")]).rules
    assert (rule.status, rule.chances) == ("not-evaluated", 4)


def test_what_a_log_lacks_is_told_rather_than_that_another_run_has_none() -> None:
    bare, read = one("a", "not-evaluated"), one("b", "not-evaluated")
    bare.sources = []
    read.sources = [model.SourceSummary("x.log", "management-server", "ms1", 1, 1, 1, None, None, [])]
    bare.rules[0].reason, read.rules[0].reason = "there is no log of this run", "never in this log: x.y"
    assert merge([bare, read]).rules[0].reason == merge([read, bare]).rules[0].reason == "never in this log: x.y"
