"""Processes of supervisors, imported by the rest of `execution`."""
