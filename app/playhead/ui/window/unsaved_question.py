"""Asks before the window is closed while the disk takes nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from playhead.ui.questions import ask
from playhead.ui.wording import tr, tr_n


def ask_about_unsaved(window: QWidget, count: int, then: Callable[[], object]) -> None:
    """Say that changes would be lost; `then` is called if they may be."""
    ask(
        window,
        tr("Not saved yet"),
        tr_n(
            "%n changes of your conversations are not saved: the disk does not take them.",
            count,
            one="A change of your conversations is not saved: the disk does not take it.",
        ),
        tr(
            "Make room on the disk, or see that its folder can be written to. Playhead saves by "
            "itself as soon as it can; then close it again."
        ),
        tr("Close and lose them"),
        then,
    )
