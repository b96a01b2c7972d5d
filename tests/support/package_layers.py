"""Packages as code in the sandbox leaves them, and an environment to install into."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playhead.execution.environment import uv_program
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.sandbox.view import PACKAGES


def layered(home: Path, folder: Path, *packages: str) -> Sandbox:
    """A sandbox whose code has installed packages like `tiny 1.0` for a folder."""
    sandbox = Sandbox(PrivatePlaces(home=str(home), homes=home / "homes"))
    layer = sandbox._private_home(str(folder.resolve())) / PACKAGES
    for words in packages:
        name, _, version = words.partition(" ")
        info = layer / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        (layer / f"{name}.py").write_text("planted = True\n")
    return sandbox


def environment(place: Path) -> Path:
    """The Python of a new environment."""
    words = ["venv", "--quiet", "--no-config", "--offline", "--python", sys.executable]
    subprocess.run([uv_program(), *words, str(place)], check=True)
    return place / "bin" / "python"


def has(python: Path, module: str) -> str:
    """What the environment knows of a module: its `one`, or the name of the error."""
    code = (
        f"try: import {module} as it; print(it.one)\nexcept Exception as e: print(type(e).__name__)"
    )
    words = [python, "-I", "-c", code.replace("try: ", "try:\n ")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.strip()
