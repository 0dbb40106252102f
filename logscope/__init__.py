"""Reads management-server.log of Apache CloudStack and finds operations that overlapped on one resource.

`logscope.read(paths)` gives the analysis as pandas frames; the command `logscope` gives reports.
"""

from __future__ import annotations

# Whoever presses Ctrl-C while `typing` is imported for this name sees where: the command cannot catch it yet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from logscope.api import read as read

__version__ = "0.1.0"
__all__ = ["__version__", "read"]


def __getattr__(name: str) -> object:
    # The frames behind `read` take longer to import than `logscope --version` may run.
    if name == "read":
        from logscope.api import read

        return read
    raise AttributeError(f"module 'logscope' has no attribute '{name}'")
