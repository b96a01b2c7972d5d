"""The window that checks an export. `shell` imports it when somebody asks for a check."""
