"""Chunk ↔ wire, pure, both ways; imported by `ui`, `api`, `session` and `providers`."""
