"""Keeping variables from one kernel to the next; made and called by the executor."""
