"""Style rules of the editor pane's own parts, beside those of the theme."""

from __future__ import annotations

from string import Template

from playhead.ui.theme import Theme

_RULES = Template("""
QPushButton[kind="language"] { background: $accent_bg; color: $accent; border: 1px solid $accent_bg;
  border-radius: 7px; padding: 1px 8px; font-size: 11px; font-weight: 600; }
QPushButton[kind="language"]:hover:enabled { border-color: $accent; }
QPushButton[kind="language"]:focus { border-color: $accent; }
QFrame[kind="find"] { background: $header; border: 0; border-bottom: 1px solid $line; }
QFrame[kind="find"] QLineEdit { padding: 3px 8px; }
QFrame[kind="find"] QToolButton { padding: 3px; min-width: 18px; font-size: 12px; color: $mute; }
QFrame[kind="find"] QToolButton:checked { background: $accent_bg; color: $accent;
  border-color: $accent; }
QFrame[kind="find"] QToolButton:focus { border-color: $accent; }
QLabel[kind="danger"] { color: $danger; font-size: 12px; }
QTabBar { background: $bg; border-bottom: 1px solid $line; }
QTabBar::tab { background: transparent; color: $mute; padding: 5px 10px; border: 1px solid
  transparent; border-bottom: 2px solid transparent; font-size: 12px; }
QTabBar::tab:hover { color: $text; background: $hover; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:selected:focus { border-color: $accent; }
QTabBar QToolButton { background: $bg; border: 0; border-radius: 0; padding: 2px; }
QTabBar QToolButton:hover { background: $hover; }
""")
_NAMES = ("accent_bg", "accent", "header", "line", "mute", "danger", "text", "hover", "bg")


def editor_style(theme: Theme) -> str:
    """The rules in the colours of the theme in force."""
    return _RULES.substitute({name: theme.tokens.of(name) for name in _NAMES})
