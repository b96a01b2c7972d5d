"""Reads Python by its syntax tree; imported by `code_facts`."""
