"""The folders in which code of new conversations runs: one for each, made when the first runs."""

from __future__ import annotations

import os
import time
from itertools import chain, count
from pathlib import Path

from playhead.domain.text.titles import file_stem
from playhead.errors import StorageError, phrase

_TITLE_LENGTH = 48
"""Characters: with the date at most 203 bytes, where file systems take 255."""


class WorkingFolders:
    """Proposes folders below `base`; below `spare` if nothing can be written there.

    Only a folder that is below one of them is ever made.
    """

    def __init__(self, base: Path, spare: Path) -> None:
        self._base = base
        self._spare = spare
        self._proposed: set[Path] = set()

    @property
    def base(self) -> str:
        """Return the folder of all these folders, which may not exist yet."""
        return str(self._base)

    def is_own(self, folder: str) -> bool:
        """Return whether a folder is below those of this object, whether it exists or not."""
        return any(base in Path(folder).parents for base in (self._base, self._spare))

    def propose(self, title: str) -> tuple[str, StorageError | None]:
        """Return a new folder for a conversation, and why it is not where it was to be.

        Nothing is made. A later title does not change it.
        """
        if _can_be_made(self._base):
            return str(self._free(self._base, title)), None
        folder = str(self._free(self._spare, title))
        return folder, StorageError(
            "Nothing can be written in the folder for documents.",
            detail=phrase(
                "{base}: code of this conversation runs in {folder} instead.",
                base=self._base,
                folder=folder,
            ),
            remedy="Make it writable, or choose another folder under Settings → Running.",
        )

    def make(self, folder: str) -> bool:
        """Make a folder that was proposed; False if it is another one. Raises StorageError."""
        if not self.is_own(folder):
            return False
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                "The working folder could not be made.",
                detail=f"{folder}: {error.strerror}.",
                remedy="Free disk space, make its place writable, or choose another folder.",
            ) from error
        return True

    def _free(self, base: Path, title: str) -> Path:
        name = f"{time.strftime('%Y-%m-%d')} {file_stem(title[:_TITLE_LENGTH])}"
        names = chain([name], (f"{name} {number}" for number in count(2)))
        places = (base / one for one in names)
        place = next(one for one in places if one not in self._proposed and not one.exists())
        self._proposed.add(place)
        return place


def _can_be_made(folder: Path) -> bool:
    """Return whether something can be made in a folder, which may have to be made first."""
    nearest = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
