"""Return where code of new conversations begins: in a folder of its own, or where we started."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths

from playhead.storage import paths
from playhead.storage.working_folders import WorkingFolders


def working_folders() -> WorkingFolders:
    """Return the folders of conversations: below the system's for documents, or on the stick."""
    if paths.is_portable():
        return WorkingFolders(paths.data_dir() / "files", paths.data_dir() / "files")
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    home = Path.home()
    return WorkingFolders(Path(documents or home) / "Playhead", home / "Playhead")


def folders_without_window() -> WorkingFolders | None:
    """Return None if code begins in the folder that we were started in, as in a terminal.

    Not in the root, where a service is started by no choice, nor inside our own files.
    """
    from playhead.client.server_process import start_folder  # not needed for the first paint

    here = start_folder()
    is_fit = here and not Path(here).is_relative_to(paths.data_dir().resolve())
    return None if is_fit else working_folders()
