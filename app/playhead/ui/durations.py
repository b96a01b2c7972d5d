"""Times as people read them."""

from __future__ import annotations


def format_seconds(seconds: float) -> str:
    """38 ms, 1.1 s, 2 min 5 s."""
    if seconds < 0.0995:
        return f"{max(round(seconds * 1000), 0)} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
