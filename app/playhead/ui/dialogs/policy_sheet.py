"""The sheet on what code of a conversation may do, and on what holds on this computer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Generic, TypeVar, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.text import policies
from playhead.domain.trust import (
    AskPolicy,
    Attempt,
    BoundaryReport,
    FileAccess,
    NetworkAccess,
    Policy,
)
from playhead.errors import AppError
from playhead.session.trust.grant_book import ConversationGrants
from playhead.session.trust.policy_choice import PolicyChoice, bounds_of, fitted
from playhead.ui.dialogs.grants_view import GrantList, HostList
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.form import FormNote
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XXL, SHIELDS, Theme, set_kind
from playhead.ui.widgets.wording import tr, tr_error, tr_n

_WIDTH_PX, _LEAST_PX, _FRAME_PX = 580, 320, 60
_LIST_PX = 220
_INDENT_PX = 24
_FILES: tuple[FileAccess, ...] = ("look", "folder", "everything")
_NETWORKS: tuple[NetworkAccess, ...] = ("off", "listed", "on")
_ASKS: tuple[AskPolicy, ...] = ("every", "risky", "outside")
_Choice = TypeVar("_Choice", bound=str)


class Dial(QWidget, Generic[_Choice]):
    """One question with its answers, of which those that are not possible say why.

    Owner: the sheet. Signal: `turned()`.
    """

    turned = Signal()

    def __init__(
        self, title: str, answers: Mapping[_Choice, tuple[str, str]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._meanings = {name: meaning for name, (_, meaning) in answers.items()}
        self._group = QButtonGroup(self)
        self.buttons: dict[_Choice, QRadioButton] = {}
        self._notes: dict[_Choice, FormNote] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        heading = QLabel(title, self)
        heading.setProperty("kind", "strong")
        layout.addWidget(heading)
        for name, (words, _) in answers.items():
            button = QRadioButton(words, self)
            self._group.addButton(button)
            note = FormNote()
            note.setContentsMargins(_INDENT_PX, 0, 0, 4)
            layout.addWidget(button)
            layout.addWidget(note)
            self.buttons[name], self._notes[name] = button, note
        self._group.buttonToggled.connect(self._on_toggled)

    @property
    def chosen(self) -> _Choice:
        """Return the answer that is marked."""
        return next(name for name, button in self.buttons.items() if button.isChecked())

    def choose(self, name: _Choice) -> None:
        """Mark an answer."""
        self.buttons[name].setChecked(True)

    def show_possible(self, why_not: Callable[[_Choice], AppError | None]) -> None:
        """Show what each answer means, or why it is not possible here."""
        said = ""
        for name, button in self.buttons.items():
            refusal = why_not(name)
            words = self._meanings[name]
            if refusal is not None:
                told = tr_error(refusal)
                words = " ".join(filter(None, (told.title, told.detail, told.remedy)))
            button.setEnabled(refusal is None or button.isChecked())
            button.setAccessibleDescription(words)
            is_said = refusal is not None and words == said
            self._notes[name].show_text(tr("For the same reason.") if is_said else words)
            said = words

    def add_below(self, name: _Choice, widget: QWidget) -> None:
        """Put more of an answer below it."""
        layout = cast("QVBoxLayout", self.layout())
        layout.insertWidget(layout.indexOf(self._notes[name]) + 1, widget)

    def _on_toggled(self, _button: object, is_on: bool) -> None:
        if is_on:
            self.turned.emit()


class BoundaryStatus(QWidget):
    """Shows what the last test of the boundary found, attempt by attempt. Owner: the sheet.

    Signals: `test_requested()`, `list_shown()`.
    """

    test_requested = Signal()
    list_shown = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._report = BoundaryReport()
        self.icon = QLabel(self)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.show_button = self._button(tr("Show them"), self._toggle_list)
        self.test_button = self._button(tr("Test again"), self.test_requested.emit)
        self.copy_button = self._button(tr("Copy the line"), self._copy)
        self.problem, self.remedy, self.gaps = FormNote(), FormNote(), FormNote()
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("The boundary is being tested"))
        self.progress.hide()
        self.list = _attempt_list(self)
        self._lay_out()

    def show_report(self, report: BoundaryReport) -> None:
        """Show a report: a sentence, what is missing, what cannot be held, and the attempts."""
        self._report = report
        name, colour = SHIELDS[report.status]
        self.icon.setPixmap(self._theme.icon(name, colour).pixmap(16, 16))
        when = policies.time_text(report.tested_at, time.time(), tr)
        self.words.setText(policies.report_text(report, when, tr, tr_n))
        missing, remedy = tr(report.problem), tr(report.remedy)
        self.problem.show_text(tr("What is missing: {problem}", problem=missing) if missing else "")
        self.remedy.show_text(tr("What to do: {remedy}", remedy=remedy) if remedy else "")
        gaps = [tr(gap) for gap in report.gaps]
        if report.attempts and not report.problem:
            gaps += policies.lasting_gaps(tr)
        held = tr("What cannot be held here:")
        self.gaps.show_text("\n".join([held, *(f"• {gap}" for gap in gaps)]) if gaps else "")
        self.copy_button.setVisible(bool(report.remedy))
        self.show_button.setVisible(bool(report.attempts))
        if not report.attempts:
            self.list.hide()
        self._fill()

    def set_testing(self, is_testing: bool) -> None:
        """Show that the attempts are being made."""
        self.progress.setVisible(is_testing)
        self.test_button.setEnabled(not is_testing)
        self.test_button.setText(tr("Testing…") if is_testing else tr("Test again"))

    def _button(self, text: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: slot())
        return button

    def _lay_out(self) -> None:
        heading = QLabel(tr("The sandbox of this computer"), self)
        heading.setProperty("kind", "strong")
        row = QHBoxLayout()
        row.setSpacing(GAP_M)
        row.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        buttons = QWidget(self)
        flow = FlowLayout(buttons)
        for button in (self.test_button, self.show_button, self.copy_button):
            flow.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(heading)
        layout.addLayout(row)
        for widget in (self.problem, self.remedy, self.gaps, buttons, self.progress, self.list):
            layout.addWidget(widget)

    def _toggle_list(self) -> None:
        is_shown = self.list.isHidden()
        self.list.setVisible(is_shown)
        self.show_button.setText(tr("Hide them") if is_shown else tr("Show them"))
        if is_shown:
            self.list_shown.emit()

    def _fill(self) -> None:
        self.list.clear()
        attempts = sorted(self._report.attempts, key=lambda one: one.group)
        for group, members in groupby(attempts, key=lambda one: one.group):
            self._add_group(group, list(members))

    def _add_group(self, group: str, members: Sequence[Attempt]) -> None:
        colours = {"through": self._theme.tokens.danger, "open": self._theme.tokens.warn}
        not_held = [one for one in members if one.outcome in colours]
        made = sum(1 for one in members if one.outcome != "skipped")
        count = tr("{held} of {made}", held=made - len(not_held), made=made)
        head = QTreeWidgetItem([tr(group), count])
        self.list.addTopLevelItem(head)
        for one in members:
            item = QTreeWidgetItem([tr(one.name), policies.outcome_text(one.outcome, tr)])
            item.setToolTip(0, one.detail or tr(one.name))
            if one.outcome in colours:
                for column in (0, 1):
                    item.setForeground(column, QColor(colours[one.outcome]))
            head.addChild(item)
        head.setExpanded(bool(not_held))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(command_of(self._report.remedy))
        self.copy_button.setText(tr("Copied"))


class PolicySheet(QDialog):
    """Lets a person turn the dials of a conversation. Call `open()`; Owner: the window.

    Nothing changes before Apply but grants, which are given and revoked at once. Signals:
    `policy_chosen(Policy)`, `test_requested()`, `cause_requested(str message_id)` when the code is
    to be shown that a grant was made for.
    """

    policy_chosen = Signal(object)
    test_requested = Signal()
    cause_requested = Signal(str)

    def __init__(
        self,
        theme: Theme,
        choice: PolicyChoice,
        grants: ConversationGrants,
        parent: QWidget,
        *,
        has_kernel: bool,
    ) -> None:
        super().__init__(parent)
        self._choice = choice
        self._has_kernel = has_kernel
        self.setWindowTitle(tr("What code may do"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._area = area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = page = QWidget(area)
        page.setProperty("kind", "page")
        area.setWidget(page)
        self._make_dials(page)
        self.hosts = HostList(choice.chosen.hosts, page)
        self.network.add_below("listed", self.hosts)
        self.grants = GrantList(grants, page)
        self.grants.cause_requested.connect(self._show_cause)
        self.finished.connect(self.grants.close_down)
        self.status = BoundaryStatus(theme, page)
        self.status.test_requested.connect(self.test_requested)
        self.status.list_shown.connect(self._reveal_list)
        self.note = FormNote()
        self.note.keep_place(1)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        self.apply_button = QPushButton(tr("Apply"), self)
        self._lay_out(page)
        self._show_chosen()
        self.show_report()
        self._take_room()
        self.files.buttons[self.files.chosen].setFocus()

    @property
    def policy(self) -> Policy:
        """Return the policy as the dials are turned."""
        network = self.network.chosen
        asked = Policy(
            files=self.files.chosen,
            network=network,
            hosts=self.hosts.hosts if network == "listed" and not self.hosts.problem else (),
            ask=self.asking.chosen,
            is_reviewed=self.review.isChecked(),
        )
        return fitted(asked)

    def show_report(self) -> None:
        """Show what the last test found, and what is possible after it."""
        self.status.show_report(self._choice.report)
        self._show_possible()

    def show_elsewhere(self, machine: str) -> None:
        """Show that the code runs on another machine, where none of this holds."""
        words = tr(
            "This conversation runs on {machine}, where none of this holds. What you choose is for "
            "code that runs on this computer.",
            machine=machine,
        )
        self.intro.show_text(words, "warn")

    def set_testing(self, is_testing: bool) -> None:
        """Show that the boundary is being tested."""
        self.status.set_testing(is_testing)

    def _make_dials(self, page: QWidget) -> None:
        self.files = Dial[FileAccess](
            tr("Files"),
            {
                one: (policies.files_name(one, tr), policies.files_meaning(one, tr))
                for one in _FILES
            },
            page,
        )
        is_weaker = self._choice.report.is_weaker
        self.network = Dial[NetworkAccess](
            tr("Network"),
            {
                one: (
                    policies.network_choice(one, tr),
                    policies.network_meaning(one, tr, is_weaker=is_weaker),
                )
                for one in _NETWORKS
            },
            page,
        )
        self.review = QCheckBox(tr("Review before it lands"), page)
        self.review.toggled.connect(lambda _on: self._show_possible())
        self.review_note = FormNote()
        self.asking = Dial[AskPolicy](
            tr("Ask before code runs"),
            {one: (policies.ask_name(one, tr), policies.ask_meaning(one, tr)) for one in _ASKS},
            page,
        )

    def _lay_out(self, page: QWidget) -> None:
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, GAP_M, 0)
        column.setSpacing(GAP_L)
        self.intro = intro = FormNote()
        intro.show_text(
            tr("For this conversation, until Playhead is closed. No model and no code changes it.")
        )
        review = QVBoxLayout()
        review.setSpacing(2)
        review.addWidget(self.review)
        review.addWidget(self.review_note)
        self.review_note.setContentsMargins(_INDENT_PX, 0, 0, 4)
        for widget in (intro, self.files):
            column.addWidget(widget)
        column.addLayout(review)
        for widget in (self.network, self.asking):
            column.addWidget(widget)
        for part in (self.grants, self.status):
            hairline = QFrame(page)
            hairline.setProperty("kind", "hairline")
            column.addWidget(hairline)
            column.addWidget(part)
        column.addStretch(1)
        self.apply_button.setProperty("kind", "primary")
        self.apply_button.setDefault(True)
        self.cancel_button.setAutoDefault(False)
        self.cancel_button.clicked.connect(self.reject)
        self.apply_button.clicked.connect(self._apply)
        buttons = QHBoxLayout()
        buttons.addWidget(self.note, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.apply_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_L)
        layout.setSpacing(GAP_L)
        layout.addWidget(self._area, 1)
        layout.addLayout(buttons)
        for dial in (self.files, self.network, self.asking):
            dial.turned.connect(self._show_possible)
        self.hosts.edited.connect(self._show_possible)
        self.grants.changed.connect(self._show_possible)

    def _show_chosen(self) -> None:
        chosen = self._choice.chosen
        self.files.choose(chosen.files)
        self.review.setChecked(chosen.is_reviewed)
        self.network.choose(chosen.network if chosen.is_bounded else "off")
        self.asking.choose(chosen.ask)

    def _show_possible(self) -> None:
        """Grey what is not possible with the other dials as they are, and say what a click does."""
        dials = (self.files, self.network, self.asking)
        if any(not any(b.isChecked() for b in dial.buttons.values()) for dial in dials):
            return  # they are being filled
        choice, files = self._choice, self.files.chosen
        self.files.show_possible(choice.why_not_files)
        self.review.setEnabled(files == "folder")
        self.review_note.show_text(policies.review_meaning(files, tr))
        is_bounded = files != "everything"
        self.network.setVisible(is_bounded)  # nothing else could shut it
        self.hosts.setVisible(is_bounded and self.network.chosen == "listed")
        self.grants.setVisible(is_bounded and self._choice.chosen.is_bounded)
        is_possible = choice.why_not_files(files) is None  # else the files say why
        self.network.show_possible(
            lambda one: choice.why_not_network(one, files) if is_possible else None
        )
        self.asking.show_possible(lambda one: choice.why_not_ask(one, files))
        self._show_change()

    def _reveal_list(self) -> None:
        """Scroll to the attempts, once they have their place."""
        area, rows = self._area, self.status.list
        QTimer.singleShot(0, self, lambda: area.ensureWidgetVisible(rows, 0, 0))

    def _show_change(self) -> None:
        chosen = self._choice.chosen
        is_other = bounds_of(self.policy) != bounds_of(chosen)
        words = tr("The kernel is restarted: its variables are lost.")
        self.note.show_text(words if is_other and self._has_kernel else "", "warn")
        set_kind(self.apply_button, "danger" if self._opens_up() else "primary")
        is_listed = self.files.chosen != "everything" and self.network.chosen == "listed"
        self.apply_button.setEnabled(not is_listed or self.hosts.problem is None)

    def _show_cause(self, message_id: str) -> None:
        self.reject()
        self.cause_requested.emit(message_id)

    def _opens_up(self) -> bool:
        return self.policy.files == "everything" and self._choice.chosen.files != "everything"

    def _apply(self) -> None:
        policy = self.policy
        self.accept()
        self.policy_chosen.emit(policy)

    def _take_room(self) -> None:
        """Set a size that shows all of it, if the window and the screen have room for it."""
        room = self.screen().availableSize()
        if (window := self.parentWidget()) is not None:
            room = room.boundedTo(window.size())
        width = max(_LEAST_PX, min(_WIDTH_PX, room.width() - _FRAME_PX))
        page = self._page.layout()
        needed = page.heightForWidth(width - 2 * GAP_XXL) if page is not None else _LEAST_PX
        height = needed + 2 * GAP_XXL + GAP_L + self.apply_button.sizeHint().height()
        self.resize(width, max(_LEAST_PX, min(height, room.height() - _FRAME_PX)))


def command_of(remedy: str) -> str:
    """Return the line to run that a remedy ends with; all of it if it has none."""
    _, colon, line = remedy.rpartition(": ")
    return line.strip() if colon else remedy


def _attempt_list(parent: QWidget) -> QTreeWidget:
    rows = QTreeWidget(parent)
    rows.setColumnCount(2)
    rows.setHeaderHidden(True)
    rows.setFixedHeight(_LIST_PX)
    rows.setAccessibleName(tr("Attempts of the boundary test"))
    header = cast("QHeaderView", rows.header())
    header.setStretchLastSection(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
    rows.hide()
    return rows
