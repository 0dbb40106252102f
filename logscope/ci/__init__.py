"""CI artifacts: what a test run leaves behind, and how its failing tests join with what the log tells.

Reading knows Marvin's files as Trillian and the simulator CI leave them; joining knows the model only.
"""
