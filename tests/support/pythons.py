"""The Pythons of this machine that code may run in, one of each version from 3.9 on."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

_OLDEST_MINOR, _NEWEST_MINOR = 9, 20


def found_pythons() -> dict[str, str]:
    """Paths by version ("3.12"), the one that runs the tests first."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = {own: sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in range(_OLDEST_MINOR, _NEWEST_MINOR):
        of_pyenv = [str(path) for path in _sorted(versions.glob(f"3.{minor}.*/bin/python"))]
        on_path = shutil.which(f"python3.{minor}")
        # A shim of pyenv is no Python: it fails where its version is not switched on.
        others = [on_path] if on_path and "shims" not in on_path else []
        for path in [*of_pyenv, *others]:
            found.setdefault(f"3.{minor}", path)
    return found


def _sorted(paths: object) -> list[Path]:
    def patch(path: Path) -> int:
        version = re.search(r"3\.\d+\.(\d+)", str(path))
        return int(version[1]) if version else 0

    return sorted(paths, key=patch, reverse=True)  # type: ignore[call-overload]
