"""A small cloud in virtual time: its logs, printed through the grammars, and the races that happened in it.

`simulate` gives a history. What is known of its races comes from states and locks of the simulated cloud, not from
the rules: each module says of its own operations when one of them has broken into another.
"""
