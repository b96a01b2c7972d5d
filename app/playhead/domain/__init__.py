"""Values and folds without input or output.

Everything above may import it; it imports only `errors`.
"""
