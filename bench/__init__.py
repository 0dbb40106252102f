"""Measures logscope against the tools people use today, on generated logs whose races are known."""
