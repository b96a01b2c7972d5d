"""Tables as text and in a window of their own; imported by `ui` only."""
