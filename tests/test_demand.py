"""What is asked for: events with the texts that must stand in their lines."""

from __future__ import annotations

from small_log import GRAMMAR, catalog

from logscope.demand import for_rules
from logscope.language.template import event_templates, line_literals

RULE = """
interval thing.repair
  opens  thing.taken where purpose = "long-repair"
  closes thing.left
  same   thing.id, actor

rule poked-while-repaired
  title    | poked
  severity low
  find     work   = {first}
           strike = thing.poked
  when     strike.thing.id = work.thing.id
           and strike during work
"""


def literals(first: str) -> list[str]:
    known = catalog(GRAMMAR + RULE.replace("{first}", first))
    demand = for_rules(known, known.rules.values())
    return line_literals(event_templates(known, demand.events), demand.needles)


def test_an_event_asked_for_with_a_condition_is_found_by_the_text_of_the_condition() -> None:
    found = literals("thing.repair")
    assert "long-repair" in found
    assert " is taken for " not in found


def test_an_event_that_anything_asks_for_as_such_is_found_by_its_own_literal() -> None:
    found = literals("thing.hold")
    assert " is taken for " in found
    assert "long-repair" not in found
