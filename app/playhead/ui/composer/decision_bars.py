"""The bars above the composer that ask whether code runs and whether a turn continues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.execution import Approve, Deny, place_of
from playhead.domain.text.python_syntax import syntax_fault
from playhead.domain.text.quantities import format_dollars
from playhead.session.stops import BUDGET_REACHED
from playhead.ui.composer.fact_strip import FactStrip
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.form import FormNote
from playhead.ui.widgets.wording import place_label, short_folder, tr, tr_error, tr_n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from playhead.domain.conversation.payloads import Failure, Proposal
    from playhead.domain.execution import Decision, Place
    from playhead.ui.widgets.theme import Theme

ARMING_MS = 300
"""The bar ignores clicks and keys for this time, because they were not meant for it."""

_WORDS_PX, _AROUND_PX = 200, 60
_UNDER_TEXT_PX = 26
_TIP_CHARACTERS = 400


class ApprovalBar(QFrame):
    """Asks about the code of one answer at a time; never takes the focus by itself.

    It takes no answer during its first `arming_ms`, whichever way it comes.
    Of several blocks those with a tick run, in order. Signals: `approved(str proposal_id, object
    code_or_None, bool rest_of_turn)` and `rejected(str proposal_id, str reason)` about one block,
    `decided(object decisions)` about several, by their messages; `edit_requested()`;
    `lines_requested(str message_id, object lines)` when what lines do was asked for,
    `pauses_requested`, with the same, when the code is to pause before them;
    `allow_requested(object wanted, str scope, str message_id)` when something is to be granted.
    """

    approved = Signal(str, object, bool)
    rejected = Signal(str, str)
    decided = Signal(object)
    edit_requested = Signal()
    lines_requested = Signal(str, object)
    pauses_requested = Signal(str, object)
    allow_requested = Signal(object, str, str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, arming_ms: int = ARMING_MS
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.proposals: tuple[Proposal, ...] = ()
        """The blocks that are asked about, in their order."""
        self._edits: dict[str, str] = {}
        self._looked: dict[str, Proposal] = {}
        self.choices: list[QCheckBox] = []
        """A tick for each of several blocks."""
        self._is_narrow = False
        self._is_possible = True
        self._reason: QLineEdit | None = None
        self._code_place = ("", "")  # a language, and the folder that its code has gone to
        self._machine = ""
        self.setProperty("kind", "ask")
        self._arming = QTimer(self)
        self._arming.setSingleShot(True)
        self._arming.setTimerType(Qt.TimerType.PreciseTimer)  # the usual one may be early
        self._arming.setInterval(arming_ms)
        self._arming.timeout.connect(lambda: self._arm(True))
        self._make_actions()
        self._column = layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(self._make_question())
        layout.addWidget(self._make_coverage())
        layout.addWidget(self._make_choices())
        self.facts = FactStrip(theme, self)
        self.facts.lines_requested.connect(self.lines_requested)
        self.facts.pauses_requested.connect(self.pauses_requested)
        self.facts.allow_requested.connect(self.allow_requested)
        layout.addWidget(self.facts)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._arm(False)
        self.hide()

    def set_code_place(self, language: str, folder: str, machine: str = "") -> None:
        """Set to which folder code of a language has gone by itself; "" for none.

        `machine` is where the conversation runs, if not on this computer.
        """
        self._code_place, self._machine = (language, folder), machine
        self._show_text()

    @property
    def proposal(self) -> Proposal | None:
        """Return the first proposal that is shown; None if there is none."""
        return self.proposals[0] if self.proposals else None

    @property
    def is_armed(self) -> bool:
        """Return whether clicks and shortcuts are accepted yet."""
        return bool(self.proposals) and self._buttons.isEnabled()

    def ask(self, proposal: Proposal | None, later: Sequence[Proposal] = ()) -> None:
        """Ask about a proposal and those `later` in the same answer; None hides the bar."""
        proposals = () if proposal is None else (proposal, *later)
        if proposals and self.proposals == proposals:
            return
        self.proposals, self._edits, self._looked = proposals, {}, {}
        if self._reason is not None:
            self._reason_row.hide()
            self._reason.clear()
        self._arm(False)
        self._arming.stop()
        self._put_up_choices()
        self.facts.show_proposal(proposal if not later else _joined(proposals))
        if proposal is not None:
            self._show_text()
            self._arming.start()
        self.setVisible(proposal is not None)
        if proposal is not None:
            words = f"{self.accessibleName()} {self.facts.words}".rstrip()
            from playhead.ui.timeline.scroll.accessibility import announce

            announce(self, tr("Code waits for your approval. {words}", words=words))

    def show_bounds(self, words: str, kind: str, *, is_possible: bool) -> None:
        """Show what the sandbox makes of the run; what it cannot hold here is not run at all."""
        self._is_possible = is_possible
        self._bounds.show_text(words, kind)
        self._arm_run()
        self._name()

    def show_coverage(self, words: str) -> None:
        """Show what undo will not cover of the run; '' if it covers everything."""
        self._coverage.setText(words)
        self._coverage.setVisible(bool(words))

    def set_edit(self, message_id: str, code: str) -> None:
        """Set a block's code as the user changed it in the editor, which Run then sends."""
        for proposal in self.proposals:
            if proposal.message_id == message_id:
                self._edits.pop(message_id, None)
                if code != proposal.code:
                    self._edits[message_id] = code
                self._show_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the question when both do not fit on one row."""
        super().resizeEvent(event)
        self._fit()

    def show_look(self, looked: Proposal) -> None:
        """Show what is seen of the code of a block as the user has changed it."""
        asked = {proposal.message_id: self._code(proposal) for proposal in self.proposals}
        if asked.get(looked.message_id) == looked.code:
            self._looked[looked.message_id] = looked
            shown = tuple(self._looked.get(p.message_id, p) for p in self.proposals)
            self.facts.show_proposal(_joined(shown) if len(shown) > 1 else looked)

    def _fit(self) -> None:
        words = max(_WORDS_PX, self._question.sizeHint().width())
        is_narrow = self.width() < words + self._buttons.sizeHint().width() + _AROUND_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._place_buttons()

    def _make_actions(self) -> None:
        self.run_action = self._action(tr("Run"), "Ctrl+Return", lambda: self._approve(False))
        self.run_rest_action = self._action(
            tr("Run, and don't ask again in this turn"),
            "Ctrl+Shift+Return",
            lambda: self._approve(True),
        )
        self.edit_action = self._action(tr("Edit"), "Ctrl+E", self._on_edit)
        self.skip_action = self._action(tr("Skip"), "Ctrl+.", lambda: self._skip(""))
        self.reason_action = self._action(
            tr("Skip with a reason…"), "Ctrl+Shift+.", self._on_reason_wanted
        )

    def _action(self, text: str, keys: str, slot: object) -> QAction:
        action = QAction(text, self)
        action.setShortcut(keys)
        action.setAutoRepeat(False)  # a held key is no decision
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _make_question(self) -> QGridLayout:
        self._icon = QLabel(self)
        self._question = QLabel(tr("Run this code on your computer?"), self)
        self._question.setProperty("kind", "strong")
        self._question.setTextFormat(Qt.TextFormat.PlainText)
        self._question.setWordWrap(True)
        self._details = ElidedLabel(parent=self)
        self._details.setProperty("kind", "warn")
        self._bounds = FormNote()
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._question)
        words.addWidget(self._details)
        words.addWidget(self._bounds)
        self._buttons = self._make_buttons()
        self._grid = grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.addWidget(self._icon, 0, 0)
        grid.addLayout(words, 0, 1)
        grid.setColumnStretch(1, 1)
        self._place_buttons()
        return grid

    def _make_coverage(self) -> QWidget:
        self._coverage = QLabel(self)
        self._coverage.setProperty("kind", "mute")
        self._coverage.setTextFormat(Qt.TextFormat.PlainText)
        self._coverage.setWordWrap(True)
        self._coverage.setContentsMargins(_UNDER_TEXT_PX, 0, 0, 0)
        self._coverage.hide()
        return self._coverage

    def _make_buttons(self) -> QWidget:
        box = QWidget(self)
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.skip_button = self._button(self.skip_action, "quiet")
        self.edit_button = self._button(self.edit_action, "")
        self.run_button = self._button(self.run_action, "primary")
        self.more_button = QToolButton(box)
        self.more_button.setAccessibleName(tr("More answers"))
        self.more_button.setToolTip(tr("More answers"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more_button)
        menu.addActions([self.run_rest_action, self.reason_action])
        self.more_button.setMenu(menu)
        for widget in (self.skip_button, self.edit_button, self.run_button, self.more_button):
            row.addWidget(widget)
        return box

    def _button(self, action: QAction, kind: str) -> QPushButton:
        button = QPushButton(action.text(), self)
        button.setProperty("kind", kind)
        button.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
        button.setAutoDefault(False)
        button.clicked.connect(action.trigger)
        return button

    def _make_reason(self) -> QLineEdit:
        """Make the row for a reason when it is first wanted; return its field."""
        self._reason_row = QWidget(self)
        row = QHBoxLayout(self._reason_row)
        row.setContentsMargins(_UNDER_TEXT_PX, 0, 0, 0)
        row.setSpacing(6)
        reason = QLineEdit(self._reason_row)
        reason.setPlaceholderText(tr("Why not? The model sees your answer."))
        reason.setAccessibleName(tr("Reason for skipping"))
        confirm = QPushButton(tr("Skip"), self._reason_row)
        row.addWidget(reason, 1)
        row.addWidget(confirm)
        reason.returnPressed.connect(lambda: self._skip(reason.text()))
        confirm.clicked.connect(lambda: self._skip(reason.text()))
        self._column.addWidget(self._reason_row)
        return reason

    def _place_buttons(self) -> None:
        self._grid.removeWidget(self._buttons)
        if self._is_narrow:
            self._grid.addWidget(self._buttons, 1, 0, 1, 2)
        else:
            self._grid.addWidget(self._buttons, 0, 2)

    def _make_choices(self) -> QWidget:
        self._choice_row = QWidget(self)
        self._choice_flow = FlowLayout(self._choice_row, spacing_px=14)
        self._choice_row.hide()
        return self._choice_row

    def _put_up_choices(self) -> None:
        """Show a tick for each block, if there are several."""
        for box in self.choices:
            box.setParent(None)
            box.deleteLater()
        several = self.proposals if len(self.proposals) > 1 else ()
        self.choices = [QCheckBox(self._choice_row) for _proposal in several]
        for box in self.choices:
            box.setChecked(True)
            box.toggled.connect(self._show_text)
            self._choice_flow.addWidget(box)
        self._choice_row.setVisible(bool(several))
        self._show_labels()

    def _show_labels(self) -> None:
        """Name the answers for one block or for several."""
        count, chosen = len(self.choices), len(self._chosen())
        run, skip = tr("Run"), tr("Skip")
        if count:
            run = tr("Run {chosen} of {count}", chosen=chosen, count=count)
            run = tr("Run all in order") if chosen == count else run
            skip = tr("Skip all")
        for action, button, text in (
            (self.run_action, self.run_button, run),
            (self.skip_action, self.skip_button, skip),
        ):
            action.setText(text)
            button.setText(text)
            button.setToolTip(f"{text} ({action.shortcut().toString()})")
        self._arm_run()

    def _arm_run(self) -> None:
        can_run = self.is_armed and self._is_possible and bool(self._chosen())
        self.run_button.setEnabled(can_run)
        for action in (self.run_action, self.run_rest_action):
            action.setEnabled(can_run)

    def _chosen(self) -> list[Proposal]:
        """Return the blocks that are to run."""
        if not self.choices:
            return list(self.proposals)
        pairs = zip(self.proposals, self.choices, strict=True)
        return [proposal for proposal, box in pairs if box.isChecked()]

    def _code(self, proposal: Proposal) -> str:
        return self._edits.get(proposal.message_id, proposal.code)

    def _show_choices(self) -> None:
        for number, (proposal, box) in enumerate(zip(self.proposals, self.choices, strict=True), 1):
            words = [
                f"{number} {language_name(proposal.language)}",
                tr_n("%n lines", len(self._code(proposal).splitlines()), one="1 line"),
            ]
            if proposal.message_id in self._edits:
                words.append(tr("edited"))
            box.setText(" · ".join(words))
            box.setToolTip(self._code(proposal)[:_TIP_CHARACTERS])
        self._show_labels()

    def _show_text(self) -> None:
        proposal = self.proposal
        if proposal is None:
            return
        is_edited = bool(self._edits)
        language, place = self._code_place
        place = place if language == proposal.language else ""
        folder, shown = place or proposal.folder, short_folder(proposal.folder)
        if place:
            shown = place_label(proposal.folder, place)
        kernel = next(filter(None, self._kernels()), None)
        if kernel is not None and kernel.is_elsewhere:
            from playhead.domain.places import folder_there  # not needed for the first paint

            folder = shown = place or folder_there(kernel)
        if self.choices:
            self._show_choices()
            parts = [tr("in {folder}", folder=shown)]
        else:
            count = len(self._code(proposal).splitlines())
            parts = [
                language_name(proposal.language),
                tr_n("%n lines", count, one="1 line"),
                tr("in {folder}", folder=shown),
            ]
        if is_edited:
            parts.append(tr("as you edited it"))
        is_python = proposal.language == "python" and not self.choices
        if is_python and (fault := syntax_fault(self._code(proposal))) is not None:
            parts.insert(0, fault.text)
        self._details.setText(" · ".join(parts))
        python = (
            "\n" + tr("Python: {interpreter}", interpreter=proposal.interpreter)
            if is_python
            else ""
        )
        if kernel is not None:
            python = "\n" + tr("Kernel: {path}", path=kernel.address or kernel.folder)
        self._details.setToolTip(tr("Folder: {folder}", folder=folder) + python)
        self._question.setText(self._question_words(kernel))
        self._fit()
        self._name()

    def _kernels(self) -> list[Place | None]:
        return [place_of(one.interpreter) for one in self.proposals]

    def _question_words(self, kernel: Place | None) -> str:
        """Return the question, which names the kernel of Jupyter that the code would run in."""
        count = len(self.choices)
        if kernel is not None and kernel.is_elsewhere:
            return self._far_question(kernel)
        if kernel is None and self._machine:
            if count:
                return tr(
                    "Run these {count} blocks on this computer, not on {machine}?",
                    count=count,
                    machine=self._machine,
                )
            return tr("Run this code on this computer, not on {machine}?", machine=self._machine)
        if kernel is None:
            if count:
                return tr("Run these {count} blocks on your computer?", count=count)
            edited = tr("Run your edited code on your computer?")
            return edited if self._edits else tr("Run this code on your computer?")
        name = kernel.label
        if not count:
            return tr("Run this code in the Jupyter kernel “{name}”?", name=name)
        some = tr("Run these {count} blocks, some in the kernel “{name}”?", count=count, name=name)
        every = tr("Run these {count} blocks in the kernel “{name}”?", count=count, name=name)
        return some if None in self._kernels() else every

    def _far_question(self, place: Place) -> str:
        """Return the question about code that would run on another machine."""
        from playhead.domain.places import short_name  # not needed for the first paint

        machine, count = short_name(place), len(self.choices)
        if count:
            every = len({one and one.id for one in self._kernels()}) == 1
            if every:
                return tr("Run these {count} blocks on {machine}?", count=count, machine=machine)
            return tr(
                "Run these {count} blocks, some on {machine}, some on this computer?",
                count=count,
                machine=machine,
            )
        language = language_name(place.language)
        if place.kernel_id:
            return tr(
                "Run this {language} on {machine}, in the kernel that others use too ({name})?",
                language=language,
                machine=machine,
                name=place.label.partition(": ")[2] or place.label,
            )
        if place.folder:
            return tr(
                "Run this {language} on {machine} in {folder}?",
                language=language,
                machine=machine,
                folder=place.folder,
            )
        return tr("Run this {language} on {machine}?", language=language, machine=machine)

    def _name(self) -> None:
        words = (self._question.text(), self._details.text(), self._bounds.text())
        self.setAccessibleName(" ".join(filter(None, words)))

    def _arm(self, is_armed: bool) -> None:
        self._buttons.setEnabled(is_armed)
        for action in self.actions():
            action.setEnabled(is_armed)
        self._arm_run()

    def _approve(self, is_for_rest: bool) -> None:
        proposal = self.proposal
        chosen = self._chosen()
        if not self.is_armed or proposal is None or not chosen or not self._is_possible:
            return
        self._arm(False)
        if not self.choices:
            self.approved.emit(proposal.id, self._edits.get(proposal.message_id), is_for_rest)
            return
        decisions: dict[str, Decision] = {p.message_id: Deny() for p in self.proposals}
        for one in chosen:
            decisions[one.message_id] = Approve(self._edits.get(one.message_id), is_for_rest)
        self.decided.emit(decisions)

    def _skip(self, reason: str) -> None:
        proposal = self.proposal
        if not self.is_armed or proposal is None:
            return
        self._arm(False)
        if self.choices:
            self.decided.emit({p.message_id: Deny(reason.strip()) for p in self.proposals})
        else:
            self.rejected.emit(proposal.id, reason.strip())

    def _on_edit(self) -> None:
        if self.is_armed:
            self.edit_requested.emit()

    def _on_reason_wanted(self) -> None:
        if self.is_armed:
            if self._reason is None:
                self._reason = self._make_reason()
            self._reason_row.show()
            self._reason.setFocus()

    def _on_theme_changed(self) -> None:
        theme = self._theme
        self._icon.setPixmap(theme.icon("shield-alert", "warn").pixmap(16, 16))
        theme.label_icon(self.edit_button, "pencil")
        theme.label_icon(self.run_button, "play", "on_accent")
        self.more_button.setIcon(theme.icon("chevron-down", "warn"))


def _joined(proposals: Sequence[Proposal]) -> Proposal:
    """Return the first of several blocks with the facts of all, each fact of them named once."""
    facts = [fact for one in proposals for fact in one.facts or ()]
    is_known = all(one.facts is not None for one in proposals)
    return replace(proposals[0], facts=tuple(facts) if is_known else None, approved_at=0.0, diff="")


_NARROW_CONTINUATION_PX = 560


def raised_budget(budget: float, spent: float = 0.0) -> float:
    """Return the budget to offer when one is used up: the same amount again on top of `spent`."""
    return round(max(budget * 2, budget + math.ceil(spent * 100) / 100), 2)


class ContinuationBar(QFrame):
    """Asks one question at a time; never takes the focus by itself.

    Signals: `continued(object budget_or_None)` to continue, with a larger budget if the budget
    stopped the turn; `stopped()` to end the turn.
    """

    continued = Signal(object)
    stopped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._budget: float | None = None
        self.setProperty("kind", "notice")
        self._icon = QLabel(self)
        self.title_label = self._label("strong")
        self.detail_label = self._label("mute")
        self.continue_button = QPushButton(tr("Continue"), self)
        self.continue_button.setProperty("kind", "primary")
        self.stop_button = QPushButton(tr("Stop here"), self)
        self.continue_button.clicked.connect(lambda: self.continued.emit(self._budget))
        self.stop_button.clicked.connect(self.stopped)
        self._rows = self._lay_out()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    def ask(self, question: Failure | None, budget: float = 0.0, spent: float = 0.0) -> None:
        """Ask a question; None hides the bar. `spent` is the used part of `budget`."""
        if question is not None:
            is_budget = question.code == BUDGET_REACHED and budget > 0
            self._budget = raised_budget(budget, spent) if is_budget else None
            error = tr_error(question)
            self.title_label.setText(error.title)
            self.detail_label.setText(error.detail)
            self.continue_button.setText(
                tr(
                    "Raise to {amount} and continue",
                    amount=format_dollars(raised_budget(budget, spent)),
                )
                if is_budget
                else tr("Continue")
            )
            self.setAccessibleName(f"{error.title} {error.detail} {error.remedy}")
        self.setVisible(question is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the words when both do not fit on one row."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_CONTINUATION_PX
        direction = QBoxLayout.Direction
        self._rows.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _label(self, kind: str) -> QLabel:
        label = QLabel(self)
        label.setProperty("kind", kind)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return label

    def _lay_out(self) -> QBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title_label)
        words.addWidget(self.detail_label)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addStretch(1)
        buttons.addWidget(self.stop_button)
        buttons.addWidget(self.continue_button)
        rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        rows.setContentsMargins(12, 8, 8, 8)
        rows.setSpacing(10)
        rows.addLayout(head, 1)
        rows.addLayout(buttons)
        return rows

    def _on_theme_changed(self) -> None:
        self._icon.setPixmap(self._theme.icon("info", "accent").pixmap(16, 16))
