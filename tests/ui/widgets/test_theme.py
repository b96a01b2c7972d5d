from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontInfo, QGuiApplication, QIcon, QPalette, QRawFont
from PySide6.QtWidgets import QComboBox, QPushButton, QStyle, QStyleOptionComboBox, QWidget

from playhead.ui.widgets.theme import READABLE, Theme, Tokens, fit_on_screen

RESOURCES = Path(__file__).parents[3] / "resources"
READABLE_BY_ALL = 7.0
"""What WCAG asks for at its highest level."""


@pytest.fixture
def theme(qapp):
    theme = Theme(RESOURCES, "light")
    yield theme
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    theme.deleteLater()


def luminance(colour: str) -> float:
    ink = QColor(colour)
    channels = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (ink.redF(), ink.greenF(), ink.blueF())
    ]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


PAIRS = {
    "text": "bg side raised header code_bg bubble hover pressed running selection",
    "mute": "bg side raised header code_bg bubble hover",
    "faint": "bg side raised header code_bg",
    "accent": "bg raised accent_bg",
    "on_accent": "accent accent_hover",
    "warn": "bg warn_bg",
    "danger": "bg danger_bg",
    "ok": "bg code_bg",
    **dict.fromkeys(
        ("keyword", "string", "number", "function", "comment", "operator"), "bg code_bg running"
    ),
}


@pytest.mark.parametrize("name", ["light", "dark", "light-contrast", "dark-contrast"])
def test_every_text_can_be_read_on_every_ground_it_is_put_on(name):
    tokens = Tokens.load(RESOURCES / "themes" / f"{name}.json")
    least = READABLE_BY_ALL if "contrast" in name else READABLE
    for ink, grounds in PAIRS.items():
        for ground in grounds.split():
            ratio = contrast(tokens.of(ink), tokens.of(ground))
            assert ratio >= least, f"{ink} on {ground}: {ratio:.2f}"
    for index, colour in enumerate(tokens.ansi):
        assert contrast(colour, tokens.code_bg) >= least, f"terminal colour {index}"


def test_the_list_of_a_combo_box_has_one_line_around_it(theme, qapp, qtbot):
    """As a menu that lies over the box, Fusion draws a second frame around the list."""
    theme.apply(qapp)
    box = QComboBox()
    qtbot.addWidget(box)
    box.ensurePolished()
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    assert not box.style().styleHint(QStyle.StyleHint.SH_ComboBox_Popup, option, box)


def test_the_application_wears_the_colours_and_changes_them_live(theme, qapp, qtbot):
    theme.apply(qapp)
    button = QPushButton("Run")
    qtbot.addWidget(button)
    button.setProperty("kind", "primary")
    button.resize(80, 30)

    def ground():
        return button.grab().toImage().pixelColor(12, 4).name().upper()

    assert ground() == theme.tokens.accent == "#3B5BDB"
    with qtbot.waitSignal(theme.changed):
        theme.set_mode("dark")
    assert ground() == theme.tokens.accent == "#8CA4FF"
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == theme.tokens.bg


class SystemHints:
    """What the system says of the look that the user wants."""

    scheme = Qt.ColorScheme.Light
    contrast = Qt.ContrastPreference.NoPreference

    def colorScheme(self):
        return self.scheme

    def accessibility(self):
        return self

    def contrastPreference(self):
        return self.contrast


def test_high_contrast_is_the_system_s_or_the_user_s_choice(theme, monkeypatch):
    class Hints(SystemHints):
        contrast = Qt.ContrastPreference.HighContrast

    changes = []
    theme.changed.connect(lambda: changes.append(theme.tokens.name))
    theme.set_contrast("high")
    theme.set_contrast("normal")
    monkeypatch.setattr(QGuiApplication, "styleHints", Hints)
    theme._on_scheme_changed()
    theme.set_contrast("system")
    theme.set_mode("dark")
    assert changes == ["light-contrast", "light", "light-contrast", "dark-contrast"]


def test_the_system_s_scheme_is_followed_only_in_system_mode(theme, monkeypatch):
    class Hints(SystemHints):
        scheme = Qt.ColorScheme.Dark

    monkeypatch.setattr(QGuiApplication, "styleHints", Hints)
    changes = []
    theme.changed.connect(lambda: changes.append(theme.tokens.name))
    theme._on_scheme_changed()
    assert changes == []
    theme.set_mode("system")
    assert changes == ["dark"]


def test_the_shipped_type_faces_are_used(theme):
    assert QFontInfo(theme.font(13)).family() == "Inter"
    code = QFontInfo(theme.code_font())
    assert code.family() == "JetBrains Mono NL"
    assert code.fixedPitch()
    joins = QRawFont.fromFont(theme.code_font()).fontTable("GSUB")
    assert joins.contains(b"ccmp")
    assert not joins.contains(b"calt"), "code is shown as it is written"


def test_every_icon_can_be_drawn_in_the_colour_of_a_token(theme):
    names = [path.stem for path in (RESOURCES / "icons").glob("*.svg")]
    assert len(names) >= 60
    for name in names:
        image = theme.pixmap(name, "accent", 16, 2.0).toImage()
        assert image.width() == 32
        inks = {
            image.pixelColor(x, y).name().upper()
            for x in range(32)
            for y in range(32)
            if image.pixelColor(x, y).alpha() == 255
        }
        assert theme.tokens.accent in inks, name
    assert isinstance(theme.icon("copy"), QIcon)
    assert not theme.icon("copy").isNull()


@pytest.mark.usefixtures("qapp")
def test_a_window_is_never_larger_than_its_screen() -> None:
    window = QWidget()
    room = window.screen().availableSize()
    fit_on_screen(window, 100_000, 200)
    assert (window.width() < room.width(), window.height()) == (True, 200)
    fit_on_screen(window, 300, 100_000)
    assert (window.width(), window.height() < room.height()) == (300, True)
