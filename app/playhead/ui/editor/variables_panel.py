"""The panel under the editor: the kernel's variables as rows with type, shape, size and value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QFont, QGuiApplication, QKeySequence, QPainter, QPixmap, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.execution import Variable
from playhead.domain.text.run_ends import loss_words
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import format_size, mark, tr, tr_n

HEADS = (mark("Name"), mark("Type"), mark("Shape"), mark("Size"), mark("Value"))
NAME, TYPE, SHAPE, SIZE, VALUE = range(5)
SORT_ROLE = Qt.ItemDataRole.UserRole
_DOT_PX = 6
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class VariablesModel(QAbstractTableModel):
    """Holds one row per variable; those that the last run changed have a dot. Owner: the panel."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._variables: list[Variable] = []
        self._is_dim = False

    @property
    def variables(self) -> list[Variable]:
        """Return the variables that are shown."""
        return self._variables

    def show_variables(self, variables: list[Variable]) -> None:
        """Show other variables, or new values of the same ones, which keeps the selection."""
        names = [one.name for one in variables]
        if names == [one.name for one in self._variables]:
            self._variables = variables
            self._emit_all()
            return
        self.beginResetModel()
        self._variables = variables
        self.endResetModel()

    def set_dim(self, is_dim: bool) -> None:
        """Set whether the values may be old, because code is running."""
        if is_dim != self._is_dim:
            self._is_dim = is_dim
            self._emit_all()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of variables."""
        return 0 if parent.isValid() else len(self._variables)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of columns: name, type, shape, size and value."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the columns' headings."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section == SIZE:
            return _RIGHT
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text and the look of a cell."""
        variable, column = self._variables[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _texts(variable)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(variable, column)
            case Qt.ItemDataRole.DecorationRole if column == NAME:
                return _dot(self._theme, variable)
            case Qt.ItemDataRole.ForegroundRole:
                is_quiet = self._is_dim or column not in (NAME, VALUE) or is_absent(variable)
                return QBrush(self._theme.colour("mute" if is_quiet else "text"))
            case Qt.ItemDataRole.FontRole:
                return self._font(column)
            case Qt.ItemDataRole.TextAlignmentRole if column == SIZE:
                return _RIGHT
            case Qt.ItemDataRole.AccessibleTextRole if column == NAME and variable.is_changed:
                return tr("{name}, changed in the last run", name=variable.name)
            case Qt.ItemDataRole.AccessibleTextRole if column == NAME and variable.survival:
                return f"{variable.name}, {_tip(variable, NAME)}"
            case _ if role == SORT_ROLE:
                return variable.size_bytes if column == SIZE else _texts(variable)[column].lower()
            case _:
                return None

    def _font(self, column: int) -> QFont:
        return self._theme.code_font(12) if column in (NAME, VALUE) else self._theme.font(12)

    def _emit_all(self) -> None:
        if self._variables:
            last = self.index(len(self._variables) - 1, len(HEADS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)


def _texts(variable: Variable) -> tuple[str, ...]:
    size = format_size(variable.size_bytes) if variable.size_bytes > 0 else ""
    return variable.name, variable.type, variable.shape, size, _value(variable)


def is_absent(variable: Variable) -> bool:
    """Return whether the kernel does not have it: it is saved for one, or did not come back."""
    return variable.survival in ("saved", "again", "lost")


def _value(variable: Variable) -> str:
    if variable.survival == "saved":
        return tr("saved for the next kernel")
    if not is_absent(variable):
        return variable.value
    return loss_words(variable.why, variable.line if variable.survival == "again" else 0, tr)


def _tip(variable: Variable, column: int) -> str:
    if variable.is_table and column == NAME:
        return tr("Double click opens it as a table")
    if variable.is_changed and column == NAME:
        return tr("Changed in the last run")
    if variable.survival == "back" and column == NAME:
        return tr("Came back from the last kernel")
    if is_absent(variable) and column == NAME:
        return _value(variable)
    return _texts(variable)[column]


def _dot(theme: Theme, variable: Variable) -> QPixmap:
    """Return a dot for what has changed, a ring for what came back, or an empty picture."""
    pixmap = QPixmap(_DOT_PX, _DOT_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    is_back = variable.survival == "back" and not variable.is_changed
    if is_back:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("accent"))
        painter.drawEllipse(1, 1, _DOT_PX - 3, _DOT_PX - 3)
        painter.end()
    elif variable.is_changed:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        painter.drawEllipse(0, 0, _DOT_PX, _DOT_PX)
        painter.end()
    return pixmap


_HEADER_PX = 34
_WIDTHS = (116, 90, 74, 80)


class VariablesPanel(QWidget):
    """Shows variables, or a message in their place. Owner: the editor pane.

    Signals: `opened(name)` when a table is double-clicked, `refresh_requested()`,
    `close_requested()`, `secrets_switched(bool)` when code is to get the secrets or not.
    """

    opened = Signal(str)
    refresh_requested = Signal()
    close_requested = Signal()
    secrets_switched = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = VariablesModel(theme, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.model)
        self._sorted.setSortRole(SORT_ROLE)
        self.list = self._make_list()
        self._words = QLabel(self)
        self._words.setProperty("kind", "mute")
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setContentsMargins(24, 0, 24, 12)
        body = QWidget(self)
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._words)
        self._stack.addWidget(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_header())
        layout.addWidget(body, 1)
        layout.addWidget(self._make_foot())
        self.setMinimumHeight(96)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.show_text("")

    def sizeHint(self) -> QSize:
        """Return the size of seven variables without scrolling."""
        return QSize(400, 230)

    def show_variables(self, variables: list[Variable], when: str = "") -> None:
        """Show the current variables, or those of another time."""
        self.model.set_dim(False)
        self.model.show_variables(variables)
        changed = sum(one.is_changed for one in variables)
        back = sum(one.survival == "back" for one in variables)
        absent = [one for one in variables if is_absent(one)]
        saved = sum(one.survival == "saved" for one in absent)
        parts = [f"{len(variables) - len(absent):,}"] if len(absent) < len(variables) else []
        parts += [tr_n("%n changed", changed)] if changed else []
        parts += [tr_n("%n came back", back)] if back else []
        parts += [tr_n("%n saved", saved)] if saved else []
        parts += [tr_n("%n not", len(absent) - saved)] if len(absent) > saved else []
        words = " · ".join([*parts, when] if when else parts)
        self._count.setText(words if variables or when else "")
        self._stack.setCurrentWidget(self.list if variables else self._words)
        if not variables:
            self._words.setText(
                tr("No variables yet. Those that the code defines are listed here.")
            )

    def show_text(self, words: str) -> None:
        """Show a message in place of the variables."""
        self.model.show_variables([])
        self._count.setText("")
        self._words.setText(words)
        self._stack.setCurrentWidget(self._words)

    def show_behind(self, is_behind: bool) -> None:
        """Show whether what the last runs changed could not be saved yet."""
        self.behind.setVisible(is_behind)

    def show_elsewhere(self, is_elsewhere: bool) -> None:
        """Show whether the variables are those of another branch than the one that is shown."""
        self.elsewhere.setVisible(is_elsewhere)

    def set_busy(self) -> None:
        """Show that code runs: known variables remain, in grey."""
        if self.model.variables:
            self.model.set_dim(True)
            self._count.setText(tr("read when the code rests"))
        else:
            self.show_text(tr("The code is running. Its variables are read when it has ended."))

    def show_secrets(self, names: Sequence[str], *, is_passed: bool) -> None:
        """Show which variables of the environment look like secrets, and whether code gets them."""
        listed = ", ".join(names)
        given = tr("Given to code: {names}", names=listed)
        kept = tr("Not given to code: {names}", names=listed)
        self.secrets.setText(given if is_passed else kept)
        self.secrets.setToolTip(listed)
        with QSignalBlocker(self.pass_secrets):
            self.pass_secrets.setChecked(is_passed)
        self._foot.setVisible(bool(names))

    @property
    def words(self) -> str:
        """Return the message in place of the variables; '' while they are shown."""
        return self._words.text() if self._stack.currentWidget() is self._words else ""

    def _make_header(self) -> QWidget:
        header = QFrame(self)
        header.setProperty("kind", "page")
        header.setFixedHeight(_HEADER_PX)
        title = QLabel(tr("Variables"), header)
        title.setProperty("kind", "strong")
        self._count = QLabel(header)
        self._count.setProperty("kind", "mute")
        self.elsewhere = QLabel(tr("of another branch"), header)
        self.elsewhere.setProperty("kind", "mute")
        self.elsewhere.setToolTip(
            tr("Code ran last in another branch of this conversation; its variables are here.")
        )
        self.elsewhere.hide()
        self.behind = QLabel(tr("not saved yet"), header)
        self.behind.setProperty("kind", "mute")
        self.behind.setToolTip(
            tr("What the last runs changed could not be saved: a lost kernel would lose it.")
        )
        self.behind.hide()
        self._refresh = self._button(header, tr("Read the variables again"))
        self._close = self._button(header, tr("Hide the variables"))
        self._refresh.clicked.connect(self.refresh_requested)
        self._close.clicked.connect(self.close_requested)
        layout = QHBoxLayout(header)
        layout.setContentsMargins(14, 0, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(title)
        layout.addWidget(self._count)
        layout.addWidget(self.behind)
        layout.addWidget(self.elsewhere)
        layout.addStretch(1)
        layout.addWidget(self._refresh)
        layout.addWidget(self._close)
        return header

    def _make_foot(self) -> QWidget:
        self._foot = QFrame(self)
        self._foot.setProperty("kind", "page")
        self.secrets = ElidedLabel("", self._foot)
        self.secrets.setProperty("kind", "mute")
        self.pass_secrets = QCheckBox(tr("Give them to code"), self._foot)
        self.pass_secrets.setToolTip(
            tr(
                "These variables of the environment look like secrets. Code of this conversation "
                "gets them until Playhead is closed; other languages than Python once the kernel "
                "is restarted."
            )
        )
        self.pass_secrets.toggled.connect(self.secrets_switched)
        layout = QHBoxLayout(self._foot)
        layout.setContentsMargins(14, 2, 8, 4)
        layout.setSpacing(8)
        layout.addWidget(self.secrets, 1)
        layout.addWidget(self.pass_secrets)
        self._foot.hide()
        return self._foot

    def _button(self, parent: QWidget, name: str) -> QToolButton:
        button = QToolButton(parent)
        button.setToolTip(name)
        button.setAccessibleName(name)
        return button

    def _make_list(self) -> QTreeView:
        view = QTreeView(self)
        view.setProperty("kind", "variables")
        view.setAccessibleName(tr("Variables"))
        view.setModel(self._sorted)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setItemsExpandable(False)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        head = view.header()
        head.setSortIndicatorClearable(True)
        head.setSectionsMovable(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setMinimumSectionSize(40)
        for column, width in enumerate(_WIDTHS):
            head.resizeSection(column, width)
        head.setSectionResizeMode(VALUE, QHeaderView.ResizeMode.Stretch)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)
        view.activated.connect(self._on_activated)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        return view

    def _on_activated(self, index: QModelIndex) -> None:
        """Open a variable on a double click, or Enter."""
        variable = self.model.variables[self._sorted.mapToSource(index).row()]
        if variable.is_table:
            self.opened.emit(variable.name)

    def _copy(self) -> None:
        index = self.list.currentIndex()
        if index.isValid():
            texts = [index.siblingAtColumn(column).data() for column in range(NAME, VALUE + 1)]
            QGuiApplication.clipboard().setText("\t".join(text or "" for text in texts))

    def _on_theme_changed(self) -> None:
        self._refresh.setIcon(self._theme.icon("refresh-cw", "mute"))
        self._close.setIcon(self._theme.icon("x", "mute"))
        self.list.viewport().update()
