"""The program on the desktop: notifications, tray, opened files.

Only `shell` and `bootstrap` import it.
"""
