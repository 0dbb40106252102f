"""Marvin: runs the tests of one file against the simulated cloud, and leaves behind what it leaves behind.

Its records carry the clock of its own machine. Two traps of its log are kept: `Result:` stays at the first failure for
all tests that follow, and `TotalTime` is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from logscope.language.printer import clock

from .cloud import Cloud, Steps, uuid_of
from .engine import SECOND
from .log import START

SERVER = "ms1"
HOST = "192.0.2.60"  # where the tests run
_RULE = "=" * 70
_LINE = "-" * 70


class FailedError(Exception):
    """A test failed: `kind` is the exception that a Python test would raise, `rule` what really was the reason.

    `rule` is empty where nothing raced.
    """

    def __init__(self, kind: str, text: str, rule: str = "") -> None:
        super().__init__(f"{kind}: {text}")
        self.kind, self.rule = kind, rule
        self.message = text


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a file; `body` is run once in each pass."""

    name: str
    about: str
    body: Callable[[Marvin], Steps]


@dataclass(frozen=True, slots=True)
class File:
    """A test file with one class of tests; `setup` is what its class does first."""

    module: str
    suite: str
    tests: tuple[Test, ...]
    setup: Callable[[Marvin], Steps] | None = None

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.module}.py"


@dataclass(frozen=True, slots=True)
class Row:
    """How one test went: `status` as Marvin prints it, `failure` what it raised."""

    name: str
    suite: str
    about: str
    status: str
    seconds: float
    failure: FailedError | None = None


@dataclass(slots=True)
class Marvin:
    """One pass over one file. `ahead` is how far the clock of its machine is ahead of true time, µs."""

    cloud: Cloud
    file: File
    ahead: int
    rows: list[Row] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether anything did."""
        return any(row.failure for row in self.rows)

    def run(self) -> Steps:
        """Run the whole file."""
        yield self.cloud.between(1.5, 3.0)
        yield from self.ask("listZones", {}, [])
        if self.file.setup is not None:
            try:
                yield from self.file.setup(self)
            except FailedError as failure:
                name = f"ContextSuite context={self.file.suite}>:setup"
                self.rows.append(Row(name, "", "", "EXCEPTION", 0.0, failure))
                return
        for test in self.file.tests:
            yield self.cloud.between(0.1, 0.6)
            yield from self._test(test)

    def _test(self, test: Test) -> Steps:
        began, failure = self.cloud.now, None
        self._say(f"::::::::::::STARTED : TC: {test.name} :::::::::::")
        yield self.cloud.pause()
        try:
            yield from test.body(self)
        except FailedError as error:
            failure = error
        yield self.cloud.pause()
        is_check = failure is not None and failure.kind == "AssertionError"
        status = "SUCCESS" if failure is None else "FAILED" if is_check else "EXCEPTION"
        if failure is not None:
            source = f'  File "/marvin/tests/smoke/{self.file.name}", line 214, in {test.name}\n    self.check()\n'
            listed = ["Traceback (most recent call last):\n", source, f"{failure}\n"]
            record = self._record(f"{status}: {test.name}: {listed!r}", "CRITICAL")
            self.records.append(record)
            self.exceptions.append(record)
        self.rows.append(Row(test.name, self.file.suite, test.about, status, (self.cloud.now - began) / 1e6, failure))
        sticky = next((row.status for row in self.rows if row.failure), "SUCCESS")
        took = round((self.cloud.now - began) / SECOND)
        times = f"StartTime: {self._date(began)}; EndTime: {self._date(self.cloud.now)}"
        self._say(f"TestCaseName: {test.name}; Time Taken: {took} Seconds; {times}; Result: {sticky}")

    def ask(self, command: str, parameters: dict[str, str], answer: list[tuple[str, int, str, str]]) -> Steps:
        """A call that is answered at once with a list of (kind, id, name, state)."""
        self._send(command, parameters)
        yield from self._call(command)
        found = [f"{{id : u'{uuid_of(kind, id)}', name : u'{n}', state : u'{s}'}}" for kind, id, n, s in answer]
        self._say(f"Response : {'[' + ', '.join(found) + ']' if found else 'None'}")

    def submit(self, command: str, parameters: dict[str, str], request: Steps) -> Steps:
        """A call that starts a job, whose number is given."""
        self._send(command, parameters)
        delay = next(request)  # until then it only takes the number of its job
        assert isinstance(delay, float)
        job = next(reversed(self.cloud.requests))
        self.cloud.engine.spawn(request, delay, SERVER)
        yield self.cloud.between(0.04, 0.2)
        self._say(f"=== Jobid: {uuid_of('job', job)} Started ===")
        return job

    def wait(self, job: int) -> Steps:
        """Look every second whether a job is over. Gives why it failed, or nothing."""
        began, left = self.cloud.now, 3600
        while job not in self.cloud.outcomes:
            yield 1.0
            left -= 1
            self._say(f"=== JobId:{uuid_of('job', job)} is Still Processing, Will TimeOut in:{left} ====")
            yield from self._call("queryAsyncJobResult")
        times = f"StartTime:{self._date(began)} ; EndTime:{self._date(self.cloud.now)}"
        self._say(f"===Jobid:{uuid_of('job', job)} ; {times} ; TotalTime:-{(self.cloud.now - began) // SECOND}===")
        return self.cloud.outcomes[job]

    def do(self, command: str, parameters: dict[str, str], request: Steps, rule: Callable[[], str]) -> Steps:
        """A call that starts a job, and the wait for it. Raises FailedError if it fails, by the rule that is given."""
        job = yield from self.submit(command, parameters, request)
        error = yield from self.wait(job)
        if error:
            raise job_failed(error, rule())

    def _call(self, command: str) -> Steps:
        cloud = self.cloud
        servlet = cloud.actor(SERVER, f"qtp1533908812-{cloud.dice.randrange(20, 400)}")
        cloud.say(servlet, "api.start", method="GET", client=HOST, query=f"command={command}&response=json")
        yield cloud.pause()
        cloud.say(servlet, "api.end", method="GET", client=HOST, query=f"command={command}&response=json")
        yield cloud.pause(0.001, 0.004)

    def _send(self, command: str, parameters: dict[str, str]) -> None:
        fields = {"apiKey": "example", "command": command, "response": "json", "signature": "example", **parameters}
        self._say(f"Payload: {dict(sorted(fields.items()))!r}")
        self._say(f"========Sending GET Cmd : {command}=======")

    def _say(self, message: str) -> None:
        self.records.append(self._record(message, "DEBUG"))

    def _record(self, message: str, level: str) -> str:
        return f"{clock(START + self.cloud.now + self.ahead)} - {level} - {message}"

    def _date(self, time: int) -> str:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=START + time + self.ahead)
        return f"{moment:%a %b} {moment.day:2} {moment:%H:%M:%S %Y}"

    def xunit(self) -> str:
        """The XML of the test runner: no time of day in it."""
        cases = "".join(self._case(row) for row in self.rows)
        checks = sum(row.status == "FAILED" for row in self.rows)
        errors = sum(row.status == "EXCEPTION" for row in self.rows)
        head = f'<testsuite name="nosetests" tests="{len(self.rows)}" errors="{errors}" failures="{checks}" skip="0">'
        return f'<?xml version="1.0" encoding="UTF-8"?>{head}{cases}</testsuite>'

    def _case(self, row: Row) -> str:
        suite = f"smoke.{self.file.module}.{row.suite}" if row.suite else "nose.suite.ContextSuite"
        body = ""
        if row.failure is not None:
            tag = "failure" if row.status == "FAILED" else "error"
            kind, message = quoteattr(f"exceptions.{row.failure.kind}"), quoteattr(row.failure.message)
            body = f"<{tag} type={kind} message={message}>{escape(self._traceback(row))}</{tag}>"
        name, time = quoteattr(row.name), f"{row.seconds:.2f}"
        return f'<testcase classname="{suite}" name={name} time="{time}">{body}</testcase>'

    def results(self) -> str:
        """What the test runner printed."""
        words = {"SUCCESS": "ok", "FAILED": "FAIL", "EXCEPTION": "ERROR"}
        lines = []
        for row in self.rows:
            if row.suite:
                told = f"{row.about} ... === TestName: {row.name} | Status : {row.status} ==="
                lines += [told, words[row.status]]
        for row in self.rows:
            if row.failure is not None:
                what = row.about or f"test suite for <class 'smoke.{self.file.module}.{self.file.suite}'>"
                lines += ["", _RULE, f"{words[row.status]}: {what}", _LINE, self._traceback(row)]
        seconds = sum(row.seconds for row in self.rows)
        return "\n".join([*lines, "", _LINE, f"Ran {len(self.rows)} tests in {seconds:.3f}s", ""])

    def _traceback(self, row: Row) -> str:
        source = f'  File "/marvin/tests/smoke/{self.file.name}", line 214, in {row.name}\n    self.check()'
        return f"Traceback (most recent call last):\n{source}\n{row.failure}"


def job_failed(error: str, rule: str) -> FailedError:
    """What Marvin raises when a job fails."""
    told = f"{{errorcode : 530, errortext : u'{error}'}}"
    return FailedError("Exception", f"Job failed: {{jobprocstatus : 0, jobresult : {told}, jobresultcode : 530}}", rule)


def check(is_so: bool, text: str, rule: str = "") -> None:
    """What a test asserts. Raises FailedError if it is not so."""
    if not is_so:
        raise FailedError("AssertionError", text, rule)
