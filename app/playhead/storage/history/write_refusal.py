"""Explain why a database is read-only, and open it for reading."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from playhead.errors import StorageError, phrase

_REFUSED_BY_SYSTEM = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
_LEAST_ROOM_BYTES = 64 * 1024
_REFUSED_BY_SQLITE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR")


class WriteRefusal(Struct, frozen=True):
    """The reason why nothing is written, at length and in short, and the remedy."""

    detail: str
    reason: str
    remedy: str
    code: str = "read_only"

    @property
    def notice(self) -> str:
        """Return the whole notice."""
        return f"{self.detail} {self.remedy}"

    @property
    def error(self) -> StorageError:
        """Return the error for an attempt to write."""
        return StorageError(
            "The conversations can only be read here.",
            detail=self.reason,
            remedy=self.remedy,
            code=self.code,
        )


def newer_file_refusal(path: Path) -> WriteRefusal:
    """Return the refusal for a file of a newer version."""
    return WriteRefusal(
        f"{path} was written by a newer Playhead. You can read, search and export what is in it; "
        "nothing is changed or added, so that nothing of it is lost.",
        phrase("A newer Playhead wrote them."),
        phrase("Start the newer Playhead, or this one with --data-dir and another folder."),
    )


def in_use_refusal(path: Path, holder: str) -> WriteRefusal:
    """Return the refusal for the conversations of another Playhead that runs."""
    reason = phrase(
        "The conversations in {folder} are in use by {holder}.",
        folder=path.parent,
        holder=holder or "another Playhead",
    )
    return WriteRefusal(
        f"{reason} You can read, search and export what is in them.",
        reason,
        phrase(
            "End that one and start this one again, or set PLAYHEAD_DATA_DIR to another folder "
            "for one of them; a window serves other programs itself (Settings)."
        ),
        "in_use",
    )


def unwritable_refusal(path: Path, error: Exception) -> WriteRefusal:
    """Return the refusal for a place that cannot be written to."""
    reason = phrase(
        "{path} cannot be written to: {reason}.", path=path, reason=_reason(path, error)
    )
    return WriteRefusal(
        f"{reason} You can read, search and export what is in it; nothing is added, so that "
        "nothing is lost.",
        reason,
        phrase(
            "Make room there and see that you may write to the folder, then start Playhead again."
        ),
    )


def is_unwritable(path: Path, error: Exception) -> bool:
    """Return whether the error is the place's, of an existing file that may be readable."""
    if not path.is_file():
        return False
    if isinstance(error, OSError):
        return error.errno in _REFUSED_BY_SYSTEM
    return str(getattr(error, "sqlite_errorname", "")).startswith(_REFUSED_BY_SQLITE)


def open_for_reading(path: Path, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """Return a connection that writes nothing, not even beside the file if need be.

    SQLite makes a file for its locks beside the database. If it cannot, no other process
    writes, and the file is complete: https://sqlite.org/wal.html#readonly
    Raises sqlite3.Error.
    """
    try:
        return _open(path, "mode=ro", check_same_thread)
    except sqlite3.OperationalError as error:
        if not str(getattr(error, "sqlite_errorname", "")).startswith(_REFUSED_BY_SQLITE):
            raise  # it is only busy
        journal = path.with_name(path.name + "-wal")
        if journal.exists() and journal.stat().st_size:
            raise
        return _open(path, "mode=ro&immutable=1", check_same_thread)


def stored_version(path: Path) -> int:
    """Return the version of the schema in a file; 0 if there is no file or it cannot be read."""
    with suppress(sqlite3.Error, OSError):
        if path.is_file() and path.stat().st_size:
            with closing(open_for_reading(path)) as connection:
                return int(connection.execute("PRAGMA user_version").fetchone()[0])
    return 0


def _reason(path: Path, error: Exception) -> str:
    """Return the reason; SQLite reports a full disk as an I/O error for its own small files."""
    with suppress(OSError):
        if shutil.disk_usage(path.parent).free < _LEAST_ROOM_BYTES:
            return "the disk is full"
    words = error.strerror if isinstance(error, OSError) else None
    return words or str(error)


def _open(path: Path, how: str, check_same_thread: bool) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, timeout=5, check_same_thread=check_same_thread
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
