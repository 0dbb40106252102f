"""Which files are artifacts of a test run, told by their first bytes, and to which run they belong."""

from __future__ import annotations

import re

RUNINFO, RESULTS, XUNIT, TIMES, SUMMARY, STARTDATE, JOB_LOG = (
    "runinfo", "results", "xunit", "tests-time", "summary", "startdate", "job-log",
)  # fmt: skip
# A file that may be empty and yet tells something: a test file that did not run has an empty one.
_XUNIT_NAME = re.compile(r"\.py\.xml$")
_MARVIN_FOLDER = "MarvinLogs"
# Marvin's folder of one test file: the module, or the time until the file is done, and six random characters.
FOLDER = re.compile(r"([^/]+)_[A-Z0-9]{6}$")
_STARTDATE_NAME = "testrunstartdate"

_FORMS = (
    (JOB_LOG, re.compile(rb"\A(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ")),
    (JOB_LOG, re.compile(rb"^Printing marvin logs ", re.MULTILINE)),
    (RUNINFO, re.compile(rb"\A\s*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - [A-Z]+ - ")),
    (XUNIT, re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<(?:[^>]*>\s*<)*?testsuites?\b")),
    (TIMES, re.compile(rb"\A\s*\S+\.py: \d+ seconds\s*$", re.MULTILINE)),
    (STARTDATE, re.compile(rb"\A\s*\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?\s*\Z")),
    (SUMMARY, re.compile(rb"Trillian test result|tests completed\. \d+ look ok|^Test \| Result \|", re.I | re.M)),
    (RESULTS, re.compile(rb"=== TestName: \S+ \| Status : \w+ ===|^Ran \d+ tests? in [\d.]+s\s*$", re.MULTILINE)),
)


def kind_of(name: str, head: bytes) -> str:
    """Tell which artifact a file is by its first bytes, `head`; empty if it is none.

    The name counts only for a result file that is empty or does not begin as it should.
    """
    if _XUNIT_NAME.search(name):
        return XUNIT
    for kind, form in _FORMS:
        if form.search(head):
            # A mere date may stand in any file.
            return "" if kind == STARTDATE and not name.endswith(_STARTDATE_NAME) else kind
    return ""


def root_of(kind: str, path: str) -> str:
    """Give the folder of the run to which an artifact belongs; a job log is a run by itself.

    `path` has its parts separated by `/`; the root is what remains of it, so it is a beginning of `path`.
    """
    if kind == JOB_LOG:
        return path
    folder = _parent(path)
    if kind in (RUNINFO, RESULTS) and FOLDER.search(folder):
        folder = _parent(folder)
    return _parent(folder) if folder.rpartition("/")[2] == _MARVIN_FOLDER else folder


def is_minor(kind: str) -> bool:
    """Tell whether such a file alone makes no run: it belongs to the one that stands below its folder."""
    return kind in (TIMES, SUMMARY, STARTDATE)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
