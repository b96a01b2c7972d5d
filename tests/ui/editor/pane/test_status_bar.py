"""The bars around the code in little room: what has none is elided, and nothing is cut."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.execution import GoingOn, KernelStatus
from playhead.ui.editor.pane.pane_header import PaneHeader
from playhead.ui.editor.pane.status_bar import StatusBar
from playhead.ui.widgets.elided_label import ElidedButton
from playhead.ui.widgets.theme import Theme


def check(bar: QWidget, qtbot: QtBot) -> None:
    """Narrow a bar: nothing is beside it or has less room than it needs."""
    window = bar.window()
    row = QHBoxLayout(window)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(bar)
    with qtbot.waitExposed(window):
        window.show()
    for width in (900, 500, 470, 380, 330):
        window.resize(width, bar.height())
        row.activate()
        children = bar.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        parts = [one for one in children if one.isVisible()]
        ends = [one.geometry().right() for one in parts]
        assert max(ends) < width
        needed = [min(one.minimumSizeHint().width(), one.maximumWidth()) for one in parts]
        small = [one for one, px in zip(parts, needed, strict=True) if one.width() < px]
        assert not small, f"{small} at {width}"


def test_above_the_code_every_word_is_whole_or_elided(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    header = PaneHeader(theme, window)
    header.show_title("a rather long name of a file.py", "")
    header.show_language("python", is_choice=True)
    header.show_run(is_running=False, is_asked=False, why_not="", can_run=True)
    header.edited.hide()
    header.newer.show()
    check(header, qtbot)
    assert header.undo.isHidden()
    window.resize(377, header.height())
    qtbot.waitUntil(lambda: header.newer.shown_text() == "Newer")
    header.newer.hide()
    window.resize(500, header.height())
    qtbot.waitUntil(header.undo.isVisible)


def test_in_little_room_every_word_is_whole_or_elided(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = StatusBar(theme, window)
    bar.show_position(1_234, 56)
    bar.show_place("/home/person/Documents/Playhead/a rather long folder", "analysis/.venv")
    bar.show_kernel(KernelStatus(state="idle", memory_bytes=73_500_000))
    check(bar, qtbot)
    assert bar.interpreter.text() == "analysis/.venv"
    assert bar.kernel.text() == "kernel idle · 73.5 MB"
    bar.show_kernel(
        KernelStatus(state="idle", memory_bytes=73_500_000, going_on=GoingOn(threads=2))
    )
    bar.show_place("/home/person/x = 1 3", "Python 3.11.7")
    window.resize(900, bar.height())
    assert isinstance(bar.folder, ElidedButton)
    for width in range(1, 60):  # each text is whole where it has the room that it asks for
        bar.folder.setText("x = 1 3" + "i" * width)
        bar.folder.resize(bar.folder.sizeHint())
        assert bar.folder.shown_text() == bar.folder.text()
    assert bar.kernel.text() == "2 threads go on"  # and Stop has the room of the memory
