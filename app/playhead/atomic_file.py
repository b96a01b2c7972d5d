"""Files that are either whole or as they were. Imports nothing of ours; any layer may use it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path, mode: int = 0o600) -> Generator[IO[bytes]]:
    """Yield a new file that takes the place of `path` at the end; `mode` says who may use it.

    A link (a settings file kept in a dotfiles repository) stays one: its target is replaced.
    After an exception nothing has changed. Raises OSError.
    """
    path = path.resolve()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def write_private(path: Path, text: str) -> None:
    """Replace the text of a file that only its user may read; its folder is made if needed.

    Raises OSError.
    """
    path = path.resolve()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
