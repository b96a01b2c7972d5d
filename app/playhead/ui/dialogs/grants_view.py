"""Parts of the sheet on what code may do: the list of grants, and the list of places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.grants import (
    GRANT_KINDS,
    GRANT_SCOPES,
    PACKAGE_HOSTS,
    Grant,
    GrantKind,
    GrantScope,
    hosts_of,
)
from playhead.domain.text.grant_words import (
    grant_text,
    index_name,
    kind_name,
    scope_heading,
    scope_name,
    uses_text,
)
from playhead.errors import AppError
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.form import FormNote, style_combo_boxes, text_area
from playhead.ui.widgets.theme import GAP_M
from playhead.ui.widgets.wording import mark, tr, tr_error, tr_n

if TYPE_CHECKING:
    from playhead.session.trust.grant_book import ConversationGrants

_HOSTS_PX = 76
_WIDEST_FIRST: tuple[GrantScope, ...] = ("folder", "conversation", "run")
_ATTACHED = mark("You attached it.")


class GrantList(QWidget):
    """Lists what a conversation's code is granted and denied; adds to it and revokes at once.

    Owner: the sheet. Signals: `changed()`, `cause_requested(str message_id)`.
    """

    changed = Signal()
    cause_requested = Signal(str)

    def __init__(self, grants: ConversationGrants, parent: QWidget) -> None:
        super().__init__(parent)
        self._grants = grants
        self.revoke_buttons: dict[str, QPushButton] = {}
        """The button of each grant, by its id."""
        heading = QLabel(tr("Granted and denied"), self)
        heading.setProperty("kind", "strong")
        self.intro = FormNote()
        self._rows = QWidget(self)
        self._rows_layout = QVBoxLayout(self._rows)
        self._rows_layout.setContentsMargins(0, 0, 0, 0)
        self._rows_layout.setSpacing(6)
        self.add_button = QPushButton(tr("Grant or deny…"), self)
        self.add_button.setAutoDefault(False)
        self.form = GrantForm(grants, self)
        self.form.hide()
        self.add_button.clicked.connect(self._open_form)
        self.form.done.connect(self._close_form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for widget in (heading, self.intro, self._rows, self.form):
            layout.addWidget(widget)
        layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._unsubscribe = grants.book.subscribe(self.fill)
        self.fill()

    def close_down(self) -> None:
        """Follow the book no more."""
        self._unsubscribe()

    def fill(self) -> None:
        """Show what holds now."""
        while (item := self._rows_layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.revoke_buttons.clear()
        held = self._grants.held
        for scope in _WIDEST_FIRST:
            members = [one for one in held if one.scope == scope]
            if members:
                head = QLabel(scope_heading(scope, members[0].folder, tr), self._rows)
                head.setProperty("kind", "section")
                head.setWordWrap(True)
                self._rows_layout.addWidget(head)
            for one in members:
                self._rows_layout.addWidget(self._row(one))
        self._rows.setVisible(bool(held))
        self.intro.show_text(
            tr("Beyond the choices above. A denial beats a grant; what is revoked ends now.")
            if held
            else tr("Nothing is granted or denied beyond the choices above.")
        )
        self.changed.emit()

    def _row(self, grant: Grant) -> QWidget:
        row = QWidget(self._rows)
        words = ElidedLabel(grant_text(grant, tr), row)
        words.setToolTip(grant.target)
        if grant.is_denial:
            words.setProperty("kind", "danger")
        cause = tr(_ATTACHED) if grant.cause == _ATTACHED else grant.cause
        uses = "" if grant.is_denial else uses_text(grant, tr, tr_n)
        told = " · ".join(filter(None, (cause, uses)))
        about = ElidedLabel(told, row)
        about.setProperty("kind", "mute")
        about.setToolTip(told)
        revoke = self._button(tr("Revoke"), lambda: self._revoke(grant))
        revoke.setAccessibleName(tr("Revoke: {what}", what=grant_text(grant, tr)))
        self.revoke_buttons[grant.id] = revoke
        grid = QGridLayout(row)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP_M)
        grid.setVerticalSpacing(0)
        grid.addWidget(words, 0, 0)
        grid.addWidget(about, 1, 0)
        about.setVisible(bool(told))
        grid.setColumnStretch(0, 1)
        if grant.message_id:
            show = self._button(
                tr("Show"), lambda: self.cause_requested.emit(grant.message_id), "quiet"
            )
            show.setToolTip(tr("Show the code that asked for it"))
            grid.addWidget(show, 0, 1, 2, 1)
        grid.addWidget(revoke, 0, 2, 2, 1)
        return row

    def _button(self, text: str, slot: Callable[[], object], kind: str = "") -> QPushButton:
        button = QPushButton(text, self._rows)
        button.setProperty("kind", kind)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: slot())
        return button

    def _revoke(self, grant: Grant) -> None:
        self._grants.book.drop(grant.id)

    def _open_form(self) -> None:
        self.form.show()
        self.add_button.hide()
        self.form.target.setFocus()

    def _close_form(self) -> None:
        self.form.hide()
        self.add_button.show()


class GrantForm(QFrame):
    """Takes what a person grants or denies. Owner: the list. Signal: `done()`, also without one."""

    done = Signal()

    def __init__(self, grants: ConversationGrants, parent: QWidget) -> None:
        super().__init__(parent)
        self._grants = grants
        self.kind = QComboBox(self)
        for kind in GRANT_KINDS:
            self.kind.addItem(kind_name(kind, tr), kind)
        self.kind.setAccessibleName(tr("What is granted or denied"))
        self.target = QLineEdit(self)
        self.browse_button = QPushButton(tr("Choose…"), self)
        self.scope = QComboBox(self)
        for scope in GRANT_SCOPES:
            self.scope.addItem(scope_name(scope, tr), scope)
        self.scope.setCurrentIndex(GRANT_SCOPES.index("conversation"))
        self.scope.setAccessibleName(tr("For how long"))
        self.allow_button = QPushButton(tr("Grant"), self)
        self.deny_button = QPushButton(tr("Deny"), self)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        self.cancel_button.setProperty("kind", "quiet")
        self.note = FormNote()
        self._lay_out()
        style_combo_boxes(self)
        buttons = (self.browse_button, self.cancel_button, self.allow_button, self.deny_button)
        for button in buttons:
            button.setAutoDefault(False)
        self.cancel_button.clicked.connect(self.done)
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.target.textChanged.connect(self._show_cost)
        self.browse_button.clicked.connect(self._browse)
        self.allow_button.clicked.connect(lambda: self._give(is_denial=False))
        self.deny_button.clicked.connect(lambda: self._give(is_denial=True))
        self._show_kind()

    @property
    def chosen_kind(self) -> GrantKind:
        """Return the kind that is chosen."""
        return cast("GrantKind", self.kind.currentData())

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.kind)
        first.addWidget(self.target, 1)
        first.addWidget(self.browse_button)
        second.addWidget(self.scope)
        second.addStretch(1)
        second.addWidget(self.cancel_button)
        second.addWidget(self.deny_button)
        second.addWidget(self.allow_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(first)
        layout.addLayout(second)
        layout.addWidget(self.note)

    def _show_kind(self) -> None:
        kind = self.chosen_kind
        self.browse_button.setVisible(kind in ("read", "write"))
        hints = {
            "read": "~/Downloads",
            "write": "~/Documents/out",
            "host": "api.example.com",
            "packages": ", ".join(index_name(one) for one in PACKAGE_HOSTS),
            "variable": "MY_TOKEN",
        }
        self.target.setPlaceholderText(hints[kind])
        self.target.setAccessibleName(kind_name(kind, tr))
        self._show_cost()

    def _show_cost(self) -> None:
        """Show what a click would cost, once something is named."""
        text = self.target.text().strip()
        if not text or not self._grants.would_restart(self.chosen_kind, self._named()):
            self.note.show_text("")
            return
        self.note.show_text(tr("The kernel is restarted: its variables are lost."), "warn")

    def _named(self) -> str:
        text = self.target.text().strip()
        return text.lower() if self.chosen_kind == "packages" else text

    def _give(self, *, is_denial: bool) -> None:
        scope = cast("GrantScope", self.scope.currentData())
        try:
            self._grants.give(self.chosen_kind, self._named(), scope, is_denial=is_denial)
        except AppError as error:
            told = tr_error(error)
            words = " ".join(filter(None, (told.title, told.detail, told.remedy)))
            self.note.show_text(words, "danger")
            return
        self.target.clear()
        self.done.emit()

    def _browse(self) -> None:
        from playhead.ui.widgets.file_dialog import FileDialog  # not needed to show the sheet

        dialog = FileDialog(self, tr("Choose a folder"))
        dialog.setFileMode(FileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.target.setText)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class HostList(QWidget):
    """Takes the names of a listed network, one a line. Owner: the sheet. Signal: `edited()`."""

    edited = Signal()

    def __init__(self, hosts: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.field = text_area(tr("Places in the network"), "api.example.com\nexample.org:8443", 0)
        self.field.setFixedHeight(_HOSTS_PX)
        self.field.setTabChangesFocus(True)
        self.field.setPlainText("\n".join(hosts))
        self.note = FormNote()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 0, 0, GAP_M)
        layout.setSpacing(2)
        layout.addWidget(self.field)
        layout.addWidget(self.note)
        self.field.textChanged.connect(self._on_edited)
        self._on_edited()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the names. Raises SessionError for a line that has another text."""
        return hosts_of(self.field.toPlainText().splitlines())

    @property
    def problem(self) -> AppError | None:
        """Return what is wrong with a line; None if nothing is."""
        try:
            self.hosts  # noqa: B018 - it raises
        except AppError as error:
            return error
        return None

    def _on_edited(self) -> None:
        problem = self.problem
        words = tr("One name a line. Without a port it is reached at 80 and 443.")
        if problem is not None:
            told = tr_error(problem)
            words = f"{told.title} {told.remedy}"
        self.note.show_text(words, "mute" if problem is None else "danger")
        self.edited.emit()
