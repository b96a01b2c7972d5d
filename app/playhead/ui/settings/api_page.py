"""The settings' section for other programs: whether they reach Playhead, and their permissions."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.settings import AppSettings
from playhead.session.ports import ApiControl, ApiStatus, Settings
from playhead.ui.widgets.form import FormNote, add_row, form_grid, line, read_number
from playhead.ui.widgets.message_box import confirm
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import mark, tr, tr_error

ENABLED_LABEL = mark("Let other programs use Playhead")
# Refusals over HTTP name these two switches by their labels.
CLIENT_APPROVES_LABEL = mark("Programs may approve code themselves")
AUTO_RUN_LABEL = mark("Programs may have code run without asking")
SWITCH_LABELS = {"api_client_approves": CLIENT_APPROVES_LABEL, "api_auto_run": AUTO_RUN_LABEL}
"""The labels of the switches, by their fields of the settings."""

_DEFAULTS = AppSettings()
_INTRO = mark(
    "Programs on this computer can hold conversations here by HTTP, with any OpenAI client "
    "too. Each conversation is in the sidebar while it runs."
)
_KEY_WORDS = mark("Programs present it as their API key. Keep it secret, as you would a password.")
_WINDOW_APPROVES = mark("Only your click in this window has code run; the program waits for it.")
_BOTH_APPROVE = mark("You in this window or the program may decide; the first decision counts.")
_AUTO_RUN_WORDS = mark(
    "Code then runs on this computer though nobody has seen it. It can do all that you can: "
    "read, change and delete your files, and use the network. Leave it off unless you need it."
)
_RENEWED_WORDS = mark(
    "There is a new token, and both permissions below are off. Copy it into the programs that "
    "will still use Playhead."
)


class ApiPage(QWidget):
    """Fields for the server of `api`; no field ever shows the token itself. Owner: the dialog.

    Its tasks belong to the dialog, which reports their errors.
    """

    def __init__(
        self, api: ApiControl, settings: Settings, tasks: TaskOwner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._api = api
        self._settings = settings
        self._tasks = tasks
        self.enabled = QCheckBox(tr(ENABLED_LABEL))
        self.state_note = FormNote()
        self.port = line(f"{_DEFAULTS.api_port}", tr("Port"))
        self.address = _shown_line(tr("Address"))
        self.address_note = FormNote()
        self.copy_address = QPushButton(tr("Copy"))
        self.token = _shown_line(tr("Token, not shown"))
        self.token.setText("•" * 24)
        self.token_note = FormNote()
        self.copy_token = QPushButton(tr("Copy"))
        self.renew = QPushButton(tr("Renew…"))
        self.client_approves = QCheckBox(tr(CLIENT_APPROVES_LABEL))
        self.approves_note = FormNote()
        self.auto_run = QCheckBox(tr(AUTO_RUN_LABEL))
        self.auto_run_note = FormNote()
        self.rate_limit = line(f"{_DEFAULTS.api_rate_limit}", tr("Requests a minute"))
        self.rate_note = FormNote()
        self.max_messages = line(f"{_DEFAULTS.api_max_messages}", tr("Messages in a request"))
        self.messages_note = FormNote()
        self._prepare_buttons()
        self._lay_out()
        self._connect()
        self._show_settings(settings.current)
        self._unsubscribe = api.subscribe(lambda _status: self._show_state())

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        port = read_number(tr("Port"), self.port, 1, 65_535, int)
        limit = read_number(tr("Requests a minute"), self.rate_limit, 0, 1_000_000, int)
        most = read_number(tr("Messages in a request"), self.max_messages, 1, 1_000_000, int)
        return replace(
            before,
            api_enabled=self.enabled.isChecked(),
            api_port=_DEFAULTS.api_port if port is None else port,
            api_client_approves=self.client_approves.isChecked(),
            api_auto_run=self.auto_run.isChecked(),
            api_rate_limit=_DEFAULTS.api_rate_limit if limit is None else limit,
            api_max_messages=_DEFAULTS.api_max_messages if most is None else most,
        )

    def close_down(self) -> None:
        """Stop listening to the server; may be called twice."""
        self._unsubscribe()
        self._unsubscribe = lambda: None

    def ask_renew(self) -> None:
        """Ask before the token that programs use becomes invalid."""
        confirm(
            self,
            tr("Renew the token"),
            tr("Renew the token?"),
            tr(
                "Programs that hold the old one are refused from now on, and both permissions "
                "are turned off."
            ),
            tr("Renew"),
            lambda: self._tasks.start(self._renew()),
        )

    def _prepare_buttons(self) -> None:
        for button, name in (
            (self.copy_address, tr("Copy the address")),
            (self.copy_token, tr("Copy the token")),
            (self.renew, tr("Renew the token")),
        ):
            button.setAutoDefault(False)
            button.setAccessibleName(name)
        for button in (self.copy_address, self.copy_token):
            button.setText(tr("Copied"))  # the fields beside them do not jump
            button.ensurePolished()
            button.setMinimumWidth(button.sizeHint().width())
            button.setText(tr("Copy"))

    def _lay_out(self) -> None:
        intro = FormNote()
        fields = QWidget()
        grid = form_grid(fields)
        for label, rows in (
            ("", ([self.enabled], [self.state_note])),
            (tr("Port"), ([self.port],)),
            (tr("Address"), ([self.address, self.copy_address], [self.address_note])),
            (tr("Token"), ([self.token, self.copy_token, self.renew], [self.token_note])),
            ("", ([self.client_approves], [self.approves_note])),
            ("", ([self.auto_run], [self.auto_run_note])),
            (tr("Requests a minute"), ([self.rate_limit], [self.rate_note])),
            (tr("Messages in a request"), ([self.max_messages], [self.messages_note])),
        ):
            add_row(grid, label, rows)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (intro, fields):
            column.addWidget(widget)
        intro.show_text(tr(_INTRO))

    def _connect(self) -> None:
        self.enabled.toggled.connect(self._show_state)
        self.port.textChanged.connect(self._show_address)
        for switch in (self.client_approves, self.auto_run):
            switch.toggled.connect(self._show_permissions)
        self.copy_address.clicked.connect(self._on_copy_address)
        self.copy_token.clicked.connect(lambda: self._tasks.start(self._copy_token()))
        self.renew.clicked.connect(self.ask_renew)

    def _show_settings(self, settings: AppSettings) -> None:
        self.enabled.setChecked(settings.api_enabled)
        self.port.setText(f"{settings.api_port}")
        self.client_approves.setChecked(settings.api_client_approves)
        self.auto_run.setChecked(settings.api_auto_run)
        self.rate_limit.setText(f"{settings.api_rate_limit}")
        self.rate_note.show_text(tr("For each token; 0 for no limit."))
        self.max_messages.setText(f"{settings.api_max_messages}")
        self.messages_note.show_text(tr("A request with more of them is refused."))
        self._show_state()
        self._show_address()
        self._show_permissions()

    def _show_state(self) -> None:
        words, kind = state_words(self._api.status, is_wanted=self.enabled.isChecked())
        self.state_note.show_text(words, kind)
        is_listening = self._api.status.state == "listening"
        kept = self._api.status.message if is_listening else ""  # if the token is not stored
        self.token_note.show_text(f"{tr(_KEY_WORDS)} {kept}".strip())

    def _show_address(self) -> None:
        port = self.port.text().strip() or f"{_DEFAULTS.api_port}"
        self.address.setText(f"http://127.0.0.1:{port}")
        self.address_note.show_text(
            tr("The base URL for OpenAI clients is {text}/v1", text=self.address.text())
        )
        self._mark_copied(None)

    def _show_permissions(self) -> None:
        both = self.client_approves.isChecked()
        self.approves_note.show_text(tr(_BOTH_APPROVE if both else _WINDOW_APPROVES))
        self.auto_run_note.show_text(
            tr(_AUTO_RUN_WORDS), "danger" if self.auto_run.isChecked() else "mute"
        )

    def _on_copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self.address.text())
        self._mark_copied(self.copy_address)

    async def _copy_token(self) -> None:
        token = await self._api.token()
        data = QMimeData()
        data.setText(token.reveal())
        data.setData("x-kde-passwordManagerHint", b"secret")  # clipboard histories leave it out
        QGuiApplication.clipboard().setMimeData(data)
        self._mark_copied(self.copy_token)

    async def _renew(self) -> None:
        """Remove the permissions first, because they were given to programs with the old token."""
        self.client_approves.setChecked(False)
        self.auto_run.setChecked(False)
        current = self._settings.current
        await self._settings.save(replace(current, api_client_approves=False, api_auto_run=False))
        await self._api.renew_token()
        self._mark_copied(None)
        self.token_note.show_text(tr(_RENEWED_WORDS), "ok")

    def _mark_copied(self, copied: QPushButton | None) -> None:
        for button in (self.copy_address, self.copy_token):
            button.setText(tr("Copied") if button is copied else tr("Copy"))


def state_words(status: ApiStatus, *, is_wanted: bool) -> tuple[str, str]:
    """Return the server's state, with what Save will change, and the kind of the note."""
    later = ""
    if is_wanted != (status.state != "off"):
        later = tr("It begins when you save.") if is_wanted else tr("It ends when you save.")
    words, kind = _status_words(status)
    return " ".join(part for part in (words, later) if part), kind


def _status_words(status: ApiStatus) -> tuple[str, str]:
    match status.state:
        case "off":
            return tr("Off: no other program reaches Playhead."), "mute"
        case "starting":
            return tr("Starting…"), "mute"
        case "listening":
            return tr("Listening on {address}.", address=status.address), "ok"
        case "failed":
            reason = str(tr_error(status.error)) if status.error else ""
            return tr("Not listening. {message}", message=reason).strip(), "danger"


def _shown_line(name: str) -> QLineEdit:
    """Return a read-only field to copy from."""
    field = line("", name)
    field.setReadOnly(True)
    return field
