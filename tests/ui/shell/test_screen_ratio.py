"""Figures are as sharp as the screen that the window stands on."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from playhead.ui.widgets.theme import Theme
from tests.support.window import opened


async def test_the_executor_is_told_of_the_screen_and_of_another_one(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        assert bench.executor.ratios == [bench.window.devicePixelRatioF()]
        bench.window.hide()
        bench.window.show()
        assert len(bench.executor.ratios) == 1
        monkeypatch.setattr(bench.window, "devicePixelRatioF", lambda: 2.5)
        moved = QEvent(QEvent.Type.DevicePixelRatioChange)
        QCoreApplication.sendEvent(bench.window, moved)
        assert bench.executor.ratios[1:] == [2.5]
