"""What the printer fills in where nothing is given."""

from __future__ import annotations

import pytest
from test_grammars import shipped

from logscope.demand import for_everything
from logscope.language.printer import Printer, Who
from logscope.pipeline import read_text


@pytest.mark.parametrize(
    ("event", "fields", "resources"),
    [
        ("volume.expunge", {"volume": "791"}, [("volume", "791")]),
        ("nic.prepare", {"nic": "12", "nic.vm": "46"}, [("nic", "12"), ("vm", "46")]),
        ("vm.start.completed", {"vm": "46"}, [("vm", "46")]),
    ],
)
def test_what_is_not_given_names_no_other_resource(
    event: str, fields: dict[str, str], resources: list[tuple[str, str]]
) -> None:
    catalog = shipped()[0]
    line = Printer(catalog).line(1_800_000_000_000_000, Who("ms1", "main", "ctx-1"), event, fields)
    found = read_text(line, catalog, for_everything(catalog)).events.resources
    assert sorted(set(found.select("kind", "id").iter_rows())) == resources
