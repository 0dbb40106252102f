from __future__ import annotations

from logscope.ci import clocks
from logscope.ci.values import CleanUp
from tests.ci_samples import at


def test_start_date_has_a_zone() -> None:
    assert clocks.read_start(["2026-09-03T10:20+02:00"]) == (at("10:20:00"), "+02:00")
    assert clocks.read_start(["2026-09-03T10:20Z"]) == (at("10:20:00"), "+00:00")
    assert clocks.read_start(["yesterday"]) == (None, "")


def test_folder_of_an_unfinished_file_tells_its_start() -> None:
    assert clocks.folder_time("Sep_03_2026_10_20_00_ZY3KD5") == at("10:20:00")
    assert clocks.folder_time("test_network_F7J8QU") is None
    assert clocks.folder_time("Sep_33_2026_10_20_00_ZY3KD5") is None


def test_the_first_pass_and_its_clean_up_belong_to_a_file_that_ran_twice() -> None:
    files = [
        clocks.FileTimes("test_a.py", at("10:00:05"), at("10:09:00"), 600),
        clocks.FileTimes("test_b.py", at("10:25:00"), at("10:38:00"), 1800),
        clocks.FileTimes("test_c.py", at("10:40:04"), at("10:41:00"), 90),
    ]
    windows, cleanups = clocks.windows(files, at("10:00:00"))
    a, b, c = windows.values()
    assert (a.start, a.end, a.reach) == (at("10:00:05"), at("10:09:00"), at("10:00:05"))
    assert (b.start, b.end) == (at("10:25:00"), at("10:38:00"))
    assert b.reach == at("10:10:04")
    assert c.reach == c.start
    assert cleanups == [
        CleanUp(at("10:09:00"), at("10:10:04"), "test_a.py"),
        CleanUp(at("10:38:00"), at("10:40:04"), "test_b.py"),
        CleanUp(at("10:41:00"), at("10:41:34"), "test_c.py"),
    ]


def test_a_first_pass_shorter_than_a_start_up_is_told_by_the_failures_of_the_second() -> None:
    def reach(*, is_failed: bool) -> int | None:
        files = [
            clocks.FileTimes("test_a.py", at("10:00:05"), at("10:09:00"), 600),
            clocks.FileTimes("test_b.py", at("10:10:20"), at("10:10:30"), 30, is_failed),
        ]
        windows, _ = clocks.windows(files, at("10:00:00"))
        return windows["test_b.py"].reach

    assert reach(is_failed=True) == at("10:10:05")
    assert reach(is_failed=False) == at("10:10:20")


def test_without_marvin_logs_files_are_placed_by_running_sums() -> None:
    files = [clocks.FileTimes("test_a.py", seconds=600), clocks.FileTimes("test_b.py", seconds=30)]
    windows, cleanups = clocks.windows(files, at("10:00:00"))
    assert windows["test_b.py"] == clocks.FileWindow(at("10:10:00"), at("10:10:30"), at("10:10:00"))
    assert cleanups == []


def test_without_any_time_nothing_is_placed() -> None:
    windows, _ = clocks.windows([clocks.FileTimes("test_a.py")], None)
    assert windows == {"test_a.py": clocks.UNKNOWN}


def test_a_first_pass_cannot_reach_into_the_file_before() -> None:
    files = [
        clocks.FileTimes("test_a.py", at("10:00:05"), at("10:09:00")),
        clocks.FileTimes("test_b.py", at("10:25:00"), at("10:38:00")),
    ]
    windows, _ = clocks.windows(files, None)
    assert windows["test_b.py"].reach == at("10:09:00")
