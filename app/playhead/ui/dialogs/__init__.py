"""Windows to read in: tables, pictures, log, crash reports, requests, versions.

Imported by `ui.shell` only.
"""
