"""Joins the parts of the main window that ask it for nothing but what anybody may."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication

from playhead.domain.model import LocalServer
from playhead.ui.commands.shortcut_map import APPROVAL, EDITOR, TIMELINE, WINDOW, ShortcutMap
from playhead.ui.desktop.presence import DesktopPresence
from playhead.ui.tasks import TaskOwner
from playhead.ui.window.answer_notes import AnswerNotes
from playhead.ui.window.exporting import ExportActions
from playhead.ui.window.guided_example import GuidedExample
from playhead.ui.window.import_drop import ImportDrop
from playhead.ui.window.layout import WindowLayout
from playhead.ui.window.link_opener import LinkOpener
from playhead.ui.window.other_programs import ApiPresence, WaitingPrograms
from playhead.ui.window.place_menus import PlaceMenus
from playhead.ui.window.results import ResultOpener
from playhead.ui.window.session_view import SessionView
from playhead.ui.window.variables_follower import VariablesFollower


class JoinedWindow(Protocol):
    """What the joining needs of the main window."""

    parts: WindowLayout
    places: PlaceMenus
    view: SessionView
    guide: GuidedExample
    exports: ExportActions
    results: ResultOpener
    links: LinkOpener
    import_drop: ImportDrop
    variables: VariablesFollower
    desk: DesktopPresence
    presence: ApiPresence
    waiting: WaitingPrograms
    keys: ShortcutMap
    actions_by_name: dict[str, QAction]
    tasks: TaskOwner

    painted: Any
    close_requested: Any

    @property
    def folder(self) -> str:
        """Where the shown conversation works."""
        ...

    @property
    def interpreter(self) -> str:
        """What runs its Python."""
        ...

    def isActiveWindow(self) -> bool:
        """Whether the user is at it."""
        ...

    def open_api_settings(self) -> None:
        """Open the settings where other programs are let in."""

    def set_folder(self, path: str) -> None:
        """Work in another folder."""

    def show_place(self) -> None:
        """Say where the conversation works."""

    def show_notice(self, title: str, detail: str = "") -> None:
        """Say what is no failure."""

    def open_settings(self) -> None:
        """Open the settings."""

    def open_conversation(self, conversation_id: str) -> None:
        """Show a conversation."""

    def new_conversation(self) -> None:
        """Show an empty one."""

    def raise_window(self) -> None:
        """Come to the front."""

    def use_server(self, server: LocalServer) -> Coroutine[Any, Any, None]:
        """Have a model of that server answer."""
        ...


def join_parts(window: JoinedWindow) -> None:
    """Called once, when all parts are there."""
    _join_places(window)
    _join_start(window)
    _join_results(window)
    _join_desktop(window)
    _join_keys(window)


def _join_places(window: JoinedWindow) -> None:
    places, parts = window.places, window.parts
    for source in (parts.header, parts.pane):
        source.folder_clicked.connect(lambda: places.open_folder_menu(window.folder))
        source.interpreter_clicked.connect(lambda: places.open_interpreter_menu(window.interpreter))
    parts.header.find_requested.connect(parts.timeline.find_bar.open)
    parts.header.export_requested.connect(window.exports.export_shown)
    places.folder_chosen.connect(window.set_folder)
    places.making_changed.connect(window.show_place)
    places.interpreter_chosen.connect(
        lambda path: window.view.do(lambda session: session.set_interpreter(path))
    )
    parts.drop.paths_dropped.connect(parts.composer.attach_paths)
    parts.drop.folder_dropped.connect(window.set_folder)
    parts.drop.image_dropped.connect(parts.composer.attach_image)


def _join_start(window: JoinedWindow) -> None:
    start, composer = window.parts.start, window.parts.composer

    def write(text: str) -> None:
        composer.set_text(text)
        composer.setFocus()

    start.server_chosen.connect(lambda one: window.tasks.start(window.use_server(one)))
    start.settings_requested.connect(window.open_settings)
    start.guide_requested.connect(window.guide.begin)
    start.example_chosen.connect(write)


def _join_results(window: JoinedWindow) -> None:
    AnswerNotes(window.parts.timeline, window.view, window.parts)
    timeline, exports = window.parts.timeline, window.exports
    timeline.link_activated.connect(window.links.open)
    timeline.result_requested.connect(window.results.handle)
    window.results.noticed.connect(window.show_notice)
    window.parts.sidebar.add_menu_entries(exports.menu_entries)
    exports.imported.connect(window.open_conversation)
    window.import_drop.files_dropped.connect(exports.import_files)
    window.variables.table_requested.connect(window.results.open_variable)


def _join_desktop(window: JoinedWindow) -> None:
    desk = window.desk

    def come_forward(conversation_id: str) -> None:
        window.raise_window()
        if conversation_id:
            window.open_conversation(conversation_id)

    def begin_anew() -> None:
        window.raise_window()
        window.new_conversation()

    window.painted.connect(desk.begin)
    desk.show_requested.connect(come_forward)
    desk.new_requested.connect(begin_anew)
    desk.quit_requested.connect(window.close_requested)

    def alert() -> None:
        """Have the window manager mark the window; nothing moves and no focus is taken."""
        if not window.isActiveWindow():
            QApplication.alert(window.parts.window())

    window.presence.settings_requested.connect(window.open_api_settings)
    window.waiting.show_requested.connect(window.open_conversation)
    window.waiting.came.connect(alert)


def _join_keys(window: JoinedWindow) -> None:
    keys, parts = window.keys, window.parts
    approval = parts.approval
    actions = {f"{WINDOW}.{name}": one for name, one in window.actions_by_name.items()} | {
        f"{APPROVAL}.run": approval.run_action,
        f"{APPROVAL}.run_rest": approval.run_rest_action,
        f"{APPROVAL}.edit": approval.edit_action,
        f"{APPROVAL}.skip": approval.skip_action,
        f"{APPROVAL}.reason": approval.reason_action,
    }

    hinted = _hinted(parts)

    def bind() -> None:
        for id_, action in actions.items():
            action.setShortcut(keys.keys(id_))
        for button, words, id_ in hinted:
            shown = QKeySequence(keys.keys(id_)).toString(QKeySequence.SequenceFormat.NativeText)
            button.setToolTip(f"{words} ({shown})" if shown else words)
        for name, shortcut in parts.find_keys.items():
            shortcut.setKey(keys.keys(f"{TIMELINE}.{name}"))
        own = {id_.partition(".")[2]: to for id_, to in keys.own.items() if id_.startswith(EDITOR)}
        parts.pane.keys.bind(own)

    keys.changed.connect(bind)
    if keys.own:
        bind()


def _hinted(parts: WindowLayout) -> list[tuple[QAbstractButton, str, str]]:
    """Buttons that tell the keys of a command when the mouse is over them, and its id."""
    sidebar, header = parts.sidebar, parts.header
    buttons = (
        (sidebar.fold_button, f"{WINDOW}.sidebar"),
        (sidebar.new_button, f"{WINDOW}.new"),
        (sidebar.settings_button, f"{WINDOW}.settings"),
        (header.sidebar_button, f"{WINDOW}.sidebar"),
        (header.editor_button, f"{WINDOW}.editor"),
        (header.export_button, f"{WINDOW}.export"),
        (header.find_button, f"{TIMELINE}.find"),
    )
    return [(button, button.toolTip().partition(" (")[0], id_) for button, id_ in buttons]
