"""The face for other programs; may import session, dialects and what lies below, never `ui`."""
