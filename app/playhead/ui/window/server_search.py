"""Looks for model servers on this machine once, while no model is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QTimer

from playhead.domain.model import LocalServer
from playhead.session.ports import Catalog, Settings
from playhead.ui.tasks import TaskOwner

_DELAY_MS = 400


class ServerSearch(QTimer):
    """Owner: the main window, which asks after its first paint and when the settings changed."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        tasks: TaskOwner,
        on_found: Callable[[Sequence[LocalServer]], object],
    ) -> None:
        super().__init__(tasks)
        self._catalog = catalog
        self._settings = settings
        self._on_found = on_found
        self._has_begun = False
        self.setSingleShot(True)
        self.setInterval(_DELAY_MS)
        self.timeout.connect(lambda: tasks.start(self._find()))

    def begin(self) -> None:
        """Once, and not before there is something to offer them for."""
        if not self._has_begun and not self._settings.current.model:
            self._has_begun = True
            self.start()

    async def _find(self) -> None:
        self._on_found(await self._catalog.local_servers())
