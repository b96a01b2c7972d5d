"""The database file: its tables and migrations, and what happens to a broken or newer one."""

from __future__ import annotations

import glob
import logging
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from playhead.storage.files import free_name, put_aside
from playhead.storage.history.message_search import ensure_search
from playhead.storage.history.write_refusal import (
    WriteRefusal,
    newer_file_refusal,
    open_for_reading,
    stored_version,
)

_log = logging.getLogger(__name__)

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE conversation (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        leaf_id TEXT,
        folder TEXT NOT NULL DEFAULT '',
        interpreter TEXT NOT NULL DEFAULT ''
    );
    CREATE TABLE message (
        seq INTEGER PRIMARY KEY,
        conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        parent_id TEXT,
        role TEXT NOT NULL,
        type TEXT NOT NULL,
        format TEXT,
        kind TEXT NOT NULL,
        content TEXT,
        call_id TEXT,
        recipient TEXT,
        created_at REAL NOT NULL,
        state TEXT NOT NULL,
        UNIQUE (conversation_id, id)
    );
    CREATE INDEX message_by_parent ON message (conversation_id, parent_id);
    CREATE INDEX message_streaming ON message (state) WHERE state = 'streaming';
    CREATE TABLE delta (
        seq INTEGER PRIMARY KEY,
        message_seq INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
        text TEXT NOT NULL
    );
    CREATE INDEX delta_of_message ON delta (message_seq);
    """,
    """
    ALTER TABLE conversation ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN is_unread INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN is_deleted INTEGER NOT NULL DEFAULT 0;
    """,
    "ALTER TABLE conversation ADD COLUMN config TEXT NOT NULL DEFAULT '{}'",
    """
    CREATE TABLE record (
        seq INTEGER PRIMARY KEY,
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        content TEXT NOT NULL,
        UNIQUE (owner, id)
    )
    """,
    """
    CREATE TABLE access_grant (
        id TEXT PRIMARY KEY,
        scope TEXT NOT NULL,
        conversation_id TEXT NOT NULL,
        content TEXT NOT NULL
    )
    """,
)

COPIES_KEPT_S = 30 * 24 * 3600.0
"""Seconds for which a copy from before an upgrade is kept; deleted messages are still in it."""

_CHECK_ALWAYS_BYTES = 256 * 2**20
"""Larger files are checked only after an unclean end: a check reads the whole file."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class BrokenDatabaseError(sqlite3.DatabaseError):
    """The file is not a database of ours, or a damaged one."""


class OpenedDatabase(Struct, frozen=True, kw_only=True):
    """A database ready for use; `notice` describes what was put aside for it, else ''.

    With a `refusal` it is read-only.
    """

    connection: sqlite3.Connection
    path: Path
    notice: str = ""
    refusal: WriteRefusal | None = None


def open_database(
    path: Path,
    migrations: Sequence[str] = MIGRATIONS,
    *,
    damage: str = "",
    on_rescue: Callable[[], object] = lambda: None,
) -> OpenedDatabase:
    """Open the file or make it; a newer one is read-only.

    A damaged one is moved aside, and what can be read of it is copied, which may take long:
    `on_rescue` is called before. With `damage`, which says how, it is known to be so.
    No other process may have it open. Raises sqlite3.Error or OSError when the place refuses.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stored_version(path) > len(migrations):
        return OpenedDatabase(
            connection=open_for_reading(path), path=path, refusal=newer_file_refusal(path)
        )
    notice = ""
    _finish_rescue(path)
    try:
        if damage:
            raise BrokenDatabaseError(damage)
        connection = _open_sound(path, migrations)
    except BrokenDatabaseError as broken:
        on_rescue()
        notice = _rescue(path, str(broken))
        connection = _open_sound(path, migrations)
    return OpenedDatabase(connection=connection, path=path, notice=notice)


def _rescue(path: Path, reason: str) -> str:
    """Put what can be read of a damaged file in its place; return a notice of what was lost.

    Raises sqlite3.Error or OSError when there is no room for it; nothing has then changed.
    """
    from playhead.storage.history.rescue import Rescue, rescue  # of hardly any use

    part, whole = path.with_name(path.name + ".part"), _rescued(path)
    found = Rescue()
    try:
        if path.is_file():
            part.unlink(missing_ok=True)
            _make_private(part)
            with closing(sqlite3.connect(part, isolation_level=None)) as new:
                new.execute("PRAGMA synchronous = OFF")
                _migrate(new, part, 0, MIGRATIONS)
                found = rescue(path, new)
                ensure_search(new)
            _sync(part)
            part.replace(whole)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    aside = _put_aside(path)
    _finish_rescue(path)
    _log.info("%s was damaged: %s", path, reason)
    return found.words(aside)


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _finish_rescue(path: Path) -> None:
    """Put a rescued file in the place of the damaged one, which is aside."""
    if not path.exists():
        with suppress(FileNotFoundError):
            _rescued(path).rename(path)


def _rescued(path: Path) -> Path:
    return path.with_name(path.name + ".rescued")


def _open_sound(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    """Return the database, up to date. Raises BrokenDatabaseError."""
    if path.exists() and not path.is_file():
        raise BrokenDatabaseError("it is not a file")
    is_unclean = path.with_name(path.name + "-wal").exists()
    _make_private(path)
    if is_unclean and _misses_transactions(path):
        raise BrokenDatabaseError("a part of its journal is damaged")
    connection = sqlite3.connect(path, isolation_level=None, timeout=5)
    try:
        version = _version(connection)
        if is_unclean or path.stat().st_size <= _CHECK_ALWAYS_BYTES:
            _check(connection, version)
        _set_up(connection)
        _migrate(connection, path, version, migrations)
        _end_copies(path, lambda copy: copy.stat().st_mtime < time.time() - COPIES_KEPT_S)
        ensure_search(connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.DatabaseError) and _code(error) in _BROKEN:
            raise BrokenDatabaseError(str(error)) from error
        raise
    return connection


def _misses_transactions(path: Path) -> bool:
    """Return whether SQLite passes over transactions behind a damaged part of the journal.

    It says how many frames it takes in the index beside it: https://sqlite.org/walformat.html.
    To check them here takes a third of a second for 4 MB, so only if they are too few.
    """
    journal = path.with_name(path.name + "-wal")
    if not journal.exists() or not journal.stat().st_size:
        return False
    from playhead.storage.history.damaged_file import Journal, last_commit

    with suppress(sqlite3.Error, OSError), closing(open_for_reading(path)):
        index = path.with_name(path.name + "-shm").read_bytes()
        taken = int.from_bytes(index[16:20], sys.byteorder)
        return last_commit(journal) > taken and Journal(journal).is_damaged
    return False


def _make_private(path: Path) -> None:
    """Make the file before SQLite does, for its user only; the journal takes over its mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check(connection: sqlite3.Connection, version: int) -> None:
    (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise BrokenDatabaseError(str(answer))
    if version < 0 or (
        version == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    ):
        raise BrokenDatabaseError("it is another program's database")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a crash of ours is safe (no fsync)
    connection.execute("PRAGMA foreign_keys = ON")


def _migrate(
    connection: sqlite3.Connection, path: Path, version: int, migrations: Sequence[str]
) -> None:
    if 0 < version < len(migrations):  # a new one is empty
        newest = free_name(path, f"before-v{version + 1}")
        copy_database(connection, newest)
        _end_copies(path, lambda copy: copy != newest)
    for number in range(version + 1, len(migrations) + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE; {migrations[number - 1]}; PRAGMA user_version = {number}; COMMIT;"
        )


def copy_database(connection: sqlite3.Connection, path: Path) -> None:
    """Write all that the connection sees into a new file, for its user only."""
    connection.execute("VACUUM INTO ?", (str(path),))
    path.chmod(0o600)


def _end_copies(path: Path, is_over: Callable[[Path], bool]) -> None:
    """Delete the copies from before an upgrade that have expired."""
    for copy in path.parent.glob(f"{glob.escape(path.name)}.before-v*"):
        with suppress(OSError):  # one that stays does no harm
            if is_over(copy):
                copy.unlink()


def _put_aside(path: Path) -> Path:
    """Move the file with its journal, which belongs to it under any name."""
    aside = put_aside(path)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _code(error: sqlite3.DatabaseError) -> int:
    """Return the primary result code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
