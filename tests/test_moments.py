"""Times as people write them, and the zone of a log."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from logscope import moments
from logscope.errors import UsageError


def microseconds(text: str) -> int:
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)) // timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-10-29T01:20:23.709", "2026-10-29T01:20:23.709", "2026-10-29T01:20:23.709999"),
        ("2026-10-29 01:20:23,709", "2026-10-29T01:20:23.709", "2026-10-29T01:20:23.709999"),
        ("2026-10-29 01:20:23", "2026-10-29T01:20:23", "2026-10-29T01:20:23.999999"),
        ("2026-10-29 01:20", "2026-10-29T01:20:00", "2026-10-29T01:20:59.999999"),
        ("2026-10-29", "2026-10-29T00:00:00", "2026-10-29T23:59:59.999999"),
    ],
)
def test_a_time_stands_for_all_that_it_names(text: str, first: str, last: str) -> None:
    assert moments.parse(text) == moments.Moment(text, False, microseconds(first), microseconds(last))


def test_the_clock_alone_gets_its_day() -> None:
    moment = moments.parse("1:20")
    assert moment.is_clock
    day = moments.day_of(microseconds("2026-10-29T13:00:00"))
    assert moment.on(day).first == microseconds("2026-10-29T01:20:00")
    assert moment.on(day).last == microseconds("2026-10-29T01:20:59.999999")


@pytest.mark.parametrize("text", ["", "T", "2026-10-29T", "2026-10-29T01", "29.10.2026", "01:20:23.", "-2h", "01:2"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no time that can be read"):
        moments.parse(text)


@pytest.mark.parametrize("text", ["2026-02-30", "2026-10-29 24:00", "01:60", "0000-01-01"])
def test_times_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="there is no time"):
        moments.parse(text)


@pytest.mark.parametrize(
    ("zone", "offset"),
    [("", ""), ("UTC", "+00:00"), ("Z", "+00:00"), ("+2", "+02:00"), ("-0330", "-03:30"), ("+02:00", "+02:00")],
)
def test_offsets_are_taken_as_they_are(zone: str, offset: str) -> None:
    moments.check_zone(zone)
    assert moments.offset(zone, 0, microseconds("2026-10-29")) == offset


@pytest.mark.parametrize(
    ("zone", "day", "offset"),
    [
        ("Europe/Berlin", "2026-07-01", "+02:00"),
        ("Europe/Berlin", "2026-12-01", "+01:00"),
        ("America/St_Johns", "2026-12-01", "-03:30"),
        ("Asia/Kolkata", "2026-12-01", "+05:30"),
    ],
)
def test_zones_have_the_offset_of_the_day(zone: str, day: str, offset: str) -> None:
    assert moments.offset(zone, microseconds(day), microseconds(day)) == offset


def test_a_change_of_clocks_within_the_log_is_not_guessed_at() -> None:
    with pytest.raises(UsageError, match=r"change from \+02:00 to \+01:00 within this log; give --tz \+02:00 or"):
        moments.offset("Europe/Berlin", microseconds("2026-10-24"), microseconds("2026-10-26"))


@pytest.mark.parametrize("zone", ["Europe/Berln", "../../etc/passwd", "Europe", "x" * 300, "+25:00", "\0"])
def test_unknown_zones_are_refused(zone: str) -> None:
    with pytest.raises(UsageError, match=r"there is no (time zone|offset)"):
        moments.check_zone(zone)
