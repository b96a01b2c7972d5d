"""The list of conversations, with its search and menus. `shell` and `desktop` import it."""
