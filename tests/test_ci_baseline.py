from __future__ import annotations

from datetime import date

import pytest

from logscope.ci import baseline
from logscope.ci.baseline import Known
from logscope.errors import UsageError
from logscope.model import Problem
from tests.test_ci_join import finding, report

TEXT = """
[[known]]
cause = "c"
reason = "apache/cloudstack#14175"
expires = 2026-12-31

[[known]]
fingerprint = "gone"
reason = "was fixed"
"""


def test_entries_are_read() -> None:
    assert baseline.read(TEXT, "known.toml") == [
        Known("", "c", "apache/cloudstack#14175", date(2026, 12, 31)),
        Known("gone", "", "was fixed", None),
    ]


def test_known_findings_are_marked_and_stale_entries_told() -> None:
    marked = baseline.apply(report(finding("10:00:00", "10:00:01")), baseline.read(TEXT, "known.toml"), "known.toml")
    assert [one.known for one in marked.findings] == ["apache/cloudstack#14175"]
    assert marked.notes == [Problem("known.toml", "fingerprint gone is stale: no finding has it; remove the entry")]


def test_an_entry_that_expired_before_the_log_counts_no_longer() -> None:
    known = [Known("", "c", "why", date(2026, 9, 2))]
    marked = baseline.apply(report(finding("10:00:00", "10:00:01")), known, "known.toml")
    assert [one.known for one in marked.findings] == [""]
    assert marked.notes == [Problem("known.toml", "cause c expired on 2026-09-02 and counts no longer")]
    known = [Known("", "c", "why", date(2026, 9, 3))]
    assert baseline.apply(report(finding("10:00:00", "10:00:01")), known, "known.toml").findings[0].known == "why"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "a baseline consists of [[known]] entries and nothing else"),
        ("known = 1", "a baseline consists of [[known]] entries and nothing else"),
        ("known = [1]", "entry 1: this is no [[known]] entry"),
        ("[[known]]\nreason = 'x'", "entry 1: give either 'fingerprint' or 'cause'"),
        ("[[known]]\ncause = 'x'\nfingerprint = 'y'\nreason = 'z'", "entry 1: give either 'fingerprint' or 'cause'"),
        ("[[known]]\ncause = 'x'", "entry 1: 'reason' is missing; say why it is known, such as an issue number"),
        ("[[known]]\ncause = 1\nreason = 'x'", "entry 1: 'cause' is no string"),
        ("[[known]]\ncause='x'\nreason='x'\nexpires='soon'", "entry 1: 'expires' is no date such as 2027-01-31"),
        (
            "[[known]]\ncause = 'x'\nreson = 'x'",
            "entry 1: there is no key 'reson'; an entry has cause, expires, fingerprint, reason",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        baseline.read(text, "k.toml")
    assert str(caught.value) == f"k.toml: {message}"


def test_what_is_no_toml_is_told() -> None:
    with pytest.raises(UsageError, match=r"^k\.toml: this baseline is no TOML: .*line 1"):
        baseline.read("[[known]", "k.toml")
