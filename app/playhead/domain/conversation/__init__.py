"""A conversation: chunks, messages, their tree, its cost, what is asked of a model.

It imports `model`, `settings` and `history` beside it; of these, none imports it.
"""
