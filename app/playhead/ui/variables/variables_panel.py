"""The panel under the editor: what names the kernel holds, in columns."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
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
from playhead.ui.theme import Theme
from playhead.ui.variables.variables_model import NAME, SORT_ROLE, VALUE, VariablesModel
from playhead.ui.wording import tr, tr_n

_HEADER_PX = 34
_WIDTHS = (116, 90, 74, 80)


class VariablesPanel(QWidget):
    """Shows names, or words in their place. Owner: the editor pane.

    Signals: `opened(name)` when a table is double-clicked, `refresh_requested()`,
    `close_requested()`.
    """

    opened = Signal(str)
    refresh_requested = Signal()
    close_requested = Signal()

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
        self.setMinimumHeight(96)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.say("")

    def sizeHint(self) -> QSize:
        """Seven names without scrolling."""
        return QSize(400, 230)

    def show_variables(self, variables: list[Variable]) -> None:
        """These are the names now."""
        self.model.set_dim(False)
        self.model.show_variables(variables)
        changed = sum(one.is_changed for one in variables)
        words = f"{len(variables):,}" + (" · " + tr_n("%n changed", changed) if changed else "")
        self._count.setText(words if variables else "")
        self._stack.setCurrentWidget(self.list if variables else self._words)
        if not variables:
            self._words.setText(tr("No names yet. What the code defines is listed here."))

    def say(self, words: str) -> None:
        """Words in the place of the names."""
        self.model.show_variables([])
        self._count.setText("")
        self._words.setText(words)
        self._stack.setCurrentWidget(self._words)

    def set_busy(self) -> None:
        """The code runs: names that are known stay, in grey."""
        if self.model.variables:
            self.model.set_dim(True)
            self._count.setText(tr("read when the code rests"))
        else:
            self.say(tr("The code is running. Its names are read when it rests."))

    @property
    def words(self) -> str:
        """What is said in the place of names; '' while names are shown."""
        return self._words.text() if self._stack.currentWidget() is self._words else ""

    def _make_header(self) -> QWidget:
        header = QFrame(self)
        header.setProperty("kind", "page")
        header.setFixedHeight(_HEADER_PX)
        title = QLabel(tr("Variables"), header)
        title.setProperty("kind", "strong")
        self._count = QLabel(header)
        self._count.setProperty("kind", "mute")
        self._refresh = self._button(header, tr("Read the names again"))
        self._close = self._button(header, tr("Hide the variables"))
        self._refresh.clicked.connect(self.refresh_requested)
        self._close.clicked.connect(self.close_requested)
        layout = QHBoxLayout(header)
        layout.setContentsMargins(14, 0, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(title)
        layout.addWidget(self._count)
        layout.addStretch(1)
        layout.addWidget(self._refresh)
        layout.addWidget(self._close)
        return header

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
        """Double click, or Enter."""
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
