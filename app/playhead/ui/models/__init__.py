"""Choosing the model of a conversation."""
