"""The exit codes of every command."""

from __future__ import annotations

OK = 0
FINDINGS = 1
WRONG_USE = 2
NOTHING_READ = 3
PART_UNREAD = 4
INTERNAL = 70
INTERRUPTED = 130
READER_GONE = 141  # as a shell says of a program that wrote to a closed pipe
