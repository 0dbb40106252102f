"""Which resource a text means, and what is known about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logscope import query
from logscope.demand import for_everything
from logscope.errors import UsageError
from logscope.model import Resource
from logscope.pipeline import Log
from logscope.session import Question, load_catalog, open_log
from tests.cli_runner import NETWORK

SHUT = (
    "2026-10-29 01:20:2{number},000 DEBUG [o.a.c.e.o.NetworkOrchestrator] (Network-Scavenger-1:[ctx-5c1f0a9e]) "
    '(logid:2f6b1d40) Network Network {{"id": {id}, "name": "net-a", "uuid": "{uuid}", "networkofferingid": 16}} '
    "is shutdown successfully, cleaning up corresponding resources now.\n"
)
UUIDS = ["5df664d2-9d1a-495e-8854-b1206b3f5e7a", "5df664d2-9d1a-495e-8854-b1206b3f5e7b"]


def read(path: Path) -> Log:
    catalog = load_catalog([])
    return open_log(Question([str(path)]), catalog, for_everything(catalog, all_fields=True)).log


@pytest.fixture(scope="module")
def log() -> Log:
    return read(NETWORK)


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("network:209", "network:209"),
        ("net-a", "network:209"),
        ("network:net-a", "network:209"),
        ("5df664d2-9d1a-495e-8854-b1206b3f5e7a", "network:209"),
        ("5DF664D2-9D1A-495E-8854-B1206B3F5E7A", "network:209"),
        ("vm:95f83218-afc8-47dc-8341-afed5f3f5933", "vm:598"),
        ("r-598-VM", "vm:598"),
        ("vm:r-598-VM", "vm:598"),
        ("kvm1", "host:1"),
        ("job:4251", "job:4251"),
        ("14358b97-6630-42b9-8b49-554a253e0db9", "job:4251"),
    ],
)
def test_ids_uuids_and_names_lead_to_the_resource(log: Log, text: str, resource: str) -> None:
    assert str(query.find_resource(log, text)) == resource


def test_a_resource_comes_with_its_names(log: Log) -> None:
    found = query.find_resource(log, "network:209")
    assert found == Resource("network", "209", "5df664d2-9d1a-495e-8854-b1206b3f5e7a", "net-a")


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    """Two networks of one name, as users may give it."""
    lines = [SHUT.format(number=number, id=209 + number, uuid=uuid) for number, uuid in enumerate(UUIDS)]
    path = tmp_path / "management-server.log"
    path.write_text("".join(lines))
    return path


def test_a_name_of_several_resources_is_not_guessed_at(twins: Path) -> None:
    message = "'net-a' is what several resources are called; say which: network:209, network:210"
    with pytest.raises(UsageError, match=message):
        query.find_resource(read(twins), "net-a")


def test_a_name_never_stands_for_an_id(twins: Path) -> None:
    twins.write_text(twins.read_text().replace('"id": 210, "name": "net-a"', '"id": 210, "name": "209"'))
    found = read(twins)
    assert query.find_resource(found, "network:209") == Resource("network", "209", UUIDS[0], "net-a")
    assert query.find_resource(found, "network:210") == Resource("network", "210", UUIDS[1], "209")


def test_events_come_with_all_that_is_known(log: Log) -> None:
    eids = query.events_of(log, Resource("network", "209"))
    frame = next(query.event_frames(log, eids))
    assert frame.columns == list(query.EVENT_COLUMNS)
    row = frame.filter(frame["event"] == "network.orphan.found").row(0, named=True)
    assert (row["line"], row["actor"], row["resources"]) == (
        30,
        "orphan cleanup, AsyncJobMgr-Heartbeat-1",
        ["network:209"],
    )
    assert json.loads(row["fields"])["age"] == 2087
    assert row["text"] == NETWORK.read_text().splitlines()[29]


def test_text_of_an_event_has_its_continuation_lines(log: Log) -> None:
    frame = next(query.event_frames(log))
    text = frame.filter(frame["line"] == 40)["text"][0]
    assert text.splitlines() == NETWORK.read_text().splitlines()[39:43]


def test_fields_of_one_event_are_typed(log: Log) -> None:
    frame = query.fields_of(log, "network.orphan.found")
    assert frame.select("line", "age", "threshold", "network.id").rows() == [(30, 2087, 1440, 209)]
    with pytest.raises(UsageError, match=r"did you mean 'network\.orphan\.found'\?"):
        query.fields_of(log, "network.orphan.fond")


def test_intervals_have_their_lines_and_resources(log: Log) -> None:
    frame = query.intervals(log)
    row = frame.filter(frame["interval"] == "network.implement").row(0, named=True)
    assert (row["opened_by"], row["closed_by"]) == (f"{NETWORK}:25", f"{NETWORK}:36")
    assert (row["end"] - row["start"], row["outcome"], row["resources"]) == (38_321_000, "closed", ["network:209"])
    assert frame["start"].is_sorted()
