"""How exposed a log was to what a rule looks for, in one sentence."""

from __future__ import annotations

from logscope.model import RuleStatus

_NO_FRACTIONS = 100.0  # seconds


def exposed(rule: RuleStatus) -> str:
    """The windows of a rule, the period of what acts in them, near misses and checks seen at work; or nothing."""
    found = rule.exposure
    if found is None:
        return ""
    parts = []
    if found.median is not None and found.longest is not None and found.p95 is not None:
        what = f"'{rule.chance}'" if rule.chance else "a window"
        spread = f" in the middle, {_seconds(found.p95)} at 95 %, at most {_seconds(found.longest)}"
        parts.append(f"{what} lasted {_seconds(found.median)}{spread if len(rule.windows) > 1 else ''}")
    if found.period is not None:
        parts.append(f"the other side acts every {_seconds(found.period)}")
    if found.expected is not None:
        parts.append(f"by chance that makes {found.expected:,.1f}, seen were {rule.fired:,}")
    if found.near and found.nearest is not None:
        misses = "a near miss" if found.near == 1 else f"{found.near:,} near misses, the nearest"
        parts.append(f"{misses} by {_seconds(found.nearest)}")
    if found.controls:
        parts.append(f"the check was seen at work {'once' if found.controls == 1 else f'{found.controls:,} times'}")
    return "; ".join(parts)


def _seconds(value: float) -> str:
    return f"{value:,.0f} s" if value >= _NO_FRACTIONS else f"{value:.3g} s"
