"""Style rules of the window's own parts, beside those of the theme."""

from __future__ import annotations

from string import Template

from playhead.ui.theme import Theme

_RULES = Template("""
QPushButton[kind="foot"] { background: transparent; border: 1px solid transparent; color: $mute;
  padding: 1px 5px; font-size: 12px; font-weight: 400; border-radius: 5px; }
QPushButton[kind="foot"]:hover { background: $hover; color: $text; }
QPushButton[kind="foot"]:checked { background: $hover; color: $text; }
QPushButton[kind="foot"]:focus { border-color: $accent; }
QToolButton[kind="foot"] { padding: 2px; border-radius: 5px; }
QPushButton[kind="quiet-row"] { background: transparent; border: 1px solid transparent;
  color: $mute; text-align: left; padding: 4px 8px; font-size: 12px; font-weight: 400; }
QPushButton[kind="quiet-row"]:hover { background: $hover; color: $text; }
QPushButton[kind="quiet-row"]:focus { border-color: $accent; }
QFrame[kind="ask"] QLabel { background: transparent; }
QFrame[kind="ask"] QLabel[kind="warn"] { font-size: 12px; }
QFrame[kind="ask"] QPushButton[kind="quiet"] { color: $warn; }
QFrame[kind="ask"] QPushButton[kind="quiet"]:hover { background: $warn_line; color: $text; }
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
QFrame[kind="composer"] QPlainTextEdit { font-size: 14px; }
QFrame[kind="palette"] { background: $raised; border: 1px solid $line_strong;
  border-radius: 10px; }
QLineEdit[kind="palette"] { background: transparent; border: 0; padding: 7px 8px;
  font-size: 14px; }
QTreeWidget[kind="palette"] { background: transparent; border: 0; padding: 0; }
QTreeWidget[kind="palette"]::item { height: 32px; border: 0; padding: 0 8px; }
QTreeWidget[kind="palette"]::item:selected { background: $hover; color: $text; }
QTreeWidget[kind="palette"]::item:hover { background: $hover; }
QSplitter::handle { background: $line; }
QPlainTextEdit[kind="code"] { background: $bg; border: 0; border-radius: 0; padding: 4px 8px; }
""")


def window_style(theme: Theme) -> str:
    """The rules in the colours of the theme in force."""
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
    return _RULES.substitute(colours)
