"""Approved code becomes chunks here; only `bootstrap` imports it."""
