"""The face for other programs; may import session, formats and the packages below, never `ui`."""
