"""Opens, copies and saves results of the code, and undoes what it did to files, when asked."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from playhead.domain.conversation.effect_choice import undos_of
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    FileChanges,
    Proposal,
    RowOrder,
    RunReport,
    Table,
)
from playhead.domain.execution import Variable
from playhead.domain.places import machine_of
from playhead.domain.text.file_effects import left_text
from playhead.errors import AppError, ExecutionError, StorageError
from playhead.session.code_ports import FarSide
from playhead.session.session import Session, expect_idle
from playhead.ui.widgets.banner import BannerAction
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.system_opener import open_file, open_folder
from playhead.ui.widgets.task_owner import TaskOwner, timed
from playhead.ui.widgets.wording import tr, tr_error, tr_n

if TYPE_CHECKING:
    from playhead.ui.dialogs.packages_dialog import PackagesDialog
    from playhead.ui.dialogs.picture_view import PictureOpener
    from playhead.ui.dialogs.table_file import Fetch
    from playhead.ui.dialogs.table_window import TableWindow
    from playhead.ui.shell.window_layout import WindowLayout
    from playhead.ui.timeline.model.rows import Sorting
    from playhead.ui.widgets.theme import Theme

_FETCHING = "fetching"
_EFFECT_ACTIONS = ("undo", "redo", "keep", "discard", "packages")


class EffectActions(QObject):
    """Owner: the actions of results. Signal: `noticed(title, detail)` if there is nothing to do."""

    noticed = Signal(str, str)

    def __init__(
        self,
        session: Callable[[], Session | None],
        parts: WindowLayout,
        tasks: TaskOwner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._parts = parts
        self._tasks = tasks
        self.dialog: PackagesDialog | None = None
        """The question about packages, while it is open."""

    def handle(self, session: Session, what: str, changes: FileChanges, path: str) -> None:
        """Do what a card asks for with a file of a run's effect; '' for all of them."""
        if what == "packages":
            self._tasks.start(self._keep_packages(session))
        else:
            self._tasks.start(self._do(session, what, changes, path))

    def undo_last(self) -> None:
        """Undo the last run that changed files and was not undone."""
        self._do_last("undo")

    def redo_last(self) -> None:
        """Do again what was undone last."""
        self._do_last("redo")

    async def _keep_packages(self, session: Session) -> None:
        """Ask which packages of sandboxed code the environment gets."""
        expect_idle(session.state)
        offer = await session.packages.offer()
        if not offer.packages:
            title = tr("The environment has these packages already.")
            self.noticed.emit(title, tr("What R has installed stays in the sandbox."))
            return
        from playhead.ui.dialogs.packages_dialog import PackagesDialog

        async def install(chosen: Sequence[str], builds: bool) -> None:
            got = await session.packages.keep(chosen, builds=builds)
            names = ", ".join(one.words for one in got.packages)
            self.noticed.emit(tr("The packages are in the environment now."), names)

        window = self._parts.timeline.window()
        self.dialog = PackagesDialog(offer, install, self._tasks, window)
        self.dialog.finished.connect(self._forget_dialog)
        self.dialog.open()

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _do_last(self, what: Literal["undo", "redo"]) -> None:
        self._tasks.start(self._find_last(what))

    async def _find_last(self, what: Literal["undo", "redo"]) -> None:
        session = self._session()
        if session is not None:
            expect_idle(session.state)
            with suppress(ExecutionError):  # an undo of variables would say it
                await session.files.settle()
        found = session.files.left(what) if session is not None else []
        if session is None or not found:
            title = tr("There is nothing to undo.") if what == "undo" else tr("Nothing was undone.")
            self.noticed.emit(title, "")
        else:
            timeline = self._parts.timeline
            if timeline.rail.refuses(what):
                return
            seen = {timeline.model.rows[one].key for one in timeline.canvas.visible_rows()}
            if found[0].message_id not in seen:
                timeline.reveal(found[0].message_id)
            self.handle(session, what, found[0].changes, "")

    def handle_run(self, session: Session, what: str, run_id: str) -> None:
        """Do what the card of a code asks for with what its last run did to variables."""
        effect = next((one for one in session.files.effects if one.changes.id == run_id), None)
        if effect is not None:
            self.handle(session, what, effect.changes, "")

    async def _do(self, session: Session, what: str, changes: FileChanges, path: str) -> None:
        expect_idle(session.state)
        timeline = self._parts.timeline
        timeline.set_undoing(changes.id, is_busy=True)
        results: list[FileChanges] = []
        refused = ""
        try:
            if what == "redo":
                for undo_id, only in undos_of(session.conversation, changes, path):
                    results.append(await session.files.redo_run(undo_id, only))
            else:
                results.append(await _take_back(session, what, changes.id, path))
        except ExecutionError as error:
            refused = str(tr_error(error))
        finally:
            conflicts = [one for result in results for one in result.conflicts]
            timeline.set_undoing(changes.id, conflicts=conflicts, refused=refused)
        if refused or not any(result.listed or result.variables for result in results):
            self._announce(refused, len(conflicts))
        elif left := _left_words(results):
            self.noticed.emit(tr("No variable was changed."), left)

    def _announce(self, refused: str, conflicts: int) -> None:
        """Have a screen reader say that nothing was done; what was done is a row, which is said."""
        from playhead.ui.timeline.scroll.accessibility import announce

        left = tr_n("%n files were left as they are", conflicts, one="1 file was left as it is")
        announce(self._parts.timeline, refused or left)


def _left_words(results: Sequence[FileChanges]) -> str:
    """Return why no variable was put back; "" if some were, or none were to be."""
    found = [one.variables for one in results if one.variables is not None]
    if not found or any(one.names for one in found) or any(one.listed for one in results):
        return ""
    return "\n".join(left_text(one, is_run=False, tr=tr) for each in found for one in each.left)


def interpreter_of(messages: Sequence[Message], message_id: str) -> str:
    """Return the interpreter of the code that a result belongs to; "" if it is not known."""
    found = ""
    for message in messages:
        if isinstance(message.content, Proposal):
            found = message.content.interpreter
        if message.id == message_id:
            break
    return found


async def _take_back(session: Session, what: str, effect_id: str, path: str) -> FileChanges:
    files = session.files
    match what:
        case "keep":
            return await files.keep(effect_id, path)
        case "discard":
            return await files.delete(effect_id, path)
        case _ if path:
            return await files.undo_file(effect_id, path)
        case _:
            return await files.undo_run(effect_id)


class ResultActions(QObject):
    """Handles the actions of results. Owner: the window.

    Keeps the table windows and the folder of pages until it is closed. Signal: `noticed(title,
    detail)` for what could not be done, `source_requested(path, line)` to see a file in the
    editor, `failure_read(message_id, variables, words)` for the variables of an error's frames, or
    the reason why there are none.
    """

    noticed = Signal(str, str)
    source_requested = Signal(str, int)
    failure_read = Signal(str, object, str)

    def __init__(
        self,
        session: Callable[[], Session | None],
        parts: WindowLayout,
        theme: Theme,
        tasks: TaskOwner,
        parent: QWidget,
        far_side: FarSide | None = None,
    ) -> None:
        super().__init__(parent)
        self._far_side = far_side
        self._session = session
        self._parts = parts
        self._tasks = tasks
        self._theme = theme
        self._window = parent
        self._pages_folder: Path | None = None
        self._windows: list[TableWindow] = []
        self._sortings: dict[str, asyncio.Future[None]] = {}
        self._pictures: PictureOpener | None = None
        self.effects = EffectActions(session, parts, tasks, self)
        self.effects.noticed.connect(self.noticed)

    @property
    def pictures(self) -> PictureOpener:
        """Return what opens pictures; make it when it is first needed."""
        if self._pictures is None:
            # Not needed for the first paint.
            from playhead.ui.dialogs.picture_view import PictureOpener

            self._pictures = PictureOpener(self._tasks, self._theme, self._window)
            self._pictures.noticed.connect(self.noticed)
        return self._pictures

    @property
    def windows(self) -> list[TableWindow]:
        """Return the windows of the tables that are open."""
        return self._windows

    def handle(self, what: str, message_id: str, detail: str) -> None:
        """Do what a card of the timeline asks for."""
        session = self._session()
        message = session.conversation.message(message_id) if session else None
        if session is None or message is None:
            return
        match message.content:
            case Table() as table:
                self._handle_table(session, what, message_id, table, detail)
            case FileChanges() as changes if what == "file":
                self._open_changed(session, message_id, changes, detail)
            case str() if what in _EFFECT_ACTIONS:
                self.effects.handle_run(session, what, detail)
            case FileChanges() as changes if what in _EFFECT_ACTIONS:
                self.effects.handle(session, what, changes, detail)
            case CodeError() as error:
                self._handle_error(session, what, message_id, error, detail)
            case str() if what in ("picture", "copy_picture", "save_picture"):
                self.pictures.handle(what, message, session.folder)
            case str() if what == "output":
                self._open_output(session, detail)
            case str() if what == "page":
                self._tasks.start(self._open_page(message))
            case _:
                pass

    def _handle_table(
        self, session: Session, what: str, message_id: str, table: Table, detail: str
    ) -> None:
        sorting = self._parts.timeline.sorting_of(message_id)
        match what:
            case "sort":
                self._sort(session, message_id, table, detail)
            case "table":
                self._show_table(table, _reader(session, table), sorting)
            case "copy_table":
                shown = sorting.page or table
                self._tasks.start(_copy(shown, "," if detail == "csv" else "\t"))
            case "save":
                self._choose_file(sorting.page or table, _reader(session, table), sorting.order)
            case _:
                pass

    def _handle_error(
        self, session: Session, what: str, message_id: str, error: CodeError, detail: str
    ) -> None:
        if what == "failure":
            self._tasks.start(self._read_failure(session, message_id, error))
        elif what == "source":
            line, _, path = detail.partition(" ")
            self.source_requested.emit(str(Path(session.folder) / path), int(line))

    def open_variable(self, name: str) -> None:
        """Show a table of the kernel as it is now."""
        if (session := self._session()) is not None:
            self._tasks.start(self._open_variable(session, name))

    def _sort(self, session: Session, message_id: str, table: Table, detail: str) -> None:
        """Sort a table by one of its columns, in place of what it is being sorted by; or stop."""
        sorting = self._parts.timeline.sorting_of(message_id)
        if (earlier := self._sortings.pop(message_id, None)) is not None:
            earlier.cancel()
        from playhead.ui.timeline.cards.table_columns import next_order
        from playhead.ui.timeline.model.rows import Sorting

        order = None if detail == "stop" else next_order(sorting.order, int(detail))
        if detail == "stop" or order is None:
            page, order = (sorting.page, sorting.order) if detail == "stop" else (None, None)
            after = Sorting(order=order, page=page, refused=sorting.refused)
            self._parts.timeline.set_sorting(message_id, after)
        elif (reader := _reader(session, table)) is not None:
            work = self._find_order(message_id, table, reader, order)
            self._sortings[message_id] = self._tasks.start(work)

    async def _find_order(
        self, message_id: str, table: Table, fetch: Fetch, order: RowOrder
    ) -> None:
        from playhead.ui.dialogs.table_file import expect_same  # not needed for the first paint

        before = replace(
            self._parts.timeline.sorting_of(message_id), wanted=None, seconds=0, reason=""
        )

        def show(sorting: Sorting) -> None:
            self._parts.timeline.set_sorting(message_id, sorting)

        show(replace(before, wanted=order))
        try:
            page = await timed(
                fetch(0, max(len(table.rows), 1), order),
                lambda seconds: show(replace(before, wanted=order, seconds=seconds)),
            )
            expect_same(table, page)
        except ExecutionError as error:
            reason = str(tr_error(error))
            refused = before.refused if error.remedy else {**before.refused, order.column: reason}
            show(replace(before, reason=reason, refused=refused))
        else:
            show(replace(before, order=order, page=replace(page, name=table.name)))

    async def close_down(self) -> None:
        """Close the tables and the picture, and delete the pages."""
        if self._pictures is not None:
            self._pictures.close_down()
        for window in tuple(self._windows):
            window.close()
        folder, self._pages_folder = self._pages_folder, None
        if folder is not None:
            import shutil  # not needed for the first paint

            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _open_variable(self, session: Session, name: str) -> None:
        from playhead.ui.dialogs.table_window import PAGE_ROWS  # not needed for the first paint

        table = await session.questions.table(name, 0, PAGE_ROWS)
        from playhead.ui.timeline.model.rows import Sorting

        self._show_table(table, _reader(session, table, name), Sorting())

    async def _read_failure(self, session: Session, message_id: str, error: CodeError) -> None:
        words = ""
        variables: list[Variable] = []
        try:
            variables = await session.questions.variables(error.frames)
        except AppError as refused:
            words = str(tr_error(refused))
        if session.kernel.state == "none":
            words = tr("The kernel has ended, and its variables with it.")
        elif not variables and not words:
            words = tr("Its frames have no variables.")
        self.failure_read.emit(message_id, variables, words)

    def _show_table(self, table: Table, fetch: Fetch | None, sorting: Sorting) -> None:
        from playhead.ui.dialogs.table_window import TableWindow  # not needed for the first paint

        window = TableWindow(table, self._theme, self._tasks, fetch, self._window, sorting)
        self._windows.append(window)
        window.destroyed.connect(lambda: self._windows.remove(window))
        window.show()

    def _choose_file(self, table: Table, fetch: Fetch | None, order: RowOrder | None) -> None:
        count = max(table.total_rows if fetch is not None else 0, len(table.rows))
        title = tr_n("Save %n rows", count, one="Save 1 row")
        start = str(Path(self._folder()) / f"{table.name or 'table'}.csv")
        kinds = tr("Comma-separated values (*.csv);;Tab-separated values (*.tsv)")
        dialog = FileDialog(self._window, title, start, kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(
            lambda path: self._tasks.start(self._save(table, Path(path), fetch, order))
        )
        dialog.open()

    async def _save(
        self, table: Table, path: Path, fetch: Fetch | None, order: RowOrder | None
    ) -> None:
        from playhead.ui.dialogs.table_file import write_table  # not needed for the first paint

        with _storage_errors(path):
            count, why = await write_table(table, path, fetch, order)
        if count < table.total_rows:
            title = tr_n("Only %n rows were saved.", count, one="Only 1 row was saved.")
            whole = tr_n("The table has %n rows.", table.total_rows, one="The table has 1 row.")
            self.noticed.emit(title, f"{whole} {why}".strip())

    def _folder(self) -> str:
        session = self._session()
        return session.folder if session is not None else ""

    def _open_file(self, folder: Path, name: str) -> None:
        path = folder / name
        match open_file(path, folder):
            case "gone":
                self.noticed.emit(tr("The file is not there any more."), str(path))
            case "outside":
                self.noticed.emit(tr("This file is not in the working folder."), str(path))
            case "program":
                self._parts.notifications.show_notice(
                    tr("“{name}” is not opened: it could run as a program.", name=path.name),
                    str(path),
                    BannerAction(tr("Show in folder"), lambda: open_folder(path.parent)),
                )
            case _:
                pass

    def _open_changed(
        self, session: Session, message_id: str, changes: FileChanges, name: str
    ) -> None:
        """Open a file that a run changed; what is on another machine is fetched first."""
        machine = machine_of(interpreter_of(session.conversation.messages, message_id))
        if machine and self._far_side is not None:
            self._tasks.start(self._fetch(self._far_side, session, changes, name, machine))
        else:
            self._open_file(Path(changes.folder), name)

    async def _fetch(
        self, far_side: FarSide, session: Session, changes: FileChanges, name: str, machine: str
    ) -> None:
        """Copy a file from the machine where it was changed, and open the copy."""
        path = PurePosixPath(changes.folder) / name
        area = self._parts.notifications
        words = tr("Fetching {name} from {machine}…", name=path.name, machine=machine)
        area.show_notice(words, str(path), key=_FETCHING)
        folder = Path(tempfile.mkdtemp(dir=self._own_folder()))
        name = PurePath(path.name).name
        target = folder / (name if name not in ("", "..") else "file")
        try:
            copy = await far_side.fetch_file(session.conversation.id, str(path), str(target))
        finally:
            area.withdraw(_FETCHING)
        self._open_file(Path(copy).parent, Path(copy).name)

    def _own_folder(self) -> Path:
        """Return the folder for what is opened elsewhere, which goes with the window."""
        if self._pages_folder is None:
            self._pages_folder = Path(tempfile.mkdtemp(prefix="playhead-"))
        return self._pages_folder

    def _open_output(self, session: Session, name: str) -> None:
        """Show the file with a run's whole output, if a run of this conversation wrote it."""
        reports = (message.content for message in session.conversation.messages)
        known = {one.output_path for one in reports if isinstance(one, RunReport)}
        path = Path(name)
        if name not in known or open_file(path, path.parent) == "gone":
            self.noticed.emit(tr("The output is not there any more."), name)

    async def _open_page(self, message: Message) -> None:
        """Open a page in the browser, from a file that only this user can read."""
        path = self._own_folder() / f"{message.id}.html"
        # The mark at the beginning says UTF-8 to a browser whatever the page forgets to say.
        await _write(path, message.text, "utf-8-sig")
        open_file(path, path.parent)


def _reader(session: Session, table: Table, name: str = "") -> Fetch | None:
    """Return a function that reads more of a table of the kernel; None if it has no name."""
    known = name or table.key or table.name
    if not known or not (table.key or table.total_rows > len(table.rows)):
        return None
    return lambda first, rows, order: session.questions.table(known, first, rows, order)


async def _copy(table: Table, separator: str) -> None:
    from playhead.ui.timeline.cards.table_columns import table_as_text

    text = await asyncio.to_thread(table_as_text, table.columns, table.rows, separator)
    QGuiApplication.clipboard().setText(text)


async def _write(path: Path, text: str, encoding: str) -> None:
    with _storage_errors(path):
        await asyncio.to_thread(path.write_text, text, encoding=encoding, errors="replace")


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    """Raise StorageError with advice in place of an OSError."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            tr("{name} could not be written.", name=path.name),
            detail=str(error),
            remedy=tr("Choose another folder."),
        ) from error
