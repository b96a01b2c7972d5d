"""How large the whole window is shown: kept in the settings, in force at the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from playhead.domain.settings import AppSettings
from playhead.storage.settings import SettingsFile, stored_scale
from tests.support.driver import write_settings

SHOWN = """
import os, sys
from playhead.bootstrap.window import _application
app = _application()
print(app.primaryScreen().devicePixelRatio(), os.environ.get("QT_SCALE_FACTOR"))
"""


async def test_a_size_that_is_kept_is_read_back_and_nonsense_is_the_normal_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "settings.json"
    assert stored_scale(path) == 100
    await SettingsFile(path).save(AppSettings(scale_percent=150))
    assert stored_scale(path) == 150
    assert SettingsFile(path).current.scale_percent == 150
    for text in ('{"scale_percent": 9000}', '{"scale_percent": "150"}', "[1]", "{"):
        path.write_text(text)
        assert stored_scale(path) == 100
    path.write_text('{"scale_percent": 9000}')
    assert "scale_percent" in SettingsFile(path).notice


@pytest.mark.parametrize(("own", "ratio"), [("", "1.5"), ("2", "2.0")])
def test_the_next_start_is_larger_unless_the_user_told_qt_and_children_hear_nothing(
    tmp_path: Path, own: str, ratio: str
) -> None:
    write_settings(tmp_path, scale_percent=150)
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
        "PLAYHEAD_DATA_DIR": str(tmp_path / "data"),
    }
    if own:
        environment["QT_SCALE_FACTOR"] = own
    said = subprocess.run(
        [sys.executable, "-c", SHOWN], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [ratio, own or "None"]
