"""Files that a message names: read with limits, and words for those that are not."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

MAX_FILE_BYTES = 256 * 1024 * 1024

Part = dict[str, Any]


class FileError(ValueError):
    """A file that is not read; its text says why."""


def file_bytes(path: str, limit_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The file's bytes; not of a pipe or a device, which may never end. Raises FileError."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise FileError("it is no ordinary file")
        if status.st_size > limit_bytes:
            has, takes = status.st_size / 1e6, limit_bytes / 1e6
            raise FileError(f"it has {has:,.1f} MB, and {takes:,.1f} MB are taken")
        return Path(path).read_bytes()
    except OSError as error:
        raise FileError(error.strerror or "it cannot be read") from None


def told(text: str) -> Part:
    """Words in place of a file, in brackets, so that they are not the user's."""
    return {"type": "text", "text": f"[{text}]"}
