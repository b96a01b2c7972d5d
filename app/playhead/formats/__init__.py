"""Wire formats and documents: pure, both ways; imported by `ui`, `api`, `session` and `providers`."""
