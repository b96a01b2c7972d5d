"""Dated folders with what was there before a reset, and a word on how to get it back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from playhead.errors import StorageError

_README = """\
What Playhead had here before it was reset.

settings.json    the settings
history.sqlite3  the conversations, if they were put away too
outputs          the files of the conversations

To have it back, close Playhead and copy these over the files of the same names in
{settings}
{data}
Keys are never in a backup.
"""


def begin_backup(folder: Path, settings: Path, data: Path) -> Path:
    """Make the folder of today's backup and copy the settings into it. Raises StorageError."""
    try:
        backup = _free_folder(folder)
        if settings.is_file():
            shutil.copy2(settings, backup / settings.name)
        words = _README.format(settings=settings.parent, data=data)
        (backup / "README.txt").write_text(words, "utf-8")
    except OSError as error:
        raise _refused(folder, error) from error
    return backup


def keep_folders(backup: Path, folders: Sequence[Path]) -> None:
    """Have the files of these folders in the backup too; they take no room twice where that can be.

    Raises StorageError.
    """
    try:
        for folder in folders:
            if folder.is_dir():
                shutil.copytree(folder, backup / folder.name, copy_function=_link, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise _refused(backup, error) from error


def _free_folder(folder: Path) -> Path:
    """Return a new folder named by the day and the time."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
    number = 1
    while True:
        backup = folder / (stamp if number == 1 else f"{stamp} ({number})")
        try:
            backup.mkdir(mode=0o700)
        except FileExistsError:
            number += 1
        else:
            return backup


def _link(source: str, target: str) -> None:
    """Make a second name for the same file: deleting the first one leaves it."""
    try:
        os.link(source, target)
    except OSError:  # no such thing here (FAT), or another file system
        shutil.copy2(source, target)


def _refused(folder: Path, error: Exception) -> StorageError:
    words = error.strerror if isinstance(error, OSError) else None
    return StorageError(
        "Nothing was reset, because the backup could not be made.",
        detail=f"{folder}: {words or error}",
        remedy="Free some space there, or make sure that the folder can be written to.",
    )
