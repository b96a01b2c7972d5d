"""The sheets that ask for a server, for a machine, and for a folder over there."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.execution import Place
from playhead.domain.places import (
    PastedAddress,
    PlaceQuestion,
    ServerAnswer,
    folder_there,
    is_unencrypted,
    joined_place,
    machine_place,
    pasted_address,
    server_name,
    server_place,
    short_name,
)
from playhead.domain.secret import Secret
from playhead.domain.text.terminal import visible
from playhead.errors import AppError
from playhead.session.elsewhere.saved_places import SavedPlaces
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.form import FormNote, add_row, form_grid, line, style_combo_boxes
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_XXL
from playhead.ui.widgets.wording import tr, tr_error, tr_n

_WIDTH_PX, _LEAST_PX = 560, 460
_NAME_LENGTH = 60
_LONGEST_QUESTION = 8_000
_MOST_LINES, _AROUND_PX = 12, 20
_ARMING_MS = 300


class _Sheet(QDialog):
    """A form with a sentence above it and the buttons below it."""

    def __init__(self, title: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_XXL)
        self._column.setSpacing(GAP_L)
        heading = ElidedLabel(title, self)
        heading.setProperty("kind", "title")
        heading.setToolTip(title)
        self._column.addWidget(heading)
        told = FormNote()
        told.show_text(words)
        self._column.addWidget(told)
        form = QWidget(self)
        self.grid = form_grid(form)
        self._column.addWidget(form)
        self.note = FormNote()
        self._column.addWidget(self.note)
        self._column.addStretch(1)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        self.cancel_button = self.button(tr("Cancel"), "")
        self.cancel_button.clicked.connect(self.reject)
        self._column.addLayout(self._buttons)
        room = self.screen().availableSize()
        self.setMinimumWidth(min(_LEAST_PX, room.width()))
        self.resize(min(_WIDTH_PX, room.width() - GAP_XXL), self.sizeHint().height())

    def button(self, words: str, kind: str) -> QPushButton:
        """Add a button at the right."""
        button = QPushButton(words, self)
        button.setProperty("kind", kind)
        button.setAutoDefault(kind == "primary")
        self._buttons.addWidget(button)
        return button

    def fail(self, error: AppError) -> None:
        """Show an error below the fields."""
        self.note.show_text(str(tr_error(error)), "danger")


class ServerSheet(_Sheet):
    """Asks for a server's address, shows who answers, and keeps it. Call `open()`.

    A token in a pasted address is cut out of it at once; it is shown and stored nowhere. Signal:
    `chosen(Place)` when a kernel of the server was chosen.
    """

    chosen = Signal(object)

    def __init__(
        self, saved: SavedPlaces, tasks: TaskOwner, parent: QWidget, address: str = ""
    ) -> None:
        words = tr(
            "Paste the address of Jupyter as your browser shows it, or the line that it prints at "
            "its start. Its token goes into the system's keyring only."
        )
        super().__init__(tr("Add a Jupyter server"), words, parent)
        self._saved, self._tasks = saved, tasks
        self._answer: ServerAnswer | None = None
        self._asked: PastedAddress | None = None
        self._number = 0
        self.address = line("https://lab.example.org/lab", tr("Address of the server"))
        self.token = line(tr("Empty if it wants none, or is known"), tr("Token of the server"))
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.open_way = QCheckBox(self)
        self.open_way.hide()
        self.kernels = QComboBox(self)
        self.kernels.setAccessibleName(tr("Kernel to run on"))
        add_row(self.grid, tr("Address"), ((self.address,), (self.open_way,)))
        add_row(self.grid, tr("Token"), ((self.token,),))
        self._label = add_row(self.grid, tr("Run on"), ((self.kernels,),))
        style_combo_boxes(self)
        self.ask_button = self.button(tr("Ask the server"), "primary")
        self.save_button = self.button(tr("Save"), "")
        self.run_button = self.button(tr("Save and run there"), "primary")
        self.address.textEdited.connect(self._on_edited)
        self.token.textEdited.connect(lambda: self._show_answer(None))
        self.open_way.toggled.connect(lambda: self._show_state())
        self.ask_button.clicked.connect(self.ask)
        self.save_button.clicked.connect(lambda: self._save(is_chosen=False))
        self.run_button.clicked.connect(lambda: self._save(is_chosen=True))
        self._show_answer(None)
        self.address.setFocus()
        if address:
            self.address.setText(address)
            self._on_edited(address)
            self.token.setFocus()

    def ask(self) -> None:
        """Ask the server who it is; nothing is kept yet."""
        pasted = self._pasted()
        if pasted is None or not self._may_ask(pasted):
            return
        self._number += 1
        self.note.show_text(tr("Asking {server}…", server=server_name(pasted.address)))
        self.ask_button.setEnabled(False)
        self._tasks.start(self._ask(pasted, self._number))

    async def _ask(self, pasted: PastedAddress, number: int) -> None:
        from shiboken6 import isValid

        try:
            answer: ServerAnswer | AppError = await self._saved.ask(pasted.address, pasted.token)
        except AppError as error:
            answer = error
        if not isValid(self) or number != self._number:
            return
        self.ask_button.setEnabled(True)
        if isinstance(answer, AppError):
            self._show_answer(None)
            self.fail(answer)
            is_token = answer.code == "place_unauthorized"
            (self.token if is_token else self.address).setFocus()
        else:
            self._asked = pasted
            self._show_answer(answer)

    def _on_edited(self, text: str) -> None:
        """Cut a token out of what was pasted, before anything else is done with it."""
        self._number += 1
        pasted = None
        if "token=" in text:
            try:
                pasted = pasted_address(text)
            except AppError:
                self.address.clear()  # it may be a part of a token
        if pasted is not None:
            self.address.setText(pasted.address)
            self.token.setText(pasted.token.reveal() if pasted.token else "")
            if pasted.token is None:  # it is being typed
                self.token.setFocus()
        self._show_answer(None)

    def _pasted(self) -> PastedAddress | None:
        try:
            pasted = pasted_address(self.address.text())
        except AppError as error:
            self.fail(error)
            return None
        typed = self.token.text().strip()
        return PastedAddress(pasted.address, Secret(typed) if typed else pasted.token)

    def _may_ask(self, pasted: PastedAddress) -> bool:
        return not is_unencrypted(pasted.address) or self.open_way.isChecked()

    def _show_state(self) -> None:
        """Show whether what is sent would be encrypted, and which button comes next."""
        try:
            pasted = pasted_address(self.address.text())
        except AppError:
            pasted = None
        is_open = pasted is not None and is_unencrypted(pasted.address)
        if pasted is not None and is_open:
            self.open_way.setText(
                tr(
                    "Send token, code and results unencrypted to {server}",
                    server=server_name(pasted.address)[:_NAME_LENGTH],
                )
            )
        self.open_way.setVisible(is_open)
        self.ask_button.setEnabled(pasted is not None and self._may_ask(pasted))
        has_answer = self._answer is not None
        self.ask_button.setVisible(not has_answer)
        for widget in (self.save_button, self.run_button, self.kernels, self._label):
            widget.setVisible(has_answer)
        self.run_button.setEnabled(self.kernels.count() > 0)
        (self.run_button if has_answer else self.ask_button).setDefault(True)

    def _show_answer(self, answer: ServerAnswer | None) -> None:
        self._answer = answer
        self.kernels.clear()
        self.note.show_text("")
        if answer is not None:
            name = server_name(answer.address)
            for spec in answer.specs:
                self.kernels.addItem(spec.label, server_place(answer.address, name, spec))
            for kernel in answer.running:
                shared = kernel.notebook or kernel.label
                words = tr("{name}, which runs: you share its names", name=shared)
                self.kernels.addItem(words, joined_place(answer.address, name, kernel))
            counts = tr_n("%n kinds of kernels", len(answer.specs), one="1 kind of kernel")
            told = tr(
                "{title} answered: {counts}, {running} running.",
                title=answer.title,
                counts=counts,
                running=len(answer.running),
            )
            self.note.show_text(told, "ok")
        self._show_state()
        if answer is not None:
            self.run_button.setFocus()
        self.adjustSize()

    def _save(self, *, is_chosen: bool) -> None:
        answer, asked = self._answer, self._asked
        if answer is None or asked is None:
            return
        place: Place | None = self.kernels.currentData() if is_chosen else None
        self._tasks.start(self._keep(answer, asked.token, place))

    async def _keep(self, answer: ServerAnswer, token: Secret | None, place: Place | None) -> None:
        from shiboken6 import isValid

        try:
            source = await self._saved.add(answer, token)
        except AppError as error:
            if isValid(self):
                self.fail(error)
            return
        if not isValid(self):
            return
        if place is not None:
            self.chosen.emit(place)
        if source == "session":
            self._answer = None
            self.note.show_text(
                tr("There is no keyring: the token is kept until Playhead is closed."), "warn"
            )
            self._show_state()
            self.ask_button.hide()
            self.cancel_button.setText(tr("Close"))
        else:
            self.accept()


class MachineSheet(_Sheet):
    """Asks for a host, a folder and a Python there. Call `open()`. Signal: `chosen(Place)`."""

    chosen = Signal(object)

    def __init__(self, known: Place | None, parent: QWidget) -> None:
        words = tr(
            "The host as ssh takes it, with your ~/.ssh/config. What ssh asks, you answer here. "
            "A container is docker:NAME or podman:NAME."
        )
        super().__init__(tr("Another machine"), words, parent)
        self.host = line("gpu-box", tr("Host"))
        self.folder = line(tr("Your home folder there"), tr("Folder there"))
        self.python = line(tr("The one that its shell finds"), tr("Python there"))
        for name, field in (
            (tr("Host"), self.host),
            (tr("Folder there"), self.folder),
            (tr("Python there"), self.python),
        ):
            add_row(self.grid, name, ((field,),))
            field.textEdited.connect(lambda: self.run_button.setEnabled(bool(self.host.text())))
        self.run_button = self.button(tr("Run there"), "primary")
        self.run_button.clicked.connect(self._choose)
        if known is not None:
            self.host.setText(known.address)
            self.folder.setText(known.folder)
            self.python.setText(known.program)
        self.run_button.setEnabled(bool(self.host.text()))
        self.host.setFocus()

    def _choose(self) -> None:
        try:
            place = machine_place(self.host.text(), self.folder.text(), self.python.text())
        except AppError as error:
            self.fail(error)
            return
        self.chosen.emit(place)
        self.accept()


class QuestionSheet(_Sheet):
    """Asks what a program asks that makes a connection, in its own words. Call `open()`.

    It takes no answer for `arming_ms`: a key on its way was not meant for it. Nothing typed is
    kept. Signal: `answered(object)` with the Secret, or None to give up.
    """

    answered = Signal(object)

    def __init__(
        self, question: PlaceQuestion, parent: QWidget, arming_ms: int = _ARMING_MS
    ) -> None:
        words = tr("ssh asks this, word for word. Your answer goes to it alone and is not kept.")
        super().__init__(tr("Connecting to {machine}", machine=question.place), words, parent)
        self.question = question
        self.quoted = QPlainTextEdit(self)
        self.quoted.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.quoted.setPlainText(visible_lines(question.text[:_LONGEST_QUESTION]))
        self.quoted.setReadOnly(True)
        self.quoted.setTabChangesFocus(True)
        self.quoted.setAccessibleName(tr("Question of ssh"))
        lines = min(_MOST_LINES, 2 * len(question.text.splitlines()) + 1)  # long ones are wrapped
        self.quoted.setMinimumHeight(lines * self.quoted.fontMetrics().lineSpacing() + _AROUND_PX)
        self._column.insertWidget(2, self.quoted, 1)
        self.answer = line("", tr("Answer"))
        if question.is_secret:
            self.answer.setEchoMode(QLineEdit.EchoMode.Password)
            self.answer.setInputMethodHints(
                Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhHiddenText
            )
        self.no_button = self.button(tr("No"), "")
        self.yes_button = self.button(tr("Yes, connect"), "danger")
        self.send_button = self.button(tr("Send"), "primary")
        self.no_button.clicked.connect(lambda: self._send("no"))
        self.yes_button.clicked.connect(lambda: self._send("yes"))
        self.send_button.clicked.connect(lambda: self._send(self.answer.text()))
        if not question.is_choice:
            add_row(self.grid, tr("Answer"), ((self.answer,),))
        for button in (self.no_button, self.yes_button):
            button.setVisible(question.is_choice)
            button.setAutoDefault(False)
        self.send_button.setVisible(not question.is_choice)
        self.cancel_button.setText(tr("Give up"))
        self._is_answered = False
        self.finished.connect(self._on_finished)
        self._taking = (self.yes_button, self.no_button, self.send_button)
        for button in self._taking:
            button.setEnabled(False)
        arming = QTimer(self)
        arming.setSingleShot(True)
        arming.timeout.connect(self._arm)
        arming.start(arming_ms)
        (self.no_button if question.is_choice else self.answer).setFocus()

    def take_back(self) -> None:
        """Close it: the question is over."""
        self._is_answered = True
        self.reject()

    def _arm(self) -> None:
        for button in self._taking:
            button.setEnabled(True)

    def _send(self, text: str) -> None:
        if self._is_answered:
            return
        self._is_answered = True
        self.answer.clear()
        self.answered.emit(Secret(text))
        self.accept()

    def _on_finished(self) -> None:
        self.answer.clear()
        if not self._is_answered:
            self._is_answered = True
            self.answered.emit(None)


def visible_lines(text: str) -> str:
    """Return a text with its lines, and nothing in it that hides."""
    return "\n".join(visible(one) for one in text.splitlines())


class FolderSheet(_Sheet):
    """Asks for the folder of a place on another machine. Call `open()`. Signal: `chosen(Place)`."""

    chosen = Signal(object)

    def __init__(self, place: Place, parent: QWidget) -> None:
        words = tr(
            "The folder on {machine} in which code begins. The kernel that runs there ends with the"
            " next run, and its variables with it.",
            machine=short_name(place),
        )
        super().__init__(tr("Folder on {machine}", machine=short_name(place)), words, parent)
        self._place = place
        self.folder = line(folder_there(place), tr("Folder there"))
        self.folder.setText(place.folder)
        add_row(self.grid, tr("Folder there"), ((self.folder,),))
        self.run_button = self.button(tr("Use this folder"), "primary")
        self.run_button.clicked.connect(self._choose)
        self.folder.setFocus()

    def _choose(self) -> None:
        place, folder = self._place, self.folder.text().strip()
        try:
            machine_place("any", folder)  # the same words are no folder
        except AppError as error:
            self.fail(error)
            return
        from msgspec.structs import replace

        self.chosen.emit(replace(place, folder=folder))
        self.accept()
