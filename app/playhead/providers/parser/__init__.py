"""Text of a model or a person becomes messages: prose, reasoning, code and calls, cut anywhere.

Only modules of `providers` may import it; it imports none of them and does no I/O.
"""
