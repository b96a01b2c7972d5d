"""The dialog of crash reports, to read, copy and delete them; nothing is ever sent."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.app_data import CrashReport
from playhead.errors import AppError
from playhead.session.ports import CrashReports
from playhead.ui.dialogs.log_tail import redacted
from playhead.ui.widgets.form import FormNote
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_M, Theme, fit_on_screen
from playhead.ui.widgets.wording import mark, tr, tr_error

_WORDS = mark(
    "These files are on this computer only: Playhead sends nothing. They name places in the "
    "program, and contain no keys and no text of your conversations. Copy one into a report if "
    "you like, or delete them."
)
_WIDTH_PX, _HEIGHT_PX = 760, 520


class CrashView(QDialog):
    """Shows the crash reports; call `open()`. Owner: the window's upkeep."""

    def __init__(self, theme: Theme, crashes: CrashReports, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._crashes = crashes
        self._reports: Sequence[CrashReport] = ()
        self.tasks = TaskOwner(self)
        self.setWindowTitle(tr("Crash reports"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.words = FormNote()
        self.words.show_text(tr(_WORDS))
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tr("Which report"))
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setProperty("kind", "code")
        self.text.setFont(theme.code_font(12))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("The report"))
        self.empty = QLabel(tr("Nothing has crashed. Good."), self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("kind", "start")
        self.problem = FormNote()
        self.folder_button = self._button(tr("Open the folder"))
        self.delete_button = self._button(tr("Delete"))
        self.copy_button = self._button(tr("Copy"))
        self.close_button = self._button(tr("Close"))
        self.close_button.setDefault(True)
        for button, icon in (
            (self.folder_button, "folder-open"),
            (self.delete_button, "trash-2"),
            (self.copy_button, "copy"),
        ):
            theme.label_icon(button, icon)
        self._lay_out()
        self._connect()
        self._show()
        self.tasks.start(self._load())

    def done(self, result: int) -> None:
        """Cancel what is still running when the dialog closes."""
        self.tasks.cancel()
        super().done(result)

    @property
    def shown(self) -> CrashReport | None:
        """Return the report that is shown; None if there is none."""
        place = self.choice.currentIndex()
        return self._reports[place] if 0 <= place < len(self._reports) else None

    def _button(self, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(GAP_M)
        foot.addWidget(self.folder_button)
        foot.addWidget(self.delete_button)
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        foot.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP_L)
        layout.setSpacing(GAP_M)
        for widget in (self.words, self.choice):
            layout.addWidget(widget)
        for body in (self.text, self.empty):
            layout.addWidget(body, 1)
        layout.addWidget(self.problem)
        layout.addLayout(foot)
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)

    def _connect(self) -> None:
        self.tasks.failed.connect(self._on_failed)
        self.choice.currentIndexChanged.connect(self._show)
        self.copy_button.clicked.connect(self._on_copy)
        self.delete_button.clicked.connect(self._on_delete)
        self.folder_button.clicked.connect(lambda: open_folder(self._crashes.folder))
        self.close_button.clicked.connect(self.accept)

    async def _load(self) -> None:
        place = max(0, self.choice.currentIndex())
        self._reports = await self._crashes.found()
        self.choice.blockSignals(True)  # a row at a time would be shown
        self.choice.clear()
        self.choice.addItems([_title(report) for report in self._reports])
        self.choice.setCurrentIndex(min(place, len(self._reports) - 1))
        self.choice.blockSignals(False)
        self._show()

    def _show(self) -> None:
        report = self.shown
        is_there = report is not None
        self.text.setPlainText(redacted(report.text) if report else "")
        self.text.setVisible(is_there)
        self.choice.setVisible(is_there)
        self.empty.setVisible(not is_there)
        for button in (self.delete_button, self.copy_button, self.folder_button):
            button.setEnabled(is_there)
        self.copy_button.setText(tr("Copy"))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy_button.setText(tr("Copied"))

    def _on_delete(self) -> None:
        if self.shown is not None:
            self.problem.show_text("")
            self.tasks.start(self._delete(self.shown.name))

    async def _delete(self, name: str) -> None:
        await self._crashes.delete([name])
        await self._load()

    def _on_failed(self, error: AppError) -> None:
        self.problem.show_text(str(tr_error(error)), "danger")


def _title(report: CrashReport) -> str:
    """Return the time and the kind of a crash."""
    at = QDateTime.fromSecsSinceEpoch(int(report.at))
    when = QLocale().toString(at, QLocale.FormatType.ShortFormat)
    words = (
        tr("Playhead ended unexpectedly")
        if report.is_fatal
        else tr("something failed, Playhead went on")
    )
    return f"{when} · {words}"
