"""Rules about locks of any kind say which locks each side held, and where none was seen."""

from __future__ import annotations

from histories import judged

from logscope.language.printer import Who
from logscope.model import Sentence

A, B = (Who("ms1", f"thread-{name}", f"ctx-0000000{name}") for name in "ab")
On = tuple[float, Who, str, str]


def sentences(*steps: On, rule: str = "changed-under-anothers-lock") -> list[Sentence]:
    report = judged([(at, who, event, {"network": id}) for at, who, event, id in steps], rule)
    return [sentence for finding in report.findings for sentence in finding.then]


TAKEN: On = (0.0, A, "lock.network.shutdown.acquired", "209")
CHANGED: On = (2.0, B, "job.cleanup.network", "209")
GIVEN: On = (4.0, A, "lock.network.shutdown.released", "209")


def test_a_side_without_a_lock_is_told() -> None:
    told = sentences(TAKEN, CHANGED, GIVEN)
    assert told[-2:] == [
        Sentence("the actor of hold had shutdown hold on network 209 then", ("memory:1",)),
        Sentence("no lock of the actor of act was seen then", ("memory:2",)),
    ]


def test_the_lock_of_something_else_is_named() -> None:
    other: On = (1.0, B, "lock.network.shutdown.acquired", "210")
    after: On = (5.0, B, "lock.network.shutdown.released", "210")
    told = sentences(TAKEN, other, CHANGED, GIVEN, after)
    assert told[-1] == Sentence("the actor of act had shutdown hold on network 210 then", ("memory:2",))


def test_a_lock_that_was_given_back_before_is_not_named() -> None:
    before: On = (0.5, B, "lock.network.shutdown.acquired", "210")
    back: On = (1.5, B, "lock.network.shutdown.released", "210")
    told = sentences(TAKEN, before, back, CHANGED, GIVEN)
    assert told[-1].text == "no lock of the actor of act was seen then"


def test_a_rule_that_names_its_lock_says_nothing_more() -> None:
    steps = [(at, who, event.replace("shutdown", "implement"), id) for at, who, event, id in (TAKEN, GIVEN)]
    struck: On = (2.0, B, "network.orphan.found", "209")
    told = sentences(steps[0], struck, steps[1], rule="network-cleaned-up-while-implementing")
    assert told
    assert not [sentence for sentence in told if "lock" in sentence.text]
