"""The tools that only packaging needs, in an environment of their own: `build/tools`, by lock."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "build" / "tools"
LOCK = HERE / "tools.lock"


def tool(name: str) -> Path:
    """The program of that name, fetched first where the lock has changed."""
    make()
    return _programs() / (name + (".exe" if sys.platform == "win32" else ""))


def make() -> None:
    """Nothing to do when all is as the lock says."""
    stamp, wanted = FOLDER / "stamp", f"{FOLDER}\n{hashlib.sha256(LOCK.read_bytes()).hexdigest()}\n"
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    venv.create(FOLDER, with_pip=True)
    python = _programs() / "python"
    install = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([python, *install, "--require-hashes", "--requirement", LOCK], check=True)
    stamp.write_text(wanted, "utf-8")


def _programs() -> Path:
    return FOLDER / ("Scripts" if sys.platform == "win32" else "bin")
