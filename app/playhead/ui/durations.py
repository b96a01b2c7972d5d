"""Times as people read them."""

from __future__ import annotations

from playhead.ui.wording import tr


def format_seconds(seconds: float) -> str:
    """38 ms, 1.1 s, 2 min 5 s."""
    if seconds < 0.0995:
        return tr("{number} ms", number=max(round(seconds * 1000), 0))
    if seconds < 60:
        return tr("{seconds:.1f} s", seconds=seconds)
    return tr("{minutes} min {rest} s", minutes=int(seconds // 60), rest=int(seconds % 60))
