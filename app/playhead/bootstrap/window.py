"""The program with its window: paint first, with no more than that needs, then all the rest."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop
from PySide6.QtGui import QIcon

from playhead import __version__
from playhead.bootstrap.import_cost import leave_tls_out_of_asyncio
from playhead.bootstrap.start_folder import working_folders
from playhead.domain.settings import with_consents
from playhead.errors import AppError
from playhead.single_instance import SingleInstance
from playhead.storage import log_file, paths
from playhead.storage.crash_reports import WINDOW, record_crashes
from playhead.storage.settings import SettingsFile, stored_scale
from playhead.ui.desktop.application import Application
from playhead.ui.shell.main_window import MainWindow
from playhead.ui.shell.window_layout import import_in_steps
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import install_translation, preferred_languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playhead.storage.crash_reports import CrashWatch
    from playhead.storage.working_folders import WorkingFolders

_REST = (
    "playhead.event_loop",
    "playhead.domain.conversation.conversation",
    "playhead.session.session",
    "playhead.session.sessions",
    "playhead.execution.process_executor",
    "playhead.storage.keys.key_store",
    "playhead.storage.process_privacy",
    "playhead.bootstrap.core",
    "playhead.api.server.api_switch",
    "playhead.bootstrap.maintenance",
    "playhead.ui.shell.session_view",
    "playhead.ui.shell.session_bindings",
    "playhead.ui.shell.past.variables_binding",
    "playhead.ui.shell.policy_binding",
    "playhead.ui.shell.result_actions",
    "playhead.ui.shell.document_actions",
    "playhead.ui.shell.composer_binding",
    "playhead.ui.shell.conversation_actions",
    "playhead.ui.shell.window_help",
    "playhead.ui.editor.own_tabs",
    "playhead.ui.desktop.closing_question",
    "playhead.ui.composer.model_switcher",
    "playhead.bootstrap.window_life",
)
"""Asyncio, the sessions, their adapters and what joins the window to them."""
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
    app.setWindowIcon(QIcon(str(paths.resources_dir() / "app" / "playhead-128.png")))
    instance = SingleInstance(paths.data_dir())
    try:
        if instance.claim(files) == "handed_over":
            return 0
        return _open(app, instance, files, crashes)
    except AppError as error:  # no window exists yet to show it
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        instance.close()


def _open(
    app: Application, instance: SingleInstance, files: Sequence[str], crashes: CrashWatch
) -> int:
    """Open the window and stay until it is closed; it ends here, before the application."""
    settings = SettingsFile(paths.settings_path())
    folders = working_folders()
    window = _painted_window(app, settings, folders)
    leave_tls_out_of_asyncio()
    import_in_steps(_REST)
    from playhead.bootstrap.window_life import live

    return live(app, window, settings, folders, instance, files, crashes)


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


def _painted_window(
    app: Application, settings: SettingsFile, folders: WorkingFolders
) -> MainWindow:
    """Return the window, shown and painted; clicks and keys wait in the queue of the system."""
    theme = Theme(paths.resources_dir())
    theme.wear(settings.current)
    theme.apply(app)
    shown = with_consents(settings.current, ())  # what the person has switched on is not read yet
    window = MainWindow(theme, shown, paths.data_dir() / "attachments", folders.base)
    painting = QEventLoop()
    window.painted.connect(painting.quit)
    window.show()
    painting.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    log_file.log_age("first_paint")
    return window
