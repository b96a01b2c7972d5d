"""The program's own files as the window shows them: places, crash reports, and the way back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playhead.bootstrap.core import Core
from playhead.conversation.requests import AppSettings
from playhead.conversation.upkeep import ResetWish
from playhead.session.ports import Settings
from playhead.session.sessions import Sessions
from playhead.session.upkeep import Upkeep
from playhead.storage import backups, paths
from playhead.storage.crash_reports import StoredCrashes
from playhead.storage.history import SqliteHistory
from playhead.storage.key_store import KeyStore
from playhead.storage.no_history import NoHistory
from playhead.storage.places import OwnPlaces


def make_upkeep(core: Core) -> Upkeep:
    """Costs nothing until it is asked for something."""
    reset = Reset(core.ports.settings, core.keys, core.history, core.sessions)
    return Upkeep(OwnPlaces(), StoredCrashes(paths.crashes_dir()), reset)


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

    async def reset(self, wish: ResetWish) -> str:
        """Reset the settings and what is wished; the folder that has what was there before.

        Nothing is taken before it lies there. Raises StorageError or KeyStoreError.
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
        """All of them, into the backup and off the list."""
        await self._history.copy_to(backup / paths.history_path().name)
        folders = [paths.outputs_dir(), paths.data_dir() / "attachments"]
        await asyncio.to_thread(backups.keep_folders, backup, folders)
        for row in tuple(self._sessions.summaries):
            if self._sessions.is_kept(row.id):
                await self._sessions.delete(row.id)
