"""Failures and what explains them; findings of one cause folded into incidents."""

from __future__ import annotations

import hashlib

import polars as pl

from logscope.detect import Occurrence
from logscope.explain import Teller
from logscope.identity import Identity
from logscope.items import Items, tagged
from logscope.language.catalog import Catalog
from logscope.model import EventSet, Failure, Finding, Incident, Resource
from logscope.retries import saved

_SECOND = 1_000_000
# A failure that follows a strike this long after its end is still told together with it.
_REACH = 60 * _SECOND
# Findings of one cause that lie further apart are two incidents.
_APART = 24 * 3600 * _SECOND


def failures(
    events: EventSet,
    catalog: Catalog,
    items: Items,
    identity: Identity,
    teller: Teller,
    found: list[tuple[Finding, Occurrence]],
) -> list[Failure]:
    """All events tagged `failure`, each with the finding that explains it.

    A finding explains a failure that it names as its consequence, and those that the same job
    family meets from the finding's beginning until a minute after its end. One whose consequences
    were all made good by a later try is told as masked by a retry.
    """
    rows = items.of(tagged("failure"), [])
    good = saved(events, catalog, rows["open_eid"])
    eids = pl.concat([rows["open_eid"], pl.Series(sorted(good.values()), dtype=pl.UInt32)])
    titles, places = teller.titles(rows), teller.places(eids)
    owned: dict[int, list[tuple[str, str]]] = {}
    mine = events.resources.filter(pl.col("eid").is_in(rows["open_eid"].implode()))
    for eid, kind, id in mine.sort("eid", "field").select("eid", "kind", "id").iter_rows():
        owned.setdefault(eid, []).append((kind, id))
    proved = {item["open_eid"]: n for n, (_, o) in enumerate(found) for item in o.proofs.values()}
    by_family: dict[str, list[int]] = {}
    for n, (finding, occurrence) in enumerate(found):
        for family in sorted({item["family"] for item in occurrence.bound.values()}):
            by_family.setdefault(family, []).append(n)
        proofs = [item["open_eid"] for item in occurrence.proofs.values()]
        if finding.outcome == "failed" and proofs and all(eid in good for eid in proofs):
            finding.outcome = "masked-by-retry"
    out = []
    for row in rows.iter_rows(named=True):
        resources = sorted(owned.get(row["open_eid"], []), key=lambda r: (r[0] != "vm", r))
        explained = proved.get(row["open_eid"])
        if explained is None:
            near = (n for n in by_family.get(row["family"], ()) if _reaches(found[n][0], row["start"]))
            explained = next(near, None)
        resource = identity.resource(*resources[0]) if resources else None
        title = titles[row["item"]]
        line, later = places[row["open_eid"]], good.get(row["open_eid"])
        after = "" if later is None else places[later]
        out.append(Failure(row["of"], title, resource, row["start"], line, teller.actor(row), explained, after))
    return out


def _reaches(finding: Finding, time: int) -> bool:
    return finding.start <= time <= finding.end + _REACH


def incidents(findings: list[Finding], failed: list[Failure]) -> list[Incident]:
    """Findings that share a cause and lie less than a day apart, in the order in which their first ones stand."""
    by_cause: dict[str, list[int]] = {}
    for number in sorted(range(len(findings)), key=lambda n: (findings[n].start, n)):
        by_cause.setdefault(f"{findings[number].rule}\n{findings[number].cause}", []).append(number)
    groups: list[list[int]] = []
    for numbers in by_cause.values():
        group: list[int] = []
        for number in numbers:
            if group and findings[number].start - max(findings[n].end for n in group) > _APART:
                groups.append(group)
                group = []
            group.append(number)
        groups.append(group)
    return [_incident(findings, failed, group) for group in sorted(groups, key=min)]


def _incident(findings: list[Finding], failed: list[Failure], group: list[int]) -> Incident:
    members = [findings[n] for n in group]
    resources: dict[str, Resource] = {str(f.resource): f.resource for f in members}
    explained = [n for n, failure in enumerate(failed) if failure.explained_by in group]
    text = f"{members[0].rule} {members[0].cause} {members[0].start}"
    return Incident(
        hashlib.sha256(text.encode()).hexdigest()[:12],
        f"{members[0].rule}, {f'{len(members)} times' if len(members) > 1 else 'once'}",
        list(resources.values()),
        group,
        min(f.start for f in members),
        max(f.end for f in members),
        explained,
    )
