"""Looks at the lines of a block that runs: the running one, pauses, times and values.

Only the kernel of Python imports it.
"""
