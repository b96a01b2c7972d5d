"""The conversation as a virtual scroll of cards; imported by `ui` only."""
