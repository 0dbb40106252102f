"""Occurrences to findings: names for people, sentences with their lines, what casts doubt."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from logscope.actors import ActorNames
from logscope.demand import PLACE
from logscope.detect import Item, Occurrence
from logscope.extract import TextStore
from logscope.identity import Identity
from logscope.items import SCHEMA, VALUE, Items
from logscope.language.catalog import Catalog
from logscope.language.tree import Attachment, Comparison, Path, Relation, Rule
from logscope.locks import Held, held
from logscope.model import Actor, EventSet, Evidence, Finding, Let, Resource, Sentence

_SECOND = 1_000_000
_NUMBERS = re.compile(r"\d+")


class Teller:
    """Tells what was found in one log in words."""

    def __init__(
        self,
        events: EventSet,
        catalog: Catalog,
        items: Items,
        identity: Identity,
        names: ActorNames,
        sources: list[str],
    ) -> None:
        self._events, self._catalog, self._items = events, catalog, items
        self._identity, self._names, self._sources = identity, names, sources

    def actor(self, item: dict[str, Any]) -> Actor:
        """The actor of an item or of a row of the event table."""
        who = (item["server"], item["thread"], item["run"], item["job"], item["origin"])
        return Actor(self._names.name(*who), *who)

    def titles(self, frame: pl.DataFrame) -> dict[str, str]:
        """What each item (rows as in `items.SCHEMA`) is called: item → title."""
        found: dict[str, str] = {}
        for (of,), rows in sorted(frame.partition_by("of", as_dict=True).items()):
            declared = self._catalog.events.get(str(of)) or self._catalog.intervals[str(of)]
            text = declared.title.text if declared.title else str(of)
            paths = list(dict.fromkeys(PLACE.findall(text)))
            valued = self._items.with_values(rows, str(of), paths)
            for row in valued.iter_rows(named=True):
                values = {path: row[VALUE + path] for path in paths}
                found[row["item"]] = PLACE.sub(lambda place, v=values: v[place[1]] or "?", text)  # type: ignore[misc]
        return found

    def findings(self, judged: Sequence[tuple[Rule, Occurrence]], texts: TextStore) -> list[Finding]:
        """Everything about each occurrence that a reader needs, each sentence with its lines."""
        locks = held(self._items, judged)
        facts = self._gather(judged, locks, texts)
        return [self._finding(rule, o, mine, facts) for (rule, o), mine in zip(judged, locks, strict=True)]

    def places(self, eids: pl.Series) -> dict[int, str]:
        """`SOURCE:LINE` of events by their ids."""
        rows = self._events.table.filter(pl.col("eid").is_in(eids.implode())).select("eid", "source", "line")
        return {eid: f"{self._sources[source]}:{line}" for eid, source, line in rows.iter_rows()}

    def _gather(self, judged: Sequence[tuple[Rule, Occurrence]], locks: Sequence[Held], texts: TextStore) -> _Facts:
        """Ask the frames once for all occurrences: a question for each would be paid for each."""
        items = {i["item"]: i for _, o in judged for i in (*o.bound.values(), *o.proofs.values())}
        items |= {lock["item"]: lock for sides in locks for side in sides.values() for lock in side}
        wanted: dict[tuple[str, str], list[Item]] = {}
        for rule, occurrence in judged:
            every = {**occurrence.bound, **occurrence.proofs}
            for place in PLACE.findall(rule.title.text):
                name, _, path = place.partition(".")
                if name in every and path not in ("", "actor"):
                    wanted.setdefault((every[name]["of"], path), []).append(every[name])
        values: dict[tuple[str, str], str | None] = {}
        for (of, path), asked in sorted(wanted.items(), key=lambda entry: entry[0]):
            rows = self._items.with_values(_frame(asked), of, [path])
            values.update({(item, path): value for item, value in rows.select("item", VALUE + path).iter_rows()})
        eids = pl.Series(sorted({eid for item in items.values() for eid in _eids(item)}), dtype=pl.UInt32)
        rows = self._events.table.filter(pl.col("eid").is_in(eids.implode()))
        owned: dict[int, list[tuple[str, str, str]]] = {}
        mine = self._events.resources.filter(pl.col("eid").is_in(eids.implode())).sort("eid", "field", "kind", "id")
        for eid, field, kind, id in mine.select("eid", "field", "kind", "id").iter_rows():
            owned.setdefault(eid, []).append((field, kind, id))
        return _Facts(
            titles=self.titles(_frame(list(items.values()))),
            values=values,
            rows={row["eid"]: row for row in rows.iter_rows(named=True)},
            resources=owned,
            texts=texts.texts(eids.to_list()),
        )

    def _finding(self, rule: Rule, occurrence: Occurrence, locks: Held, facts: _Facts) -> Finding:
        every = {**occurrence.bound, **occurrence.proofs}
        lines = {
            name: (self._line(item["open_eid"], facts), self._line(item["close_eid"], facts))
            for name, item in every.items()
        }
        lets = [
            self._let(name, item, facts, lines[name], "find" if name in occurrence.bound else "proves")
            for name, item in every.items()
        ]
        resource = self._resource(rule, occurrence, facts)
        then = self._sentences(rule, occurrence, lines)
        then += [
            self._lock_sentence(name, side, lines[name][0] or lines[name][1], facts) for name, side in locks.items()
        ]
        undoing = _clock_error(occurrence)
        if undoing:
            then.append(Sentence(undoing, ()))
        if occurrence.again:
            then.append(Sentence(f"the same actor did so {occurrence.again} more times meanwhile", ()))
        return Finding(
            rule=rule.name.text,
            severity=rule.severity,
            certainty="possible" if occurrence.doubts else "certain",
            fingerprint=_digest(rule.name.text, str(resource), resource.uuid),
            cause=_digest(rule.name.text, *(f"{let.of} {_NUMBERS.sub('N', let.actor.name)}" for let in lets)),
            resource=resource,
            start=min(item["start"] for item in every.values()),
            end=max(item["end"] for item in every.values()),
            title=_rule_title(rule, every, {let.name: let for let in lets}, facts),
            let=lets,
            then=then,
            because=rule.because.text if rule.because else "",
            margins=occurrence.margins,
            evidence=self._evidence(every, facts),
            outcome=occurrence.means or "unknown",
            references=[ref.text for ref in rule.refs],
            doubts=occurrence.doubts,
            remedy=" ".join(prose.text for prose in rule.remedy),
        )

    def _line(self, eid: int | None, facts: _Facts) -> str:
        if eid is None:
            return ""
        row = facts.rows[eid]
        return f"{self._sources[row['source']]}:{row['line']}"

    def _let(self, name: str, item: Item, facts: _Facts, lines: tuple[str, str], role: str) -> Let:
        kind, title = "event" if item["is_point"] else "interval", facts.titles[item["item"]]
        return Let(
            name, kind, item["of"], title, self.actor(item), item["start"], item["end"], item["outcome"],
            lines[0], lines[1], role,
        )  # fmt: skip

    def _resource(self, rule: Rule, occurrence: Occurrence, facts: _Facts) -> Resource:
        """The resource that the bound items share: what the rule compares, else what its title names."""
        owned = [
            list(dict.fromkeys(r for eid in _eids(item) for r in facts.resources.get(eid, ())))
            for item in occurrence.bound.values()
        ]
        shared = [r for r in owned[0] if all(any(r[1:] == s[1:] for s in other) for other in owned[1:])] or owned[0]
        compared = [
            condition.left.text
            for condition in rule.when
            if isinstance(condition, Comparison) and isinstance(condition.right, Path) and condition.operator == "="
        ]
        for path in (*compared, *PLACE.findall(rule.title.text)):
            owner = path.partition(".")[2].removesuffix(".id")
            for field, kind, id in shared:
                if field == owner:
                    return self._identity.resource(kind, id)
        if not shared:
            return Resource("log", "")
        _, kind, id = shared[0]
        return self._identity.resource(kind, id)

    def _sentences(self, rule: Rule, occurrence: Occurrence, lines: dict[str, tuple[str, str]]) -> list[Sentence]:
        bound, out = occurrence.bound, []
        for condition in rule.when:
            if isinstance(condition, Relation):
                left, right = condition.left.text, condition.right.text
                relation = condition.relation
                if relation == "contains":
                    left, right, relation = right, left, "during"
                out += _relation_sentences(relation, left, bound[left], right, bound[right], lines)
        for attachment in rule.proves:
            name = attachment.binding.name.text
            if name in occurrence.proofs:
                out.append(_proof_sentence(attachment, occurrence, lines))
        return out

    def _lock_sentence(self, name: str, locks: list[Item], line: str, facts: _Facts) -> Sentence:
        if not locks:
            return Sentence(f"no lock of the actor of {name} was seen then", _claims(line))
        titles = " and ".join(dict.fromkeys(facts.titles[lock["item"]] for lock in locks))
        return Sentence(
            f"the actor of {name} had {titles} then", _claims(*(self._line(lock["open_eid"], facts) for lock in locks))
        )

    def _evidence(self, every: dict[str, Item], facts: _Facts) -> list[Evidence]:
        eids = {eid for item in every.values() for eid in _eids(item)}
        rows = sorted((facts.rows[eid] for eid in eids), key=lambda row: int(row["order"]))
        return [
            Evidence(
                self._sources[row["source"]], row["line"], row["time"], self.actor(row).name, row["event"],
                facts.texts.get(row["eid"], ""),
            )
            for row in rows
        ]  # fmt: skip


@dataclass(slots=True)
class _Facts:
    """Answers about all items of all occurrences: by item, by (item, path), by event id."""

    titles: dict[str, str]
    values: dict[tuple[str, str], str | None]
    rows: dict[int, dict[str, Any]]
    resources: dict[int, list[tuple[str, str, str]]]
    texts: dict[int, str]


def _rule_title(rule: Rule, every: dict[str, Item], lets: dict[str, Let], facts: _Facts) -> str:
    def value(place: re.Match[str]) -> str:
        name, _, path = place[1].partition(".")
        if name not in every:
            return "?"
        if path == "actor":
            return lets[name].actor.name
        return facts.values.get((every[name]["item"], path)) or "?" if path else lets[name].title

    return PLACE.sub(value, rule.title.text)


def _eids(item: Item) -> list[int]:
    return [item[c] for c in ("open_eid", "of_eid", "close_eid") if item[c] is not None]


def _frame(items: list[Item]) -> pl.DataFrame:
    return pl.DataFrame(items, schema=SCHEMA)


def seconds(microseconds: int) -> str:
    """A duration for people: `7.941 s`."""
    return f"{microseconds / _SECOND:.3f} s"


def _claims(*lines: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for line in lines if line))


def _relation_sentences(
    relation: str, left: str, a: Item, right: str, b: Item, lines: dict[str, tuple[str, str]]
) -> list[Sentence]:
    (a_open, a_close), (b_open, b_close) = lines[left], lines[right]
    came = "came" if a["is_point"] else "began"
    if relation == "during":
        if b["outcome"] == "unbegun":
            text = f"{left} {came} while {right} was open; the beginning of {right} is not in this log"
            first = Sentence(text, _claims(a_open, b_close))
        else:
            text = f"{left} {came} {seconds(a['start'] - b['start'])} after {right} began"
            first = Sentence(text, _claims(b_open, a_open))
        if b["outcome"] == "closed":
            text = f"{right} went on for {seconds(b['end'] - a['end'])} after {left}"
            return [first, Sentence(text, _claims(a_close or a_open, b_close))]
        return [first, Sentence(f"{right} has no logged end ({b['outcome']})", _claims(b_open))]
    if relation == "overlaps":
        both = seconds(min(a["end"], b["end"]) - b["start"])
        return [
            Sentence(f"{right} began {seconds(b['start'] - a['start'])} after {left}", _claims(a_open, b_open)),
            Sentence(f"both were open for {both}", _claims(b_open, a_close, b_close)),
        ]
    if relation == "after":
        text = f"{left} {came} {seconds(a['start'] - b['end'])} after {right}"
        return [Sentence(text, _claims(b_close or b_open, a_open))]
    if relation == "before":
        text = f"{left} {'came' if a['is_point'] else 'ended'} {seconds(b['start'] - a['end'])} before {right}"
        return [Sentence(text, _claims(a_close or a_open, b_open))]
    return [Sentence(f"{left} {relation} {right}", _claims(a_open, b_open))]


def _proof_sentence(attachment: Attachment, occurrence: Occurrence, lines: dict[str, tuple[str, str]]) -> Sentence:
    name, anchor = attachment.binding.name.text, attachment.anchor.text
    proof, base = occurrence.proofs[name], occurrence.bound[anchor]
    ended = "" if base["is_point"] else " ended" if attachment.relation == "after" else " began"
    since = base["end"] if attachment.relation == "after" else base["start"]
    who = ""
    if all(proof[c] == base[c] for c in ("server", "thread", "run")):
        who = ", same actor"
    elif proof["family"] == base["family"]:
        who = ", same job family"
    line = lines[anchor][1] or lines[anchor][0]
    return Sentence(
        f"{name} followed {seconds(proof['start'] - since)} after {anchor}{ended}{who}", _claims(line, lines[name][0])
    )


def _clock_error(occurrence: Occurrence) -> str:
    """What clock error between servers would undo the finding; empty if it is about one server."""
    servers = sorted({item["server"] for item in occurrence.bound.values()})
    if len(servers) < 2 or not occurrence.margins:
        return ""
    return f"a clock error of {min(occurrence.margins.values()):.3f} s between {' and '.join(servers)} would undo it"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
