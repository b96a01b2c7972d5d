"""The look: one table of colours for light and one for dark, and what is made from them.

`Theme.apply` gives an application Fusion, a palette and a style sheet; widgets choose their part
of it by a property: `setProperty("kind", "primary")`. Kinds: QPushButton primary, danger, quiet,
chip, row, icon · QLabel title, strong, mute, faint, section, warn, danger, pill, chip · QFrame
card, composer, ask, problem, chip, hairline · QWidget page, sidebar, bar, foot · text fields and
lists bare.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Literal

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication

from playhead.ui import fonts
from playhead.ui.icons import SIZE_PX, TEXT_GAP_PX, IconSet

Mode = Literal["system", "light", "dark"]

# The only distances there are, in pixels.
GAP_XS, GAP_S, GAP_M, GAP_L, GAP_XL, GAP_XXL, GAP_XXXL = 4, 6, 8, 12, 16, 24, 28
RADIUS_BUTTON, RADIUS_CARD, RADIUS_COMPOSER = 7, 10, 14
BAR_HEIGHT = 48
SIDEBAR_WIDTH = 236
COLUMN_WIDTH = 760
"""The widest that text may run."""
CODE_PX = 13
PROSE_PX = 14


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme as `#RRGGBB`; any text on any ground it is used on has 4.5 : 1."""

    name: str
    bg: str
    side: str
    raised: str
    header: str
    code_bg: str
    bubble: str
    hover: str
    pressed: str
    line: str
    line_strong: str
    text: str
    mute: str
    faint: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_bg: str
    running: str
    selection: str
    warn: str
    warn_bg: str
    warn_line: str
    danger: str
    danger_bg: str
    danger_line: str
    ok: str
    keyword: str
    string: str
    number: str
    function: str
    comment: str
    operator: str
    ansi: tuple[str, ...]

    @property
    def is_dark(self) -> bool:
        """Whether these are the colours of the dark theme."""
        return self.name == "dark"

    def of(self, name: str) -> str:
        """A colour by the name of its token."""
        return str(getattr(self, name))

    def of_style(self, style: str) -> str:
        """The colour of a code style (`keyword`, `string`, … ); unknown ones are text."""
        known = ("keyword", "string", "number", "function", "comment", "operator")
        return self.of(style) if style in known else self.text

    @classmethod
    def load(cls, path: Path) -> Tokens:
        """Read one theme's file."""
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        table["ansi"] = tuple(table["ansi"])
        return cls(name=path.stem, **table)


class Theme(QObject):
    """The colours in force. Owner: bootstrap.

    `changed()` comes after the application wears the new colours.
    """

    changed = Signal()

    def __init__(
        self, resources: Path, mode: Mode = "system", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.resources = resources
        self._folder = resources / "themes"
        self._tables = {
            name: Tokens.load(self._folder / f"{name}.json") for name in ("light", "dark")
        }
        self._icons = IconSet(resources / "icons")
        self._app: QApplication | None = None
        self._mode: Mode = mode
        fonts.load(resources / "fonts")
        self._tokens = self._tables[self._wanted()]
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return self._tokens

    @property
    def mode(self) -> Mode:
        """What the user chose."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Follow the system, or be light or dark whatever it is."""
        self._mode = mode
        self._refresh()

    def colour(self, name: str) -> QColor:
        """A colour by the name of its token."""
        return QColor(self._tokens.of(name))

    def icon(self, name: str, colour: str = "mute") -> QIcon:
        """A line icon, by its Lucide name, in the colour of a token."""
        return self._icons.icon(name, self._tokens.of(colour))

    def label_icon(self, button: QAbstractButton, name: str, colour: str = "text") -> None:
        """Put an icon before the text of a button, with some air between."""
        button.setIcon(self._icons.beside_text(name, self._tokens.of(colour)))
        button.setIconSize(QSize(SIZE_PX + TEXT_GAP_PX, SIZE_PX))

    def pixmap(self, name: str, colour: str, size_px: int, ratio: float = 1.0) -> QPixmap:
        """The same as a picture for painting."""
        return self._icons.pixmap(name, self._tokens.of(colour), size_px, ratio)

    def font(self, size_px: int = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """The type of the window."""
        return fonts.sans(size_px, weight)

    def code_font(self, size_px: int = CODE_PX) -> QFont:
        """The type of code and output."""
        return fonts.mono(size_px)

    def apply(self, app: QApplication) -> None:
        """Dress the application; later changes of the theme dress it again."""
        self._app = app
        app.setStyle("Fusion")
        app.setFont(self.font())
        self._dress(app)

    def _wanted(self) -> str:
        if self._mode != "system":
            return self._mode
        scheme = QGuiApplication.styleHints().colorScheme()
        return "dark" if scheme == Qt.ColorScheme.Dark else "light"

    def _on_scheme_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        tokens = self._tables[self._wanted()]
        if tokens is self._tokens:
            return
        self._tokens = tokens
        if self._app is not None:
            self._dress(self._app)
        self.changed.emit()

    def _dress(self, app: QApplication) -> None:
        app.setPalette(_palette(self._tokens))
        template = Template((self._folder / "style.qss").read_text(encoding="utf-8"))
        words = {name: self._tokens.of(name) for name in Tokens.__slots__ if name != "ansi"}
        app.setStyleSheet(
            template.substitute(words, mode=self._tokens.name, themes=self._folder.as_posix())
        )


def _palette(tokens: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for one, name in {
        role.Window: "bg",
        role.Base: "bg",
        role.AlternateBase: "side",
        role.Button: "raised",
        role.ToolTipBase: "raised",
        role.WindowText: "text",
        role.Text: "text",
        role.ButtonText: "text",
        role.ToolTipText: "text",
        role.BrightText: "text",
        role.PlaceholderText: "faint",
        role.Highlight: "selection",
        role.HighlightedText: "text",
        role.Link: "accent",
        role.LinkVisited: "accent",
        role.Accent: "accent",
        role.Light: "raised",
        role.Midlight: "line",
        role.Mid: "line",
        role.Dark: "line_strong",
        role.Shadow: "line_strong",
    }.items():
        palette.setColor(one, QColor(tokens.of(name)))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(tokens.faint))
    return palette
