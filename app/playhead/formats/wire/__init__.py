"""Formats in which programs stream conversations: one folder for each, and what they share;
imported by `formats.documents`, `api` and `providers`.
"""
