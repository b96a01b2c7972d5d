"""Starts model workers, also before the program has imported anything: with little of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|_API_BASE$|_BASE_URL$|^PLAYHEAD_|^LITELLM_"
)
WORKER_FOLDER = str(Path(sys.executable).absolute().parent)
"""Where workers start: in the folder that we were started in a `.env` may name other servers."""
_early: list[subprocess.Popen[bytes]] = []


def worker_command() -> list[str]:
    """Return the command of the worker: from source, or by the frozen program's own flag."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--model-worker"]
    return [sys.executable, "-P", "-m", "playhead.model_worker"]


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without possible keys; keys are sent with each question."""
    kept = {name: value for name, value in environment.items() if not _SECRET_NAME.search(name)}
    kept["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    kept["PYTHONUNBUFFERED"] = "1"
    return kept


def start_early() -> None:
    """Start a worker beside our own imports; the first that is needed then takes it over."""
    if sys.platform == "win32":  # a loop there reads only pipes that it has made itself
        return
    try:
        worker = subprocess.Popen(
            worker_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=WORKER_FOLDER,
            env=worker_environment(os.environ),
        )
    except OSError:  # it is reported where the worker is needed
        return
    _early.append(worker)


def take_early() -> subprocess.Popen[bytes] | None:
    """Return the worker that was started early, once."""
    return _early.pop() if _early else None
