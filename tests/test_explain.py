"""What a finding is said to be about."""

from __future__ import annotations

import pytest
from test_grammars import shipped

from logscope.pipeline import analyze
from logscope.selftest import read_history


@pytest.mark.parametrize(
    ("rule", "resource"),
    [
        ("volume-stuck-in-transition", "volume:791"),
        ("network-cleaned-up-while-implementing", "network:209"),
        ("job-cancelled-while-running", "job:39"),
        ("ha-restart-looped", "vm:874"),
    ],
)
def test_a_finding_is_about_what_its_rule_compares_or_names(rule: str, resource: str) -> None:
    catalog = shipped()[0]
    log = read_history(catalog, catalog.rules[rule].fires[0])
    assert str(analyze(log, [catalog.rules[rule]]).findings[0].resource) == resource
