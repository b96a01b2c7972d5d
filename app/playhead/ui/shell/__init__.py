"""The main window: its layout, and what joins its parts to the sessions.

Only `bootstrap` imports it.
"""
