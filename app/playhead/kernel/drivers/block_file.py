"""The file that a block lies in for the program that runs it."""

from __future__ import annotations

import re

_HALVES = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Halves of characters that stand for no byte either: nothing can write them."""


def write_block(path: str, text: str) -> None:
    """Write UTF-8; a surrogate that stands for a byte becomes that byte again."""
    data = _HALVES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    with open(path, "wb") as file:
        file.write(data)
