"""Sources: from paths to named streams of log bytes with their servers.

`discover` is the way in; `walk` gives every file that a path leads to, for those who look for more than logs.
"""

from logscope.sources.discover import discover
from logscope.sources.files import File, walk
from logscope.sources.sniff import DEFAULT_KIND

__all__ = ["DEFAULT_KIND", "File", "discover", "walk"]
