"""Jupyter kernels for tests, described by files of their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playhead.domain.execution import Place

IPYKERNEL = (sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}")


def described(
    folder: Path,
    argv: Sequence[str] = IPYKERNEL,
    language: str = "python",
    label: str = "Python 3 (ipykernel)",
    **more: Any,
) -> Place:
    """Write the description of a kernel into a folder; return its place."""
    folder.mkdir(parents=True)
    facts: Mapping[str, Any] = {"argv": list(argv), "language": language, "display_name": label}
    (folder / "kernel.json").write_text(json.dumps({**facts, **more}))
    return Place(language=language, label=label, folder=str(folder))
