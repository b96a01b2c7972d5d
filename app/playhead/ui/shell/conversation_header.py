"""The bar above the timeline: the title, the state, the working folder and the interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
)

from playhead.domain.execution import PYTHON
from playhead.domain.text.quantities import format_dollars
from playhead.domain.text.titles import UNTITLED
from playhead.ui.sidebar.model import STATE_WORDS
from playhead.ui.widgets.theme import BAR_HEIGHT, set_kind
from playhead.ui.widgets.wording import place_label, place_tip, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import (
        QMenu,
        QWidget,
    )

    from playhead.domain.conversation.usage import UsageSum
    from playhead.session.session import SessionState
    from playhead.ui.widgets.theme import Theme

_CHIP_PX, _WIDE_CHIP_PX = 150, 300
_ROOM_FOR_BOTH_PX, _ROOM_FOR_MACHINE_PX = 680, 1000
_ROOM_FOR_CLIENT_PX = 480
_ROOM_FOR_COST_PX = 400
_ROOM_FOR_VERBS_PX, _ROOM_FOR_VERBS_AND_PLACE_PX = 440, 560
_ROOM_FOR_TITLE_PX = 90


class ConversationHeader(QFrame):
    """Shows the title, the state and the cost of a conversation, with its buttons.

    Signals: `sidebar_requested()`, `editor_requested()`, `folder_clicked()`,
    `interpreter_clicked()`, `policy_clicked()`, `find_requested()`, `export_requested()`.
    """

    sidebar_requested = Signal()
    editor_requested = Signal()
    folder_clicked = Signal()
    interpreter_clicked = Signal()
    policy_clicked = Signal()
    find_requested = Signal()
    export_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_place_shown = False
        self._interpreter = self._machine = ""
        self._link = ("", "")
        self._is_model_starting = self._has_client = self._has_cost = False
        self._has_messages = False
        self._state: SessionState = "idle"
        self.setProperty("kind", "bar")
        self.setFixedHeight(BAR_HEIGHT)
        self.sidebar_button = self._icon_button(tr("Show the sidebar (Ctrl+B)"))
        self.editor_button = self._icon_button(tr("Show the editor (Ctrl+J)"))
        self.find_button = self._icon_button(tr("Find in this conversation (Ctrl+F)"))
        self.export_button = self._icon_button(tr("Export conversation (Ctrl+Shift+E)"))
        self.more_button = self._icon_button(tr("More"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.title_label = _ElidedLabel(self)
        self.title_label.setProperty("kind", "title")
        self.title_label.setTextFormat(Qt.TextFormat.PlainText)
        self.state_pill = QLabel(self)
        self.state_pill.setProperty("kind", "pill")
        self.state_pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.client_label = QLabel(self)
        self.client_label.setProperty("kind", "mute")
        self.client_label.setTextFormat(Qt.TextFormat.PlainText)
        self.client_label.hide()
        self.cost_label = QLabel(self)
        self.cost_label.setProperty("kind", "mute")
        self.cost_label.setTextFormat(Qt.TextFormat.PlainText)
        self.cost_label.hide()
        self.folder_chip = self._chip(tr("Working folder"))
        self.interpreter_chip = self._chip(tr("Interpreter"))
        self.policy_pill = PolicyPill(theme, self)
        self._lay_out()
        self.sidebar_button.clicked.connect(self.sidebar_requested)
        self.editor_button.clicked.connect(self.editor_requested)
        self.find_button.clicked.connect(self.find_requested)
        self.export_button.clicked.connect(self.export_requested)
        self.folder_chip.clicked.connect(self.folder_clicked)
        self.interpreter_chip.clicked.connect(self.interpreter_clicked)
        self.policy_pill.clicked.connect(self.policy_clicked)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.set_state("idle")
        self.set_title("")

    def set_title(self, title: str) -> None:
        """Set the conversation's title."""
        self.title_label.show_text(title or tr(UNTITLED))
        self._fit_pill()

    def set_client(self, client: str) -> None:
        """Set the program that began the conversation over the API; '' if none did."""
        words = tr("from {client}", client=client)
        elide = self.client_label.fontMetrics().elidedText
        self.client_label.setText(elide(words, Qt.TextElideMode.ElideRight, _CHIP_PX))
        self.client_label.setToolTip(
            tr(
                "Begun by {client} over the API. It is kept once you write here yourself.",
                client=client,
            )
        )
        self._has_client = bool(client)
        self._show_chips()

    def set_state(self, state: SessionState) -> None:
        """Show in words what the conversation is doing; show nothing when it is idle."""
        self._state = state
        self._show_state()

    def _cost_words(self, total: UsageSum) -> str:
        from playhead.ui.timeline.model.turn_cost import cost_text

        return cost_text(total)

    def set_cost(self, total: UsageSum, budget: float = 0.0) -> None:
        """Show what the conversation has cost so far, and its budget; 0 means no budget."""
        words = "" if total.cost is None else self._cost_words(total)
        self._has_cost = bool(words)
        limit = format_dollars(budget) if budget else ""
        self.cost_label.setText(f"{words} / {limit}" if limit and words else words)
        tip = (
            tr(
                "This conversation has cost {cost} of a budget of {budget}",
                cost=words,
                budget=limit,
            )
            if limit
            else tr("This conversation has cost {cost}", cost=words)
        )
        self.cost_label.setToolTip(tip)
        self.cost_label.setAccessibleName(tip)
        self._show_chips()

    def set_model_starting(self, is_starting: bool) -> None:
        """Show that the model is being started, unless another state is shown."""
        self._is_model_starting = is_starting
        self._show_state()

    def set_place(
        self,
        folder: str,
        interpreter: str,
        code_folder: str = "",
        language: str = PYTHON,
        machine: str = "",
    ) -> None:
        """Set the working folder and the interpreter, and the folder that the code has gone to.

        `language` is what the interpreter runs, `machine` where, if not on this computer.
        """
        runs = tr("Runs on this computer: {interpreter}", interpreter=interpreter)
        self._interpreter, self._machine = interpreter, ""
        if machine:
            from playhead.domain.places import nickname  # neither is needed for the first paint
            from playhead.domain.text.policies import elsewhere_text

            self._machine = nickname(machine)
            runs = tr("Runs on {machine}: {interpreter}", machine=machine, interpreter=interpreter)
            runs = f"{runs}\n{elsewhere_text(machine, tr)}"
        if language != PYTHON:
            silent = tr("This kernel says neither which line runs nor which variables it has.")
            runs = f"{runs}\n{silent}"
        for chip in (self.folder_chip, self.interpreter_chip):
            set_kind(chip, "far" if machine else "chip")
        _write(self.folder_chip, place_label(folder, code_folder, machine))
        self._show_interpreter()
        self._on_theme_changed()
        told = place_tip(folder, code_folder, machine)
        for chip, tip in ((self.folder_chip, told), (self.interpreter_chip, runs)):
            chip.setToolTip(tip)
            chip.setAccessibleName(tip)

    def _show_interpreter(self) -> None:
        """Show what runs the code, with the machine where there is room for it."""
        is_wide = self.width() >= _ROOM_FOR_MACHINE_PX
        self.interpreter_chip.setMaximumWidth(_WIDE_CHIP_PX if is_wide else _CHIP_PX)
        machine, interpreter = self._machine or tr("This computer"), self._interpreter
        wide = tr("Runs on {machine} · {interpreter}", machine=machine, interpreter=interpreter)
        _write(self.interpreter_chip, wide if is_wide else self._machine or interpreter)

    def set_link(self, words: str, short: str = "") -> None:
        """Show in place of the state what is to be known of the link to another machine.

        In a narrow window `short` is shown.
        """
        self._link = words, short or words
        self._show_state()

    def show_place(self, is_shown: bool) -> None:
        """Show the folder and the interpreter while the editor, which shows them too, is folded."""
        self._is_place_shown = is_shown
        self._show_chips()
        self.editor_button.setVisible(is_shown)

    def set_empty(self, is_empty: bool) -> None:
        """Disable search and export while the conversation is empty."""
        self._has_messages = not is_empty
        self._show_chips()

    def set_menu(self, menu: QMenu) -> None:
        """Set the menu of the button with the three dots."""
        self.more_button.setMenu(menu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the title first when there is little room."""
        super().resizeEvent(event)
        self._show_state()
        self._show_chips()

    def _show_state(self) -> None:
        is_waiting = self._is_model_starting and self._state in ("idle", "asking")
        words = tr("starting the model…") if is_waiting else tr(STATE_WORDS.get(self._state, ""))
        whole, short = self._link
        room = _ROOM_FOR_BOTH_PX if self._is_place_shown else _ROOM_FOR_VERBS_PX
        words = (short if self.width() < room else whole) or words
        self.state_pill.setText(words)
        self.state_pill.setToolTip(whole)
        self.state_pill.setVisible(bool(words))
        self._fit_pill()

    def _show_chips(self) -> None:
        self.folder_chip.setVisible(self._is_place_shown)
        self._show_interpreter()
        has_room = self.width() >= _ROOM_FOR_BOTH_PX
        self.interpreter_chip.setVisible(self._is_place_shown and has_room)
        self.cost_label.setVisible(self._has_cost and self.width() >= _ROOM_FOR_COST_PX)
        room = _ROOM_FOR_VERBS_AND_PLACE_PX if self._is_place_shown else _ROOM_FOR_VERBS_PX
        has_verbs = self._has_messages and self.width() >= room
        self.find_button.setVisible(has_verbs)
        self.export_button.setVisible(has_verbs)
        self.client_label.setVisible(self._has_client and self.width() >= _ROOM_FOR_CLIENT_PX)
        self._fit_pill()

    def _fit_pill(self) -> None:
        """Give the pill the words for which there is room beside the title."""
        layout = self.layout()
        if layout is None:
            return
        used, shown = 0, 0
        for place in range(layout.count()):
            item = layout.itemAt(place)
            widget = item.widget() if item is not None else None
            if widget is None or widget.isHidden():
                continue
            shown += 1
            if widget not in (self.policy_pill, self.title_label):
                used += widget.sizeHint().width()
        title = min(self.title_label.maximumWidth(), _ROOM_FOR_TITLE_PX)
        around = layout.contentsMargins().left() + layout.contentsMargins().right()
        self.policy_pill.fit(self.width() - around - used - title - 8 * shown)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self.sidebar_button)
        layout.addWidget(self.title_label, 100)
        layout.addWidget(self.client_label)
        layout.addWidget(self.state_pill)
        layout.addStretch(1)
        layout.addWidget(self.cost_label)
        for widget in (
            self.policy_pill,
            self.folder_chip,
            self.interpreter_chip,
            self.find_button,
            self.export_button,
            self.more_button,
            self.editor_button,
        ):
            layout.addWidget(widget)

    def _icon_button(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setIconSize(QSize(16, 16))
        return button

    def _chip(self, name: str) -> QPushButton:
        chip = QPushButton(self)
        chip.setProperty("kind", "chip")
        chip.setAccessibleName(name)
        chip.setMaximumWidth(_CHIP_PX)
        return chip

    def _on_theme_changed(self) -> None:
        theme = self._theme
        self.sidebar_button.setIcon(theme.icon("panel-left", "mute"))
        self.editor_button.setIcon(theme.icon("panel-right", "mute"))
        self.find_button.setIcon(theme.icon("search", "mute"))
        self.export_button.setIcon(theme.icon("share", "mute"))
        self.more_button.setIcon(theme.icon("ellipsis", "mute"))
        colour = "accent" if self._machine else "mute"
        theme.label_icon(self.folder_chip, "folder", colour)
        theme.label_icon(self.interpreter_chip, "square-terminal", colour)


def _write(chip: QPushButton, text: str) -> None:
    room = chip.maximumWidth() - 40
    chip.setText(chip.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room))


class PolicyPill(QPushButton):
    """Shows what code of the conversation may do, in as many words as there is room for.

    Its shield shows whether the sandbox is known to hold; without one it is framed in red.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: Sequence[str] = ()
        self._icon = "shield", "mute"
        self._room = 0
        self.setProperty("kind", "chip")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._show_icon)
        self.hide()

    def show_parts(self, parts: Sequence[str], icon: tuple[str, str], words: str) -> None:
        """Show a policy: its parts, a shield and its colour, and all of it in words."""
        self._parts, self._icon = parts, icon
        set_kind(self, "exposed" if icon[1] == "danger" else "chip")
        self.setToolTip(words)
        self.setAccessibleName(tr("What code may do: {policy}", policy=", ".join(parts)))
        self.setAccessibleDescription(words)
        self._show_icon()
        self.show()
        self.fit(self._room)

    def fit(self, room_px: int) -> None:
        """Show as many parts as fit into this width; only the shield if there is very little."""
        self._room = room_px
        for count in range(len(self._parts), 0, -1):
            self.setText(" · ".join(self._parts[:count]))
            if self.sizeHint().width() <= room_px:
                return
        self.setText("")

    def _show_icon(self) -> None:
        self._theme.label_icon(self, *self._icon)


class _ElidedLabel(QLabel):
    """A label that is as wide as its text if there is room, and is elided otherwise."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    def show_text(self, text: str) -> None:
        self._whole = text
        self.setToolTip(text)
        self.setMaximumWidth(max(40, self.fontMetrics().horizontalAdvance(text) + 8))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        elide = self.fontMetrics().elidedText
        self.setText(elide(self._whole, Qt.TextElideMode.ElideRight, self.width()))
