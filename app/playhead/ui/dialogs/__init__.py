"""Windows that show tables, pictures, the log, crash reports, requests and versions.

Imported by `ui.shell` only.
"""
