"""Rules to occurrences: which bindings of a rule stand in its relations, and how sure that is.

Everything is joined in frames. An occurrence is data (which items are bound, what proves it, what
casts doubt on it); its sentences are made in `explain`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from logscope.correlate import Horizon
from logscope.frames import compare
from logscope.items import SCHEMA, VALUE, Items, chosen_alone
from logscope.language.catalog import Catalog
from logscope.language.tree import Attachment, Binding, Comparison, Condition, Path, Relation, Rule
from logscope.relations import MICROSECONDS, holds, margins

DEFAULT_SLACK = 0.02  # seconds; log4j takes the time at the call and writes it later
CLOCK_SLACK = 1.0  # seconds; between two servers
_MOST_WINDOWS = 1000
_JOINED_ROWS = 20_000
_SURE_OUTCOMES = ("", "closed", "superseded")

Item = dict[str, Any]


@dataclass(slots=True)
class Occurrence:
    """One occurrence of a rule. Items are rows as in `items.SCHEMA`; margins are seconds."""

    rule: str
    bound: dict[str, Item]
    proofs: dict[str, Item]
    means: str
    doubts: list[str]
    margins: dict[str, float]
    again: int = 0  # how often the same actor did the same to the same first item once more


@dataclass(slots=True)
class Verdict:
    """What one rule came to: `fired`, `quiet` or `not-evaluated` (then `reason` says why).

    `chance` and `windows` are as of `model.RuleStatus`.
    """

    rule: str
    status: str
    missing: list[str]
    reason: str
    chances: int
    occurrences: list[Occurrence] = field(default_factory=list)
    chance: str = ""
    windows: list[float] = field(default_factory=list)


class Detector:
    """Judges rules over the items of one log."""

    def __init__(self, catalog: Catalog, items: Items, horizon: Horizon, levels: set[str]) -> None:
        self._catalog, self._items, self._horizon, self._levels = catalog, items, horizon, levels

    def judge(self, rule: Rule) -> Verdict:
        """Evaluate one rule; never raises for a log, whatever it holds."""
        missing = list(dict.fromkeys(name for b in rule.find for name in self._items.missing(b.spec)))
        chance, items = self._chances(rule)
        verdict = Verdict(rule.name.text, "quiet", missing, "", items.height, [], chance, _windows(items))
        if missing and not self._seen_at_work(rule):
            verdict.status, verdict.reason = "not-evaluated", self._reason(missing)
            return verdict
        found = self._bind(rule)
        if len(found):
            verdict.occurrences = self._occurrences(rule, found)
            verdict.status = "fired" if verdict.occurrences else "quiet"
        return verdict

    def bind(self, rule: Rule) -> list[dict[str, Item]]:
        """What a rule binds, without what proves it or casts doubt on it."""
        frame = _without_repeats(rule, self._bind(rule))
        names = [binding.name.text for binding in rule.find]
        return [{name: _item(row, name) for name in names} for row in frame.iter_rows(named=True)]

    def _chances(self, rule: Rule) -> tuple[str, pl.DataFrame]:
        """What a chance is called, and the items that are one each."""
        if rule.chances is None:
            first = rule.find[0]
            return first.name.text, self._items.of(first.spec, [])
        choice = rule.chances
        named = next((b.spec for b in rule.find if b.name.text == choice.event.text), None)
        return choice.event.text, self._items.of(named or chosen_alone(choice), [])

    def _seen_at_work(self, rule: Rule) -> bool:
        """A control event shows that the check runs here, so that its silence means something."""
        return bool(rule.controls) and self._items.chosen(rule.controls).height > 0

    def _reason(self, missing: list[str]) -> str:
        levels = {e.level.text for n in missing if (e := self._catalog.events.get(n)) and e.level}
        absent = sorted(level for level in levels if level == "TRACE" and level not in self._levels)
        text = "never in this log: " + ", ".join(missing[:6]) + (f" and {len(missing) - 6} more" if missing[6:] else "")
        return text + (f" (needs level {', '.join(absent)})" if absent else "")

    def _bind(self, rule: Rule) -> pl.DataFrame:
        """Rows of bound items; columns `BINDING.column` for every column of `items.SCHEMA` and value."""
        slack = _slack(rule)
        paths = _paths_of(rule)
        first, *others = rule.find
        frame = self._named(first, paths)
        bound = {first.name.text}
        pending = list(rule.when)
        frame, pending = _filter_own(frame, pending, bound, slack)
        for binding in others:
            right = self._named(binding, paths)
            bound.add(binding.name.text)
            ready = [c for c in pending if _bindings_of(c) <= bound]
            pending = [c for c in pending if c not in ready]
            frame = _join(frame, right, binding.name.text, ready, slack)
        for attachment in rule.counts:
            related = self._related(frame, attachment, paths, slack)
            enough = related.group_by("row").len().filter(pl.col("len") >= (attachment.at_least or 1))
            frame = frame.with_row_index("row").join(enough, on="row", how="semi").drop("row")
        for attachment in rule.without:
            related = self._related(frame, attachment, paths, slack)
            frame = frame.with_row_index("row").join(related, on="row", how="anti").drop("row")
        return frame

    def _named(self, binding: Binding, paths: dict[str, list[str]]) -> pl.DataFrame:
        name = binding.name.text
        frame = self._items.of(binding.spec, paths.get(name, []))
        return frame.rename({c: f"{name}.{c}" for c in frame.columns})

    def _related(
        self, frame: pl.DataFrame, attachment: Attachment, paths: dict[str, list[str]], slack: int
    ) -> pl.DataFrame:
        """Items that stand to each row of `frame` as the attachment says: row, and the item's columns."""
        name, anchor = attachment.binding.name.text, attachment.anchor.text
        right = self._named(attachment.binding, paths)
        bounds = [f"{bound.text}." for bound in (attachment.anchor, attachment.until) if bound is not None]
        left = frame.with_row_index("row").select("row", *(c for c in frame.columns if c.startswith(tuple(bounds))))
        conditions: list[pl.Expr] = [
            pl.col(f"{anchor}.{VALUE}{key.text}") == pl.col(f"{name}.{VALUE}{key.text}") for key in attachment.same
        ]
        conditions += holds(attachment.relation, name, anchor, attachment.within, slack)
        if attachment.until is not None:
            conditions += holds("before", name, attachment.until.text, None, slack)
        joined = left.join_where(right, *conditions)
        for key in attachment.other:
            joined = joined.filter(pl.col(f"{anchor}.{VALUE}{key.text}") != pl.col(f"{name}.{VALUE}{key.text}"))
        joined = joined.filter(pl.col(f"{anchor}.item") != pl.col(f"{name}.item"))
        return joined.select("row", *right.columns).sort("row", f"{name}.order")

    def _occurrences(self, rule: Rule, frame: pl.DataFrame) -> list[Occurrence]:
        slack, paths = _slack(rule), _paths_of(rule)
        frame = _without_repeats(rule, frame)
        proofs: list[tuple[Attachment, dict[int, Item]]] = []
        for attachment in rule.proves:
            name = attachment.binding.name.text
            related = self._related(frame, attachment, paths, slack)
            first = related.unique("row", keep="first", maintain_order=True)
            proofs.append((attachment, {int(r["row"]): _item(r, name) for r in first.iter_rows(named=True)}))
        found = []
        for number, row in enumerate(frame.iter_rows(named=True)):
            bound = {b.name.text: _item(row, b.name.text) for b in rule.find}
            proved = {a.binding.name.text: items[number] for a, items in proofs if number in items}
            means = next((a.means or "failed" for a, items in proofs if number in items), "")
            distances = _margins(rule, bound)
            doubts = self._doubts(rule, bound, proved)
            found.append(Occurrence(rule.name.text, bound, proved, means, doubts, distances, int(row["again"])))
        return found

    def _doubts(self, rule: Rule, bound: dict[str, Item], proved: dict[str, Item]) -> list[str]:
        doubts = []
        if rule.proves and not proved:
            ahead = [a.within for a in rule.proves if a.within and a.relation in ("after", "meets")]
            end = max(item["end"] for item in bound.values())
            last = max(self._horizon.last.values(), default=end)
            if ahead and last < end + max(ahead) * MICROSECONDS:
                doubts.append("the log ends before the consequence could be seen")
            else:
                doubts.append("no consequence of it stands in this log")
        elif not rule.proves and len(rule.find) > 1:
            doubts.append("the lines show the overlap, not what came of it")
        servers = {item["server"] for item in bound.values()}
        slack = CLOCK_SLACK if len(servers) > 1 else (rule.slack if rule.slack is not None else DEFAULT_SLACK)
        if any(value <= slack for value in _doubtful(rule, bound)):
            what = "the clocks of two servers" if len(servers) > 1 else "the order of writing"
            doubts.append(f"a bound lies within {slack:g} s of the other: {what} could undo it")
        asked = _asked_outcomes(rule)
        for name, item in bound.items():
            if item["outcome"] not in _SURE_OUTCOMES and name not in asked:
                side = "beginning" if item["outcome"] == "unbegun" else "end"
                doubts.append(f"{name} has no logged {side} ({item['outcome']})")
        for attachment in rule.without:
            if attachment.relation == "after" and attachment.within:
                horizon = bound[attachment.anchor.text]["end"] + attachment.within * MICROSECONDS
                if max(self._horizon.last.values(), default=0) < horizon:
                    doubts.append(f"the log ends before {attachment.binding.name.text} could be ruled out")
        return [*doubts, *self._breaks(bound)]

    def _breaks(self, bound: dict[str, Item]) -> list[str]:
        """What breaks of the log make unsure: silences within what is bound, and times that came twice."""
        doubts = []
        for name, item in bound.items():
            server = item["server"]
            for since, until in self._horizon.gaps.get(server, ()):
                if item["start"] < until and since < item["end"]:
                    length = (until - since) / MICROSECONDS
                    doubts.append(f"the log of {server} is silent for {length:,.0f} s within {name}")
        start, end = min(i["start"] for i in bound.values()), max(i["end"] for i in bound.values())
        for server in sorted({item["server"] for item in bound.values()}):
            if any(start < until and since < end for since, until in self._horizon.repeated.get(server, ())):
                doubts.append(f"the clock of {server} was set back meanwhile: the order of its lines is unsure")
        return doubts


def _windows(items: pl.DataFrame) -> list[float]:
    """Seconds that the intervals with both ends lasted, ascending; if there are very many, an even choice of them."""
    ended = items.filter(~pl.col("is_point"), pl.col("outcome") == "closed")
    lengths = ended.select((pl.col("end") - pl.col("start")).sort())["end"].to_list()
    if len(lengths) > _MOST_WINDOWS:
        lengths = [lengths[round(n * (len(lengths) - 1) / (_MOST_WINDOWS - 1))] for n in range(_MOST_WINDOWS)]
    return [length / MICROSECONDS for length in lengths]


def _slack(rule: Rule) -> int:
    return round((rule.slack if rule.slack is not None else DEFAULT_SLACK) * MICROSECONDS)


def _asked_outcomes(rule: Rule) -> set[str]:
    """Bindings of which the rule itself says how they must have ended: no doubt about it then."""
    return {
        condition.left.text.partition(".")[0]
        for condition in rule.when
        if isinstance(condition, Comparison) and condition.left.text.endswith(".outcome")
    }


def _paths_of(rule: Rule) -> dict[str, list[str]]:
    """Which value columns each binding needs."""
    wanted: dict[str, set[str]] = {}
    for condition in rule.when:
        if isinstance(condition, Comparison):
            for side in (condition.left, condition.right):
                if isinstance(side, Path):
                    name, _, path = side.text.partition(".")
                    wanted.setdefault(name, set()).add(path)
    for attachment in (*rule.proves, *rule.without, *rule.counts):
        for key in (*attachment.same, *attachment.other):
            wanted.setdefault(attachment.binding.name.text, set()).add(key.text)
            wanted.setdefault(attachment.anchor.text, set()).add(key.text)
    return {name: sorted(paths) for name, paths in wanted.items()}


def _bindings_of(condition: Condition) -> set[str]:
    if isinstance(condition, Relation):
        return {condition.left.text, condition.right.text}
    sides = [condition.left, condition.right]
    return {side.text.partition(".")[0] for side in sides if isinstance(side, Path)}


def _value(path: Path) -> pl.Expr:
    name, _, rest = path.text.partition(".")
    return pl.col(f"{name}.{VALUE}{rest}")


def _predicates(condition: Condition, slack: int) -> list[pl.Expr]:
    if isinstance(condition, Relation):
        return holds(condition.relation, condition.left.text, condition.right.text, condition.within, slack)
    right = condition.right
    return [compare(_value(condition.left), condition.operator, _value(right) if isinstance(right, Path) else right)]


def _filter_own(
    frame: pl.DataFrame, conditions: list[Condition], bound: set[str], slack: int
) -> tuple[pl.DataFrame, list[Condition]]:
    ready = [c for c in conditions if _bindings_of(c) <= bound]
    for condition in ready:
        frame = frame.filter(*_predicates(condition, slack))
    return frame, [c for c in conditions if c not in ready]


def _join(left: pl.DataFrame, right: pl.DataFrame, name: str, conditions: list[Condition], slack: int) -> pl.DataFrame:
    """Join one more binding: keys and ends first, on slim frames; whole rows only for what is left."""
    own = [c for c in conditions if _bindings_of(c) == {name}]
    for condition in own:
        right = right.filter(*_predicates(condition, slack))
    both = [c for c in conditions if c not in own]
    quick: list[pl.Expr] = []
    for condition in both:
        if isinstance(condition, Relation):
            quick += _plain(
                holds(condition.relation, condition.left.text, condition.right.text, None, slack), condition
            )
        elif condition.operator == "=" and isinstance(condition.right, Path):
            quick.append(_value(condition.left) == _value(condition.right))
    slim_left = left.with_row_index("left_row").select("left_row", *_comparable(left))
    slim_right = right.with_row_index("right_row").select("right_row", *_comparable(right))
    kept = [predicate for condition in both for predicate in _predicates(condition, slack)]
    kept += [pl.col(c) != pl.col(f"{name}.item") for c in left.columns if c.endswith(".item")]
    found = []
    for part in slim_left.iter_slices(_JOINED_ROWS):  # keys that many share make many pairs for a while
        pairs = part.join_where(slim_right, *quick) if quick else part.join(slim_right, how="cross")
        found.append(pairs.filter(*kept).select("left_row", "right_row"))
    if not found:
        found.append(pl.DataFrame(schema={"left_row": pl.UInt32, "right_row": pl.UInt32}))
    pairs = pl.concat(found).unique().sort("left_row", "right_row")
    whole = pl.concat([left[pairs["left_row"]], right[pairs["right_row"]]], how="horizontal")
    keys = [c for c in whole.columns if c.endswith(".item")]
    return whole.unique(keys, keep="first", maintain_order=True)


def _plain(expressions: list[pl.Expr], relation: Relation) -> list[pl.Expr]:
    """Only comparisons of a column with a column can steer the join; the rest is filtered after it."""
    return expressions if relation.relation in ("during", "contains", "overlaps", "before", "after") else []


def _comparable(frame: pl.DataFrame) -> list[str]:
    return [c for c in frame.columns if c.rpartition(".")[2] in ("item", "start", "end", "order") or VALUE in c]


def _without_repeats(rule: Rule, frame: pl.DataFrame) -> pl.DataFrame:
    """One occurrence for what one actor does to one first item, however many lines tell of it.

    Adds the column `again`: how many more there were.
    """
    first, *others = (b.name.text for b in rule.find)
    frame = frame.sort(*(f"{name}.order" for name in (first, *others)))
    if not others:
        return frame.with_columns(pl.lit(0).alias("again"))
    keys = [f"{first}.item", *(f"{name}.{c}" for name in others for c in ("server", "run"))]
    for name in others:
        # A thread without a context takes what comes: many such threads are one actor.
        who = pl.when(pl.col(f"{name}.run") != "").then(f"{name}.thread").otherwise(pl.lit(""))
        frame = frame.with_columns(who.alias(f"who {name}"))
        keys.append(f"who {name}")
    frame = frame.with_columns((pl.len().over(keys) - 1).alias("again"))
    return frame.unique(keys, keep="first", maintain_order=True)


def _item(row: dict[str, Any], name: str) -> Item:
    return {column: row[f"{name}.{column}"] for column in SCHEMA}


def _margins(rule: Rule, bound: dict[str, Item]) -> dict[str, float]:
    """How far the items lie inside each other or apart, by the first relation of the rule."""
    for condition in rule.when:
        if isinstance(condition, Relation):
            left, right = bound[condition.left.text], bound[condition.right.text]
            return margins(condition.relation, (left["start"], left["end"]), (right["start"], right["end"]))
    return {}


def _doubtful(rule: Rule, bound: dict[str, Item]) -> list[float]:
    """All distances between bounds whose order is not certain by itself, in seconds."""
    found: list[float] = []
    for condition in rule.when:
        if not isinstance(condition, Relation):
            continue
        left, right = bound[condition.left.text], bound[condition.right.text]
        # On one thread lines stand in the order in which they were written; and where one line ends the one and
        # begins the other there is no order to doubt.
        is_one_thread = (left["server"], left["thread"]) == (right["server"], right["thread"])
        ends_so = left["outcome"] == "superseded" or left["close_eid"] == right["open_eid"]
        is_one_bound = condition.relation == "meets" and ends_so
        if not is_one_thread and not is_one_bound:
            ends = (left["start"], left["end"]), (right["start"], right["end"])
            found += margins(condition.relation, *ends).values()
    return found
