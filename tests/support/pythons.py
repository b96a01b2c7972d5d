"""The Pythons of this machine that code may run in: one of each version from 3.9 on.

A free-threaded build is a version of its own ("3.14t").
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

_OLDEST_MINOR, _NEWEST_MINOR = 9, 20


def found_pythons() -> dict[str, str]:
    """Paths by version ("3.12"), the one that runs the tests first."""
    found = {_own_version(): sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in range(_OLDEST_MINOR, _NEWEST_MINOR):
        of_pyenv = [str(path) for path in _sorted(versions.glob(f"3.{minor}.*/bin/python"))]
        for build in ("", "t"):
            version = f"3.{minor}{build}"
            on_path = shutil.which(f"python{version}")
            # A shim of pyenv is no Python: it fails where its version is not switched on.
            others = [on_path] if on_path and "shims" not in on_path else []
            mine = [
                path for path in of_pyenv if Path(path).parents[1].name.endswith("t") == bool(build)
            ]
            for path in [*mine, *others]:
                found.setdefault(version, path)
    return found


def each_python(*spared: str) -> list[Any]:
    """Return the paths as parameters of a test; others than our own only where all tests run."""
    whole_run = pytest.mark.slow_group("pythons")
    return [
        pytest.param(path, id=f"python{version}", marks=[whole_run] if place else [])
        for place, (version, path) in enumerate(found_pythons().items())
        if version not in spared
    ]


def _own_version() -> str:
    build = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"{sys.version_info.major}.{sys.version_info.minor}{build}"


def _sorted(paths: object) -> list[Path]:
    def patch(path: Path) -> int:
        version = re.search(r"3\.\d+\.(\d+)", str(path))
        return int(version[1]) if version else 0

    return sorted(paths, key=patch, reverse=True)  # type: ignore[call-overload]
