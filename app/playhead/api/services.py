"""What every handler has at hand; imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from playhead.api.bridge import Bridge
from playhead.api.turns import Turns


@dataclass(frozen=True, slots=True)
class Services:
    """`turns` belong to the core's thread: they are asked over `bridge`.

    `collection` reads the Postman collection, `trusted` are the pids of children that run no code
    of users (the model worker). `outputs_dir` holds a folder of files for each conversation.
    """

    bridge: Bridge
    turns: Turns
    collection: Callable[[], bytes]
    version: str
    trusted: Callable[[], Collection[int]] = tuple
    outputs_dir: Path | None = None
