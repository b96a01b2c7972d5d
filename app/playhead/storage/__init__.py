"""Conversations, settings and keys on this machine; only `bootstrap` imports it."""
