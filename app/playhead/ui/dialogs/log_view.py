"""Help → Log: the messages of the program and its model worker, as they are written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.dialogs.about_dialog import versions
from playhead.ui.dialogs.log_tail import LEVELS, MOST_LINES, LogTail, redacted
from playhead.ui.widgets.form import style_combo_boxes
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.theme import GAP_L, GAP_M, Theme, fit_on_screen
from playhead.ui.widgets.wording import mark, tr, tr_n

_FILES = {"playhead.log": mark("Playhead"), "model.log": mark("Model worker")}
_SHOWN_FROM = {
    "DEBUG": mark("All levels"),
    "INFO": mark("Info and above"),
    "WARNING": mark("Warnings and errors"),
    "ERROR": mark("Errors only"),
}
_FOLLOW_MS = 500
_REPORT_LINES = 200
_WIDTH_PX, _HEIGHT_PX = 860, 600


class LogView(QDialog):
    """Shows the log files and follows them while it is open; call `open()`."""

    def __init__(self, theme: Theme, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._tails = {name: LogTail(folder / name) for name in _FILES}
        self.setWindowTitle(tr("Log"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.file = self._choice(_FILES, tr("Which log"))
        self.level = self._choice(_SHOWN_FROM, tr("Level"))
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Only lines with…"))
        self.filter.setAccessibleName(tr("Only lines with this text"))
        self.filter.setClearButtonEnabled(True)
        self.follow = QCheckBox(tr("Follow"), self)
        self.follow.setChecked(True)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setProperty("kind", "code")
        self.text.setFont(theme.code_font(12))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMaximumBlockCount(MOST_LINES)
        self.text.setAccessibleName(tr("Lines of the log"))
        self.status = QLabel(self)
        self.status.setProperty("kind", "mute")
        self.copy_button = QPushButton(tr("Copy"), self)
        self.report_button = QPushButton(tr("Copy for a report"), self)
        self.report_button.setToolTip(
            tr("The versions and the last lines, without keys and the name of your folder")
        )
        self.folder_button = QPushButton(tr("Open the folder"), self)
        theme.label_icon(self.report_button, "copy")
        theme.label_icon(self.folder_button, "folder-open")
        self._lay_out()
        style_combo_boxes(self)
        self._connect()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start(_FOLLOW_MS)
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)
        self.refresh()

    def refresh(self) -> None:
        """Read what is new and show all that fits."""
        self._tail.read()
        self._show()

    def report(self) -> str:
        """Return the versions and the last lines of both files, without keys."""
        parts = [versions({"Log": str(self._folder)})]
        for name, tail in self._tails.items():
            tail.read()
            last = list(tail.lines)[-_REPORT_LINES:]
            parts += ["", f"--- {name}", *(line.text for line in last)]
        return redacted("\n".join(parts))

    @property
    def _tail(self) -> LogTail:
        return self._tails[str(self.file.currentData())]

    def _choice(self, entries: dict[str, str], name: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        for key, words in entries.items():
            box.addItem(tr(words), key)
        return box

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GAP_M)
        top.addWidget(self.file)
        top.addWidget(self.level)
        top.addWidget(self.filter, 1)
        top.addWidget(self.follow)
        foot = QHBoxLayout()
        foot.setSpacing(GAP_M)
        foot.addWidget(self.status, 1)
        for button in (self.folder_button, self.copy_button, self.report_button):
            button.setAutoDefault(False)
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP_L)
        layout.setSpacing(GAP_M)
        layout.addLayout(top)
        layout.addWidget(self.text, 1)
        layout.addLayout(foot)

    def _connect(self) -> None:
        self.file.currentIndexChanged.connect(self.refresh)
        self.level.currentIndexChanged.connect(self._show)
        self.filter.textChanged.connect(self._show)
        self.follow.toggled.connect(self._on_follow)
        self.copy_button.clicked.connect(self._on_copy)
        self.report_button.clicked.connect(self._on_report)
        self.folder_button.clicked.connect(lambda: open_folder(self._folder))

    def _show(self) -> None:
        least = LEVELS.index(str(self.level.currentData()))
        wanted = self.filter.text().casefold()
        lines = [
            line.text
            for line in self._tail.lines
            if LEVELS.index(line.level) >= least and wanted in line.text.casefold()
        ]
        bar = self.text.verticalScrollBar()
        place = bar.value()
        self.text.setPlainText("\n".join(lines))
        bar.setValue(bar.maximum() if self.follow.isChecked() else place)
        self.status.setText(self._words(len(lines)))

    def _words(self, count: int) -> str:
        if not self._tail.lines:
            return tr("Nothing has been noted here yet.")
        if not count:
            return tr("No line is like that.")
        words = tr_n("%n lines", count, one="1 line")
        is_cut = self._tail.is_cut or len(self._tail.lines) == MOST_LINES
        return tr("The last {lines}; the file has more.", lines=words) if is_cut else words

    def _on_tick(self) -> None:
        if self.follow.isChecked() and self._tail.read():
            self._show()

    def _on_follow(self, is_on: bool) -> None:
        if is_on:
            self.refresh()

    def _on_copy(self) -> None:
        chosen = self.text.textCursor().selectedText().replace("\u2029", "\n")
        QGuiApplication.clipboard().setText(chosen or self.text.toPlainText())
        self.copy_button.setText(tr("Copied"))

    def _on_report(self) -> None:
        QGuiApplication.clipboard().setText(self.report())
        self.report_button.setText(tr("Copied"))
