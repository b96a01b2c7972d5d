"""The main window: it makes its parts, joins them, and opens conversations in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

from playhead.errors import StorageError
from playhead.ui.composer.decision_bars import ARMING_MS
from playhead.ui.shell.start_panel import ExamplePlaces, GuidedExample, ServerSearch
from playhead.ui.shell.window_layout import (
    ScreenRatio,
    TypeZoom,
    WindowLayout,
    WindowStateStore,
    restore_window,
)
from playhead.ui.widgets.focus_memory import is_text
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import WINDOW_FRAME, window_style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import (
        QCloseEvent,
        QKeyEvent,
        QPaintEvent,
        QResizeEvent,
        QShowEvent,
        QWheelEvent,
    )

    from playhead.domain.model import LocalServer
    from playhead.domain.settings import AppSettings
    from playhead.errors import AppError
    from playhead.session.ports import ApiControl, Catalog, Interpreters, Keys, Provider, Settings
    from playhead.session.session import Session, SessionState
    from playhead.session.sessions import Sessions
    from playhead.ui.composer.model_switcher import ModelSwitcher
    from playhead.ui.editor.own_tabs import OwnTabs
    from playhead.ui.places.place_menus import PlaceMenus
    from playhead.ui.settings.settings_dialog import SettingsDialog
    from playhead.ui.shell.composer_binding import ComposerBinding
    from playhead.ui.shell.conversation_actions import ConversationActions
    from playhead.ui.shell.document_actions import DocumentActions
    from playhead.ui.shell.notices import LinkOpener
    from playhead.ui.shell.place_binding import PlaceBinding
    from playhead.ui.shell.session_view import SessionView
    from playhead.ui.shell.window_help import WindowHelp
    from playhead.ui.widgets.theme import Mode, Theme


_MENU = (
    "commands", "", "rename", "policy", "undo_run", "redo_run", "run_all", "restart", "request", "",
    "export", "check_export", "import", "replay", "",
    "larger", "smaller", "normal_size", "", "folder", "attach", "settings", "",
    "example", "shortcuts", "log", "crashes", "updates", "about", "quit",
)  # fmt: skip
"""The commands of the menu; an empty name is a line between them."""


class MainWindow(QMainWindow):
    """Owner: bootstrap, which calls `start` once and `shut_down` after `close_requested`.

    Signals: `close_requested()`: the user closed the window; it stays until `shut_down`.
    `settings_saved(AppSettings)`: another model, perhaps.
    `painted()`: once, in the first idle moment after the first paint; what is slow begins here.
    """

    close_requested = Signal()
    painted = Signal()
    settings_saved = Signal(object)

    def __init__(
        self,
        theme: Theme,
        current: AppSettings,
        attachments_dir: Path,
        folder: str = "",
        arming_ms: int = ARMING_MS,
    ) -> None:
        """Make what the first paint shows of the current settings; `join` makes the rest.

        `folder` is shown until there are sessions, unless the settings name one.
        """
        super().__init__()
        self._attachments_dir = attachments_dir
        self._theme = self.current_theme = theme
        self._may_close = self._is_painted = self._is_joined = self._was_closed = False
        self._opening = ""
        self._dialog: SettingsDialog | None = None
        self.tasks = TaskOwner(self)
        self.setWindowTitle("Playhead")
        room = QApplication.primaryScreen().availableSize() - WINDOW_FRAME  # less when all is large
        self.setMinimumSize(QSize(480, 400).boundedTo(room))
        self.setStyleSheet(window_style(theme))
        state_of = self._state_of
        self.parts = WindowLayout(theme, state_of, self.tasks, attachments_dir, self, arming_ms)
        self.setCentralWidget(self.parts)
        restore_window(self, self.parts, current.window)
        self.parts.show_new(current, folder)
        self.parts.composer.setFocus()

    def join(
        self,
        sessions: Sessions,
        settings: Settings,
        keys: Keys,
        catalog: Catalog,
        interpreters: Interpreters,
        provider: Provider,
        api: ApiControl,
    ) -> None:
        """Join the window to the sessions and all else; called once, in the running loop."""
        from playhead.ui.shell.composer_binding import AttachmentHints
        from playhead.ui.shell.past.variables_binding import VariablesBinding
        from playhead.ui.shell.result_actions import ResultActions
        from playhead.ui.shell.session_bindings import PauseBinding, RiskBinding
        from playhead.ui.timeline.scroll.coalescer import Coalescer
        from playhead.ui.widgets.drop_zone import ImportDropZone

        self._sessions, self._settings, self._keys = sessions, settings, keys
        self._catalog = catalog
        self._interpreters = interpreters
        self._provider = provider
        self._api = api
        data_dir = self._attachments_dir.parent
        self.memory = WindowStateStore(self, self.parts, settings, self.tasks)
        self.view = view = self._make_view()
        self.places, self.placing = self._make_places()
        self.results = ResultActions(
            lambda: view.session, self.parts, self._theme, self.tasks, self, sessions.far_side
        )
        self.own_tabs = self._make_own_tabs(data_dir)
        self.writing = self._make_writing(data_dir)
        self.risks = RiskBinding(view, self.parts, self.tasks, self)
        self.pauses = PauseBinding(view, self.parts, self.tasks, self)
        self.variables = VariablesBinding(self.parts.pane, self.view, self.tasks, self)
        self._make_presence()
        self.verbs = self._make_verbs()
        self.exports = self._make_exports()
        self.import_drop = ImportDropZone(self.parts.sidebar)
        self.links = self._make_links()
        self.choosing = self._make_choosing()
        self.notes = AttachmentHints(self.parts.composer, self.view, self.tasks, provider, catalog)
        self.help = self._make_help(data_dir)
        self.guide = self._make_guide(data_dir)
        self.zoom = TypeZoom(self._theme, settings, self.tasks, self)
        self._list = Coalescer(self._show_list, self)
        self._connect_all()
        self._is_joined = True
        if self._was_closed:
            QTimer.singleShot(0, self, self.close)
        self.new_conversation()
        self._show_list()
        if not self._is_painted:
            self.painted.connect(lambda: self.tasks.start(self.open_up()))

    def _connect_all(self) -> None:
        from playhead.ui.commands.key_bindings import make_actions

        self.actions_by_name = make_actions(self, self._handlers())
        self.parts.header.set_menu(self._make_menu())
        ScreenRatio(self, self._on_screen_ratio)
        self._connect()
        self._servers = ServerSearch(
            self._catalog, self._settings, self.tasks, self.parts.start.set_servers
        )
        self._unsubscribers = [
            self._sessions.subscribe(self._list.due),
            self._interpreters.subscribe(lambda _status: self.show_place()),
        ]

    async def open_up(self) -> None:
        """Make the code editor; then begin what neither the first paint nor it was to wait for."""
        await self.parts.load_in_steps()
        self.memory.begin()
        self.tasks.start(self.own_tabs.restore())
        self.tasks.start(self.writing.restore())
        self.desk.begin()
        self._servers.begin()

    def _state_of(self, conversation_id: str) -> SessionState:
        return self._sessions.state_of(conversation_id)

    def new_conversation(self) -> None:
        """Open an empty conversation; if the shown one is empty already, keep it."""
        session = self.view.session
        if session is None or session.conversation.messages:
            self._show(self._sessions.new())
        self.parts.composer.setFocus()

    def open_conversation(self, conversation_id: str) -> None:
        """Show a conversation of the list."""
        self._opening = conversation_id
        self.tasks.start(self._open(conversation_id))

    def open_place(self, conversation_id: str, message_id: str, query: str) -> None:
        """Show a conversation where a message has the words of a query; the keyboard stays."""
        self._opening = conversation_id
        self.tasks.start(self._open_at(conversation_id, message_id, query))

    def open_paths(self, paths: Sequence[str]) -> None:
        """Take files handed over by another start; one folder alone becomes the working folder."""
        if len(paths) == 1 and Path(paths[0]).is_dir():
            self.set_folder(paths[0])
        elif paths:
            self.parts.composer.attach_paths(paths)

    def raise_window(self) -> None:
        """Come to the front."""
        was_hidden = self.isHidden()
        self.showNormal() if self.isMinimized() else self.show()
        if was_hidden:  # which took the keyboard from where it was
            self.parts.focus_entry()
        self.raise_()
        self.activateWindow()

    def set_folder(self, path: str) -> None:
        """Work in another folder."""
        if self.view.do(lambda session: session.set_folder(path)):
            self.tasks.start(self._remember(folder=path))

    def show_error(self, error: AppError) -> None:
        """Show an error from anywhere in a banner."""
        self.parts.notifications.show_error(error)

    def show_notice(self, title: str, detail: str = "") -> None:
        """Show a notice, which is not an error, in a banner."""
        self.parts.notifications.show_notice(title, detail)

    def set_model_starting(self, is_starting: bool) -> None:
        """Show that the model is being started: a message sent now waits for it."""
        self.parts.header.set_model_starting(is_starting)

    def open_settings(self) -> None:
        """Open the settings beside the running program."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        from playhead.ui.settings.settings_dialog import (
            SettingsDialog,  # not needed for the first paint
        )

        self._dialog = SettingsDialog(
            self._settings,
            self._keys,
            self._catalog,
            self._interpreters,
            self._provider,
            self._api,
            self,
            self.help.upkeep.port,
            self.folder,
        )
        self._dialog.was_reset.connect(self.help.report_reset)
        self._dialog.saved.connect(self._on_settings_saved)
        self._dialog.finished.connect(self._on_dialog_finished)
        self._dialog.open()

    def open_api_settings(self) -> None:
        """Open the settings where other programs are let in."""
        self.open_settings()
        if self._dialog is not None:
            self._dialog.show_programs()

    def open_storage_settings(self) -> None:
        """Open the settings at the list of folders and the way back to the defaults."""
        self.open_settings()
        if self._dialog is not None:
            self._dialog.show_storage()

    async def shut_down(self) -> None:
        """Keep the window's state and end its tasks; afterwards it closes when asked."""
        try:
            await self.memory.close_down()
        except StorageError as error:
            self.show_error(error)
        if self._dialog is not None:
            self._dialog.reject()
        self._servers.stop()
        self.presence.close_down()
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self.variables.leave()
        self.policies.close_down()
        self.closing.close_down()
        self.placing.close_down()
        await self.desk.close_down()
        await self.own_tabs.keep_drafts()
        await self.writing.close_down()
        self.view.show_session(None)
        await self.tasks.close()
        await self.results.close_down()
        self._may_close = True
        self.close()

    def showEvent(self, event: QShowEvent) -> None:
        """Look for model servers again while no model is set."""
        super().showEvent(event)
        if self._is_joined and self._is_painted:
            self._servers.begin()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Emit `painted` after the first paint."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self.painted.emit)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom by the wheel with Ctrl, wherever nothing else takes it."""
        if self._is_joined:
            self.zoom.turn(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put what is typed where nothing takes text into the message."""
        field = self.parts.composer.text_edit
        if is_text(event) and self.focusWidget() is not field and field.isVisible():
            self.parts.composer.setFocus()
            QApplication.sendEvent(field, event)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide the window or request the end: kernels and files are ended first."""
        if self._may_close:
            event.accept()
            return
        event.ignore()
        if self._is_joined:
            self.closing.close_window()
        else:
            self._was_closed = True  # nothing is there yet that could close

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold what has no room."""
        super().resizeEvent(event)
        self.parts.fit(event.size().width())

    def _handlers(self) -> dict[str, Callable[[], object]]:
        parts = self.parts
        return {
            "new": self.new_conversation,
            "search": lambda: (parts.show_sidebar(True), parts.sidebar.focus_search()),
            "settings": self.open_settings,
            "sidebar": parts.toggle_sidebar,
            "editor": parts.toggle_editor,
            "attach": parts.composer.choose_files,
            **self.placing.handlers(lambda: self.own_tabs),
            **self.exports.handlers,
            "run": parts.pane.request_run,
            "stop": self.view.stop,
            "next_pane": parts.focus_next_pane,
            "write": parts.composer.setFocus,
            "rename": self._rename_current,
            "undo_run": self.results.effects.undo_last,
            "redo_run": self.results.effects.redo_last,
            "run_all": self.rerunning.ask,
            "request": lambda: self.context.view_request(),
            "restart": self.restarting.restart,
            "policy": self.policies.open_sheet,
            "commands": lambda: self.help.open_palette(
                self.actions_by_name, parts.palette_entries(self.keys)
            ),
            **self.help.handlers,
            "storage": self.open_storage_settings,
            "example": self.guide.begin,
            "quit": self.closing.quit,
            **self.zoom.handlers,
        }

    def _make_view(self) -> SessionView:
        from playhead.ui.shell.conversation_actions import TurnActions
        from playhead.ui.shell.policy_binding import PolicyBinding
        from playhead.ui.shell.session_bindings import (
            AnswerNotes,
            ContextBinding,
            RerunQuestion,
            RestartQuestion,
        )
        from playhead.ui.shell.session_view import SessionView

        parts = self.parts
        view = SessionView(parts, self._sessions.keep, self)
        self.turns = TurnActions(view, parts.notifications, self)
        self.context = ContextBinding(view, parts, self)
        self.answer_notes = AnswerNotes(parts, view, self)
        self.restarting = RestartQuestion(view, self.tasks, self)
        self.rerunning = RerunQuestion(view, self)
        sandbox = self._sessions.sandbox
        self.policies = PolicyBinding(parts, view, sandbox, self.tasks, self._theme, self)
        return view

    def _make_places(self) -> tuple[PlaceMenus, PlaceBinding]:
        from playhead.ui.places.place_menus import PlaceMenus
        from playhead.ui.shell.place_binding import FarAttachments, PlaceBinding

        view, known, used = self.view, self._sessions.places, lambda: self.interpreter
        menus = PlaceMenus(self._interpreters, self.tasks, self, lambda: self.folder, known)
        FarAttachments(view, self.parts, self._sessions.far_side, self.tasks, self)
        return menus, PlaceBinding(view, self.parts, menus, used, known.port, self)

    def _make_presence(self) -> None:
        """Make what connects the window to the desktop and to other programs."""
        from playhead.ui.desktop.closing_question import ClosingQuestion
        from playhead.ui.desktop.desktop_presence import DesktopPresence
        from playhead.ui.shell.notices import ApiIndicator, VariablesOffer, WaitingPrograms

        notifications = self.parts.notifications
        self.offers = VariablesOffer(self.view, self.parts, self.tasks, self)
        self.waiting = WaitingPrograms(self._sessions, notifications, self)
        self.presence = ApiIndicator(self._api, self.parts.sidebar, notifications, self)
        self.desk = DesktopPresence(self._sessions, self._settings, self._theme, self)
        self.closing = ClosingQuestion(
            self._sessions, self._settings, self.tasks, self.desk, self.raise_window, self
        )

    def _make_verbs(self) -> ConversationActions:
        from playhead.ui.shell.conversation_actions import ConversationActions

        return ConversationActions(
            self._sessions,
            self.parts.sidebar,
            self.parts.notifications,
            self.tasks,
            lambda: self.view.session.conversation.id if self.view.session else "",
            self,
        )

    def _make_exports(self) -> DocumentActions:
        from playhead.ui.shell.document_actions import DocumentActions

        notifications, shown = self.parts.notifications, lambda: self.view.session
        return DocumentActions(self._sessions, shown, notifications, self.tasks, self)

    def _make_writing(self, data_dir: Path) -> ComposerBinding:
        from playhead.ui.shell.composer_binding import ComposerBinding

        composer, path = self.parts.composer, data_dir / "composer-drafts.json"
        return ComposerBinding(
            composer, self.view, self._sessions, self._settings, self.tasks, path, self
        )

    def _make_own_tabs(self, data_dir: Path) -> OwnTabs:
        from playhead.ui.editor.own_tabs import OwnTabs

        pane, path = self.parts.pane, data_dir / "editor-tabs.json"
        return OwnTabs(pane, self.tasks, path, lambda: self.folder, self)

    def _make_links(self) -> LinkOpener:
        from playhead.ui.shell.notices import LinkOpener

        return LinkOpener(self.open_settings, self.parts.notifications, self)

    def _make_help(self, data_dir: Path) -> WindowHelp:
        from playhead.ui.shell.window_help import WindowHelp

        opened, dressed = self.open_conversation, self._choose_theme
        from playhead.ui.commands.key_bindings import KeyBindings

        self.keys = KeyBindings(self._settings, self.tasks, self)
        return WindowHelp(self._theme, self._sessions, data_dir, opened, dressed, self.keys, self)

    def _make_choosing(self) -> ModelSwitcher:
        from playhead.ui.composer.model_switcher import ModelSwitcher, PickerPorts

        ports = PickerPorts(
            settings=self._settings, keys=self._keys, catalog=self._catalog, provider=self._provider
        )
        choice, shown = self.parts.composer.buttons.choice, lambda: self.view.session
        return ModelSwitcher(choice, shown, ports, self.tasks, self._theme, self)

    def _make_guide(self, data_dir: Path) -> GuidedExample:
        places = ExamplePlaces(self._theme.resources / "example", data_dir / "example")
        return GuidedExample(
            places, lambda: self.parts.timeline, self.tasks, self._begin_empty, self
        )

    def _begin_empty(self) -> Session:
        self._show(self._sessions.new())
        assert self.view.session is not None  # noqa: S101 - it has just been shown
        return self.view.session

    def _on_screen_ratio(self, ratio: float) -> None:
        self._sessions.set_screen_ratio(ratio)
        self._theme.follow_screens()

    def _choose_theme(self, mode: Mode) -> None:
        self._theme.set_mode(mode)
        self.tasks.start(self._remember(theme=mode))

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for name in _MENU:
            if name:
                menu.addAction(self.actions_by_name[name])
            else:
                menu.addSeparator()
        return menu

    def _connect(self) -> None:
        parts, view = self.parts, self.view
        sidebar = parts.sidebar
        self.tasks.failed.connect(self.show_error)
        view.asked.connect(parts.notifications.clear_passing)
        view.failed.connect(self.show_error)
        parts.pane.restart_requested.connect(self.restarting.restart)
        view.editor_wanted.connect(lambda: parts.show_editor(True))
        view.emptied.connect(parts.show_start)
        parts.timeline_made.connect(self._connect_timeline)
        view.place_changed.connect(self.show_place)
        sidebar.new_requested.connect(self.new_conversation)
        sidebar.opened.connect(self.open_conversation)
        sidebar.found.connect(self.open_place)
        sidebar.left.connect(parts.composer.setFocus)
        self.verbs.open_requested.connect(self.open_conversation)
        self.verbs.closed.connect(lambda _id: self._show(self._sessions.new()))
        sidebar.stop_requested.connect(lambda id_: self.tasks.start(self._stop(id_)))
        sidebar.settings_requested.connect(self.open_settings)
        self.choosing.settings_wanted.connect(self.open_settings)
        self.choosing.settings_changed.connect(self.show_place)
        parts.composer.failed.connect(self.show_error)
        self._connect_places()
        self._connect_start()
        self._connect_results()
        self._connect_desktop()
        from playhead.ui.shell.window_help import bind_keys

        bind_keys(self.keys, parts, self.actions_by_name)
        self._theme.changed.connect(lambda: self.setStyleSheet(window_style(self._theme)))

    def _connect_places(self) -> None:
        parts = self.parts
        parts.header.find_requested.connect(lambda: parts.timeline.find_bar.open())
        parts.header.export_requested.connect(self.exports.export_shown)
        self.places.folder_chosen.connect(self.set_folder)
        self.places.making_changed.connect(self.show_place)
        parts.drop.paths_dropped.connect(parts.composer.attach_paths)
        parts.drop.folder_dropped.connect(self.set_folder)
        parts.drop.image_dropped.connect(parts.composer.attach_image)

    def _connect_start(self) -> None:
        start, composer = self.parts.start, self.parts.composer

        def write(text: str) -> None:
            composer.set_text(text)
            composer.setFocus()

        start.server_chosen.connect(lambda one: self.tasks.start(self.use_server(one)))
        start.settings_requested.connect(self.open_settings)
        start.guide_requested.connect(self.guide.begin)
        start.example_chosen.connect(write)

    def _connect_results(self) -> None:
        from playhead.ui.shell.session_bindings import HintsBinding

        exports = self.exports
        self.results.noticed.connect(self.show_notice)
        self.results.source_requested.connect(self._show_source)
        self.parts.sidebar.add_menu_entries(exports.menu_entries)
        exports.imported.connect(self.open_conversation)
        self.import_drop.files_dropped.connect(exports.import_files)
        self.variables.table_requested.connect(self.results.open_variable)
        HintsBinding(self.parts.pane.hints, self.view, self.tasks, self)

    def _connect_timeline(self) -> None:
        from playhead.ui.shell.past.past_binding import PastBinding

        timeline = self.parts.timeline
        variables = self.variables
        self.past = PastBinding(self.view, self.parts, variables, self.tasks, self._theme, self)
        timeline.version_chosen.connect(self.turns.choose)
        timeline.delete_requested.connect(self.turns.delete)
        timeline.request_wanted.connect(self.context.view_request)
        timeline.link_activated.connect(self.links.open)
        timeline.result_requested.connect(self.results.handle)
        self.results.failure_read.connect(timeline.show_failure)

    def _show_source(self, path: str, line: int) -> None:
        self.own_tabs.open_path(path, line)
        self.parts.show_editor(True)

    def _connect_desktop(self) -> None:
        desk = self.desk

        def come_forward(conversation_id: str) -> None:
            self.raise_window()
            if conversation_id:
                self.open_conversation(conversation_id)

        def begin_new() -> None:
            self.raise_window()
            self.new_conversation()

        desk.show_requested.connect(come_forward)
        desk.new_requested.connect(begin_new)
        desk.quit_requested.connect(self.closing.quit)
        self.closing.quit_requested.connect(self.close_requested)

        def alert() -> None:
            """Have the window manager mark the window; nothing moves and no focus is taken."""
            if not self.isActiveWindow():
                QApplication.alert(self)

        self.presence.settings_requested.connect(self.open_api_settings)
        self.waiting.show_requested.connect(self.open_conversation)
        self.waiting.added.connect(alert)

    async def _open(self, conversation_id: str) -> None:
        session = await self.parts.ready_for(self._sessions.open(conversation_id))
        if self._opening == conversation_id:  # not overtaken by another click
            self._show(session)
            if not self.parts.sidebar.is_renaming:
                self.parts.focus_entry()

    async def _open_at(self, conversation_id: str, message_id: str, query: str) -> None:
        session = await self.parts.ready_for(self._sessions.open(conversation_id))
        if self._opening != conversation_id:
            return
        if session is not self.view.session:
            self._show(session)
        if message_id and session.go_to(message_id):
            self.parts.timeline.reveal(message_id, query)

    async def _stop(self, conversation_id: str) -> None:
        (await self._sessions.open(conversation_id)).stop()

    async def use_server(self, server: LocalServer) -> None:
        """Have a model of that server answer from now on."""
        await self._remember(model=server.models[0], api_base=server.api_base)
        self._on_settings_saved(self._settings.current)
        self.parts.composer.setFocus()

    async def _remember(self, **changes: object) -> None:
        await self._settings.save(replace(self._settings.current, **changes))

    def _show(self, session: Session) -> None:
        self._opening = session.conversation.id
        self.view.show_session(session)
        if left := self._sessions.look_at(session.conversation.id):
            self.tasks.start(self._sessions.forget(left))
        self.parts.sidebar.set_current(session.conversation.id)
        self.waiting.look(session.conversation.id)
        self.parts.fold_peeked_sidebar()

    @property
    def folder(self) -> str:
        """The folder in which the shown conversation works."""
        return self.view.session.folder if self.view.session else ""

    @property
    def interpreter(self) -> str:
        """The interpreter that runs its Python; empty for the managed environment."""
        chosen = self.view.session.interpreter if self.view.session else ""
        return chosen or self._settings.current.interpreter

    def _rename_current(self) -> None:
        if self.view.session is not None:
            self.parts.show_sidebar(True)
            self.parts.sidebar.begin_rename(self.view.session.conversation.id)

    def _show_list(self) -> None:
        self.parts.sidebar.show_conversations(self._sessions.summaries)
        self.desk.look()
        shown = self.view.session
        if shown is not None and self._sessions.get(shown.conversation.id) is None:
            self._show(self._sessions.new())  # a program has deleted it
            return
        self.waiting.look(shown.conversation.id if shown else "")

    def show_place(self) -> None:
        """Show everywhere in which folder and with which interpreter the conversation works."""
        session = self.view.session
        if session is None:
            return
        self.placing.show()
        model = session.settings.model
        self.parts.composer.set_model(model, session.auto_run)
        self.parts.start.set_model(model)
        self.notes.refresh()

    def _on_settings_saved(self, settings: AppSettings) -> None:
        self._theme.wear(settings)
        self.show_place()
        self._servers.begin()
        self.tasks.start(self._api.apply())
        self.settings_saved.emit(settings)

    def _on_dialog_finished(self) -> None:
        self._dialog = None
        self.parts.composer.setFocus()
