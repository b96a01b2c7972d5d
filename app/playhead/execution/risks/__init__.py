"""Reads code for its effects in a thread beside the window; imported by `bootstrap`."""
