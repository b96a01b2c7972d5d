"""Short names for folders."""

from __future__ import annotations

from pathlib import Path

from playhead.ui.wording import tr


def folder_name(folder: str) -> str:
    """The last part of a folder's path; the home is ~."""
    return "~" if folder == str(Path.home()) else Path(folder).name or folder


def short_folder(folder: str) -> str:
    """A folder with the home as ~, in words if it is the home."""
    home = str(Path.home())
    if folder == home:
        return tr("your home folder")
    return "~" + folder[len(home) :] if folder.startswith(home + "/") else folder
