"""Child process that keeps files as they were before a run and puts them back.

It imports the standard library only; the app imports its `protocol`.
"""
