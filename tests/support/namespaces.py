"""Commands with a small, full or read-only disk of their own: a mount that nobody else sees."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

_UNSHARE = ["unshare", "--mount", "--map-root-user", "sh", "-c"]


def with_mount(place: Path, mount: str, command: Sequence[str]) -> list[str]:
    """The command that first does `mount` with {place}; skips where that is not allowed."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs the namespaces of Linux")
    place.mkdir()
    probe = [*_UNSHARE, f"mount -t tmpfs none '{place}'"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount in a namespace of one's own")
    return [*_UNSHARE, f'{mount.format(place=place)}; exec "$@"', "sh", *command]
