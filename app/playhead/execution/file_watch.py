"""Looks at the working folder before and after each run, in a thread and within a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from playhead.domain.conversation.payloads import FileChanges
from playhead.execution import snapshots
from playhead.execution.file_changes import Comparison
from playhead.execution.snapshots import Snapshot, Texts

BEFORE_LIMIT_S = 0.25
TEXTS_LIMIT_S = 0.03
AFTER_LIMIT_S = 0.16
_LAST_MOMENT_S = 0.03
_CLOSE_LIMIT_S = 1.0
_FOLDERS_KEPT = 3
T = TypeVar("T")
_MISSES_LIMIT = 3
_TOO_SLOW = (
    "What it did to the files was not looked at: that would have taken too long at this moment."
)
_TOO_MUCH = (
    "What it did to the files was not looked at, nor will it be for the next runs: there are more "
    "of them in this folder than can be looked at in a moment."
)


@dataclass(slots=True)
class Folder:
    """What is remembered of one folder between runs; it may be slow once, on a busy machine."""

    path: str
    texts: Texts = field(default_factory=Texts)
    misses: int = 0

    @property
    def is_too_much(self) -> bool:
        """Whether it is not looked at any more."""
        return self.misses >= _MISSES_LIMIT


class FileWatch:
    """Owner of what is known of the last folders; `without` is a folder of our own files."""

    def __init__(self, without: str) -> None:
        self._without = without
        self._folders: dict[str, Folder] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def look(self, path: str) -> Look:
        """Begin to look at the folder for one run."""
        folder = self._folders.pop(path, None) or Folder(path)
        self._folders[path] = folder  # the last one used is the last one forgotten
        while len(self._folders) > _FOLDERS_KEPT:
            del self._folders[next(iter(self._folders))]
        return Look(folder, self._without, self._start)

    async def close(self) -> None:
        """Wait a moment for threads that were given up."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_LIMIT_S)

    def _start(self, work: Callable[[], Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(asyncio.to_thread(work), name="files of a run")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class Look:
    """One run's view: `before()`, the run, then `after()`; `give_up()` ends its threads soon."""

    def __init__(
        self, folder: Folder, without: str, start: Callable[[Callable[[], Any]], asyncio.Task[Any]]
    ) -> None:
        self._folder = folder
        self._without = without
        self._start = start
        self._given_up = threading.Event()
        self._before: Snapshot | None = None
        self._was_too_much = folder.is_too_much

    async def before(self) -> None:
        """Take the first snapshot, and read texts as far as that goes in a moment."""
        if self._was_too_much:
            return
        self._before = before = await self._within(BEFORE_LIMIT_S, self._take)
        if before is not None:
            learning = self._start(lambda: self._learn(before))
            await asyncio.wait({learning}, timeout=TEXTS_LIMIT_S)

    async def after(self) -> FileChanges | None:
        """What has changed; None if nothing has. What was not looked at is said once."""
        before = self._before
        if before is None:
            return self._complaint()
        changes = await self._within(AFTER_LIMIT_S, lambda: self._compare(before))
        if changes is None:
            return self._complaint()
        self._folder.misses = 0
        has_any = changes.created or changes.changed or changes.deleted
        return changes if has_any else None

    def give_up(self) -> None:
        """Let the threads end."""
        self._given_up.set()

    def _complaint(self) -> FileChanges | None:
        if self._was_too_much:
            return None
        self._folder.misses += 1
        note = _TOO_MUCH if self._folder.is_too_much else _TOO_SLOW
        return FileChanges(self._folder.path, note=note)

    async def _within(self, limit_s: float, work: Callable[[], T | None]) -> T | None:
        """The result of work in a thread; None if it takes too long."""
        task = self._start(work)
        done, _ = await asyncio.wait({task}, timeout=limit_s)
        if not done:
            self.give_up()  # it may be about to have a result, if without its details
            done, _ = await asyncio.wait({task}, timeout=_LAST_MOMENT_S)
        return task.result() if done else None

    def _take(self) -> Snapshot | None:
        found = snapshots.take(self._folder.path, self._without, self._given_up.is_set)
        if not found.is_whole and not self._given_up.is_set():
            self._folder.misses = _MISSES_LIMIT  # so many that time makes no difference
        return found if found.is_whole else None

    def _learn(self, snapshot: Snapshot) -> None:
        self._folder.texts.learn(self._folder.path, snapshot, self._given_up.is_set)

    def _compare(self, before: Snapshot) -> FileChanges | None:
        after = self._take()
        if after is None:
            return None
        comparison = Comparison(self._folder.path, before, after, self._folder.texts)
        return comparison.changes(self._given_up.is_set)
