"""Compares what was recorded with what came out now: texts, figures, tables, files; pure.

`checking` imports it.
"""
