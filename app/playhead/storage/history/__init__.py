"""Conversations in a SQLite database; only `bootstrap` imports it."""
