from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from logscope.ci import recognise
from logscope.ci.marvin import read_run
from logscope.ci.values import Artifact
from logscope.model import Problem
from tests.ci_samples import JOB, artifact, at, ended, passed, record, started


def test_a_class_that_failed_to_set_up_gets_what_lies_between_the_tests() -> None:
    log = "\n".join(
        [
            started("10:00:00.000", "test_a"),
            ended("10:00:01.000", "test_a"),
            record("10:00:02.000", f"=== Jobid: {JOB} Started ==="),
            record("10:00:03.000", "Response : None"),
            started("10:00:04.000", "test_b"),
            ended("10:00:05.000", "test_b"),
        ]
    )
    xml = (
        '<testsuite><testcase name="test_a"/><testcase name="ContextSuite context=C&gt;:setup">'
        '<error type="x.KeyError" message="id"/></testcase><testcase name="test_b"/></testsuite>'
    )
    run = read_run("run", [artifact("r/test_x_AAAAAA/runinfo.txt", log), artifact("r/test_x.py.xml", xml)])
    setup = run.cases[1]
    assert (setup.start, setup.end, setup.precision) == (at("10:00:02"), at("10:00:03"), "ms")
    assert list(setup.jobs) == [JOB]


def test_tests_of_one_name_get_their_own_windows() -> None:
    log = "\n".join(
        line
        for second in (1, 5)
        for line in (started(f"10:00:0{second}.000", "test_a"), ended(f"10:00:0{second + 1}.000", "test_a"))
    )
    run = read_run(
        "run", [artifact("r/test_x_AAAAAA/runinfo.txt", log), artifact("r/test_x.py.xml", passed("test_a", "test_a"))]
    )
    assert [case.start for case in run.cases] == [at("10:00:01"), at("10:00:05")]


def test_of_two_results_of_one_file_the_later_is_taken_and_told() -> None:
    run = read_run(
        "run",
        [
            artifact(
                "r/test_x_BBBBBB/runinfo.txt", started("10:00:00.000", "old") + "\n" + ended("10:00:01.000", "old")
            ),
            artifact(
                "r/test_x_AAAAAA/runinfo.txt", started("11:00:00.000", "new") + "\n" + ended("11:00:01.000", "new")
            ),
        ],
    )
    assert [case.outcome.name for case in run.cases] == ["new"]
    assert run.problems == [
        Problem(
            "run",
            "holds two results of one test file (test_x_AAAAAA and test_x_BBBBBB): "
            "two runs lie in one folder, the later is taken",
        )
    ]


def test_a_table_alone_gives_tests() -> None:
    run = read_run(
        "run", [artifact("r/summary", "Test | Result | Time (s) | Test File\ntest_a | `Failure` | 0.03 | test_x.py\n")]
    )
    assert [(c.file, c.outcome.name, c.outcome.seconds, c.precision) for c in run.cases] == [
        ("test_x.py", "test_a", 0.03, "none")
    ]


@settings(deadline=None)  # other work on the machine may take longer
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["r/a_AAAAAA/runinfo.txt", "r/a_AAAAAA/results.txt", "r/a.py.xml", "r/job", "r/s", "r/t"]),
            st.binary(max_size=300),
        )
    )
)
def test_any_bytes_give_a_run(files: list[tuple[str, bytes]]) -> None:
    kinds = {
        "runinfo.txt": recognise.RUNINFO,
        "results.txt": recognise.RESULTS,
        "a.py.xml": recognise.XUNIT,
        "job": recognise.JOB_LOG,
        "s": recognise.SUMMARY,
        "t": recognise.TIMES,
    }
    artifacts = [
        Artifact(path, path, kinds[path.rpartition("/")[2]], lambda data=data: io.BytesIO(data)) for path, data in files
    ]
    read_run("run", artifacts)
