"""Search for messages by their words.

Triggers keep the full-text index; a connection in a thread of its own reads it.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from playhead.domain.conversation.search import (
    SearchFound,
    SearchHit,
    Term,
    excerpt_of,
    pattern_of,
    terms_of,
)
from playhead.errors import StorageError
from playhead.storage.history.row_codec import readable_text
from playhead.storage.history.write_refusal import open_for_reading
from playhead.storage.worker_thread import WorkerThread

_INDEXED = "{row}.kind = 'text' AND {row}.state <> 'streaming' AND {row}.type <> 'image'"
_OLD, _NEW = _INDEXED.format(row="old"), _INDEXED.format(row="new")
_FORGET = (
    "BEGIN INSERT INTO message_text (message_text, rowid, content)"
    " VALUES ('delete', old.seq, old.content); END"
)
_LEARN = "BEGIN INSERT INTO message_text (rowid, content) VALUES (new.seq, new.content); END"
_TRIGGERS = {
    "message_text_inserted": f"AFTER INSERT ON message WHEN {_NEW} {_LEARN}",
    "message_text_deleted": f"AFTER DELETE ON message WHEN {_OLD} {_FORGET}",
    "message_text_left": f"BEFORE UPDATE ON message WHEN {_OLD} {_FORGET}",
    "message_text_joined": f"AFTER UPDATE ON message WHEN {_NEW} {_LEARN}",
}
_PREFIX = "prefix='1 2 3'"
"""Without it the first letters of a word that is being typed are merged out of all its words."""
_BUILD = (
    "BEGIN IMMEDIATE; DROP TABLE IF EXISTS message_text;"  # noqa: S608
    "CREATE VIRTUAL TABLE message_text USING fts5(content, content='message',"
    f" content_rowid='seq', tokenize='unicode61 remove_diacritics 2', {_PREFIX});"
    "INSERT INTO message_text (rowid, content) SELECT seq, content FROM message"
    f" WHERE {_INDEXED.format(row='message')};"
    + "".join(f"CREATE TRIGGER IF NOT EXISTS {name} {body};" for name, body in _TRIGGERS.items())
    + "COMMIT;"
)
_IS_UP_TO_DATE = (
    "SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, 13) ="
    " 'message_text_') = ? AND EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'message_text'"
    " AND instr(sql, ?))"
)
_WORDS = (
    "SELECT message.seq, message.conversation_id FROM message_text JOIN message"
    " ON message.seq = message_text.rowid WHERE message_text MATCH ?"
)
_NO_WORDS = (
    "SELECT message.seq, message.conversation_id FROM message"  # noqa: S608 - text of ours
    f" WHERE {_INDEXED.format(row='message')}"
)
_SHORTEST = 3
_SIGNS = re.compile(r"[^\w\s]+")
_LIKE = " AND message.content LIKE ? ESCAPE '\\'"


def matching(
    terms: Sequence[Term], conversation_id: str | None = None, *, has_index: bool = True
) -> tuple[str, tuple[str, ...]]:
    """Return the query for (seq, conversation) of texts with all terms, newest first."""
    words = [_phrase(term) for term in terms if has_index and _is_worth_asking(term)]
    checked = [term.text for term in terms if term.is_checked or not has_index]
    if not words:  # signs are rarer than letters: looked for first, they save half of the time
        checked = [*(run for text in checked for run in _SIGNS.findall(text)), *checked]
    statement = (_WORDS if words else _NO_WORDS) + _LIKE * len(checked)
    values = [" AND ".join(words)] if words else []
    values += [_like(text) for text in checked]
    if conversation_id is not None:
        statement += " AND message.conversation_id = ?"
        values.append(conversation_id)
    order = "message_text.rowid" if words else "message.seq"
    return f"{statement} ORDER BY {order} DESC", tuple(values)


def _is_worth_asking(term: Term) -> bool:
    """Return whether the index is selective: of a "C++" it would find all words that begin with c.

    To read 40,000 texts in order takes 30 ms, to fetch that many one by one half a second.
    """
    if not term.is_indexed or not term.is_checked:
        return term.is_indexed
    return any(len(word) >= _SHORTEST for word in re.findall(r"[^\W_]+", term.text))


def _phrase(term: Term) -> str:
    text = term.text.replace('"', " ")
    return f'"{text}"*' if term.is_open else f'"{text}"'


def _like(text: str) -> str:
    for sign in "\\%_":
        text = text.replace(sign, "\\" + sign)
    return f"%{text}%"


def ensure_search(connection: sqlite3.Connection) -> None:
    """Build the index if it is not there; without FTS5 take the triggers away, they would fail."""
    if not has_search(connection):
        for name in _TRIGGERS:
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    elif not connection.execute(_IS_UP_TO_DATE, (len(_TRIGGERS), _PREFIX)).fetchone()[0]:
        connection.executescript(_BUILD)


def is_index_damage(error: sqlite3.Error) -> bool:
    """Return whether the full-text index is damaged, and as far as is known nothing else."""
    return getattr(error, "sqlite_errorname", "") == "SQLITE_CORRUPT_VTAB"


def check_search(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if the index is damaged."""
    if has_index(connection):
        connection.execute("INSERT INTO message_text (message_text) VALUES ('integrity-check')")


def rebuild_search(connection: sqlite3.Connection) -> bool:
    """Build a damaged index again; return whether that could be done."""
    try:
        connection.executescript(_BUILD)
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return False
    return True


def has_index(connection: sqlite3.Connection) -> bool:
    """Return whether the index can be used: another version's file may have none, or another."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'message_text'")
    return has_search(connection) and found.fetchone() is not None


def has_search(connection: sqlite3.Connection) -> bool:
    """Return whether this SQLite has FTS5 (some builds do not)."""
    found = connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")
    return found.fetchone() is not None


PER_CONVERSATION = 3
_MOST_HITS, _MOST_LOOKED_AT = 120, 2_000
_MESSAGE = "SELECT conversation_id, id, role, type, content FROM message WHERE seq = ?"
_GONE = "SELECT id FROM conversation WHERE is_deleted"


class MessageSearch:
    """Reads beside the writer without blocking it; a new search ends the one before.

    `where` returns the file, and None while it is not open. Owner: the history.
    """

    def __init__(self, where: Callable[[], Path | None]) -> None:
        self._where = where
        self._thread = WorkerThread("playhead-search")
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._lock = threading.Lock()
        self._newest = 0

    async def find(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Return the messages with all words of the query, the newest first; of one conversation
        all.

        Returns None if another search has begun in the meantime. Raises StorageError.
        """
        self._overtake()
        number = self._newest
        future = self._thread.submit(lambda: self._find(number, query, conversation_id))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End what is under way, and the thread."""
        self._overtake()
        self._thread.submit(self._close)
        self._thread.close()

    def _overtake(self) -> None:
        with self._lock:
            self._newest += 1
            if self._connection is not None:
                self._connection.interrupt()

    def _find(self, number: int, query: str, conversation_id: str | None) -> SearchFound | None:
        """Search, in the thread."""
        if number != self._newest:
            return None
        terms = terms_of(query)
        try:
            connection = self._opened() if terms else None
            return _found(connection, terms, conversation_id) if connection else SearchFound()
        except (sqlite3.Error, OSError) as error:
            if number != self._newest:
                return None
            raise StorageError(
                "The conversations could not be searched.",
                detail=str(error),
                remedy="Try again; if that does not help, restart Playhead.",
            ) from error

    def _opened(self) -> sqlite3.Connection | None:
        path = self._where()
        if path is not None and (self._connection is None or path.stat().st_ino != self._inode):
            self._close()  # another file: the one before was damaged
            inode = path.stat().st_ino
            connection = open_for_reading(path, check_same_thread=False)
            connection.text_factory = readable_text
            with self._lock:
                self._connection, self._inode = connection, inode
        return self._connection

    def _close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()


def _found(
    connection: sqlite3.Connection, terms: Sequence[Term], conversation_id: str | None
) -> SearchFound:
    limit = _MOST_HITS if conversation_id else PER_CONVERSATION
    gone = {id_ for (id_,) in connection.execute(_GONE)}
    statement, values = matching(terms, conversation_id, has_index=has_index(connection))
    places = connection.execute(statement, values)
    chosen: list[int] = []
    seen: Counter[str] = Counter()
    looked_at = 0
    for seq, owner in places:
        looked_at += 1
        if owner in gone:
            continue
        if seen[owner] < limit and len(chosen) < _MOST_HITS:
            chosen.append(seq)
            seen[owner] += 1
        elif owner in seen:
            seen[owner] += 1
        if looked_at == _MOST_LOOKED_AT:
            break
    hits = tuple(_hits(connection, chosen, terms))
    shown = Counter(hit.conversation_id for hit in hits)
    more = {owner: seen[owner] - count for owner, count in shown.items() if seen[owner] > count}
    return SearchFound(hits, more, looked_at == _MOST_LOOKED_AT or len(chosen) == _MOST_HITS)


def _hits(
    connection: sqlite3.Connection, chosen: Sequence[int], terms: Sequence[Term]
) -> Iterator[SearchHit]:
    pattern = pattern_of(terms)
    for seq in chosen:
        row = connection.execute(_MESSAGE, (seq,)).fetchone()
        if row is not None:
            owner, message_id, role, type_, content = row
            is_markdown = role == "assistant" and type_ in ("message", "reasoning", "plan")
            excerpt, marks = excerpt_of(content or "", pattern, is_markdown=is_markdown)
            yield SearchHit(
                conversation_id=owner,
                message_id=message_id,
                role=role,
                type=type_,
                excerpt=excerpt,
                marks=marks,
            )
