"""Jupyter kernels for tests, described by files of their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playhead.domain.execution import Place

BESIDE = Path(sys.prefix) / "ipykernel"
"""Where ipykernel is: in the environment itself its IPython would change other tests."""
_LAUNCHER = f"""import sys
sys.path.insert(0, {str(BESIDE)!r})
from ipykernel import kernelapp
kernelapp.launch_new_instance()"""
IPYKERNEL = (sys.executable, "-c", _LAUNCHER, "-f", "{connection_file}")
ODD_KERNEL = (
    sys.executable,
    str(Path(__file__).parent / "odd_kernel.py"),
    "-f",
    "{connection_file}",
)


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
