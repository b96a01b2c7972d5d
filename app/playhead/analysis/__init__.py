"""Risk facts of code, read from its text and never by running it: pure, without input or output.

`execution` calls it with the text; nothing else of ours is imported but the domain's values.
"""
