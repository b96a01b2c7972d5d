"""The bar below the code in little room: what has none is elided, and nothing is cut."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.execution import KernelStatus
from playhead.ui.editor.pane.status_bar import StatusBar
from playhead.ui.widgets.theme import Theme


def test_in_little_room_every_word_is_whole_or_elided(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = StatusBar(theme, window)
    row = QHBoxLayout(window)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(bar)
    bar.show_position(1_234, 56)
    bar.show_place("/home/person/Documents/Playhead/a rather long folder", "analysis/.venv")
    bar.show_kernel(KernelStatus(state="idle", memory_bytes=73_500_000))
    with qtbot.waitExposed(window):
        window.show()
    for width in (900, 500, 360, 300):
        window.resize(width, 26)
        row.activate()
        parts = [one for one in bar.findChildren(QWidget) if one.isVisible()]
        ends = [one.geometry().right() for one in parts]
        assert max(ends) < width
        needed = [min(one.minimumSizeHint().width(), one.maximumWidth()) for one in parts]
        small = [one for one, px in zip(parts, needed, strict=True) if one.width() < px]
        assert not small, f"{small} at {width}"
    assert bar.interpreter.text() == "analysis/.venv"
    assert bar.kernel.text() == "kernel idle · 73.5 MB"
