"""Which names the code has that calls into the kernel."""

from __future__ import annotations

import sys
from typing import Any


def is_block(frame: Any) -> bool:
    """Whether it is one of the user's blocks that runs there."""
    return frame.f_code.co_filename.startswith("<block ")


def caller_of(depth: int) -> dict[str, Any]:
    """The names of the block, or of the function in it, so many calls up."""
    frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage] - documented
    if frame.f_locals is frame.f_globals:
        return frame.f_globals
    return {**frame.f_globals, **frame.f_locals}
