"""A small grammar of operations: requests, jobs, locks and commands; and how one operation goes."""

from __future__ import annotations

from logscope.language.printer import Who
from logscope.pipeline import Log
from tests.small_log import catalog, log_of

GRAMMAR = """grammar operations

type thing
  match | thing-{id:int}

type job
  match | {id:int}

type command
  match | {id:name}

event request.begins
  title | request for {what} by {client}
  tag   request
  match | a request for {what:word} by {client:word} begins

event request.ends
  match | the request is answered

event job.asked
  title | job {job.id} asked for by {user}
  tag   submits
  match | asked for job {job:job} by {user:word}

event job.begins
  match | job {job:job} begins to {work:word}

event job.ends
  match | job {job:job} is over

event job.fails
  title | the job fails
  tag   fails
  match | the job fails

event thing.wanted
  match | {thing:thing} is wanted

event thing.taken
  match | {thing:thing} is taken

event thing.left
  match | {thing:thing} is left

event thing.broken
  title | {thing.id} is broken
  tag   failure
  match | {thing:thing} is broken

event thing.fixed
  match | {thing:thing} is fixed

event thing.tried
  title | {thing.id} tried with {tool}
  tag   attempt
  match | {thing:thing} is tried with {tool:word}

event thing.avoided
  title | {thing.id} avoids {tools}
  tag   avoids
  match | {thing:thing} avoids {tools:text}

event server.begins
  tag   restart
  match | the server begins

event command.queued
  match | {command:command} is to {what:word}

event command.sent
  match | {command:command} is sent

event command.answered
  match | {command:command} is answered

interval request
  title  | request for {what}
  tag    operation
  opens  request.begins
  closes request.ends
  same   actor

interval job
  title  | job {job.id}: {work}
  tag    operation
  opens  job.begins
  closes job.ends
  same   job.id

interval job.wait
  title  | wait of job {job.id}
  tag    wait
  opens  job.asked
  closes job.begins
  same   job.id

interval thing.hold
  title  | hold on {thing.id}
  tag    hold
  opens  thing.taken
  closes thing.left
  same   thing.id, actor

interval thing.wait
  title  | wait for {thing.id}
  tag    wait
  opens  thing.wanted
  closes thing.taken
  same   thing.id, actor

interval thing.breaking
  title  | {thing.id} is broken
  tag    passing
  opens  thing.broken
  closes thing.fixed
  same   thing.id

interval command
  title  | {what}
  tag    command
  opens  command.sent
  closes command.answered
  of     command.queued
  same   command.id

interval command.wait
  title  | wait of command {command.id}
  tag    wait
  opens  command.queued
  closes command.sent
  same   command.id
"""
KNOWN = catalog(GRAMMAR)
REQUEST = Who("ms1", "web-1", "ctx-00000001")
PARENT = Who("ms1", "job-1", "ctx-00000002", 10)
CHILD = Who("ms2", "work-1", "ctx-00000003", 11, 10)
READER = Who("ms2", "reader-1")
TASK = Who("ms1", "task-1", "ctx-00000004")
Step = tuple[float, Who, str, dict[str, str]]

ASKED: list[Step] = [
    (0.0, REQUEST, "request.begins", {"what": "start", "client": "me"}),
    (0.1, REQUEST, "job.asked", {"job": "10", "user": "me"}),
    (0.2, REQUEST, "request.ends", {}),
    (0.3, PARENT, "job.begins", {"job": "10", "work": "start"}),
    (0.4, PARENT, "job.asked", {"job": "11", "user": "it"}),
    (1.4, CHILD, "job.begins", {"job": "11", "work": "lift"}),
]
OVER: list[Step] = [(9.0, CHILD, "job.ends", {"job": "11"}), (9.5, PARENT, "job.ends", {"job": "10"})]


def log(steps: list[Step]) -> Log:
    """The log of steps, in order of time."""
    return log_of(KNOWN, sorted(steps, key=lambda step: step[0]))
