"""The rows that the timeline shows, folded from a conversation's events; no Qt.

It imports nothing else of `ui.timeline`.
"""
