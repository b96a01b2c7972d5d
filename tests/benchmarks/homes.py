"""A fresh home for a measured program, on the screen that there is."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.driver import ROOT, program_environment, write_settings


@contextmanager
def measured_home(**settings: Any) -> Iterator[dict[str, str]]:
    """The environment that leads to a new home with these settings."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        # The managed environment would be made during the measurement.
        write_settings(home, **{"interpreter": sys.executable, "theme": "light", **settings})
        environment = program_environment(home, {"DISPLAY": os.environ.get("DISPLAY", "")})
        platform = os.environ.get("QT_QPA_PLATFORM", "xcb")
        path = os.pathsep.join((str(ROOT / "app"), str(ROOT)))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's start compiles nothing
        yield environment | {"QT_QPA_PLATFORM": platform, "PYTHONPATH": path}
