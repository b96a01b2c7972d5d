"""Banners inside the window, which show errors and notices."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.errors import AppError
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr, tr_error


class BannerAction(Struct, frozen=True):
    """A button of a banner."""

    label: str
    run: Callable[[], object]


class BannerArea(QWidget):
    """Shows banners, the newest on top; they remain until they are closed or acted on.

    The same message twice is one banner. One with a key is for something that lasts: it replaces
    the one before, others do not displace it, and `withdraw` ends it. Signal: `shown(str title)`
    for each new one.
    """

    shown = Signal(str)
    limit = 3

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._banners: list[Banner] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 8, 16, 0)
        self._column.setSpacing(6)
        self.hide()

    @property
    def banners(self) -> list[Banner]:
        """Return the banners on the screen, the newest first."""
        return list(self._banners)

    def show_error(
        self, error: AppError, action: BannerAction | None = None, key: str = ""
    ) -> Banner:
        """Show an error and its remedy in a banner."""
        error = tr_error(error)
        text = "\n".join(part for part in (error.detail, error.remedy) if part)
        return self._add(Banner(self._theme, error.title, text, True, action, self, key))

    def show_notice(
        self, title: str, detail: str = "", action: BannerAction | None = None, key: str = ""
    ) -> Banner:
        """Show a banner that is not about a failure."""
        return self._add(Banner(self._theme, title, detail, False, action, self, key))

    def withdraw(self, key: str) -> None:
        """Remove the banner of a key."""
        for banner in self.banners:
            if banner.key == key:
                self._remove(banner)

    def clear(self) -> None:
        """Remove all banners."""
        for banner in list(self._banners):
            self._remove(banner)

    def _add(self, banner: Banner) -> Banner:
        before = self.banners
        self._banners.insert(0, banner)
        self._column.insertWidget(0, banner)
        for old in before:
            if old.key == banner.key and (banner.key or old.words == banner.words):
                self._remove(old)
        passing = [one for one in self._banners if not one.key]
        for old in passing[self.limit :]:
            self._remove(old)
        banner.closed.connect(lambda: self._remove(banner))
        banner.show()
        self.show()
        self.shown.emit(banner.title)
        return banner

    def _remove(self, banner: Banner) -> None:
        if banner in self._banners:
            self._banners.remove(banner)
            self._column.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self.setVisible(bool(self._banners))


class Banner(QFrame):
    """One message. Signal: `closed()`."""

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        title: str,
        detail: str,
        is_error: bool,
        action: BannerAction | None,
        parent: QWidget,
        key: str = "",
    ) -> None:
        super().__init__(parent)
        self.title, self.detail, self.key = title, detail, key
        self.setProperty("kind", "problem" if is_error else "notice")
        self.setAccessibleName(f"{title} {detail}".strip())
        icon = QLabel(self)
        name, colour = ("circle-alert", "danger") if is_error else ("info", "accent")
        icon.setPixmap(theme.icon(name, colour).pixmap(16, 16))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._make_words(title, detail), 1)
        if action is not None:
            row.addWidget(self._make_button(action))
        row.addWidget(self._make_close(theme), 0, Qt.AlignmentFlag.AlignTop)

    @property
    def words(self) -> tuple[str, str]:
        """Return the title and the detail."""
        return self.title, self.detail

    def _make_words(self, title: str, detail: str) -> QVBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        for text, kind in ((title, "strong"), (detail, "mute")):
            if not text:
                continue
            label = QLabel(text, self)
            label.setProperty("kind", kind)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.addWidget(label)
        return words

    def _make_button(self, action: BannerAction) -> QPushButton:
        button = QPushButton(action.label, self)

        def act() -> None:
            self.closed.emit()
            action.run()

        button.clicked.connect(act)
        self.button = button
        return button

    def _make_close(self, theme: Theme) -> QToolButton:
        close = QToolButton(self)
        close.setIcon(theme.icon("x", "mute"))
        close.setAccessibleName(tr("Close message"))
        close.setToolTip(tr("Close"))
        close.clicked.connect(self.closed)
        return close
