"""Installs packages outside of the sandbox; imported by `bootstrap` only."""
