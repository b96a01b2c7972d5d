"""What the window's process loads, and when: nothing heavy before the first paint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.driver import write_settings
from tests.support.model_server import ModelServer, default_script

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "data" / "watched_start.py"


def test_nothing_heavy_is_loaded_before_the_first_paint_and_litellm_never(tmp_path: Path):
    with ModelServer(default_script) as server:
        write_settings(
            tmp_path, model="openai/test", api_base=server.base_url, interpreter=sys.executable
        )
        said = subprocess.run(
            [sys.executable, str(SCRIPT)],
            env={
                **os.environ,
                "QT_QPA_PLATFORM": "offscreen",
                "PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)]),
                "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
                "PLAYHEAD_DATA_DIR": str(tmp_path / "data"),
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert said.returncode == 0, said.stderr
    loaded = json.loads(said.stdout.splitlines()[-1])
    assert loaded["answer"] == ["The result of the division 34/24 is approximately 1.42."]
    assert loaded["first_paint"] == []
    assert [name for name in loaded["turn_over"] if name != "keyring"] == []
