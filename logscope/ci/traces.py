"""By what findings and failures can be told to belong to a test: the jobs behind them, and their resources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import polars as pl

from logscope.ci.join import Trace, Traces
from logscope.model import Actor, Report, Resource

_SHORTEST_NAME = 4


def traces_of(report: Report, table: pl.DataFrame, uuids: Mapping[tuple[str, str], str]) -> Traces:
    """Trace the findings and failures of a report.

    `table` is the event table of the log (`model.EventSet`), `uuids` gives what the log tells of (kind, id).
    """
    keys = _job_keys(table, uuids)
    findings = [
        Trace(frozenset().union(*(_keys(keys, let.actor) for let in finding.let)), _names(finding.resource))
        for finding in report.findings
    ]
    failures = [
        Trace(_keys(keys, failure.actor), _names(failure.resource) if failure.resource else frozenset())
        for failure in report.failures
    ]
    return Traces(findings, failures, _seen(table, uuids))


def _job_keys(table: pl.DataFrame, uuids: Mapping[tuple[str, str], str]) -> dict[tuple[str, int], frozenset[str]]:
    """Give by server and job the log id and the uuid of the job.

    A thread can still carry the log id of the job before; the commonest one of a job is its own.
    """
    rows = table.filter(pl.col("job").is_not_null(), pl.col("logid") != "")
    parts = [rows.select("server", pl.col(c).alias("job"), "logid").drop_nulls() for c in ("job", "origin")]
    counted = pl.concat(parts).group_by("server", "job", "logid").len()
    counted = counted.sort("server", "job", "len", "logid", descending=[False, False, True, False])
    commonest = counted.unique(["server", "job"], keep="first", maintain_order=True)
    keys: dict[tuple[str, int], set[str]] = defaultdict(set)
    for server, job, logid in commonest.select("server", "job", "logid").iter_rows():
        keys[server, job].add(logid.lower())
    for server, job in _jobs(table):
        if uuid := uuids.get(("job", str(job))):
            keys[server, job].add(uuid.lower())
    return {job: frozenset(found) for job, found in keys.items()}


def _jobs(table: pl.DataFrame) -> Iterable[tuple[str, int]]:
    parts = [table.select("server", pl.col(c).alias("job")).drop_nulls() for c in ("job", "origin")]
    return pl.concat(parts).unique().iter_rows()


def _keys(keys: Mapping[tuple[str, int], frozenset[str]], actor: Actor) -> frozenset[str]:
    jobs = [job for job in (actor.job, actor.origin) if job is not None]
    return frozenset().union(*(keys.get((actor.server, job), frozenset()) for job in jobs))


def _names(resource: Resource) -> frozenset[str]:
    return frozenset(name.lower() for name in (resource.uuid, resource.name) if len(name) >= _SHORTEST_NAME)


def _seen(table: pl.DataFrame, uuids: Mapping[tuple[str, str], str]) -> dict[str, int]:
    """Give by log id and by job uuid the time of the first event, µs."""
    named = table.filter(pl.col("logid") != "").group_by(pl.col("logid").str.to_lowercase()).agg(pl.col("time").min())
    seen: dict[str, int] = dict(named.iter_rows())
    by_job = dict(table.drop_nulls("job").group_by("job").agg(pl.col("time").min()).iter_rows())
    for (kind, id), uuid in uuids.items():
        if kind == "job" and id.isdigit() and int(id) in by_job:
            seen[uuid.lower()] = by_job[int(id)]
    return seen
