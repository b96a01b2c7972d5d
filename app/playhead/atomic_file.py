"""Files that are read and written whole or not at all. Imports nothing of ours; for any layer."""

from __future__ import annotations

import errno
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


# Not blocking: to open a pipe would wait for its other end.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def open_inside(path: str | Path, folder: str | Path = "") -> int:
    """Return a descriptor to read from; of what is below `folder` no link is followed.

    Running code can put a link into the place of a file or of a folder there at any moment, so
    each name is opened in the descriptor of the one before. Raises OSError.
    """
    names = _names_below(path, folder)
    if not names:
        return os.open(path, _OPEN_FLAGS)
    if os.open not in os.supports_dir_fd:
        return _open_in_place(path, folder)
    place = os.open(folder, _FOLDER_FLAGS)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER_FLAGS | _NO_LINK, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(names[-1], _OPEN_FLAGS | _NO_LINK, dir_fd=place)
    finally:
        os.close(place)


def _names_below(path: str | Path, folder: str | Path) -> tuple[str, ...]:
    """Return the names that lead from a folder to a path; () if it is not below the folder."""
    place = Path(os.path.abspath(path))
    bases = (os.path.abspath(folder), os.path.realpath(folder)) if folder else ()
    below = (place.relative_to(base).parts for base in bases if place.is_relative_to(base))
    return next(below, ())


def _open_in_place(path: str | Path, folder: str | Path) -> int:
    """Open what is in a folder where a name cannot be opened in a descriptor (Windows)."""
    descriptor = os.open(path, _OPEN_FLAGS)
    real = os.path.realpath(path)
    is_inside = Path(real).is_relative_to(os.path.realpath(folder))
    if is_inside and os.path.samestat(os.stat(real), os.fstat(descriptor)):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def read_plain(path: str | Path, limit_bytes: int, folder: str | Path = "") -> bytes | None:
    """Return a file's bytes; None if it is no regular file or over the limit. Raises OSError.

    Of what is below `folder` no link is followed.
    """
    descriptor = open_inside(path, folder)
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
