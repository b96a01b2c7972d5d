"""Playhead: a desktop code interpreter."""

__version__ = "0.1.0"
