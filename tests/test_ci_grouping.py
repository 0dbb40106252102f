from __future__ import annotations

from logscope.ci import recognise
from logscope.ci.grouping import LOG, Place, Seen, group
from logscope.model import Problem


def seen(kind: str, path: str, given: str = "/d") -> Seen:
    return Seen(kind, path, path.removeprefix("/").replace("!/", "!"), given)


def test_each_archive_is_a_run_and_has_the_logs_in_it() -> None:
    places, problems = group(
        [
            seen(recognise.XUNIT, "/d/b.zip!/MarvinLogs/test_x.py.xml", "/d/b.zip"),
            seen(recognise.RUNINFO, "/d/b.zip!/MarvinLogs/test_x_AAAAAA/runinfo.txt", "/d/b.zip"),
            seen(LOG, "/d/b.zip!/logs/management-server.log", "/d/b.zip"),
            seen(recognise.XUNIT, "/d/a.zip!/test_x.py.xml", "/d/a.zip"),
            seen(LOG, "/d/other.log", "/d/other.log"),
        ]
    )
    assert places == [
        Place("d/a.zip", frozenset({"/d/a.zip!"}), ("/d/a.zip",)),
        Place("d/b.zip", frozenset({"/d/b.zip!"}), ("/d/b.zip",), ("/d/b.zip",)),
    ]
    assert problems == [
        Problem("d/other.log", "lies beside 2 runs and was given to none; put it into the folder of its run")
    ]


def test_a_log_beside_the_only_run_is_its_own() -> None:
    (place,), problems = group(
        [
            seen(recognise.RUNINFO, "/d/run/MarvinLogs/test_x_AAAAAA/runinfo.txt"),
            seen(LOG, "/d/logs/ms.log", "/d/logs/ms.log"),
        ]
    )
    assert (place.name, place.logs, problems) == ("d/run", ("/d/logs/ms.log",), [])


def test_summary_and_times_join_the_run_below_or_above_them() -> None:
    (place,), _ = group(
        [
            seen(recognise.SUMMARY, "/d/run/summary.txt"),
            seen(recognise.XUNIT, "/d/run/artifacts/MarvinLogs/test_x.py.xml"),
            seen(recognise.TIMES, "/d/run/artifacts/MarvinLogs/more/tests-time.txt"),
        ]
    )
    assert place.name == "d/run"
    assert place.roots == {"/d/run", "/d/run/artifacts", "/d/run/artifacts/MarvinLogs/more"}


def test_each_job_log_is_a_run() -> None:
    places, _ = group([seen(recognise.JOB_LOG, "/d/1.txt"), seen(recognise.JOB_LOG, "/d/2.txt")])
    assert [place.name for place in places] == ["d/1.txt", "d/2.txt"]


def test_logs_of_another_run_in_the_same_archive_are_foreign() -> None:
    places, _ = group(
        [
            seen(recognise.XUNIT, "/d/all.zip!/r1/test_x.py.xml", "/d/all.zip"),
            seen(LOG, "/d/all.zip!/r1/ms.log", "/d/all.zip"),
            seen(recognise.XUNIT, "/d/all.zip!/r2/test_x.py.xml", "/d/all.zip"),
            seen(LOG, "/d/all.zip!/r2/ms.log", "/d/all.zip"),
        ]
    )
    assert [(place.name, place.foreign) for place in places] == [
        ("d/all.zip!r1", {"d/all.zip!r2/ms.log"}),
        ("d/all.zip!r2", {"d/all.zip!r1/ms.log"}),
    ]


def test_marvins_files_without_their_folder_are_a_run_by_themselves() -> None:
    (place,), _ = group(
        [seen(recognise.RESULTS, "/d/pasted/results.txt"), seen(recognise.RUNINFO, "/d/pasted/runinfo.txt")]
    )
    assert (place.name, place.roots) == ("d/pasted", {"/d/pasted"})
