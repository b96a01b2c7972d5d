"""Plays a conversation by time. `shell` imports it when somebody asks for that."""
