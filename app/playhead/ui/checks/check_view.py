"""The window that checks an export: its code, one approval, the progress, the differences."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playhead.atomic_file import replacing
from playhead.checking.check_report import CheckReport, Difference
from playhead.checking.checker import CheckPlan, CheckProgress
from playhead.checking.document_edit import takes_report, with_report
from playhead.errors import AppError
from playhead.ui.checks.side_by_side import SideBySide
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XL, Theme, fit_on_screen, set_kind
from playhead.ui.widgets.wording import mark, tr, tr_error, tr_n, tr_phrase

if TYPE_CHECKING:
    from playhead.checking.checker import Checker

_WIDTH_PX, _HEIGHT_PX = 980, 640
_LIST_PX = 300
_LABEL_CHARACTERS = 60
_DIFFERENCE = Qt.ItemDataRole.UserRole
_CELL = Qt.ItemDataRole.UserRole + 1
_KINDS = {
    "text": mark("Output"),
    "figure": mark("Figure"),
    "table": mark("Table"),
    "markup": mark("Formatted text"),
    "error": mark("Error"),
    "question": mark("Question"),
    "file": mark("File"),
    "package": mark("Package"),
    "run": mark("Run"),
}
_ICONS = {"differs": ("circle-x", "danger"), "not_run": ("minus", "faint")}
_STAGES = {
    "inputs": mark("The inputs are copied…"),
    "environment": mark("An environment with the recorded versions is made…"),
    "comparing": mark("The results are compared…"),
}


class CheckView(QDialog):
    """Checks one export, once all of its code is approved; closing it stops the check.

    `data` is the export as it was read: the report is written only if it is that still.
    """

    def __init__(
        self,
        checker: Checker,
        plan: CheckPlan,
        path: Path,
        data: bytes,
        theme: Theme,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._checker = checker
        self._plan = plan
        self._path = path
        self._data = data
        self._theme = theme
        self._running: asyncio.Future[None] | None = None
        self.report: CheckReport | None = None
        self._tasks = TaskOwner(self)
        self.finished.connect(self._tasks.cancel)
        self.setWindowTitle(tr("Check “{name}”", name=path.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._make()
        self._lay_out()
        self._show_code()
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)

    def _make(self) -> None:
        self.title = QLabel(tr("Run this again from the top?"), self)
        self.title.setProperty("kind", "title")
        self.title.setWordWrap(True)
        self.words = QLabel(self)
        self.words.setProperty("kind", "mute")
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.list = self._make_list()
        self.code = QPlainTextEdit(self)
        self.code.setProperty("kind", "code")
        self.code.setReadOnly(True)
        self.code.setFont(self._theme.code_font())
        self.code.setAccessibleName(tr("All code of the export"))
        self.sides = SideBySide(self._theme, self)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.code)
        self.pages.addWidget(self.sides)
        self.environment = QComboBox(self)
        self.environment.setAccessibleName(tr("Environment"))
        self.environment.addItem(tr("New environment with the recorded versions"), "locked")
        self.environment.addItem(tr("Present environment"), "present")
        has_versions = bool(self._plan.recording.manifest.packages)
        self.environment.setCurrentIndex(0 if has_versions else 1)
        self.environment.setEnabled(has_versions)
        self.environment.currentIndexChanged.connect(self._say_what_happens)
        self.run_button = QPushButton(tr("Run all of it"), self)
        self.run_button.setProperty("kind", "primary")
        self.run_button.clicked.connect(self.run)
        self.stop_button = QPushButton(tr("Stop"), self)
        self.stop_button.clicked.connect(self.stop)
        self.stop_button.hide()
        self.close_button = QPushButton(tr("Close"), self)
        self.close_button.clicked.connect(self.close)
        for button in (self.run_button, self.stop_button, self.close_button):
            button.setAutoDefault(False)  # Return, typed ahead in the file dialog, approves nothing

    def _make_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setHeaderHidden(True)
        rows.setColumnCount(1)
        rows.setRootIsDecorated(False)
        rows.setIndentation(18)
        rows.setUniformRowHeights(True)
        rows.setProperty("kind", "variables")
        rows.setAccessibleName(tr("Cells and differences"))
        rows.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setTextElideMode(Qt.TextElideMode.ElideRight)
        rows.currentItemChanged.connect(self._show_current)
        return rows

    def _lay_out(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(self.pages)
        splitter.setSizes([_LIST_PX, _WIDTH_PX - _LIST_PX])
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP_M)
        buttons.addWidget(self.environment)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.stop_button)
        buttons.addWidget(self.run_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_XL)
        layout.setSpacing(GAP_L)
        layout.addWidget(self.title)
        layout.addWidget(self.words)
        layout.addWidget(splitter, 1)
        layout.addLayout(buttons)

    def _show_code(self) -> None:
        """Show what is to be approved: all of the code, and what happens with it."""
        self.list.clear()
        texts: list[str] = []
        for cell in self._plan.recording.cells:
            label = tr("Cell {number}", number=cell.number)
            item = QTreeWidgetItem([f"{label} · {_first_line(cell.code)}"])
            item.setData(0, _CELL, cell.number)
            item.setIcon(0, self._theme.icon("circle", "faint"))
            self.list.addTopLevelItem(item)
            texts.append(f"# {label}\n{cell.code.rstrip()}")
        self.code.setPlainText("\n\n".join(texts))
        self._say_what_happens()

    def _say_what_happens(self) -> None:
        plan = self._chosen()
        policy = plan.policy
        if not policy.is_bounded:
            where = tr("It runs without a sandbox: as you, with all your files.")
        elif policy.network == "off":
            where = tr("It runs in the sandbox, without the network.")
        else:
            where = tr("It runs in the sandbox, with the network that its policy allows.")
        parts = [tr("In an empty copy of its inputs; the working folder stays as it is."), where]
        if plan.needs_environment:
            packages = ", ".join(plan.recording.manifest.packages)
            parts.append(tr("Installed for it from the package index: {names}.", names=packages))
        elif plan.recording.manifest.python and not plan.recording.manifest.packages:
            parts.append(tr("Its code imported no packages."))
        elif not plan.recording.manifest.packages:
            parts.append(tr("No versions of packages are recorded."))
        self.words.setText(" ".join(parts))

    def _chosen(self) -> CheckPlan:
        return replace(self._plan, environment=self.environment.currentData())

    def run(self) -> None:
        """Run the check, as approved by the click."""
        if self._running is None:
            self._running = self._tasks.start(self._check(self._chosen()))

    def stop(self) -> None:
        """Stop the check; it can be run again."""
        if self._running is not None:
            self._running.cancel()

    async def _check(self, plan: CheckPlan) -> None:
        self._show_code()
        self._set_running(True)
        self.title.setText(tr("The export is being checked"))
        try:
            async with aclosing(self._checker.check(plan)) as steps:
                async for step in steps:
                    if isinstance(step, CheckProgress):
                        self._show_progress(step)
                    else:
                        await self._take(step)
        except AppError as error:
            self._show_failure(error)
        except asyncio.CancelledError:
            self.title.setText(tr("The check was stopped"))
            self.words.setText(tr("Nothing was written into the export."))
            raise
        except Exception:
            self.title.setText(tr("The check failed"))
            self.words.setText(tr("This is a fault of Playhead, not of the export."))
            raise
        finally:
            self._running = None
            self._set_running(False)

    def _set_running(self, is_on: bool) -> None:
        self.stop_button.setVisible(is_on)
        self.run_button.setVisible(not is_on)
        self.run_button.setText(tr("Run again") if self.report else tr("Run all of it"))
        has_versions = bool(self._plan.recording.manifest.packages)
        self.environment.setEnabled(not is_on and has_versions)
        if is_on:
            self.pages.setCurrentWidget(self.code)

    def _show_progress(self, step: CheckProgress) -> None:
        if step.stage != "running":
            self.words.setText(tr(_STAGES[step.stage]))
        else:
            words = tr("Cell {number} of {total} runs…", number=step.cell, total=step.total)
            self.words.setText(words)
        for item in self._rows():
            number = item.data(0, _CELL)
            if step.stage in ("running", "comparing") and number < step.cell:
                item.setIcon(0, self._theme.icon("circle-dot", "mute"))
            elif step.stage == "running" and number == step.cell:
                item.setIcon(0, self._theme.icon("play", "accent"))
                self.list.setCurrentItem(item)

    def _show_failure(self, error: AppError) -> None:
        told = tr_error(error)
        if error.code == "no_environment":
            self.environment.setCurrentIndex(self.environment.findData("present"))
        self.title.setText(told.title)
        self.words.setText(told.explanation)

    async def _take(self, report: CheckReport) -> None:
        self.report = report
        is_written = await asyncio.to_thread(self._write, report)
        self._show_report(report, is_written)

    def _write(self, report: CheckReport) -> bool:
        """Write the report into the export, if that is still what was checked."""
        try:
            if not takes_report(self._path.name) or self._path.read_bytes() != self._data:
                return False
            data = with_report(self._data, self._path.name, report)
            with replacing(self._path, self._path.stat().st_mode & 0o777) as file:
                file.write(data)
        except OSError:
            return False
        self._data = data
        return True

    def _show_report(self, report: CheckReport, is_written: bool) -> None:
        count = len(report.differences)
        if report.is_same:
            words = tr("Proved: it gives again what is recorded")
        else:
            one = "1 difference from what is recorded"
            words = tr_n("%n differences from what is recorded", count, one=one)
        set_kind(self.title, "title")
        self.title.setText(words)
        self.words.setText(_summary(report, is_written))
        self._list_report(report)

    def _list_report(self, report: CheckReport) -> None:
        self.list.clear()
        if whole := report.of_cell(0):
            self._add_row(tr("Files and packages"), "differs", whole)
        for cell in report.cells:
            words = tr("Cell {number}", number=cell.number)
            found = report.of_cell(cell.number)
            item = self._add_row(f"{words} · {_first_line(cell.code)}", cell.verdict, found)
            item.setData(0, _CELL, cell.number)
            if cell.volatile:
                what = ", ".join(map(tr_phrase, cell.volatile))
                item.setToolTip(0, tr("Differs every time, not compared: {what}", what=what))
        self.list.expandAll()
        rows = self._rows()
        first = next((row.child(0) for row in rows if row.childCount()), None)
        self.list.setCurrentItem(first or rows[0])

    def _rows(self) -> list[QTreeWidgetItem]:
        rows = map(self.list.topLevelItem, range(self.list.topLevelItemCount()))
        return [row for row in rows if row is not None]

    def _add_row(self, label: str, verdict: str, found: list[Difference]) -> QTreeWidgetItem:
        """Add a cell with its differences below it."""
        item = QTreeWidgetItem([label])
        icon, colour = _ICONS.get(verdict, ("circle-check", "ok"))
        item.setIcon(0, self._theme.icon(icon, colour))
        self.list.addTopLevelItem(item)
        for difference in found:
            name = difference.name or tr_phrase(difference.words)[:_LABEL_CHARACTERS]
            row = QTreeWidgetItem([f"{tr(_KINDS[difference.kind])} · {name}"])
            row.setData(0, _DIFFERENCE, difference)
            row.setToolTip(0, tr_phrase(difference.words))
            item.addChild(row)
        return item

    def _show_current(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        difference = item.data(0, _DIFFERENCE)
        if isinstance(difference, Difference):
            self.sides.show_difference(difference)
            self.pages.setCurrentWidget(self.sides)
            return
        self.pages.setCurrentWidget(self.code)
        if number := item.data(0, _CELL):
            self._scroll_to(tr("Cell {number}", number=number))

    def _scroll_to(self, label: str) -> None:
        cursor = self.code.document().find(f"# {label}\n".strip())
        if cursor.isNull():
            return
        cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
        self.code.moveCursor(QTextCursor.MoveOperation.End)
        self.code.setTextCursor(cursor)


def _summary(report: CheckReport, is_written: bool) -> str:
    """Return where it ran, and what limits the proof."""
    where = (
        tr("Python {version} in a new environment with the recorded versions.")
        if report.environment == "locked"
        else tr("Python {version} in the present environment.")
    ).format(version=report.python)
    parts = [where]
    if report.inputs:
        parts.append(tr("Inputs: {names}.", names=", ".join(report.inputs)))
    parts += [tr_phrase(note) for note in report.notes]
    parts.append(
        tr("The report is in the export.") if is_written else tr("The export was left as it is.")
    )
    return " ".join(parts)


def _first_line(code: str) -> str:
    rows = (row.strip() for row in code.split("\n"))
    return next((row for row in rows if row), "")[:_LABEL_CHARACTERS]
