"""Files that are read and written whole or not at all. Imports nothing of ours; for any layer."""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_log = logging.getLogger(__name__)


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


_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_plain(path: str | Path, limit_bytes: int) -> bytes | None:
    """Return a file's bytes; None if it is no regular file or over the limit. Raises OSError."""
    # Not blocking: to open a pipe would wait for its other end.
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit_bytes:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit_bytes)
    finally:
        os.close(descriptor)


def read_checked(path: Path, limit_bytes: int, check: Callable[[str], object]) -> str:
    """Return the text of a file that will be written again; '' without one.

    A damaged one, for which `check` raises ValueError, is kept beside it. Raises OSError.
    """
    try:
        data = read_plain(path, limit_bytes)
    except FileNotFoundError:
        return ""
    try:
        if data is None:
            raise ValueError("it is not a regular file, or too large")
        text = data.decode("utf-8")
        check(text)
    except ValueError as error:
        aside = path.with_name(path.name + ".corrupt")
        path.replace(aside)
        _log.warning("%s cannot be read (%s) and is kept as %s", path.name, error, aside)
        return ""
    return text


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
