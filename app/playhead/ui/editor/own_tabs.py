"""The user's own texts in the editor: new, open, save, close.

Before anything unsaved is lost, the user is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from playhead.atomic_file import write_private
from playhead.ui.editor import tab_drafts, text_files
from playhead.ui.editor.code.editor_language import language_of_file, suffix_for
from playhead.ui.editor.pane.editor_pane import SCRATCH, EditorPane
from playhead.ui.editor.tab import Tab
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr


def ask_unsaved(
    parent: QWidget, name: str, save: Callable[[], object], close: Callable[[], object]
) -> None:
    """Ask whether to save, to close without saving, or to cancel."""
    box = _box(
        parent,
        tr("Close the tab"),
        tr("“{name}” is not saved.", name=name),
        tr("Closing it loses what you typed."),
    )
    saving = box.addButton(tr("Save"), QMessageBox.ButtonRole.AcceptRole)
    saving.setProperty("kind", "primary")
    closing = box.addButton(tr("Close without saving"), QMessageBox.ButtonRole.DestructiveRole)
    closing.setProperty("kind", "danger")
    _add_cancel(box)
    box.setDefaultButton(saving)
    saving.clicked.connect(lambda: save())
    closing.clicked.connect(lambda: close())
    box.open()


def ask_overwrite(parent: QWidget, name: str, overwrite: Callable[[], object]) -> None:
    """Ask whether to overwrite what another program wrote."""
    box = _box(
        parent,
        tr("Save"),
        tr("Another program has changed “{name}” since it was opened.", name=name),
        tr("Saving replaces what that program wrote."),
    )
    button = box.addButton(tr("Replace it"), QMessageBox.ButtonRole.DestructiveRole)
    button.setProperty("kind", "danger")
    box.setDefaultButton(_add_cancel(box))
    button.clicked.connect(lambda: overwrite())
    box.open()


def _box(parent: QWidget, title: str, question: str, details: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(details)
    return box


def _add_cancel(box: QMessageBox) -> QMessageBox.StandardButton:
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    cancel.setIcon(QIcon())  # some desktops put a red cross on it
    return QMessageBox.StandardButton.Cancel


_log = logging.getLogger(__name__)

DRAFT_MS = 1_000


class OwnTabs(QObject):
    """The user's own texts. Owner: the window. Errors go to its tasks' `failed`.

    Unsaved text is stored in a file of drafts a second after it was typed.
    """

    def __init__(
        self,
        pane: EditorPane,
        tasks: TaskOwner,
        drafts_path: Path,
        folder: Callable[[], str],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._tasks = tasks
        self._path = drafts_path
        self._folder = folder
        self._written = ""
        self._is_restored = self._is_refused = False
        self._writing = asyncio.Lock()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAFT_MS)
        self._timer.timeout.connect(lambda: tasks.start(self.keep_drafts()))
        pane.file_command.connect(self._on_command)
        pane.close_requested.connect(self.close_tab)
        pane.edited.connect(self._due)
        pane.tab_shown.connect(self._on_tab_shown)
        pane.window().installEventFilter(self)

    async def restore(self) -> None:
        """Restore the tabs from before the program ended or crashed."""
        kept = await asyncio.to_thread(tab_drafts.read, self._path)
        pane = self._pane
        if any(tab.key == kept.current for tab in kept.tabs) and not pane.is_edited:
            wanted = kept.current
        else:
            wanted = pane.current.key
        scratch = pane.tab(SCRATCH)
        for tab in kept.tabs:
            if tab.key == SCRATCH and scratch is not None and pane.text_of(scratch):
                tab.key = self._free_key()
            elif tab.key == SCRATCH and scratch is not None:
                pane.set_tabs([one for one in pane.tabs if one is not scratch] or [tab], tab.key)
            if pane.tab(tab.key) is None:
                pane.add_tab(tab)
        self._drop_empty_scratch(wanted)
        pane.show_tab(wanted)
        self._is_restored = True

    async def keep_drafts(self) -> None:
        """Write the drafts now, if they differ from those on the disk."""
        if not self._is_restored:  # the file was not read yet
            return
        self._timer.stop()
        pane = self._pane
        own = [tab for tab in pane.tabs if tab.is_own]
        for tab in own:
            tab.text = pane.text_of(tab)
        async with self._writing:
            text = await asyncio.to_thread(tab_drafts.encoded, own, pane.current.key)
            if text == self._written:
                return
            try:
                await asyncio.to_thread(write_private, self._path, text)
                self._written, self._is_refused = text, False
            except OSError as error:
                _log.info("the editor's drafts could not be written: %s", error)
                self._report_refused(error)

    def _report_refused(self, error: OSError) -> None:
        """Report an error once, until writing has succeeded again."""
        if not self._is_refused:
            self._is_refused = True
            self._tasks.failed.emit(tab_drafts.write_error(self._path, error))

    def new_tab(self) -> Tab:
        """Add an empty text of the user's own."""
        titles = {tab.title for tab in self._pane.tabs}
        number = next(n for n in range(1, 10_000) if tr("untitled {n}", n=n) not in titles)
        tab = Tab(
            key=self._free_key(),
            title=tr("untitled {number}", number=number),
            language=self._pane.language,
            is_own=True,
        )
        self._add(tab)
        self._pane.focus_code()
        return tab

    def new_tab_with(self, language: str, code: str) -> Tab:
        """Add a text of the user's own that is not empty; nothing of it runs by itself."""
        tab = self.new_tab()
        self._pane.set_language(language)
        self._pane.replace_text(code)
        return tab

    def open_path(self, path: str, line: int = 0) -> None:
        """Open a file, or show it if it is open; with a line scroll there."""
        self._tasks.start(self._open(path, line))

    def save(self) -> None:
        """Save the shown text; ask for a file if it has none."""
        tab = self._pane.current
        if tab.file is None:
            self.save_as()
        else:
            self._tasks.start(self._save(tab))

    def save_as(self) -> None:
        """Ask for a file and save the shown text in it."""
        tab = self._pane.current
        name = tab.file.path if tab.file else f"{tab.title}{suffix_for(tab.language)}"
        dialog = self._dialog(tr("Save as"), name)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(lambda path: self._tasks.start(self._save_as(tab, path)))
        dialog.open()

    def close_tab(self, key: str) -> None:
        """Close a tab of the user's own; ask if it is not saved."""
        tab = self._pane.tab(key)
        if tab is None or not tab.is_own:
            return
        if tab.is_edited and self._pane.text_of(tab).strip():
            self._pane.show_tab(key)
            ask_unsaved(self._pane, tab.title, self.save, lambda: self._close(tab))
        else:
            self._close(tab)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the files when the window becomes active, because they may have changed."""
        if event.type() == QEvent.Type.WindowActivate and self._is_restored:
            self._tasks.start(self._look(self._pane.current))
        return False

    async def _open(self, path: str, line: int = 0) -> None:
        found = await asyncio.to_thread(text_files.read, path)
        for tab in self._pane.tabs:
            if tab.file is not None and tab.file.path == found.form.path:
                self._pane.show_tab(tab.key)
                break
        else:
            self._add_file(found)
        if line:
            self._pane.editor.reveal_line(line)
            self._pane.editor.mark_lines([line])

    def _add_file(self, found: text_files.FileText) -> None:
        tab = Tab(
            key=self._free_key(),
            title=found.form.name,
            language=language_of_file(found.form.name),
            is_own=True,
            text=found.text,
            original=found.text,
            base=found.text,
            file=found.form,
        )
        self._add(tab)
        if found.note:
            self._pane.notice.show_text(f"{found.form.name}: {found.note}")

    async def _save(self, tab: Tab, *, overwrites: bool = False) -> None:
        form = tab.file
        if form is None:
            return
        now = await asyncio.to_thread(text_files.stamp_of, form.path)
        if now != form.stamp and now is not None and not overwrites:
            ask_overwrite(
                self._pane, form.name, lambda: self._tasks.start(self._save(tab, overwrites=True))
            )
            return
        text = self._pane.text_of(tab)
        tab.file = await asyncio.to_thread(text_files.write, form, text)
        self._pane.note_saved(tab, text)
        self._due()

    async def _save_as(self, tab: Tab, path: str) -> None:
        text = self._pane.text_of(tab)
        form = text_files.FileForm(path=path)
        if tab.file is not None and tab.file.path == path:
            form = tab.file
        written = await asyncio.to_thread(text_files.write, form, text)
        if not tab.is_own:  # a block of the conversation remains one; its copy is opened
            await self._open(path)
            return
        had_file = tab.file is not None
        tab.file, tab.title = written, written.name
        if not had_file and (word := language_of_file(written.name)) != "text":
            self._pane.set_language(word)
        self._pane.note_saved(tab, text)
        self._due()

    async def _look(self, tab: Tab) -> None:
        """Handle a change of the file by another program, if there is one."""
        form = tab.file
        if form is None:
            return
        now = await asyncio.to_thread(text_files.stamp_of, form.path)
        if now == form.stamp or tab is not self._pane.current:
            return
        if now is None:
            self._pane.notice.show_text(
                tr("{name} is not on the disk any more. Save makes it again.", name=form.name)
            )
        else:
            self._pane.notice.show_text(
                tr("Another program has changed {name}.", name=form.name),
                (tr("Load it"), lambda: self._tasks.start(self._reload(tab))),
            )

    async def _reload(self, tab: Tab) -> None:
        """Show the file as it is on the disk; the user's text can be restored by undo."""
        if tab.file is None:
            return
        found = await asyncio.to_thread(text_files.read, tab.file.path)
        tab.file = found.form
        if tab is self._pane.current:
            self._pane.replace_text(found.text)
            self._pane.note_saved(tab, found.text)

    def _add(self, tab: Tab) -> None:
        self._pane.add_tab(tab)
        self._pane.show_tab(tab.key)
        self._pane.tab_chosen.emit(tab.key)
        self._drop_empty_scratch(tab.key)
        self._due()

    def _close(self, tab: Tab) -> None:
        tabs = self._pane.tabs
        place = tabs.index(tab) if tab in tabs else 0
        rest = [one for one in tabs if one is not tab]
        if not rest:
            rest = [Tab(key=SCRATCH, title="scratch", is_own=True)]
            self._pane.pages.forget(tab.key)
        shown = self._pane.current
        after = shown if shown in rest else rest[min(place, len(rest) - 1)]
        self._pane.set_tabs(rest, after.key)
        self._due()

    def _drop_empty_scratch(self, current: str) -> None:
        scratch = self._pane.tab(SCRATCH)
        if scratch is None or scratch.key == current or self._pane.text_of(scratch):
            return
        rest = [one for one in self._pane.tabs if one is not scratch]
        if rest:
            self._pane.set_tabs(rest, current)

    def _free_key(self) -> str:
        keys = {tab.key for tab in self._pane.tabs}
        return next(f"own:{n}" for n in range(1, 10_000) if f"own:{n}" not in keys)

    def _dialog(self, title: str, name: str) -> QFileDialog:
        dialog = FileDialog(self._pane, title, self._folder())
        if name:
            dialog.selectFile(name)
        return dialog

    def _due(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _on_tab_shown(self) -> None:
        self._due()
        if self._is_restored and self._pane.current.file is not None:
            self._tasks.start(self._look(self._pane.current))

    def _on_command(self, name: str) -> None:
        match name:
            case "new":
                self.new_tab()
            case "open":
                dialog = self._dialog(tr("Open a file in the editor"), "")
                dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
                dialog.fileSelected.connect(self.open_path)
                dialog.open()
            case "save":
                self.save()
            case _:
                self.save_as()
