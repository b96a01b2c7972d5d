"""The face for other programs; may import session, formats and what lies below, never `ui`."""
