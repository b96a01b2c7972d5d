"""The folders of the program as a user may look at them, with their sizes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from playhead.domain.app_data import AppFolder
from playhead.storage import paths
from playhead.undo_worker.protocol import copies_of


class ProgramFolders:
    """Those of this process."""

    def __init__(self) -> None:
        self._places = (
            AppFolder("data", str(paths.data_dir())),
            AppFolder("settings", str(paths.config_dir())),
            AppFolder("logs", str(paths.logs_dir())),
            AppFolder("cache", str(paths.cache_dir())),
        )

    @property
    def places(self) -> tuple[AppFolder, ...]:
        """Return the folders, each once."""
        return self._places

    @property
    def is_portable(self) -> bool:
        """Return whether all of them are below one folder that was named at the start."""
        return paths.is_portable()

    async def size(self, place: AppFolder) -> int:
        """Return the size of a folder in bytes, without the other app folders inside it."""
        others = {other.path for other in self._places if other != place}
        return await asyncio.to_thread(lambda: sum(_sizes(place.path, others)))

    async def copies_size(self) -> int:
        """Return how many bytes of the data are in copies of working folders, for a review."""
        copies = copies_of(paths.undo_dir())
        return await asyncio.to_thread(lambda: sum(sum(_sizes(str(one), ())) for one in copies))


def _sizes(folder: str, without: Collection[str]) -> Iterator[int]:
    """Yield the sizes of files in bytes, links not followed, unreadable ones left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(parent, name) not in without]
        for name in files:
            try:
                yield Path(parent, name).lstat().st_size
            except OSError:  # gone meanwhile
                continue
