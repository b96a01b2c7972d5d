"""The settings dialog, a module for each page.

Only `shell` imports it, after the first paint.
"""
