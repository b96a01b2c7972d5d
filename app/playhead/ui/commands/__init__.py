"""The window's commands, by menu, by keys and by name. Only `shell` imports it."""
