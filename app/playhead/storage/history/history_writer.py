"""The thread that owns the database: it writes in batches and answers questions.

When the disk refuses, no entry is dropped, and it tries again.
"""

from __future__ import annotations

import errno
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from playhead.errors import StorageError, phrase
from playhead.storage.history import journal
from playhead.storage.history.journal import Entry
from playhead.storage.history.message_search import is_index_damage, rebuild_search
from playhead.storage.history.row_codec import is_undecodable, readable_text
from playhead.storage.history.schema import OpenedDatabase, open_database
from playhead.storage.history.write_refusal import (
    WriteRefusal,
    in_use_refusal,
    is_unwritable,
    open_for_reading,
    unwritable_refusal,
)
from playhead.storage.process_lock import ProcessLock

T = TypeVar("T")

_log = logging.getLogger(__name__)
BATCH_S = 0.05
"""Seconds for which entries are gathered: well under the 250 ms that a crash may cost."""
FIRST_RETRY_S = 0.2
LONGEST_RETRY_S = 5.0


class _Question(Struct, frozen=True):
    ask: Callable[[sqlite3.Connection], Any]
    answer: Future[Any]


class HistoryWriter:
    """Writes entries in the order of their arrival; a question sees all before it.

    When the disk refuses, `report` is called once per cause (in this thread), nothing is dropped,
    and the writing is tried again with growing pauses; with None when all is written after all.
    One process has the database at a time, named by `holder`; for others it is read-only.
    """

    def __init__(
        self, path: Path, report: Callable[[StorageError | None], None], holder: str = ""
    ) -> None:
        self._path = path
        self._report = report
        self._queue: queue.SimpleQueue[Entry | _Question | None] = queue.SimpleQueue()
        self._pending: list[Entry] = []
        self._questions: list[_Question] = []
        self._connection: sqlite3.Connection | None = None
        self._lock = ProcessLock(path.with_name(path.name + ".lock"), holder)
        self._notice = ""
        self._refusal: WriteRefusal | None = None
        self._opened_path: Path | None = None
        self._damage = ""
        self._reported: dict[str, StorageError] = {}
        self._retry_s = FIRST_RETRY_S
        self._retry_at = 0.0
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="playhead-history", daemon=True)

    def start(self) -> None:
        """Start the thread; it opens the database by itself."""
        self._thread.start()

    @property
    def notice(self) -> str:
        """Return a note on what was put aside when the database was opened, else ''."""
        return self._notice

    @property
    def refusal(self) -> WriteRefusal | None:
        """Return why the database is read-only, once it is open; else None."""
        return self._refusal

    @property
    def unsaved(self) -> int:
        """Return the number of changes that wait for a disk that refuses them, else 0."""
        return len(self._pending) if self._reported else 0

    @property
    def opened_path(self) -> Path | None:
        """Return the file that is written to, as soon as it is open."""
        return self._opened_path

    @property
    def problem(self) -> StorageError | None:
        """Return why nothing is written now, else None."""
        if self._refusal is not None:
            return self._refusal.error
        return next(iter(tuple(self._reported.values())), None)

    def put(self, entry: Entry) -> None:
        """Queue an entry; returns at once."""
        self._queue.put(entry)

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Run `question` on the connection, after what is queued; fails with StorageError."""
        answer: Future[T] = Future()
        if self._thread.is_alive():
            self._queue.put(_Question(question, answer))
        else:
            answer.set_exception(_closed())
        return answer

    def ask_for_room(self, size_bytes: int) -> Future[None]:
        """Fail with StorageError unless about so much can be written now, with all before it."""
        return self.ask(lambda connection: self._try_room(connection, size_bytes))

    def close(self, limit_s: float) -> bool:
        """Write what is queued, close, and wait no longer than that; whether all is written."""
        if self._thread.ident is None:
            return True
        self._queue.put(None)
        self._thread.join(limit_s)
        return not self._thread.is_alive() and not self._pending

    def _work(self) -> None:
        while not self._is_closing:
            self._gather()
            self._write()
            self._answer()
        self._end()

    def _end(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._accept(self._queue.get_nowait())
        for question in self._questions:
            question.answer.set_exception(_closed())
        if self._pending:
            _log.error("%d changes of conversations could not be written", len(self._pending))
        if self._connection is not None:
            self._connection.close()
        self._lock.release()

    def _gather(self) -> None:
        """Wait for something to do, then a little longer for more of it."""
        is_refused = self._pending or self._reported
        wait_s = max(self._retry_at - time.monotonic(), 0.0) if is_refused else None
        with suppress(queue.Empty):
            self._accept(self._queue.get(timeout=wait_s))
            until = time.monotonic() + BATCH_S
            while not self._questions and not self._is_closing:
                self._accept(self._queue.get(timeout=max(until - time.monotonic(), 0.0)))

    def _accept(self, item: Entry | _Question | None) -> None:
        if item is None:
            self._is_closing = True
        elif isinstance(item, _Question):
            self._questions.append(item)
        else:
            self._pending.append(item)

    def _write(self) -> None:
        if not self._pending and not self._reported:
            return
        if time.monotonic() < self._retry_at and not self._is_closing:
            return
        try:
            self._done(self._write_pending)
        except (sqlite3.Error, OSError) as error:
            self._on_refused(error)
        except Exception as error:  # noqa: BLE001 - the thread has to go on
            _log.exception("Writing to the history failed")
            self._on_refused(error)
        else:
            self._pending.clear()
            self._on_written()

    def _write_pending(self, connection: sqlite3.Connection) -> None:
        if self._refusal is not None:  # it should not have been called
            self._pending.clear()
        elif self._pending:
            journal.write(connection, self._pending)
        else:
            journal.try_room(connection)

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work, once more if it met damage that could be mended."""
        try:
            return work(self._opened())
        except sqlite3.Error as error:
            if self._refusal is not None or not self._mend(error):
                raise
        return work(self._opened())

    def _mend(self, error: sqlite3.Error) -> bool:
        """Do what can be done about damage; return whether anything was."""
        connection = self._connection
        if connection is None:
            return False
        if is_undecodable(error):
            connection.text_factory = readable_text
            return True
        if _cause(error) not in _DAMAGE:
            return False
        _log.error("The file of the conversations is damaged: %s", error)
        if is_index_damage(error) and rebuild_search(connection):
            return True
        connection.close()
        self._connection, self._damage = None, str(error)
        return True

    def _on_rescue(self) -> None:
        """Report what may take long; its end is reported like that of a refusal."""
        self._reported["damage"] = StorageError(
            "The file of the conversations is damaged.",
            detail="What can be read of it is being copied into a new file.",
            remedy="That may take a minute; what happens meanwhile is stored after it.",
            code="insufficient_storage",
        )
        self._report(self._reported["damage"])

    def _on_written(self) -> None:
        self._retry_s, self._retry_at = FIRST_RETRY_S, 0.0
        if self._reported:
            self._reported.clear()
            self._report(None)

    def _opened(self) -> sqlite3.Connection:
        """Return the connection; the first opening recovers what another process left streaming."""
        if self._connection is None:
            opened = self._open()
            if self._damage:
                self._damage = ""
                self._report(StorageError(opened.notice, code="damaged"))
            self._notice = opened.notice
            self._refusal = opened.refusal
            self._connection = opened.connection
            self._opened_path = opened.path
            if opened.refusal is None:
                journal.recover(opened.connection)
        return self._connection

    def _open(self) -> OpenedDatabase:
        """Return the database, read-only if the place cannot be written to."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_ours():
                return self._open_beside()
            return open_database(self._path, damage=self._damage, on_rescue=self._on_rescue)
        except (sqlite3.Error, OSError) as error:
            if not is_unwritable(self._path, error):
                raise
            try:
                connection = open_for_reading(self._path)
            except sqlite3.Error:
                raise error from None
            refusal = unwritable_refusal(self._path, error)
            return OpenedDatabase(connection=connection, path=self._path, refusal=refusal)

    def _is_ours(self) -> bool:
        """Take the lock; return whether no other process holds it. Raises OSError."""
        try:
            return self._lock.acquire()
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
            _log.info("no lock for the conversations, going on without: %s", error)
            return True

    def _open_beside(self) -> OpenedDatabase:
        """Return the database of another process that runs, for reading. Raises sqlite3.Error."""
        refusal = in_use_refusal(self._path, self._lock.holder)
        connection = open_for_reading(self._path)
        return OpenedDatabase(connection=connection, path=self._path, refusal=refusal)

    def _answer(self) -> None:
        questions, self._questions = self._questions, []
        for question in questions:
            if question.answer.set_running_or_notify_cancel():
                try:
                    answer = self._done(question.ask)
                except StorageError as error:
                    question.answer.set_exception(error)
                except (sqlite3.Error, OSError) as error:
                    question.answer.set_exception(self._explained(error))
                except Exception as error:  # noqa: BLE001 - the thread has to go on
                    _log.exception("A question to the history failed")
                    question.answer.set_exception(self._explained(error))
                else:
                    question.answer.set_result(answer)

    def _try_room(self, connection: sqlite3.Connection, size_bytes: int) -> None:
        """Write so much for a moment, in the thread: that is what a file system has to promise."""
        if self.problem is None:
            try:
                journal.try_room(connection, size_bytes)
            except (sqlite3.Error, OSError) as error:
                self._on_refused(error)
        if (problem := self.problem) is not None:
            raise problem

    def _explained(self, error: Exception) -> StorageError:
        if self._refusal is None:
            return explain(error, self._path)
        return StorageError(
            "This Playhead cannot read the conversations.",
            detail=f"{self._path}: {error}",
            remedy=self._refusal.remedy,
        )

    def _on_refused(self, error: Exception) -> None:
        self._retry_at = time.monotonic() + self._retry_s
        self._retry_s = min(self._retry_s * 2, LONGEST_RETRY_S)
        cause = _cause(error)
        if cause not in self._reported:
            explained = explain(error, self._path)
            self._reported[cause] = explained
            self._report(explained)


_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


def _closed() -> StorageError:
    return StorageError("The history is closed.", remedy="Start Playhead again.")


def explain(error: Exception, path: Path) -> StorageError:
    """Return the refusal as an error for the user."""
    match _cause(error):
        case "SQLITE_FULL":
            remedy = (
                "The disk is full: free some space. "
                "Playhead keeps trying; nothing is lost while it runs."
            )
        case "SQLITE_BUSY" | "SQLITE_LOCKED":
            remedy = (
                "Another program holds the file: close it. "
                "Playhead keeps trying; nothing is lost while it runs."
            )
        case _:
            remedy = phrase(
                "Check that {folder} is there, can be written to and is not full. "
                "Playhead keeps trying; nothing is lost while it runs.",
                folder=path.parent,
            )
    return StorageError(
        "The conversations are not being saved.",
        detail=f"{path}: {error}",
        remedy=remedy,
        code="insufficient_storage",
    )


def _cause(error: Exception) -> str:
    """Return the kind of refusal: the primary result code's name, or the system's."""
    name = getattr(error, "sqlite_errorname", None)
    if isinstance(name, str):
        return "_".join(name.split("_")[:2])
    return f"{type(error).__name__} {getattr(error, 'errno', '')}"
