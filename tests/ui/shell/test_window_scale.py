"""How large everything is shown: kept by the window's keys, in force at the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playhead.domain.settings import AppSettings
from playhead.storage.settings import SettingsFile, stored_scale
from playhead.ui.shell.window_layout import next_scale
from playhead.ui.widgets.theme import Theme
from tests.support.driver import write_settings
from tests.support.waiting import until
from tests.support.window import opened

SHOWN = """
import os, sys
from playhead.bootstrap.window import _application
app = _application()
print(app.primaryScreen().devicePixelRatio(), os.environ.get("QT_SCALE_FACTOR"))
"""


def test_the_size_goes_up_and_down_by_what_is_offered_and_stops_at_the_ends() -> None:
    assert [next_scale(one, 1) for one in (80, 100, 200)] == [90, 110, 200]
    assert [next_scale(one, -1) for one in (80, 100, 200)] == [80, 90, 175]


async def test_the_keys_keep_another_size_and_say_from_when_it_is_there(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.composer.setFocus()
        await until(bench.parts.composer.text_edit.hasFocus)
        settings = bench.window._settings
        for key, wanted in (
            (Qt.Key.Key_Plus, 110),
            (Qt.Key.Key_Plus, 125),
            (Qt.Key.Key_Minus, 110),
        ):
            QTest.keyClick(bench.parts.composer.text_edit, key, Qt.KeyboardModifier.ControlModifier)
            await until(lambda wanted=wanted: settings.current.scale_percent == wanted)
        (banner,) = bench.parts.notifications.banners
        assert banner.title == "Everything will be shown at 110 %."
        assert "100 % now" in banner.detail
        QTest.keyClick(
            bench.parts.composer.text_edit, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier
        )
        await until(lambda: settings.current.scale_percent == 100)


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
