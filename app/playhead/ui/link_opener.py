"""Opens what links of the timeline lead to, after saying where that is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from playhead.session.session import Session
from playhead.ui.attachments import IMAGE_SUFFIXES
from playhead.ui.notifications import BannerAction, Notifications
from playhead.ui.session_view import SETTINGS_LINK

_PICTURE = "playhead:image?message="
_OPENED_SCHEMES = ("http", "https", "mailto")


class LinkOpener(QObject):
    """Owner: the main window."""

    def __init__(
        self,
        shown: Callable[[], Session | None],
        on_settings: Callable[[], object],
        notifications: Notifications,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._shown = shown
        self._on_settings = on_settings
        self._notifications = notifications

    def open(self, address: str) -> None:
        """Our own addresses at once; others only when the user has seen where they lead."""
        url = QUrl(address)
        if address == SETTINGS_LINK:
            self._on_settings()
        elif address.startswith(_PICTURE):
            self._open_picture(address.removeprefix(_PICTURE))
        elif url.scheme() in _OPENED_SCHEMES:
            action = BannerAction("Open", lambda: QDesktopServices.openUrl(url))
            self._notifications.show_notice("Open this address?", address, action)
        else:
            self._notifications.show_notice("This link is not opened.", address)

    def _open_picture(self, message_id: str) -> None:
        """Show a picture of the conversation in the system's viewer; nothing else is opened so."""
        session = self._shown()
        message = session.conversation.message(message_id) if session else None
        if session is None or message is None:
            return
        path = Path(session.folder) / message.text
        if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
        else:
            self._notifications.show_notice("The picture is not there any more.", str(path))
