"""The conversations: listed, found, sorted."""
