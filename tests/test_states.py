"""States that follow from events, and events that a state does not allow."""

from __future__ import annotations

import json

import pytest

from logscope.demand import for_rules
from logscope.language.printer import Who
from logscope.model import Resource
from logscope.pipeline import read_text
from tests.cli_runner import FIXTURES, NETWORK, logscope
from tests.small_log import START, catalog, log_of

GRAMMAR = """grammar doors

type door
  match | door-{id:int}

event door.opened
  title | door {door.id} is opened by {who}
  match | {door:door} is opened by {who:word}

event door.shut
  title | door {door.id} is shut
  match | {door:door} is shut

event door.locked
  title | door {door.id} is locked
  match | {door:door} is locked

event door.kicked
  title | door {door.id} is kicked by {who}
  match | {door:door} is kicked by {who:word}

machine door
  title | door {id} stands {state}
  edge  Shut -> Open on door.opened
  edge  Open -> Shut on door.shut
  edge  Locked -> Locked on door.shut
  edge  Shut -> Locked on door.locked
  edge  Open, Shut, Locked -> Broken on door.kicked where who = "me"
"""
SILENT = GRAMMAR.replace("  title | door {id} stands {state}\n", "")
WHO = Who("ms1", "thread-1", "ctx-00000001")


def entries(*steps: str, grammar: str = GRAMMAR) -> list[tuple[str, str, float, float]]:
    """What machines add to the timeline of door 1 (kind, title, begin, end); a step is `SECOND EVENT [who]`."""
    known = catalog(grammar)
    log = log_of(known, [_step(*step.split()) for step in steps])
    (timeline,) = log.timelines.of([Resource("door", "1")])
    events = set(known.events)
    return [
        (e.kind, e.title, (e.start - START) / 1e6, (e.end - START) / 1e6)
        for e in timeline.entries
        if e.of not in events or "," in e.title
    ]


def _step(second: str, event: str, who: str = "") -> tuple[float, Who, str, dict[str, str]]:
    return float(second), WHO, f"door.{event}", {"door": "1", **({"who": who} if who else {})}


def test_states_go_from_event_to_event() -> None:
    assert entries("1 opened me", "3 shut", "4 locked", "9 shut") == [
        ("interval", "door 1 stands Open", 1.0, 3.0),
        ("interval", "door 1 stands Shut", 3.0, 4.0),
        ("interval", "door 1 stands Locked", 4.0, 9.0),
    ]


def test_an_event_that_the_state_does_not_allow_is_out_of_order() -> None:
    assert entries("1 opened me", "2 locked", "5 shut", "6 opened you", "7 opened you") == [
        ("interval", "door 1 stands Open", 1.0, 2.0),
        ("interval", "door 1 stands Locked", 2.0, 6.0),
        ("event", "door 1 is locked: out of order, door 1 stands Open", 2.0, 2.0),
        ("interval", "door 1 stands Open", 6.0, 7.0),
        ("event", "door 1 is opened by you: out of order, door 1 stands Locked", 6.0, 6.0),
        ("event", "door 1 is opened by you: out of order, door 1 stands Open", 7.0, 7.0),
    ]


def test_a_state_is_unknown_until_an_event_leads_to_one_whatever_was_before() -> None:
    assert entries("1 shut", "2 locked", "3 shut") == [("interval", "door 1 stands Locked", 2.0, 3.0)]


def test_after_an_event_out_of_order_that_may_lead_anywhere_the_state_stays() -> None:
    assert entries("1 kicked me", "2 shut", "3 shut")[0] == ("interval", "door 1 stands Broken", 1.0, 3.0)


def test_an_event_that_fits_no_edge_is_no_known_change() -> None:
    assert entries("1 opened me", "2 kicked you") == [
        ("interval", "door 1 stands Open", 1.0, 2.0),
        ("event", "door 1 is kicked by you: no such change is known, door 1 stands Open", 2.0, 2.0),
    ]
    assert entries("1 kicked you") == [
        ("event", "door 1 is kicked by you: no such change is known, door:1 is in no known state", 1.0, 1.0)
    ]


def test_without_a_title_only_what_is_out_of_order_is_shown() -> None:
    assert entries("1 opened me", "3 shut", "4 shut", grammar=SILENT) == [
        ("event", "door 1 is shut: out of order, door:1 is Shut", 4.0, 4.0)
    ]


def test_where_events_were_left_out_no_state_is_claimed() -> None:
    known = catalog(GRAMMAR)
    log = read_text(
        "2026-10-29 01:20:31,650 INFO  [o.x.Y] (main:[ctx-00000001]) (logid:) door-1 is shut\n",
        known,
        for_rules(known, []),
    )
    assert log.timelines.of([Resource("door", "1")])[0].entries == []


def titles(resource: str, path: object = NETWORK) -> list[tuple[str, str]]:
    done = json.loads(logscope("timeline", str(path), "-r", resource, "--format", "json").out)
    return [(entry["title"], entry["line"].rpartition(":")[2]) for entry in done["timelines"][0]["entries"]]


def test_state_of_a_network_follows_from_its_implement_and_shutdown() -> None:
    found = [one for one in titles("network:209") if "as far as the log tells" in one[0]]
    assert found == [
        ("network 209 is Shutdown, as far as the log tells", "3"),
        ("network 209 is Allocated, as far as the log tells", "14"),
        ("network 209 is Implementing, as far as the log tells", "26"),
        ("network 209 is Shutdown, as far as the log tells", "31"),
        (
            "network lock of 209 released after implement: out of order, network 209 is Shutdown, "
            "as far as the log tells",
            "36",
        ),
    ]


def test_state_of_a_vm_is_known_where_its_lines_name_no_vm() -> None:
    found = titles("vm:4", FIXTURES / "golden" / "lines.log")
    assert ("VM 4: Stopped to Starting (StartRequested)", "165") in found
    assert ("VM 4: Starting to Starting (OperationRetry)", "168") in found
    assert ("VM 4 Starting", "165") in found


@pytest.mark.parametrize("resource", ["vm:612", "vm:598", "job:4251", "host:1"])
def test_what_goes_its_way_is_not_out_of_order(resource: str) -> None:
    assert [title for title, _ in titles(resource) if "out of order" in title or "no such change" in title] == []
