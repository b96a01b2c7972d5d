"""The window's life after its first paint: what is slow starts now; all ends in order."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QSessionManager

from playhead.api.server.api_switch import ApiSwitch, window_policy
from playhead.bootstrap.core import Overrides, build_core, close_on_signals, when_made
from playhead.bootstrap.maintenance import make_maintenance
from playhead.domain.key_route import RouteAnswer, RouteQuestion
from playhead.domain.policy_options import policy_wish
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.errors import AppError, StorageError, phrase
from playhead.event_loop import run
from playhead.single_instance import SingleInstance
from playhead.storage import log_file, paths
from playhead.storage.crash_reports import CrashWatch
from playhead.storage.settings import SettingsFile
from playhead.storage.working_folders import WorkingFolders
from playhead.ui.desktop.application import Application
from playhead.ui.shell.main_window import MainWindow
from playhead.ui.shell.notices import show_disk_notice, show_ignored_switches, show_keyring_wait
from playhead.ui.widgets.message_box import confirm_unsaved
from playhead.ui.widgets.wording import tr_error

if TYPE_CHECKING:
    from playhead.api.server.api_server import ApiServer
    from playhead.api.server.server_options import ServerOptions
    from playhead.bootstrap.server import ProgramAccess
    from playhead.providers.worker import ModelWorker, WorkerStatus

_log = logging.getLogger(__name__)
_UNSAVED = "unsaved"


def live(
    app: Application,
    window: MainWindow,
    settings: SettingsFile,
    folders: WorkingFolders,
    instance: SingleInstance,
    files: Sequence[str],
    crashes: CrashWatch,
) -> int:
    """Run the program in a window that is painted, until it is closed; the exit status."""
    # With any handler here, asyncio sets none, whose `repr` would import `inspect`: 1 MB.
    signal.signal(signal.SIGINT, _interrupt)
    return run(WindowLife(app, window, settings, folders, instance, files, crashes).live(), app)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


class WindowLife:
    """Joins the painted window to the rest of the program; closes all in order."""

    def __init__(
        self,
        app: Application,
        window: MainWindow,
        settings: SettingsFile,
        folders: WorkingFolders,
        instance: SingleInstance,
        files: Sequence[str],
        crashes: CrashWatch,
    ) -> None:
        self._app = app
        self._window = window
        self._crashes = crashes
        self._may_lose = False
        self._instance = instance
        self._files = list(files)
        policy = policy_wish(None, os.environ)
        self._core = build_core(
            Overrides(folders=folders, policy=policy, has_window=True), settings
        )
        ports = self._core.ports
        self._garbage = GarbageSchedule(self._is_busy, window)
        self._access: ProgramAccess | None = None
        self._api = ApiSwitch(ports.settings, ports.keys, self._make_server, self._core.token)

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
            ports = self._core.ports
            self._core.boundary.expect_test()
            self._window.join(
                self._core.sessions,
                ports.settings,
                ports.keys,
                ports.catalog,
                ports.interpreters,
                ports.provider,
                self._api,
            )
            await self._window.open_up()
            self._window.tasks.start(self._start_in_order())
            self._garbage.begin()  # what is there now stays, and is no garbage
            self._window.parts.timeline_made.connect(
                lambda: self._window.tasks.start(self._load_for_runs())
            )
            await is_closing.wait()
            while self._core.history.unsaved and not self._may_lose:
                is_closing.clear()
                self._window.raise_window()
                confirm_unsaved(self._window, self._core.history.unsaved, end_at_once)
                await is_closing.wait()
            await self._close()
        return 0

    def _make_checks(self) -> None:
        from playhead.ui.checks.export_checks import ExportChecks

        window, core = self._window, self._core
        python = core.ports.interpreters.default
        window.exports.checks = ExportChecks(core.checker, python, window.current_theme, window)

    async def _start_in_order(self) -> None:
        try:
            await self._start()
        except BaseException:
            self._core.boundary.expect_nothing()  # it may not have come to the test
            raise

    async def _start(self) -> None:
        """Start what the first paint did not need, in short steps."""
        core = self._core
        core.routes.ask = self._ask_route
        core.history.on_failure(self._on_history_failure)
        self._instance.activated.connect(self._on_activated)
        self._instance.listen()
        await asyncio.sleep(0)
        when_made(core.worker, self._watch_worker)
        self._on_settings_saved(core.ports.settings.current)
        core.keys.on_waiting(self._on_keyring_waiting)
        self._make_checks()
        parts = self._window.parts
        self._window.help.upkeep.begin(
            make_maintenance(core), parts.notifications, self._window.tasks
        )
        self._window.settings_saved.connect(self._on_settings_saved)
        await asyncio.sleep(0)
        notices = [core.ports.settings.notice, await self._opened_history()]
        if self._tells_of_lock(notices[-1]):
            _log.error("%s", notices.pop())
        for notice in filter(None, notices):
            show_disk_notice(parts.notifications, notice)
        await core.boundary.load()
        await self._load_consents()
        self._app.files_opened.connect(self._on_activated)
        if files := self._files + self._app.take_early_files():
            self._window.open_paths(files)
        log_file.log_age("ready")
        # As early as this, since what it finds is what the first turn is kept to.
        self._window.tasks.start(core.boundary.test_if_due())
        await self._api.apply()
        await core.executor.prepare()
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

    async def _load_for_runs(self) -> None:
        """Load in short steps what the first run will need; a window at rest does without."""
        for name in _FOR_RUNS:
            await asyncio.sleep(0)
            importlib.import_module(name)
        gc.freeze()

    def _is_busy(self) -> bool:
        return any(not session.is_idle for session in self._core.sessions.open_sessions)

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

    def _watch_worker(self, worker: ModelWorker) -> None:
        worker.subscribe(self._on_worker_status)
        worker.on_exit(self._crashes.record_worker)

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


_FOR_RUNS = (
    "playhead.execution.processes",
    "playhead.kernel.output_decoder",
    "playhead.execution.kernel_process",
    "playhead.execution.results",
    "playhead.execution.run_stream",
    "playhead.execution.live_kernel",
)
"""What the session and the executor import when code is first to run, in this order."""
_LOOK_MS = 2_000
_YOUNG, _MIDDLE, _NEVER = 2_000, 10, 1_000_000_000
_DUE = 10
"""Collections of middle-aged objects after which a full one is due, as in CPython."""
_OVERDUE = 100
"""… and after which it is made even while something streams, so that memory cannot grow for ever.

That is two million objects which were made and not freed at once, an hour of streaming.
"""


class GarbageSchedule(QObject):
    """Has full collections in the pauses between answers, never in a frame of one.

    A full collection looks at all objects that there are, except those that were there at
    `begin`, which stay; the others look at the few that are new. `is_busy` returns whether
    something streams or runs. Owner: the window's life.
    """

    def __init__(self, is_busy: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._is_busy = is_busy
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """Collect from now on."""
        gc.freeze()
        gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
        gc.enable()
        self._timer.start()

    def look(self) -> None:
        """Collect everything if it is due and nothing streams."""
        waiting = gc.get_count()[2]
        if waiting >= (_OVERDUE if self._is_busy() else _DUE):
            gc.collect()
