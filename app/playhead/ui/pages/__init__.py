"""Small windows to read in."""
