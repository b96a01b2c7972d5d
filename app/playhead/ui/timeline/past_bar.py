"""The bar above the timeline that says which run is looked at, and leads on from it or back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.run_fold import Run
from playhead.ui.timeline.scroll.run_rail import OUTCOME_WORDS
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import format_clock, tr, tr_n

_NARROW_PX = 480


class PastBar(QWidget):
    """Hidden while nothing of the past is looked at. Owner: what shows the past.

    Signals: `go_on_requested()` from the run that is looked at, `now_requested()`.
    """

    go_on_requested = Signal()
    now_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        frame = QFrame(self)
        frame.setProperty("kind", "notice")
        self._icon = QLabel(frame)
        self.title = ElidedLabel("", frame)
        self.title.setProperty("kind", "strong")
        self.detail = ElidedLabel("", frame)
        self.detail.setProperty("kind", "mute")
        self.go_on = QPushButton(tr("Go on from here"), frame)
        self.go_on.setToolTip(tr("A new branch begins after this run; what came later is kept"))
        self.now = QPushButton(tr("Back to now"), frame)
        self.now.setToolTip(tr("Show the conversation as it is now (Esc on the playhead)"))
        self.go_on.clicked.connect(self.go_on_requested)
        self.now.clicked.connect(self.now_requested)
        self._lay_out(frame)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self.hide()

    def show_run(self, words: str, detail: str) -> None:
        """Show which run is looked at, and what is to be known of it."""
        self.title.setText(words)
        self.detail.setText(detail)
        self.setAccessibleName(words)
        self.setAccessibleDescription(detail)
        self.show()

    def set_idle(self, is_idle: bool) -> None:
        """Set whether a new branch can begin: no turn is under way."""
        self.go_on.setEnabled(is_idle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the words where there is little room."""
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW_PX
        way = QBoxLayout.Direction
        self._row.setDirection(way.TopToBottom if is_narrow else way.LeftToRight)

    def _lay_out(self, frame: QFrame) -> None:
        around = QVBoxLayout(self)
        around.setContentsMargins(16, 8, 16, 8)
        around.addWidget(frame)
        words = QVBoxLayout()
        words.setSpacing(0)
        for label in (self.title, self.detail):
            label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            words.addWidget(label)
        said = QHBoxLayout()
        said.setSpacing(10)
        said.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        said.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.go_on)
        buttons.addWidget(self.now)
        buttons.addStretch(1)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, frame)
        self._row.setContentsMargins(12, 8, 8, 8)
        self._row.setSpacing(8)
        self._row.addLayout(said, 1)
        self._row.addLayout(buttons)

    def _apply_theme(self) -> None:
        self._icon.setPixmap(self._theme.icon("history", "accent").pixmap(16, 16))


def run_words(run: Run, number: int, total: int) -> str:
    """Return a run in a few words: its number, its time, its outcome."""
    return tr(
        "Run {number:,} of {total:,}, {time}, {outcome}",
        number=number,
        total=total,
        time=format_clock(run.at),
        outcome=tr(OUTCOME_WORDS[run.outcome]),
    )


def title_words(run: Run, number: int, total: int) -> str:
    """Return what is looked at, for the title of the bar."""
    return tr(
        "You look at run {number:,} of {total:,}, {time}",
        number=number,
        total=total,
        time=format_clock(run.at),
    )


def detail_words(run: Run, language: str) -> str:
    """Return how the run ended, what it was written in and how many files it changed."""
    files = tr_n("%n files changed", run.files, one="1 file changed") if run.files else ""
    return " · ".join(filter(None, (language, tr(OUTCOME_WORDS[run.outcome]), files)))
