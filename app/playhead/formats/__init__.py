"""Wire formats and documents: pure, both ways.

Imported by `client`, `ui`, `api`, `session` and `providers`.
"""
