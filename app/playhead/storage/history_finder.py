"""Finds messages by their words, on a connection and in a thread of its own."""

from __future__ import annotations

import asyncio
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
from playhead.storage.history_locked import open_for_reading
from playhead.storage.history_search import has_index, matching
from playhead.storage.worker_thread import WorkerThread

PER_CONVERSATION = 3
_MOST_HITS, _MOST_LOOKED_AT = 120, 2_000
_MESSAGE = "SELECT conversation_id, id, role, type, content FROM message WHERE seq = ?"
_GONE = "SELECT id FROM conversation WHERE is_deleted"


class HistoryFinder:
    """Reads beside the writer, which is never held up; a new search ends the one before.

    `where` tells the file, and None while it is not open. Owner: the history.
    """

    def __init__(self, where: Callable[[], Path | None]) -> None:
        self._where = where
        self._thread = WorkerThread("playhead-search")
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._newest = 0

    async def find(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Messages with all words of the query, the newest first; of one conversation all.

        None if another search has begun meanwhile. Raises StorageError.
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
        """In the thread."""
        if number != self._newest:
            return None
        terms = terms_of(query)
        try:
            connection = self._opened() if terms else None
            return _found(connection, terms, conversation_id) if connection else SearchFound()
        except sqlite3.Error as error:
            if number != self._newest:
                return None
            raise StorageError(
                "The conversations could not be searched.",
                detail=str(error),
                remedy="Try once more; start Playhead again if it stays so.",
            ) from error

    def _opened(self) -> sqlite3.Connection | None:
        if self._connection is None and (path := self._where()) is not None:
            connection = open_for_reading(path, check_same_thread=False)
            with self._lock:
                self._connection = connection
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
            yield SearchHit(owner, message_id, role, type_, excerpt, marks)
