"""The kernel's names as rows for a view."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QFont, QPainter, QPixmap

from playhead.domain.execution import Variable
from playhead.ui.composer.attachments import format_size
from playhead.ui.theme import Theme
from playhead.ui.wording import mark, tr

HEADS = (mark("Name"), mark("Type"), mark("Shape"), mark("Size"), mark("Value"))
NAME, TYPE, SHAPE, SIZE, VALUE = range(5)
SORT_ROLE = Qt.ItemDataRole.UserRole
_DOT_PX = 6
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class VariablesModel(QAbstractTableModel):
    """One row a name; what the last run changed carries a dot. Owner: the panel."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._variables: list[Variable] = []
        self._is_dim = False

    @property
    def variables(self) -> list[Variable]:
        """What is shown."""
        return self._variables

    def show_variables(self, variables: list[Variable]) -> None:
        """Other names, or the same with other values; a selection of names outlives the latter."""
        names = [one.name for one in variables]
        if names == [one.name for one in self._variables]:
            self._variables = variables
            self._tell_all()
            return
        self.beginResetModel()
        self._variables = variables
        self.endResetModel()

    def set_dim(self, is_dim: bool) -> None:
        """Whether the values may be old: the code is running."""
        if is_dim != self._is_dim:
            self._is_dim = is_dim
            self._tell_all()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """One for each name."""
        return 0 if parent.isValid() else len(self._variables)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Name, type, shape, size and value."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' heads."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section == SIZE:
            return _RIGHT
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands in a cell and how."""
        variable, column = self._variables[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _texts(variable)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(variable, column)
            case Qt.ItemDataRole.DecorationRole if column == NAME:
                return _dot(self._theme, variable.is_changed)
            case Qt.ItemDataRole.ForegroundRole:
                is_quiet = self._is_dim or column not in (NAME, VALUE)
                return QBrush(self._theme.colour("mute" if is_quiet else "text"))
            case Qt.ItemDataRole.FontRole:
                return self._font(column)
            case Qt.ItemDataRole.TextAlignmentRole if column == SIZE:
                return _RIGHT
            case Qt.ItemDataRole.AccessibleTextRole if column == NAME and variable.is_changed:
                return tr("{name}, changed in the last run", name=variable.name)
            case _ if role == SORT_ROLE:
                return variable.size_bytes if column == SIZE else _texts(variable)[column].lower()
            case _:
                return None

    def _font(self, column: int) -> QFont:
        return self._theme.code_font(12) if column in (NAME, VALUE) else self._theme.font(12)

    def _tell_all(self) -> None:
        if self._variables:
            last = self.index(len(self._variables) - 1, len(HEADS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)


def _texts(variable: Variable) -> tuple[str, ...]:
    size = format_size(variable.size_bytes) if variable.size_bytes > 0 else ""
    return variable.name, variable.type, variable.shape, size, variable.value


def _tip(variable: Variable, column: int) -> str:
    if variable.is_table and column == NAME:
        return tr("Double click opens it as a table")
    if variable.is_changed and column == NAME:
        return tr("Changed in the last run")
    return _texts(variable)[column]


def _dot(theme: Theme, is_shown: bool) -> QPixmap:
    """A dot in the accent's colour, or as much air."""
    pixmap = QPixmap(_DOT_PX, _DOT_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    if is_shown:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        painter.drawEllipse(0, 0, _DOT_PX, _DOT_PX)
        painter.end()
    return pixmap
