"""Opens what links of the timeline lead to, after saying where that is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from playhead.ui.notifications import BannerAction, Notifications
from playhead.ui.window.session_view import SETTINGS_LINK
from playhead.ui.wording import tr

_OPENED_SCHEMES = ("http", "https", "mailto")


class LinkOpener(QObject):
    """Owner: the main window."""

    def __init__(
        self,
        on_settings: Callable[[], object],
        notifications: Notifications,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._on_settings = on_settings
        self._notifications = notifications

    def open(self, address: str) -> None:
        """Our own addresses at once; others only when the user has seen where they lead."""
        url = QUrl(address)
        if address == SETTINGS_LINK:
            self._on_settings()
        elif url.scheme() in _OPENED_SCHEMES:
            action = BannerAction(tr("Open"), lambda: QDesktopServices.openUrl(url))
            self._notifications.show_notice(tr("Open this address?"), address, action)
        else:
            self._notifications.show_notice(tr("This link is not opened."), address)
