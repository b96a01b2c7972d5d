"""The pane above the composer with what runs did in a copy of the folder, to apply or discard."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextEdit,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.text.file_effects import difference_text, reason_text
from playhead.ui.widgets.form import FormNote
from playhead.ui.widgets.theme import set_kind
from playhead.ui.widgets.wording import format_size, mark, tr, tr_n

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QResizeEvent

    from playhead.domain.conversation.payloads import FileChange, FileChanges, FileConflict
    from playhead.ui.widgets.theme import Theme

Status = Literal["created", "changed", "moved", "deleted"]
_NARROW_PX = 620
_ROW_PX, _MOST_ROWS, _DIFF_PX = 26, 6, 150
_LOW_PX, _LEAST_ROWS, _LOW_DIFF_PX = 760, 3, 84
_ICONS: dict[Status, tuple[str, str]] = {
    "created": ("file-plus-corner", "ok"),
    "changed": ("file-pen", "accent"),
    "moved": ("arrow-right", "accent"),
    "deleted": ("file-minus-corner", "danger"),
}
_WORDS: dict[Status, str] = {
    "created": mark("new"),
    "changed": mark("changed"),
    "moved": mark("moved"),
    "deleted": mark("deleted"),
}
_UNSEEN = dict.fromkeys(
    [
        *range(32),
        *range(0x7F, 0xA0),
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        *range(0x2066, 0x206A),
    ],
    "\N{REPLACEMENT CHARACTER}",
)
"""Characters that break a line or change the direction of a text."""


class _TickDelegate(QStyledItemDelegate):
    """Draws the ticks in the window's colours: the style's own cannot be seen in the dark."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a cell, and its tick once more."""
        super().paint(painter, option, index)
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        if state is None:
            return
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        widget = shown.widget
        element = QStyle.SubElement.SE_ItemViewItemCheckIndicator
        box = widget.style().subElementRect(element, shown, widget).adjusted(0, 0, -1, -1)
        is_on = Qt.CheckState(state) is Qt.CheckState.Checked
        colour = self._theme.colour
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour("accent" if is_on else "mute"))
        painter.setBrush(colour("accent" if is_on else "bg"))
        painter.drawRoundedRect(box, 3, 3)
        painter.restore()
        if is_on:
            self._theme.icon("check", "on_accent").paint(painter, box.adjusted(1, 1, 0, 0))


class ReviewPane(QFrame):
    """Shows what would change; never takes the focus by itself. Owner: the window's layout.

    Signals: `applied(object paths)`, none for all of it; `discarded()`.
    """

    applied = Signal(object)
    discarded = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._changes: FileChanges | None = None
        self._is_filling = self._is_busy = False
        self._can_decide = True
        self.setProperty("kind", "notice")
        self.setAccessibleName(tr("Changes in the copy"))
        self._icon = QLabel(self)
        self.title = QLabel(self)
        self.title.setProperty("kind", "strong")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.fold_button = QToolButton(self)
        self.fold_button.clicked.connect(lambda: self._fold(is_open=self.body.isHidden()))
        self.apply_button = self._button("primary", lambda: self.applied.emit(()))
        self.chosen_button = self._button("", lambda: self.applied.emit(self.chosen))
        self.discard_button = self._button("quiet", self._on_discard)
        self.list = self._make_list()
        self.diff = self._make_diff()
        self.notes, self.limits = FormNote(), FormNote()
        self.body = QWidget(self)
        self._lay_out()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return the paths with a tick."""
        return tuple(
            path
            for one in self._items()
            if one.checkState(0) is Qt.CheckState.Checked
            for path in one.data(0, Qt.ItemDataRole.UserRole).paths
        )

    def show_changes(
        self, changes: FileChanges | None, *, is_rest: bool, is_busy: bool, can_decide: bool
    ) -> None:
        """Show what waits; nothing hides the pane. `is_rest`: some of it was applied already.

        A person can decide while no code runs.
        """
        is_empty = changes is None or not (changes.listed or changes.note)
        self._is_busy, self._can_decide = is_busy, can_decide
        if changes is not None and changes != self._changes:
            self._fill(changes)
        self._changes = changes
        if changes is not None:
            self._show_words(changes, is_rest)
        self._show_buttons()
        self.setVisible(not is_empty)

    def _fill(self, changes: FileChanges) -> None:
        """List the files; ticks that were taken away stay away."""
        unticked = {
            one.data(0, Qt.ItemDataRole.UserRole).change.path
            for one in self._items()
            if one.checkState(0) is Qt.CheckState.Unchecked
        }
        conflicts = {one.path: one for one in changes.conflicts}
        self._is_filling = True
        self.list.clear()
        groups: tuple[tuple[Status, tuple[FileChange, ...]], ...] = (
            ("created", changes.created),
            ("changed", changes.changed),
            ("moved", changes.moved),
            ("deleted", changes.deleted),
        )
        rows = [
            _Row(status, change, conflicts.get(change.path) or conflicts.get(change.old_path))
            for status, group in groups
            for change in group
        ]
        rows.sort(key=lambda row: row.conflict is None)
        for row in rows:
            is_ticked = row.conflict is None and row.change.path not in unticked
            self.list.addTopLevelItem(self._item(row, is_ticked=is_ticked))
        self._is_filling = False
        self.list.setVisible(bool(rows))
        self._show_diff()
        self._take_room()

    def _take_room(self) -> None:
        """Take less of a low window: the conversation is to be seen, too."""
        is_low = self.window().height() < _LOW_PX
        most = _LEAST_ROWS if is_low else _MOST_ROWS
        count = min(max(self.list.topLevelItemCount(), 1), most)
        self.list.setFixedHeight(_ROW_PX * count + 4)
        self.diff.setFixedHeight(_LOW_DIFF_PX if is_low else _DIFF_PX)
        self.limits.setVisible(not is_low)

    def _item(self, row: _Row, *, is_ticked: bool) -> QTreeWidgetItem:
        item = QTreeWidgetItem([row.name, row.detail()])
        item.setData(0, Qt.ItemDataRole.UserRole, row)
        item.setCheckState(0, Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
        item.setToolTip(0, row.name)
        item.setToolTip(1, row.detail())
        name, colour = ("triangle-alert", "warn") if row.conflict else _ICONS[row.status]
        item.setIcon(0, self._theme.icon(name, colour))
        item.setForeground(1, self._theme.colour("warn" if row.conflict else "mute"))
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setSizeHint(0, QSize(0, _ROW_PX))
        return item

    def _show_words(self, changes: FileChanges, is_rest: bool) -> None:
        count = sum(changes.counts) + changes.moved_count
        if not count:
            words = tr("Only files that are not listed would change.")
        elif is_rest:
            words = tr_n("%n more files would change.", count, one="1 more file would change.")
        else:
            words = tr(
                "Nothing has happened to your folder yet. {count}",
                count=tr_n("%n files would change.", count, one="1 file would change."),
            )
        self.title.setText(words)
        told: list[str] = []
        hidden = count - len(changes.listed)
        if hidden > 0:
            told.append(tr_n("%n more are not listed.", hidden, one="1 more is not listed."))
        if changes.conflicts:
            conflicts = max(changes.conflicts_total, len(changes.conflicts))
            told.append(
                tr_n(
                    "You have changed %n of them meanwhile: they stay as they are unless you "
                    "tick them.",
                    conflicts,
                    one="You have changed one of them meanwhile: it stays as it is unless you "
                    "tick it.",
                )
            )
        if changes.note:
            told.append(changes.note)
        self.notes.show_text(" ".join(told), "warn" if changes.conflicts else "mute")

    def _show_buttons(self) -> None:
        every = self._items()
        chosen = sum(one.checkState(0) is Qt.CheckState.Checked for one in every)
        is_ready = self._can_decide and not self._is_busy
        self.apply_button.setText(tr("Applying…") if self._is_busy else tr("Apply all"))
        self.apply_button.setEnabled(is_ready)
        conflicts = any(one.data(0, Qt.ItemDataRole.UserRole).conflict for one in every)
        is_choice = 0 < chosen < len(every) or (conflicts and chosen > 0)
        self.chosen_button.setText(tr_n("Apply %n chosen", chosen, one="Apply 1 chosen"))
        self.chosen_button.setVisible(is_choice)
        self.chosen_button.setEnabled(is_ready)
        self.discard_button.setText(tr("Discard"))
        self.discard_button.setEnabled(is_ready)
        tip = "" if self._can_decide else tr("Code is running: decide when it has ended.")
        for button in (self.apply_button, self.chosen_button, self.discard_button):
            button.setToolTip(tip)

    def _on_discard(self) -> None:
        self.discarded.emit()

    def _on_ticked(self, _item: QTreeWidgetItem, _column: int) -> None:
        if not self._is_filling:
            self._show_buttons()

    def _show_diff(self) -> None:
        """Show what would change in the file that is selected."""
        item = self.list.currentItem()
        row = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        diff = row.diff if isinstance(row, _Row) else ""
        self.diff.setVisible(bool(diff))
        if diff:
            self.diff.setHtml(self._diff_html(diff))

    def _diff_html(self, diff: str) -> str:
        colours = {"+": self._theme.colour("ok"), "-": self._theme.colour("danger")}
        mute = self._theme.colour("mute")

        def colour(line: str) -> str:
            is_head = line.startswith(("---", "+++"))
            return (mute if is_head else colours.get(line[:1], mute)).name()

        lines = (
            f'<span style="color:{colour(line)}">{escape(line)}</span>'
            for line in diff.splitlines()
        )
        return f"<pre>{'<br>'.join(lines)}</pre>"

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return [one for one in found if one is not None]

    def _fold(self, *, is_open: bool) -> None:
        self.body.setVisible(is_open)
        self._on_theme_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the words when both do not fit on one row."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        direction = QBoxLayout.Direction
        self._head.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)
        self._take_room()

    def _button(self, kind: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton(self)
        set_kind(button, kind)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: slot())
        return button

    def _make_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setProperty("kind", "review")
        rows.setColumnCount(2)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setAccessibleName(tr("Files that would change"))
        rows.setItemDelegate(_TickDelegate(self._theme, rows))
        header = rows.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        rows.itemChanged.connect(self._on_ticked)
        rows.currentItemChanged.connect(lambda *_: self._show_diff())
        return rows

    def _make_diff(self) -> QTextEdit:
        view = QTextEdit(self)
        view.setReadOnly(True)
        view.setTabChangesFocus(True)
        view.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        view.setAccessibleName(tr("What would change in the file"))
        view.hide()
        return view

    def _lay_out(self) -> None:
        words = QHBoxLayout()
        words.setSpacing(8)
        words.addWidget(self.fold_button)
        words.addWidget(self._icon)
        words.addWidget(self.title, 1)
        buttons = QWidget(self)
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addStretch(1)
        for button in (self.discard_button, self.chosen_button, self.apply_button):
            row.addWidget(button)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(8)
        self._head.addLayout(words, 1)
        self._head.addWidget(buttons)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self.limits.show_text(
            tr(
                "In a copy folders cannot be renamed, files with several names come apart, and "
                "large files are copied when they are first changed."
            )
        )
        for widget in (self.notes, self.list, self.diff, self.limits):
            column.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(self._head)
        layout.addWidget(self.body)

    def _on_theme_changed(self) -> None:
        theme = self._theme
        is_open = not self.body.isHidden()
        self._icon.setPixmap(theme.icon("copy", "accent").pixmap(16, 16))
        self.fold_button.setIcon(theme.icon("chevron-down" if is_open else "chevron-right", "mute"))
        words = tr("Hide the files") if is_open else tr("Show the files")
        self.fold_button.setToolTip(words)
        self.fold_button.setAccessibleName(words)
        self.diff.setFont(theme.code_font())
        if self._changes is not None:
            self._fill(self._changes)


class _Row:
    """A file of the list, and what the person has done to it meanwhile."""

    def __init__(self, status: Status, change: FileChange, conflict: FileConflict | None) -> None:
        self.status: Status = status
        self.change = change
        self.conflict = conflict

    @property
    def name(self) -> str:
        """Return the name in one line."""
        name = self.change.path.translate(_UNSEEN)
        old = self.change.old_path.translate(_UNSEEN)
        return f"{old} → {name}" if old else name

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths that belong together."""
        return tuple(filter(None, (self.change.path, self.change.old_path)))

    @property
    def diff(self) -> str:
        """Return what would change; of a file that was changed meanwhile first that."""
        yours = self.conflict.diff if self.conflict is not None else ""
        parts = (yours and f"{tr('Your change:')}\n{yours}\n", self.change.diff)
        if yours and self.change.diff:
            parts = (parts[0], f"{tr('The change of the code:')}\n{parts[1]}")
        return "\n".join(filter(None, parts))

    def detail(self) -> str:
        """Return what would happen to it."""
        change = self.change
        is_folder = change.kind == "folder" and self.status == "created"
        words = [tr("new folder") if is_folder else tr(_WORDS[self.status])]
        if self.conflict is not None:
            words = [tr("changed by you, too")]
        if change.files > 1:
            words.append(tr_n("%n files", change.files, one="1 file"))
        elif change.kind not in ("folder", "link") and self.status != "deleted":
            words.append(format_size(change.size_bytes))
        words += filter(None, [difference_text(change, tr)])
        if change.uncovered:
            words.append(tr("no undo: {reason}", reason=reason_text(change.uncovered, tr)))
        return " · ".join(words)
