"""What is seen of a block's lines while it runs: the running one, pauses, times and values.

Only the kernel of Python imports it.
"""
