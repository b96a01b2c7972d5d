"""An open window for tests: real sessions and history; model and server are scripted.

So is the kernel, unless a test brings a real executor.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from playhead.domain.model import LocalServer
from playhead.domain.settings import AppSettings
from playhead.session.code_ports import (
    CodeReader,
    Executor,
    FarSide,
    FileEffects,
    LayerPackages,
    RiskReader,
    SavedVariables,
)
from playhead.session.ports import Interpreters, Places
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.storage.history.sqlite_history import SqliteHistory
from playhead.ui.shell.main_window import MainWindow
from playhead.ui.widgets.theme import Theme
from tests.support.ports import (
    Answer,
    ApiInMemory,
    OneInterpreter,
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    SettingsInMemory,
    SmallCatalog,
    ports_with,
)
from tests.support.waiting import until


class Catalog(SmallCatalog):
    """Finds a server on this machine and counts how often it was asked."""

    probes = 0

    async def local_servers(self) -> list[LocalServer]:
        self.probes += 1
        return [LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/llama3",))]


class Bench:
    """An open window."""

    def __init__(
        self,
        theme: Theme,
        home: Path,
        settings: AppSettings | None,
        *answers: Answer,
        executor: Executor | None = None,
        arming_ms: int = 0,
        reader: CodeReader | None = None,
        before: Callable[[MainWindow], object] | None = None,
        sandbox: ReportedSandbox | None = None,
        files: FileEffects | None = None,
        risks: RiskReader | None = None,
        saved_variables: SavedVariables | None = None,
        packages: LayerPackages | None = None,
        interpreters: Interpreters | None = None,
        places: Places | None = None,
        far_side: FarSide | None = None,
    ) -> None:
        self.executor = RecordingExecutor()
        self.provider = ScriptedProvider(*answers)
        self.settings = SettingsInMemory(settings)
        self.ports = ports = replace(
            ports_with(self.provider, self.executor, sandbox),
            settings=self.settings,
            executor=executor or self.executor,
            reader=reader,
            files=files,
            risks=risks,
            saved_variables=saved_variables,
            packages=packages,
            interpreters=interpreters or OneInterpreter(),
            places=places,
            far_side=far_side,
        )
        self.catalog = Catalog()
        self.api = ApiInMemory(self.settings)
        self.sessions = Sessions(ports, SqliteHistory(home / "history.sqlite3"))
        self.window = MainWindow(
            theme, self.settings.current, home / "attachments", arming_ms=arming_ms
        )
        if before is not None:
            before(self.window)
        self.window.join(
            self.sessions,
            self.settings,
            ports.keys,
            self.catalog,
            ports.interpreters,
            self.provider,
            self.api,
        )
        self.parts = self.window.parts

    @property
    def session(self) -> Session:
        session = self.window.view.session
        assert session is not None
        return session

    @property
    def ran(self) -> list[str]:
        return [request.code for request in self.executor.requests]

    def send(self, text: str) -> None:
        QTest.keyClicks(self.parts.composer.text_edit, text)
        QTest.keyClick(self.parts.composer.text_edit, Qt.Key.Key_Return)

    def type_code(self, text: str) -> None:
        target = self.parts.pane.editor.widget.focusProxy()
        assert target is not None
        QTest.keyClicks(target, text)

    async def asked(self) -> None:
        await until(lambda: self.parts.approval.is_armed)

    async def rests(self) -> None:
        await until(lambda: self.session.state == "idle")

    def click(self, button: QAbstractButton) -> None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@asynccontextmanager
async def opened(
    theme: Theme,
    home: Path,
    *answers: Answer,
    settings: AppSettings | None = None,
    executor: Executor | None = None,
    arming_ms: int = 0,
    reader: CodeReader | None = None,
    before: Callable[[MainWindow], object] | None = None,
    sandbox: ReportedSandbox | None = None,
    files: FileEffects | None = None,
    risks: RiskReader | None = None,
    saved_variables: SavedVariables | None = None,
    packages: LayerPackages | None = None,
    interpreters: Interpreters | None = None,
    places: Places | None = None,
    far_side: FarSide | None = None,
) -> AsyncIterator[Bench]:
    """Open a window; with an executor code runs in its kernels and is not only recorded.

    `before` does something in the window that is not joined to sessions yet.
    """
    bench = Bench(
        theme,
        home,
        settings,
        *answers,
        executor=executor,
        arming_ms=arming_ms,
        reader=reader,
        before=before,
        sandbox=sandbox,
        files=files,
        risks=risks,
        saved_variables=saved_variables,
        packages=packages,
        interpreters=interpreters,
        places=places,
        far_side=far_side,
    )
    await bench.sessions.start()
    bench.window.resize(1480, 940)
    bench.window.show()
    bench.window.activateWindow()
    await until(bench.window.isActiveWindow)  # before that its shortcuts are not heard
    try:
        yield bench
    finally:
        await bench.window.shut_down()
        await bench.sessions.close()
        bench.window.deleteLater()
