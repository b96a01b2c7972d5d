"""Words and characters, in one place for all layers: pure functions.

It may import `domain.conversation`.
"""
