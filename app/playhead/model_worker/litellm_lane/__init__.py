"""Asks models through litellm; imported only by the worker that carries it."""
