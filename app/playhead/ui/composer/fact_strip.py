"""The strip below a question about code: a chip for each thing that it is seen to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from playhead.domain.execution import PYTHON
from playhead.ui.widgets.wording import format_clock, tr, tr_n

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from playhead.domain.conversation.payloads import Proposal
    from playhead.domain.grants import GrantScope, Wanted
    from playhead.domain.text.risk_words import Limits, RiskGroup
    from playhead.ui.composer.allow_menu import Granting
    from playhead.ui.widgets.theme import Theme

_SPACING_PX = 6
_INDENT_PX = 26
"""As wide as the icon of the question, so that chips are below its words."""
_DIFF_WIDTH_PX, _DIFF_HEIGHT_PX = 620, 300


class FactStrip(QWidget):
    """Chips on one row; those that do not fit are in the menu of the last one, “+3”.

    Signals: `lines_requested(str message_id, object lines)` when a chip was clicked,
    `pauses_requested`, with the same, when the code is to pause before them;
    `allow_requested(object wanted, str scope, str message_id)` when a person grants what a chip
    says that the sandbox does not let through.
    """

    lines_requested = Signal(str, object)
    pauses_requested = Signal(str, object)
    allow_requested = Signal(object, str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._message_id = ""
        self._diff = ""
        self._proposal: Proposal | None = None
        self._limits: Limits | None = None
        self._granting: Granting | None = None
        self.groups: list[RiskGroup] = []
        """What the chips say, the most important first."""
        self.allow_menu: QMenu | None = None
        """The menu of the grants that a chip has offered last."""
        self.chips: list[QPushButton] = []
        """A chip for each group."""
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(_INDENT_PX, 0, 0, 0)
        self._row.setSpacing(_SPACING_PX)
        self.quiet_label = QLabel(self)
        self.quiet_label.setProperty("kind", "mute")
        self._chip_box = QWidget(self)
        self._chip_row = QHBoxLayout(self._chip_box)
        self._chip_row.setContentsMargins(0, 0, 0, 0)
        self._chip_row.setSpacing(_SPACING_PX)
        self.more_button = QPushButton(self)
        self.more_button.setProperty("kind", "chip")
        self.more_button.setAutoDefault(False)
        self.more_button.setAccessibleName(tr("More that was seen in this code"))
        self.more_button.setToolTip(tr("More that was seen in this code"))
        self._menu = QMenu(self.more_button)
        self.more_button.setMenu(self._menu)
        self.diff_button = QPushButton(tr("Changes"), self)
        self.diff_button.setProperty("kind", "quiet")
        self.diff_button.setAutoDefault(False)
        self.diff_button.setToolTip(tr("Compare it with the code that you approved last"))
        self.diff_button.clicked.connect(self._show_diff)
        for widget in (self._chip_box, self.more_button, self.quiet_label):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._row.addWidget(self.diff_button)
        # Its chips make room for themselves: they never make the window wider.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def set_limits(self, limits: Limits, granting: Granting) -> None:
        """Set the bounds of the code, and what is to be known of grants."""
        is_other = limits != self._limits
        self._limits, self._granting = limits, granting
        if is_other:
            self.show_proposal(self._proposal)

    def show_proposal(self, proposal: Proposal | None) -> None:
        """Show what is seen of a proposal; nothing where nobody has looked."""
        self._drop_chips()
        self._proposal = proposal
        is_known = proposal is not None and proposal.facts is not None
        self.setVisible(is_known)
        if proposal is None or proposal.facts is None:
            return
        self._message_id = proposal.message_id
        # not needed for the first paint
        from playhead.domain.text.risk_words import NO_LIMITS, nothing_seen, risk_groups

        limits = self._limits or NO_LIMITS
        self.groups = risk_groups(proposal.facts, tr, limits, proposal.language)
        self.chips = [self._chip(group) for group in self.groups]
        words = [] if self.groups else [nothing_seen(tr)]
        if proposal.approved_at:
            words.append(tr("Same as approved at {time}", time=format_clock(proposal.approved_at)))
        self.quiet_label.setText(" · ".join(words))
        self.quiet_label.setVisible(bool(words))
        self._diff = proposal.diff
        self.diff_button.setVisible(bool(proposal.diff))
        self._fit()

    @property
    def words(self) -> str:
        """Return what the strip says, for screen readers."""
        said = [group.text for group in self.groups]
        if self.quiet_label.text():
            said.append(self.quiet_label.text())
        return "; ".join(said) if not self.isHidden() else ""

    def sizeHint(self) -> QSize:
        """Return the height of a chip; any width will do."""
        return QSize(0, max(super().sizeHint().height(), self.more_button.sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        """Return the height of a chip; any width will do."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the chips that do not fit into the menu."""
        super().resizeEvent(event)
        self._fit()

    def _drop_chips(self) -> None:
        for chip in self.chips:
            chip.setParent(None)
            chip.deleteLater()
        self.groups, self.chips = [], []
        self.quiet_label.clear()

    def _chip(self, group: RiskGroup) -> QPushButton:
        chip = QPushButton(group.text.replace("&", "&&"), self._chip_box)
        chip.setProperty("kind", "fact" if group.is_loud else "chip")
        chip.setAutoDefault(False)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the cursor where one writes
        chip.setToolTip(group.tip)
        chip.setAccessibleName(group.text)
        chip.setAccessibleDescription(group.tip)
        chip.clicked.connect(lambda: self._request(group, chip))
        if self._can_pause(group):
            action = QAction(_pause_words(group), chip)
            action.triggered.connect(lambda: self._request_pauses(group))
            chip.addAction(action)
            chip.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._chip_row.addWidget(chip)
        return chip

    def _can_pause(self, group: RiskGroup) -> bool:
        is_python = self._proposal is not None and self._proposal.language == PYTHON
        return is_python and bool(group.lines)

    def _request_pauses(self, group: RiskGroup) -> None:
        self.pauses_requested.emit(self._message_id, group.lines)

    def _request(self, group: RiskGroup, chip: QWidget | None = None) -> None:
        self.lines_requested.emit(self._message_id, group.lines)
        if group.wanted:
            place = chip or self.more_button
            self.allow_menu = menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            from playhead.ui.composer.allow_menu import Granting, fill_allow_menu

            fill_allow_menu(menu, group.wanted, self._granting or Granting(), self._allow)
            corner = place.mapToGlobal(place.rect().topLeft())
            menu.popup(corner - QPoint(0, menu.sizeHint().height() + 2))

    def _allow(self, wanted: Wanted, scope: GrantScope) -> None:
        self.allow_requested.emit(wanted, scope, self._message_id)

    def _fit(self) -> None:
        """Show as many chips as fit; the rest is in the menu, never nowhere."""
        room = self.width() - _INDENT_PX
        for widget in (self.quiet_label, self.diff_button):
            if not widget.isHidden():
                room -= widget.sizeHint().width() + _SPACING_PX
        widths = [chip.sizeHint().width() + _SPACING_PX for chip in self.chips]
        shown = len(widths)
        if sum(widths) > room:
            self.more_button.setText(f"+{len(widths)}")
            room -= self.more_button.sizeHint().width() + _SPACING_PX
            while shown and sum(widths[:shown]) > room:
                shown -= 1
        for number, chip in enumerate(self.chips):
            chip.setVisible(number < shown)
        self._chip_box.setVisible(shown > 0)
        self._show_rest(self.groups[shown:])

    def _show_rest(self, groups: list[RiskGroup]) -> None:
        self.more_button.setVisible(bool(groups))
        self._menu.clear()
        for group in groups:
            action = self._menu.addAction(group.text.replace("&", "&&"))
            action.setToolTip(group.tip)
            action.triggered.connect(lambda _checked=False, one=group: self._request(one))
            if self._can_pause(group):
                pause = self._menu.addAction(f"    {_pause_words(group)}")
                pause.triggered.connect(lambda _checked=False, one=group: self._request_pauses(one))
        if groups:
            self.more_button.setText(f"+{len(groups)}")
            self.more_button.setAccessibleName(tr("{count} more", count=len(groups)))

    def _show_diff(self) -> None:
        """Show the changes since the code that was approved last; Escape closes them."""
        view = QTextEdit(self)
        view.setWindowFlag(Qt.WindowType.Popup)
        view.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        view.setAccessibleName(tr("Changes since the code that you approved last"))
        view.setReadOnly(True)
        view.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        view.setFont(self._theme.code_font())
        view.setHtml(self._diff_html())
        view.resize(min(_DIFF_WIDTH_PX, self.window().width()), _DIFF_HEIGHT_PX)
        corner = self.mapToGlobal(self.rect().topRight())
        view.move(corner.x() - view.width(), corner.y() - view.height() - _SPACING_PX)
        view.show()
        view.setFocus()

    def _diff_html(self) -> str:
        from html import escape  # with a large table of entities

        colours = {"+": self._theme.colour("ok"), "-": self._theme.colour("danger")}
        mute = self._theme.colour("mute")
        lines = [
            f'<span style="color:{colours.get(line[:1], mute).name()}">{escape(line)}</span>'
            for line in self._diff.splitlines()
        ]
        family = self._theme.code_font().family()  # that of <pre> would be another one
        style = f"white-space: pre; font-family: '{family}'"
        return f'<div style="{style}">{"<br>".join(lines)}</div>'


def _pause_words(group: RiskGroup) -> str:
    return tr_n("Pause before these %n lines", len(group.lines), one="Pause before this line")
