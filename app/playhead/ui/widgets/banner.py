"""Banners inside the window, which show errors and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.widgets.wording import tr, tr_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playhead.errors import AppError
    from playhead.ui.widgets.theme import Theme


class BannerAction(Struct, frozen=True):
    """A button of a banner."""

    label: str
    run: Callable[[], object]


class BannerArea(QWidget):
    """Shows banners, the newest on top, until they are closed or acted on.

    A notice goes by itself after `passing_ms`, or when the next one comes; it waits for that while
    the mouse or the focus is in it and while the window is not the active one. An error stays, also
    beside the next ones. Both go with the user's next action: `clear_passing`. One with a key is
    for something that lasts: it replaces the one before, others do not displace it, and `withdraw`
    ends it. The same message twice is one banner. Signal: `shown(str title)` for each new one.
    """

    shown = Signal(str)
    most_errors = 3
    passing_ms = 10_000

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
        self,
        title: str,
        detail: str = "",
        action: BannerAction | None = None,
        key: str = "",
        others: Sequence[BannerAction] = (),
    ) -> Banner:
        """Show a banner that is not about a failure; `others` are further buttons."""
        return self._add(Banner(self._theme, title, detail, False, action, self, key, others))

    def withdraw(self, key: str) -> None:
        """Remove the banner of a key."""
        for banner in self.banners:
            if banner.key == key:
                self._remove(banner)

    def clear_passing(self) -> None:
        """Remove the banners that are not about something that lasts."""
        for banner in self.banners:
            if not banner.key:
                self._remove(banner)

    def _add(self, banner: Banner) -> Banner:
        before = self.banners
        self._banners.insert(0, banner)
        self._column.insertWidget(0, banner)
        for old in before:
            if old.key == banner.key and (banner.key or old.words == banner.words):
                self._remove(old)
        passing = [one for one in self._banners if not one.key]
        errors = [one for one in passing if one.is_error]
        notices = [one for one in passing if not one.is_error]
        for old in [*notices[1:], *errors[self.most_errors :]]:
            self._remove(old)
        banner.closed.connect(lambda: self._remove(banner))
        if not banner.key and not banner.is_error:
            banner.pass_after(self.passing_ms)
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
        others: Sequence[BannerAction] = (),
    ) -> None:
        super().__init__(parent)
        self.title, self.detail, self.key, self.is_error = title, detail, key, is_error
        self._passing = QTimer(self)
        self._passing.timeout.connect(self._on_passing)
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
        self.others = [self._make_button(one) for one in others]
        if action is not None:
            self.button = self._make_button(action)
            row.addWidget(self.button)
        for button in self.others:
            row.addWidget(button)
        row.addWidget(self._make_close(theme), 0, Qt.AlignmentFlag.AlignTop)

    @property
    def words(self) -> tuple[str, str]:
        """Return the title and the detail."""
        return self.title, self.detail

    def pass_after(self, time_ms: int) -> None:
        """Close the banner by itself after a while, but not while it is looked at or unseen."""
        self._passing.start(time_ms)

    def _on_passing(self) -> None:
        focus = QApplication.focusWidget()
        is_used = self.underMouse() or (focus is not None and self.isAncestorOf(focus))
        if self.isActiveWindow() and not is_used:
            self.closed.emit()

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
        return button

    def _make_close(self, theme: Theme) -> QToolButton:
        close = QToolButton(self)
        close.setIcon(theme.icon("x", "mute"))
        close.setAccessibleName(tr("Close message"))
        close.setToolTip(tr("Close"))
        close.clicked.connect(self.closed)
        return close
