"""Environments made for one purpose. `bootstrap` imports it."""
