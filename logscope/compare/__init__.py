"""Compares runs before and after a change: rules per chance, windows, findings by cause, tests."""

from logscope.compare.judge import compare
from logscope.compare.render import FORMATS, render
from logscope.compare.sides import Side, load

__all__ = ["FORMATS", "Side", "compare", "load", "render"]
