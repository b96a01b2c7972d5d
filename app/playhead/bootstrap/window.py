"""The program with its window: paint first, then what is slow; close in order."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QIcon, QSessionManager

from playhead import __version__
from playhead.api.server.api_switch import ApiSwitch, window_policy
from playhead.bootstrap.core import Overrides, build_core, close_on_signals
from playhead.bootstrap.maintenance import make_maintenance, record_crashes
from playhead.domain.key_route import RouteAnswer, RouteQuestion
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.errors import AppError, StorageError, phrase
from playhead.event_loop import run
from playhead.providers.worker import WorkerStatus
from playhead.single_instance import SingleInstance
from playhead.storage import log_file, paths
from playhead.storage.crash_reports import WINDOW, CrashWatch
from playhead.storage.settings import stored_scale
from playhead.storage.working_folders import WorkingFolders
from playhead.ui.desktop.application import Application
from playhead.ui.shell.main_window import MainWindow
from playhead.ui.shell.notices import show_disk_notice, show_ignored_switches, show_keyring_wait
from playhead.ui.widgets.message_box import confirm_unsaved
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import install_translation, preferred_languages, tr_error

if TYPE_CHECKING:
    from playhead.api.server.api_server import ApiServer
    from playhead.api.server.server_options import ServerOptions
    from playhead.bootstrap.server import ProgramAccess

_log = logging.getLogger(__name__)
_startup_log = logging.getLogger("playhead.startup")
_UNSAVED = "unsaved"
_SCALE = "QT_SCALE_FACTOR"


def run_window(files: Sequence[str], log_level: str) -> int:
    """Open the window and stay until it is closed; the exit status.

    A second start hands `files` (absolute paths) to the first window and ends at once.
    """
    log_file.begin(paths.logs_dir(), log_level)
    with record_crashes(WINDOW) as crashes:
        return _run(files, crashes)


def _run(files: Sequence[str], crashes: CrashWatch) -> int:
    app = _application()
    app.setApplicationName("playhead")
    app.setApplicationDisplayName("Playhead")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("playhead")
    app.setQuitOnLastWindowClosed(False)
    install_translation(app, paths.resources_dir() / "translations", preferred_languages())
    app.setWindowIcon(QIcon(str(paths.resources_dir() / "app" / "playhead-256.png")))
    instance = SingleInstance(paths.data_dir())
    try:
        if instance.claim(files) == "handed_over":
            return 0
        return run(_Window(app, instance, files, crashes).live(), app)
    except AppError as error:  # no window exists yet to show it
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        instance.close()


def _application() -> Application:
    """Make the application with the scale that the user set, which Qt reads only here.

    Programs that we start have their own scale.
    """
    percent = stored_scale(paths.settings_path())
    if percent == 100 or _SCALE in os.environ:
        return Application([sys.argv[0]])
    os.environ[_SCALE] = f"{percent / 100}"
    try:
        return Application([sys.argv[0]])
    finally:
        del os.environ[_SCALE]


def _working_folders() -> WorkingFolders:
    """Return the folders of conversations: below the system's for documents, or on the stick."""
    if paths.is_portable():
        return WorkingFolders(paths.data_dir() / "files", paths.data_dir() / "files")
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    home = Path.home()
    return WorkingFolders(Path(documents or home) / "Playhead", home / "Playhead")


class _Window:
    """The window's life: paint first, then start what is slow, close in order."""

    def __init__(
        self,
        app: Application,
        instance: SingleInstance,
        files: Sequence[str],
        crashes: CrashWatch,
    ) -> None:
        self._app = app
        self._crashes = crashes
        self._may_lose = False
        self._instance = instance
        self._files = list(files)
        self._core = build_core(Overrides(folders=_working_folders()))
        ports = self._core.ports
        self._theme = Theme(paths.resources_dir())
        self._theme.wear(ports.settings.current)
        self._theme.apply(app)
        self._access: ProgramAccess | None = None
        self._api = ApiSwitch(ports.settings, ports.keys, self._make_server, self._core.token)
        self._window = MainWindow(
            self._core.sessions,
            ports.settings,
            ports.keys,
            ports.catalog,
            ports.interpreters,
            ports.provider,
            self._theme,
            paths.data_dir() / "attachments",
            api=self._api,
        )

    async def live(self) -> int:
        """Show the window, run until it asks to be closed, close everything."""
        is_closing = asyncio.Event()

        def end_at_once() -> None:
            self._may_lose = True
            is_closing.set()

        def end_with_session(log_out: QSessionManager) -> None:
            if not self._window.closing.holds_log_out(log_out):
                end_at_once()

        self._window.close_requested.connect(is_closing.set)
        self._app.commitDataRequest.connect(end_with_session)
        with self._defects_reported(), close_on_signals(end_at_once):
            painted = asyncio.Event()
            self._window.painted.connect(_log_first_paint)
            self._window.painted.connect(painted.set)
            self._window.show()
            await painted.wait()
            _collect_garbage_again()
            self._window.tasks.start(self._start())
            await is_closing.wait()
            while self._core.history.unsaved and not self._may_lose:
                is_closing.clear()
                self._window.raise_window()
                confirm_unsaved(self._window, self._core.history.unsaved, end_at_once)
                await is_closing.wait()
            await self._close()
        return 0

    async def _start(self) -> None:
        """Start what the first paint did not need."""
        core = self._core
        core.routes.ask = self._ask_route
        core.history.on_failure(self._on_history_failure)
        self._instance.activated.connect(self._on_activated)
        core.worker.subscribe(self._on_worker_status)
        core.worker.on_exit(self._crashes.record_worker)
        self._on_settings_saved(core.ports.settings.current)
        core.keys.on_waiting(self._on_keyring_waiting)
        parts = self._window.parts
        self._window.help.upkeep.begin(
            make_maintenance(core), parts.notifications, self._window.tasks
        )
        self._window.settings_saved.connect(self._on_settings_saved)
        notices = [core.ports.settings.notice, await self._opened_history()]
        if self._tells_of_lock(notices[-1]):
            _log.error("%s", notices.pop())
        for notice in filter(None, notices):
            show_disk_notice(parts.notifications, notice)
        await self._load_consents()
        self._app.files_opened.connect(self._on_activated)
        if files := self._files + self._app.take_early_files():
            self._window.open_paths(files)
        _startup_log.info("ready_ms=%.0f", _process_age_ms())
        await self._api.apply()
        await core.executor.look_for_languages()
        if core.ports.settings.current.interpreter:
            return  # the managed one is made when somebody chooses it
        with contextlib.suppress(AppError):  # reported where the interpreter is shown, and at a run
            await core.interpreters.default()

    async def _load_consents(self) -> None:
        """Let count what the person has switched on, and name what the file claims beyond that."""
        settings = self._core.settings
        await settings.load()
        self._window.show_place()
        if settings.ignored:
            notifications = self._window.parts.notifications
            show_ignored_switches(notifications, settings.ignored, self._window.open_settings)

    async def _ask_route(self, question: RouteQuestion) -> RouteAnswer:
        from playhead.ui.dialogs.key_route_dialog import ask_route  # rarely needed

        self._window.raise_window()
        return await ask_route(question, self._window)

    def _tells_of_lock(self, notice: str) -> bool:
        """Show a notice while conversations are read-only; return whether they are."""
        try:
            self._core.sessions.expect_writable()
        except StorageError as error:
            notifications = self._window.parts.notifications
            notifications.show_notice(tr_error(error).title, notice, key="read-only")
            return True
        return False

    async def _opened_history(self) -> str:
        try:
            return await self._core.sessions.start()
        except StorageError as error:
            return str(tr_error(error))

    async def _close(self) -> None:
        self._instance.refuse()  # starting it again now asks for a window that stays
        self._window.hide()
        await self._window.shut_down()
        try:
            await self._api.close()
            if self._access is not None:
                await self._access.close()
        finally:
            await self._core.close()
        self._window.deleteLater()

    def _make_server(self, options: ServerOptions, token: Callable[[], Secret | None]) -> ApiServer:
        from playhead.bootstrap.server import ProgramAccess, make_server

        if self._access is None:
            policy = window_policy(self._core.ports.settings)
            self._access = ProgramAccess(self._core, policy)
        return make_server(self._core, self._access, options, token)

    def _on_activated(self, files: list[str]) -> None:
        self._window.raise_window()
        if files:
            self._window.open_paths(files)

    def _on_settings_saved(self, settings: AppSettings) -> None:
        """Start the worker ahead of the first message, which would wait for it."""
        self._window.tasks.start(self._core.warm_model(settings))

    def _on_keyring_waiting(self, is_waiting: bool) -> None:
        show_keyring_wait(self._window.parts.notifications, is_waiting=is_waiting)

    def _on_worker_status(self, status: WorkerStatus) -> None:
        self._window.set_model_starting(status == "starting")

    def _on_history_failure(self, error: Exception | None) -> None:
        if error is None:
            self._window.parts.notifications.withdraw(_UNSAVED)
        elif isinstance(error, StorageError) and error.code == "damaged":
            show_disk_notice(self._window.parts.notifications, str(error))
        elif isinstance(error, AppError):
            self._window.parts.notifications.show_error(error, key=_UNSAVED)
        else:
            self._report(type(error), error, error.__traceback__)

    @contextlib.contextmanager
    def _defects_reported(self) -> Any:
        """Send errors that no part has handled to the log and, in words, to the window."""
        loop = asyncio.get_running_loop()
        previous = sys.excepthook, threading.excepthook
        sys.excepthook = self._report
        threading.excepthook = lambda args: loop.call_soon_threadsafe(self._on_thread_failure, args)
        loop.set_exception_handler(self._on_loop_failure)
        try:
            yield
        finally:
            sys.excepthook, threading.excepthook = previous
            loop.set_exception_handler(None)

    def _on_thread_failure(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._report(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_loop_failure(self, _loop: object, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._report(type(error), error, error.__traceback__)
        else:
            _log.error("the event loop: %s", context.get("message"))

    def _report(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        _log.critical("a defect", exc_info=(kind, error, trace))
        self._crashes.record(error.with_traceback(trace))
        self._window.show_error(
            AppError(
                "Something in Playhead itself went wrong.",
                detail=phrase(
                    "{kind} — the log file has the details: {folder}",
                    kind=kind.__name__,
                    folder=paths.logs_dir(),
                ),
                remedy="Your conversations are safe. If it keeps happening, please report it: "
                "“Crash reports…” in the menu has what you need.",
            )
        )


def _log_first_paint() -> None:
    _startup_log.info("first_paint_ms=%.0f", _process_age_ms())


def _collect_garbage_again() -> None:
    """Start garbage collection again, except of what was made at the start and stays."""
    gc.freeze()
    gc.enable()


def _process_age_ms() -> float:
    """Return the milliseconds since this process was started, or 0 if the system does not say."""
    try:
        with open("/proc/self/stat", encoding="ascii") as file:
            started_ticks = int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return 0.0
    return (
        time.clock_gettime(time.CLOCK_BOOTTIME) - started_ticks / os.sysconf("SC_CLK_TCK")
    ) * 1e3
