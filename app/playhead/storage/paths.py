"""The folders of data, settings and resources; the only module that knows them.

`PLAYHEAD_DATA_DIR`, `PLAYHEAD_CONFIG_DIR` and `PLAYHEAD_CACHE_DIR` override the system's places;
`use_data_dir` puts all of them into one folder.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import platformdirs

_NAME = "playhead" if sys.platform not in ("darwin", "win32") else "Playhead"
_PRIVATE = 0o700
_DATA, _CONFIG, _CACHE = "PLAYHEAD_DATA_DIR", "PLAYHEAD_CONFIG_DIR", "PLAYHEAD_CACHE_DIR"


def use_data_dir(name: str) -> None:
    """Put settings, conversations, logs and everything else below one folder (`--data-dir`).

    It is set in the environment, so that our child processes use it as well (the kernels get
    none of it). A place that a variable already names stays. Raises OSError.
    """
    folder = Path(name).expanduser().absolute()
    folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    os.environ[_DATA] = str(folder)
    os.environ.setdefault(_CONFIG, str(folder / "config"))
    os.environ.setdefault(_CACHE, str(folder / "cache"))


def is_portable() -> bool:
    """Return whether settings and cache are in the folder of the data, as in a portable one."""
    return all(data_dir() in place().parents for place in (config_dir, cache_dir))


def data_dir() -> Path:
    """Return the folder of conversations, environments and outputs."""
    return _private_dir(_DATA, platformdirs.user_data_dir(_NAME, appauthor=False))


def config_dir() -> Path:
    """Return the folder of the settings."""
    return _private_dir(_CONFIG, platformdirs.user_config_dir(_NAME, appauthor=False))


def cache_dir() -> Path:
    """Return the folder of data that can be made again."""
    return _private_dir(_CACHE, platformdirs.user_cache_dir(_NAME, appauthor=False))


def parsed_code_dir() -> Path:
    """Return the folder of libraries as they were parsed; it is made when the first one is."""
    return cache_dir() / "parsed-code"


def logs_dir() -> Path:
    """Log files of the app and its workers: beside the data where a place for that was named."""
    if os.environ.get(_DATA):
        return make_private(data_dir() / "logs")
    return make_private(Path(platformdirs.user_log_dir(_NAME, appauthor=False)))


def crashes_dir() -> Path:
    """Return the folder of crash reports: files for reading, sent nowhere."""
    return logs_dir() / "crashes"


def backups_dir() -> Path:
    """Return the folder of the copies from before a reset."""
    return data_dir() / "backups"


def history_path() -> Path:
    """Return the path of the conversations' database."""
    return data_dir() / "history.sqlite3"


def outputs_dir() -> Path:
    """Return the folder that has a folder per conversation with the whole outputs of its runs."""
    return make_private(data_dir() / "outputs")


def homes_dir() -> Path:
    """Return the folder with the private homes of code in the sandbox, one per working folder."""
    return make_private(data_dir() / "homes")


def boundary_path() -> Path:
    """Return the file with what the boundary test found on this machine."""
    return data_dir() / "boundary.json"


def undo_dir() -> Path:
    """Return the folder of files as they were before runs; the undo worker makes and reads it."""
    return data_dir() / "undo"


def variables_dir() -> Path:
    """Return the folder of the saved variables of conversations; it is made when one is saved."""
    return data_dir() / "variables"


def checks_dir() -> Path:
    """Return the folder in which exports are checked; it has nothing when no check runs."""
    return data_dir() / "checks"


def environments_dir() -> Path:
    """Return the folder of the managed Python environments."""
    return make_private(data_dir() / "environments")


def settings_path() -> Path:
    """Return the path of the settings file."""
    return config_dir() / "settings.json"


def keyring_lock_path() -> Path:
    """Return the lock file for changes of the keyring; a user has one of each.

    It does not depend on the folders that an instance was given.
    """
    running = os.environ.get("XDG_RUNTIME_DIR", "") if sys.platform == "linux" else ""
    if running and Path(running).is_dir():
        return Path(running) / "playhead-keyring.lock"
    cache = make_private(Path(platformdirs.user_cache_dir(_NAME, appauthor=False)))
    return cache / "keyring.lock"


def resources_dir() -> Path:
    """Return the folder of icons, fonts, themes: of the bundle, the package or the source."""
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle) / "resources"
    package = Path(__file__).resolve().parents[1]
    installed = package / "resources"
    return installed if installed.is_dir() else package.parents[1] / "resources"


def make_private(path: Path) -> Path:
    """Make the folder, readable by its user only, and return it.

    A folder that cannot be made is not an error here: writing into it then fails.
    """
    with contextlib.suppress(OSError):
        path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    return path


def _private_dir(variable: str, default: str) -> Path:
    return make_private(Path(os.environ.get(variable) or default).expanduser().absolute())
