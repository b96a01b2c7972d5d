"""The window: its parts, and what joins them with the sessions."""
