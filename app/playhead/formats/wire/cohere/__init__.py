"""Cohere v2 chat: docs/wire-formats.md, section 4.

Nothing is imported here: the providers read streams and need no encoder at the start.
"""
