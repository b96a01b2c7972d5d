"""Files and folders of conversations, and broken files put aside instead of overwritten."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from playhead.errors import StorageError


def free_name(path: Path, word: str) -> Path:
    """Return an unused name beside `path`: settings.json.corrupt-20260102-030405."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    candidate = path.with_name(f"{path.name}.{word}-{stamp}")
    number = 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{word}-{stamp}-{number}")
    return candidate


def put_aside(path: Path, word: str = "corrupt") -> Path:
    """Rename the file at `path` so that it is not overwritten. Raises OSError."""
    aside = free_name(path, word)
    path.rename(aside)
    return aside


def write_into(folder: Path, name: str, data: bytes) -> str:
    """Write a file into a private folder, made if needed; its path. Raises StorageError."""
    if not name or name != os.path.basename(name) or name.startswith("."):
        raise ValueError(f"not the name of a file: {name!r}")
    path = folder / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise StorageError(
            "A file of the conversation could not be written.",
            detail=f"{path}: {error.strerror or error}",
            remedy="Free some space, or make sure that the folder can be written to.",
        ) from error
    return str(path)


def delete_folder(folder: Path, name: str) -> None:
    """Delete one folder inside `folder`, never anything else."""
    target = folder / name
    if target.parent != folder or target == folder or name in ("", ".", ".."):
        raise ValueError(f"not the name of a folder: {name!r}")
    try:
        shutil.rmtree(target)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(
            "The conversation's files could not be deleted.",
            detail=f"{target}: {error.strerror or error}",
            remedy="Delete that folder by hand.",
        ) from error
