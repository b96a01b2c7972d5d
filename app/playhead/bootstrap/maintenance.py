"""Record crashes of the program, find its own files, reset it to a first start."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.bootstrap.core import Core
from playhead.domain.app_data import ResetOptions
from playhead.domain.settings import AppSettings
from playhead.session.ports import Maintenance, Settings
from playhead.session.sessions import Sessions
from playhead.storage import backups, paths
from playhead.storage.crash_reports import CrashWatch, StoredCrashes
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.program_folders import ProgramFolders

if TYPE_CHECKING:
    from playhead.storage.history.no_history import NoHistory
    from playhead.storage.history.sqlite_history import SqliteHistory


def make_maintenance(core: Core) -> Maintenance:
    """Return the maintenance operations; they do no work until they are called."""
    reset = Reset(core.ports.settings, core.keys, core.history, core.sessions)
    return Maintenance(ProgramFolders(), StoredCrashes(paths.crashes_dir()), reset)


class Reset:
    """Back to the state of a first start, after a backup."""

    def __init__(
        self,
        settings: Settings,
        keys: KeyStore,
        history: SqliteHistory | NoHistory,
        sessions: Sessions,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._history = history
        self._sessions = sessions

    async def reset(self, wish: ResetOptions) -> str:
        """Reset the settings and the chosen data; return the backup's folder.

        Nothing is removed before its backup is complete. Raises StorageError or KeyStoreError.
        """
        data = paths.data_dir()
        backup = await asyncio.to_thread(
            backups.begin_backup, paths.backups_dir(), paths.settings_path(), data
        )
        if wish.takes_conversations:
            await self._put_conversations_away(backup)
        await self._settings.save(AppSettings())
        if wish.takes_keys:
            await self._keys.delete_all()
        return str(backup)

    async def _put_conversations_away(self, backup: Path) -> None:
        """Move all conversations into the backup and off the list."""
        await self._history.copy_to(backup / paths.history_path().name)
        folders = [paths.outputs_dir(), paths.data_dir() / "attachments"]
        await asyncio.to_thread(backups.keep_folders, backup, folders)
        for row in tuple(self._sessions.summaries):
            if self._sessions.is_kept(row.id):
                await self._sessions.delete(row.id)


@contextmanager
def record_errors(watch: CrashWatch) -> Generator[None]:
    """Record unhandled errors of loop tasks and threads; they are still reported as usual."""
    loop = asyncio.get_running_loop()
    told_of_threads = threading.excepthook

    def on_loop_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            watch.record(error)
        loop.default_exception_handler(context)

    def on_thread_failure(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            watch.record(args.exc_value)
        told_of_threads(args)

    loop.set_exception_handler(on_loop_failure)
    threading.excepthook = on_thread_failure
    try:
        yield
    finally:
        loop.set_exception_handler(None)
        threading.excepthook = told_of_threads
