"""The settings, a page for each part."""
