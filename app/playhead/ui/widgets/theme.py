"""The look of the window: colours for light and dark, type and zoom, fonts, icons, style rules.

`Theme.apply` gives an application Fusion, a palette and a style sheet; widgets choose their part
of it by a property: `setProperty("kind", "primary")`. Kinds: QPushButton primary, danger, quiet,
chip, exposed, row, icon · QLabel title, strong, mute, faint, section, warn, danger, pill, chip ·
QFrame card, composer, ask, problem, chip, hairline · QWidget page, sidebar, bar, foot · text fields
and lists bare. `window_style` adds the rules of the window's own parts.
"""

from __future__ import annotations

import json
import logging
from functools import cache, lru_cache
from string import Template
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

    from playhead.domain.settings import AppSettings

SANS = "Inter"
MONO = "JetBrains Mono NL"
"""Without ligatures, which Scintilla cannot switch off, so that code is shown as written."""

_log = logging.getLogger(__name__)


@cache
def load_fonts(folder: Path) -> None:
    """Load the shipped fonts, once; a missing one is replaced by the system's."""
    for path in sorted((*folder.glob("*.otf"), *folder.glob("*.ttf"))):
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            _log.warning("The font %s cannot be read.", path.name)


def sans_font(size_px: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return Inter, or the system's sans serif."""
    font = QFont([SANS, "Segoe UI", "Helvetica Neue", "sans-serif"])
    font.setPixelSize(size_px)
    font.setWeight(weight)
    return font


def mono_font(size_px: int, family: str = "") -> QFont:
    """Return the font for code; ligatures of its substitutes are switched off."""
    font = QFont([*filter(None, (family,)), MONO, "Menlo", "Consolas", "monospace"])
    font.setPixelSize(size_px)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag.fromString("calt"), 0)
    return font


ICON_PX = 16
ICON_GAP_PX = 3
ICON_STROKE = "1.75"


class IconSet:
    """The icons of a folder, for screens of one pixel ratio until `refine` is called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._densities = (1.0,)
        self._sources: dict[str, str] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}

    def refine(self, ratio: float) -> bool:
        """Draw icons for screens of a larger pixel ratio as well; whether they are new ones."""
        if ratio <= 1 or len(self._densities) > 1:
            return False
        self._densities = (1.0, 2.0)
        self._icons.clear()
        return True

    def icon(self, name: str, colour: str) -> QIcon:
        """Return an icon for buttons and menus. Raises FileNotFoundError for an unknown name."""
        key = (name, colour)
        if key not in self._icons:
            icon = QIcon()
            for density in self._densities:
                icon.addPixmap(self.pixmap(name, colour, ICON_PX, density))
            self._icons[key] = icon
        return self._icons[key]

    def beside_text(self, name: str, colour: str) -> QIcon:
        """Return an icon with space on its right, because Qt's four pixels are too few."""
        key = (name, f"{colour} beside text")
        if key not in self._icons:
            icon = QIcon()
            for density in self._densities:
                drawn = self.pixmap(name, colour, ICON_PX, density)
                wide = QPixmap(round((ICON_PX + ICON_GAP_PX) * density), drawn.height())
                wide.fill(Qt.GlobalColor.transparent)
                wide.setDevicePixelRatio(density)
                painter = QPainter(wide)
                painter.drawPixmap(0, 0, drawn)
                painter.end()
                icon.addPixmap(wide)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(self, name: str, colour: str, size_px: int, ratio: float) -> QPixmap:
        """Return a picture of `size_px` logical pixels at a device pixel ratio."""
        key = (name, colour, size_px, ratio)
        if key not in self._pixmaps:
            self._pixmaps[key] = self._draw(name, colour, size_px, ratio)
        return self._pixmaps[key]

    def _draw(self, name: str, colour: str, size_px: int, ratio: float) -> QPixmap:
        svg = self._source(name).replace("currentColor", colour)
        side = round(size_px * ratio)
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, side, side))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _source(self, name: str) -> str:
        if name not in self._sources:
            text = (self._folder / f"{name}.svg").read_text(encoding="utf-8")
            self._sources[name] = text.replace('stroke-width="2"', f'stroke-width="{ICON_STROKE}"')
        return self._sources[name]


Mode = Literal["system", "light", "dark"]
Contrast = Literal["system", "normal", "high"]

# The only distances there are, in pixels.
GAP_XS, GAP_S, GAP_M, GAP_L, GAP_XL, GAP_XXL, GAP_XXXL = 4, 6, 8, 12, 16, 24, 28
RADIUS_BUTTON, RADIUS_CARD, RADIUS_COMPOSER = 7, 10, 14
BAR_HEIGHT = 48
SHIELDS = {
    "held": ("shield-check", "ok"),
    "partly": ("shield-half", "warn"),
    "none": ("shield-off", "danger"),
    "untested": ("shield", "mute"),
}
"""The icon and the colour for what a boundary test found."""
SIDEBAR_WIDTH = 236
COLUMN_WIDTH = 760
"""The largest width of text, in pixels."""
CODE_PX = 13
PROSE_PX = 14
READABLE = 4.5
"""The least contrast of text to its ground, as WCAG wants it."""
_SHADES = 20


class Tokens(Struct, frozen=True, kw_only=True):
    """The colours of one theme as `#RRGGBB`; all text has a contrast of 4.5 : 1 or more."""

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
    def mode(self) -> str:
        """Return light or dark."""
        return self.name.partition("-")[0]

    def of(self, name: str) -> str:
        """Return a colour by the name of its token."""
        return str(getattr(self, name))

    def of_style(self, style: str) -> str:
        """Return the colour of a code style (`keyword`, `string`, …, `accent`), or of text."""
        known = ("keyword", "string", "number", "function", "comment", "operator", "accent")
        return self.of(style) if style in known else self.text

    @classmethod
    def load(cls, path: Path) -> Tokens:
        """Read one theme's file."""
        table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        table["ansi"] = tuple(table["ansi"])
        return cls(name=path.stem, **table)


class TypeLook(Struct, frozen=True, kw_only=True):
    """The type of conversation and editor: sizes at 100 %, the font of code, and the zoom."""

    zoom_percent: int = 100
    prose_px: int = PROSE_PX
    code_px: int = CODE_PX
    code_family: str = ""

    def zoomed(self, size_px: int) -> int:
        """Return a size in pixels at the zoom."""
        return max(1, round(size_px * self.zoom_percent / 100))


class Theme(QObject):
    """Holds the current colours and the type of conversation and editor. Owner: bootstrap.

    `changed()` is emitted after the application has the new colours or another type, `zoomed()`
    when only the zoom is another.
    """

    changed = Signal()
    zoomed = Signal()

    def __init__(
        self, resources: Path, mode: Mode = "system", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.resources = resources
        self._folder = resources / "themes"
        self._tables: dict[str, Tokens] = {}
        self._icons = IconSet(resources / "icons")
        self._app: QApplication | None = None
        self._mode: Mode = mode
        self._contrast: Contrast = "system"
        self.type = TypeLook()
        load_fonts(resources / "fonts")
        self._tokens = self._wanted()
        self._icons.refine(_largest_ratio())
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_scheme_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_scheme_changed)

    @property
    def tokens(self) -> Tokens:
        """Return the current colours."""
        return self._tokens

    @property
    def mode(self) -> Mode:
        """Return the mode that the user chose."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Follow the system, or always be light or dark."""
        self._mode = mode
        self._refresh()

    def wear(self, settings: AppSettings) -> None:
        """Set everything that the user chose."""
        self.set_mode(settings.theme)
        self.set_contrast(settings.contrast)
        self.set_type(
            TypeLook(
                zoom_percent=settings.zoom_percent,
                prose_px=settings.text_px,
                code_px=settings.code_px,
                code_family=settings.code_font,
            )
        )

    def set_contrast(self, contrast: Contrast) -> None:
        """Follow the system, or always have normal or high contrast."""
        self._contrast = contrast
        self._refresh()

    def set_type(self, look: TypeLook) -> None:
        """Set the type of conversation and editor, and the zoom."""
        before, self.type = self.type, look
        if replace(look, zoom_percent=before.zoom_percent) != before:
            self.changed.emit()
        if look.zoom_percent != before.zoom_percent:
            self.zoomed.emit()

    def follow_screens(self) -> None:
        """Draw the icons again if there is a finer screen than before."""
        if self._icons.refine(_largest_ratio()):
            self.changed.emit()

    def colour(self, name: str) -> QColor:
        """Return a colour by the name of its token."""
        return QColor(self._tokens.of(name))

    def icon(self, name: str, colour: str = "mute") -> QIcon:
        """Return a line icon, by its Lucide name, in the colour of a token."""
        return self._icons.icon(name, self._tokens.of(colour))

    def label_icon(self, button: QAbstractButton, name: str, colour: str = "text") -> None:
        """Put an icon before the text of a button, with some space between."""
        button.setIcon(self._icons.beside_text(name, self._tokens.of(colour)))
        button.setIconSize(QSize(ICON_PX + ICON_GAP_PX, ICON_PX))

    def pixmap(self, name: str, colour: str, size_px: int, ratio: float = 1.0) -> QPixmap:
        """Return an icon as a picture for painting."""
        return self._icons.pixmap(name, self._tokens.of(colour), size_px, ratio)

    def font(self, size_px: int = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the font of the window."""
        return sans_font(size_px, weight)

    def code_font(self, size_px: int = CODE_PX) -> QFont:
        """Return the font of code and output."""
        return mono_font(size_px, self.type.code_family)

    def apply(self, app: QApplication) -> None:
        """Style the application, now and after each change of the theme."""
        self._app = app
        app.setStyle("Fusion")
        app.setFont(self.font())
        self._apply_to(app)

    def _wanted(self) -> Tokens:
        hints = QGuiApplication.styleHints()
        is_dark = hints.colorScheme() == Qt.ColorScheme.Dark
        mode = self._mode if self._mode != "system" else "dark" if is_dark else "light"
        asked = hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
        is_high = asked if self._contrast == "system" else self._contrast == "high"
        name = f"{mode}-contrast" if is_high else mode
        if name not in self._tables:
            self._tables[name] = Tokens.load(self._folder / f"{name}.json")
        return self._tables[name]

    def _on_scheme_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        tokens = self._wanted()
        if tokens is self._tokens:
            return
        self._tokens = tokens
        if self._app is not None:
            self._apply_to(self._app)
        self.changed.emit()

    def _apply_to(self, app: QApplication) -> None:
        app.setPalette(_palette(self._tokens))
        template = Template((self._folder / "style.qss").read_text(encoding="utf-8"))
        words = {name: self._tokens.of(name) for name in Tokens.__struct_fields__ if name != "ansi"}
        app.setStyleSheet(
            template.substitute(words, mode=self._tokens.mode, themes=self._folder.as_posix())
        )


def _largest_ratio() -> float:
    app = QGuiApplication.instance()
    return app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0


@lru_cache(maxsize=1024)
def legible(ink: str, ground: str) -> str:
    """Return the ink, darker or lighter as far as it must be to be read on the ground."""
    wanted, under = QColor(ink), _luminance(QColor(ground))
    end = QColor("#FFFFFF" if 1.05 / (under + 0.05) > (under + 0.05) / 0.05 else "#000000")
    mixed = wanted
    for step in range(_SHADES + 1):
        mixed = _mixed(wanted, end, step / _SHADES)
        dark, light = sorted((_luminance(mixed), under))
        if (light + 0.05) / (dark + 0.05) >= READABLE:
            break
    return mixed.name()


def _mixed(one: QColor, other: QColor, share: float) -> QColor:
    return QColor(
        round(one.red() + (other.red() - one.red()) * share),
        round(one.green() + (other.green() - one.green()) * share),
        round(one.blue() + (other.blue() - one.blue()) * share),
    )


def _luminance(colour: QColor) -> float:
    """Return the relative luminance as WCAG defines it."""
    channels = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


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


_WINDOW_RULES = Template("""
QPushButton[kind="foot"] { background: transparent; border: 1px solid transparent; color: $mute;
  padding: 1px 5px; font-size: 12px; font-weight: 400; border-radius: 5px; }
QPushButton[kind="foot-far"] { background: transparent; border: 1px solid transparent;
  color: $accent; padding: 1px 5px; font-size: 12px; font-weight: 400; border-radius: 5px; }
QPushButton[kind="foot-far"]:hover { background: $hover; }
QPushButton[kind="foot-far"]:focus { border-color: $accent; }
QPushButton[kind="foot"]:hover { background: $hover; color: $text; }
QPushButton[kind="foot"]:checked { background: $hover; color: $text; }
QPushButton[kind="foot"]:focus { border-color: $accent; }
QToolButton[kind="foot"] { padding: 2px; border-radius: 5px; }
QPushButton[kind="quiet-row"] { background: transparent; border: 1px solid transparent;
  color: $mute; text-align: left; padding: 4px 8px; font-size: 12px; font-weight: 400; }
QPushButton[kind="quiet-row"]:hover { background: $hover; color: $text; }
QPushButton[kind="quiet-row"]:focus { border-color: $accent; }
QFrame[kind="ask"] QLabel { background: transparent; }
QFrame[kind="ask"] QLabel[kind="warn"], QFrame[kind="ask"] QLabel[kind="danger"] {
  font-size: 12px; }
QFrame[kind="ask"] QPushButton[kind="quiet"] { color: $warn; }
QFrame[kind="ask"] QPushButton[kind="quiet"]:hover { background: $warn_line; color: $text; }
QPushButton[kind="fact"] { background: $bg; border: 1px solid $warn_line; color: $warn;
  padding: 3px 10px; font-size: 12px; }
QPushButton[kind="fact"]:hover { border-color: $warn; }
QPushButton[kind="fact"]:focus { border-color: $accent; }
QFrame[kind="ask"] QToolButton:hover { background: $warn_line; }
QFrame[kind="chip"] QToolButton { padding: 2px; border-radius: 5px; }
QFrame[kind="chip"] { padding: 0; }
QPushButton[kind="auto"] { background: $warn_bg; border: 1px solid $warn_line; color: $warn; }
QPushButton[kind="auto"]:hover { border-color: $warn; }
QFrame[kind="notice"] { background: $header; border: 1px solid $line_strong; border-radius: 10px; }
QListWidget[kind="pages"] { background: transparent; border: 0; padding: 0; }
QListWidget[kind="pages"]::item { height: 30px; padding: 0 10px; border-radius: 7px; }
QListWidget[kind="pages"]::item:selected { background: $hover; color: $text; }
QListView[kind="conversations"] { background: transparent; border: 0; padding: 0; }
QTreeView[kind="variables"], QTableView[kind="cells"] { background: $bg; border: 0; padding: 0;
  alternate-background-color: $bg; gridline-color: $line; }
QTreeView[kind="variables"]::item { height: 24px; border: 0; padding: 0 6px; }
QTreeView[kind="variables"]::item:selected { background: $hover; color: $text; }
QTableView[kind="cells"]::item { padding: 0 10px; border: 0; }
QTableView[kind="cells"]::item:selected { background: $selection; color: $text; }
QHeaderView { background: $bg; border: 0; }
QHeaderView::section { background: $header; color: $mute; border: 0; padding: 4px 10px;
  border-bottom: 1px solid $line; font-size: 12px; font-weight: 500; }
QHeaderView::section:vertical { border-bottom: 0; border-right: 1px solid $line; }
QTableView QTableCornerButton::section { background: $header; border: 0; }
QLabel[kind="hero"] { font-size: 20px; font-weight: 600; }
QLabel[kind="drop"] { background: $accent_bg; color: $accent; border: 2px dashed $accent;
  border-radius: 14px; font-size: 16px; font-weight: 600; }
QLabel[kind="start"] { font-size: 14px; color: $mute; }
QLabel[kind="ok"] { color: $ok; font-size: 12px; }
QDialog QLabel[kind="danger"] { font-size: 12px; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QFrame[kind="palette"] { background: $raised; border: 1px solid $line_strong;
  border-radius: 10px; }
QLineEdit[kind="palette"] { background: transparent; border: 0; padding: 7px 8px;
  font-size: 14px; }
QTreeWidget[kind="hints"] { background: transparent; border: 0; padding: 0; }
QTreeWidget[kind="hints"]::item { height: 22px; border: 0; padding: 0 6px; }
QTreeWidget[kind="hints"]::item:selected { background: $selection; color: $text; }
QTreeWidget[kind="review"] { background: $bg; border: 1px solid $line; padding: 1px; }
QTreeWidget[kind="review"]::item { height: 26px; border: 0; padding: 0 4px; }
QTreeWidget[kind="review"]::item:selected { background: $hover; color: $text; }
QTreeWidget[kind="palette"] { background: transparent; border: 0; padding: 0; }
QTreeWidget[kind="palette"]::item { height: 32px; border: 0; padding: 0 8px; }
QTreeWidget[kind="palette"]::item:selected { background: $hover; color: $text; }
QTreeWidget[kind="palette"]::item:hover:!selected { background: transparent; }
QSplitter::handle { background: $line; }
QPlainTextEdit[kind="code"] { background: $bg; border: 0; border-radius: 0; padding: 4px 8px; }
""")


def set_kind(widget: QWidget, kind: str) -> None:
    """Set the style of a widget, only if it changes, because some are set at every key press."""
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


WINDOW_FRAME = QSize(8, 40)
"""What a window manager may put around a window; its true size is known only once it is shown."""


def fit_on_screen(window: QWidget, width_px: int, height_px: int) -> None:
    """Give a window this size, or as much of it as its screen has room for."""
    room = window.screen().availableSize() - WINDOW_FRAME
    window.resize(QSize(width_px, height_px).boundedTo(room))


def window_style(theme: Theme) -> str:
    """Return the style rules in the current colours."""
    tokens = theme.tokens
    names = (
        "mute",
        "hover",
        "text",
        "accent",
        "warn",
        "warn_bg",
        "warn_line",
        "header",
        "line_strong",
    )
    colours = {
        name: tokens.of(name)
        for name in (*names, "accent_bg", "line", "bg", "ok", "selection", "raised")
    }
    return _WINDOW_RULES.substitute(colours)
