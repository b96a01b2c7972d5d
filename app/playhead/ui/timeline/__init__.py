"""The conversation as a virtual scroll of cards; imported by `ui` only.

`view` is the widget. Below it, downward: `find`, `scroll`, `cards`, `text`, `model`.
"""
