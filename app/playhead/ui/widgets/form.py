"""Rows of a form: a label beside its fields, notes below that are never cut, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.widgets.theme import set_kind
from playhead.ui.widgets.wording import tr

Rows = Sequence[Sequence[QWidget]]
_FIELD_PX = 32  # a line edit of the window's style
_LABEL_PX = 128  # the longest label: the fields of all grids are aligned
_N = TypeVar("_N", int, float)


class FieldError(ValueError):
    """A field has a value that cannot be saved; the text says which one and why."""


class FormNote(QLabel):
    """A text under a field; hidden while it is empty.

    One whose place is kept moves nothing below it when it comes and goes. Layouts keep the height
    that a wrapping label had when it was hidden, so it sets its own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines = 0
        self.setProperty("kind", "mute")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWordWrap(True)
        self.hide()

    def show_text(self, text: str, kind: str = "mute") -> None:
        """Show these words in the colour of their kind."""
        set_kind(self, kind)
        self.setText(text)
        self.setVisible(bool(text))
        if text or not self._lines:
            self._demand_height()

    def keep_place(self, lines: int) -> None:
        """Keep this number of lines free for a text that comes later; 0 for none."""
        self._lines = lines
        keep_place(self, lines > 0)
        self._demand_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the new width."""
        super().resizeEvent(event)
        self._demand_height()

    def _demand_height(self) -> None:
        self.ensurePolished()  # in the size of its style
        kept = self._lines * self.fontMetrics().lineSpacing()
        self.setMinimumHeight(0)  # a label never asks for less than this
        self.setMinimumHeight(max(kept, self.heightForWidth(self.width()) if self.text() else 0))


def keep_place(widget: QWidget, is_kept: bool = True) -> None:
    """Let a layout keep the place of a widget while it is hidden."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(is_kept)
    widget.setSizePolicy(policy)


def form_grid(owner: QWidget) -> QGridLayout:
    """Return a grid for `add_row`, with labels as wide as in every other grid."""
    grid = QGridLayout(owner)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(10)
    grid.setColumnMinimumWidth(0, _LABEL_PX)
    grid.setColumnStretch(1, 1)
    return grid


def line(placeholder: str, name: str = "") -> QLineEdit:
    """Return a field for one line of text; `name` is for assistive technology."""
    field = QLineEdit()
    field.setPlaceholderText(placeholder)
    if name:
        field.setAccessibleName(name)
    return field


def style_combo_boxes(owner: QWidget) -> None:
    """Give the lists of all combo boxes the spacing of the style."""
    for box in owner.findChildren(QComboBox):
        box.setItemDelegate(QStyledItemDelegate(box))


def text_area(name: str, placeholder: str, height_px: int) -> QPlainTextEdit:
    """Return a field for several lines, which Tab leaves."""
    field = QPlainTextEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    field.setFixedHeight(height_px)
    field.setTabChangesFocus(True)
    return field


def show_number(field: QLineEdit, value: float | None) -> None:
    """Fill a field with a number, as `read_number` reads it; None leaves it empty."""
    field.setText("" if value is None else f"{value}".removesuffix(".0"))


def read_number(name: str, field: QLineEdit, low: int, high: int, kind: type[_N]) -> _N | None:
    """Return the number in a field, None if it is empty. Raises FieldError."""
    text = field.text().strip().replace(",", ".")
    if not text:
        return None
    try:
        value = kind(text)
    except ValueError:
        raise FieldError(
            tr("{name} must be a number, or empty for the default.", name=name)
        ) from None
    if not low <= value <= high:
        raise FieldError(
            tr("{name} must be between {low} and {high}.", name=name, low=low, high=high)
        )
    return value


def add_row(grid: QGridLayout, label: str, rows: Rows) -> QLabel:
    """Append a label, level with its first field, and rows of fields; return the label."""
    number = grid.rowCount()
    words = QLabel(label)
    if label:  # without one the row is as high as what is shown of it
        words.setMinimumHeight(min(_FIELD_PX, rows[0][0].sizeHint().height()))
    words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    grid.addWidget(words, number, 0, Qt.AlignmentFlag.AlignTop)
    column = QVBoxLayout()
    column.setSpacing(4)
    for widgets in rows:
        column.addLayout(_row(widgets))
    grid.addLayout(column, number, 1)
    return words


def _row(widgets: Sequence[QWidget]) -> QBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        is_button = isinstance(widget, QPushButton)
        if is_button:
            widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row.addWidget(widget, 0 if is_button else 1)
    if all(isinstance(widget, QPushButton) for widget in widgets):
        row.addStretch(1)
    return row
