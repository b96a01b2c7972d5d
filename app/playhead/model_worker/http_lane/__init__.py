"""Asks models by HTTP itself; nothing here imports litellm."""
