"""The baseline: findings that are known already, why, and until when that counts.

    [[known]]
    cause = "3f0c2a9d41b7e865"
    reason = "apache/cloudstack#14175, fixed by the next release"
    expires = 2027-01-31

`fingerprint` names one occurrence on one resource; `cause` the same race on any resource and in any run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from logscope.errors import UsageError
from logscope.model import Finding, Problem, Report

_KEYS = frozenset({"fingerprint", "cause", "reason", "expires"})
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Known:
    """One entry: `fingerprint` or `cause` is set; `expires` is the last day on which it counts, None for ever."""

    fingerprint: str
    cause: str
    reason: str
    expires: date | None

    @property
    def title(self) -> str:
        """How the entry is called in messages."""
        return f"fingerprint {self.fingerprint}" if self.fingerprint else f"cause {self.cause}"


def read(text: str, path: str) -> list[Known]:
    """Read the text of a baseline file; `path` is how messages call it.

    Raises:
        UsageError: it is no TOML, or an entry lacks something or has something else.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: this baseline is no TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    entries = data.pop("known", [])
    if data or not isinstance(entries, list):
        raise UsageError(f"{path}: a baseline consists of [[known]] entries and nothing else")
    return [_entry(entry, f"{path}: entry {number}") for number, entry in enumerate(entries, 1)]


def apply(report: Report, known: Sequence[Known], path: str) -> Report:
    """Mark the findings that are known, and tell of entries that are expired or that nothing has any more.

    An entry is expired when it expired before the last day of the log, so that the same input gives the
    same report on any day.
    """
    lasts = [source.last for source in report.sources if source.last is not None]
    today = (_EPOCH + timedelta(microseconds=max(lasts))).date() if lasts else None
    findings = list(report.findings)
    notes = list(report.notes)
    for entry in known:
        own = [number for number, finding in enumerate(findings) if _is_of(finding, entry)]
        if entry.expires and today and entry.expires < today:
            notes.append(Problem(path, f"{entry.title} expired on {entry.expires} and counts no longer"))
            continue
        if not own:
            notes.append(Problem(path, f"{entry.title} is stale: no finding has it; remove the entry"))
        for number in own:
            findings[number] = replace(findings[number], known=findings[number].known or entry.reason)
    return replace(report, findings=findings, notes=notes)


def _is_of(finding: Finding, entry: Known) -> bool:
    return finding.fingerprint == entry.fingerprint if entry.fingerprint else finding.cause == entry.cause


def _entry(entry: object, where: str) -> Known:
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: this is no [[known]] entry")
    strange = sorted(set(entry) - _KEYS)
    if strange:
        raise UsageError(f"{where}: there is no key '{strange[0]}'; an entry has {', '.join(sorted(_KEYS))}")
    texts = {key: entry.get(key, "") for key in ("fingerprint", "cause", "reason")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise UsageError(f"{where}: '{key}' is no string")
    if bool(texts["fingerprint"]) == bool(texts["cause"]):
        raise UsageError(f"{where}: give either 'fingerprint' or 'cause'")
    if not texts["reason"].strip():
        raise UsageError(f"{where}: 'reason' is missing; say why it is known, such as an issue number")
    expires = entry.get("expires")
    if isinstance(expires, datetime):
        expires = expires.date()
    if expires is not None and not isinstance(expires, date):
        raise UsageError(f"{where}: 'expires' is no date such as 2027-01-31")
    return Known(texts["fingerprint"], texts["cause"], texts["reason"].strip(), expires)
