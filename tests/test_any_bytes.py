"""Any bytes in: a report or one clear error out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from test_grammars import shipped

from logscope.demand import for_everything, for_rules
from logscope.errors import LogscopeError
from logscope.model import Source
from logscope.pipeline import analyze, read_log
from logscope.report import render

HEADER = (
    b"2026-10-29 01:20:23,709 DEBUG [o.a.c.e.o.NetworkOrchestrator] "
    b"(Work-Job-Executor-12:[ctx-2c9a51f0, job-1/job-2]) (logid:9f8e7d6c) "
)
PIECES = [HEADER, b"\n", b"\r\n", b"\0", b"\xff\xfe", b"\tat a.b.C(D.java:1)\n", "\U0001f980".encode(), b" " * 300]


def texts() -> list[bytes]:
    catalog = shipped()[0]
    return [line.encode() for event in catalog.events.values() for sample in event.samples for line in sample.lines]


blobs = st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(PIECES), st.sampled_from(texts())), max_size=12)


@given(blobs, st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_bytes_give_a_report_or_a_clear_error(pieces: list[bytes], everything: bool) -> None:
    catalog = shipped()[0]
    rules = list(catalog.rules.values())
    data = b"".join(pieces)
    source = Source("x.log", "management-server", "ms1", lambda: iter([data]))
    demand = for_everything(catalog, all_fields=True) if everything else for_rules(catalog, rules)
    try:
        log = read_log([source], [], catalog, demand)
    except LogscopeError:
        return
    report = analyze(log, rules)
    counted = report.coverage
    assert counted.recognised + counted.not_asked_for + counted.unknown == counted.records
    for format in ("text", "json", "md", "html"):
        assert render(report, format)
