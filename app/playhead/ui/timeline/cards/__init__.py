"""One module per kind of card, and what cards are made with.

It may import `ui.timeline.text` and `ui.timeline.model`.
"""
