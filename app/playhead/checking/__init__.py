"""Checks a hand-over: runs an export from the top elsewhere and compares what comes out.

`ui`, `api` and `bootstrap` may import it; nothing of it is loaded before somebody asks for a check.
"""
