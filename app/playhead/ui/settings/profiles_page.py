"""The settings page for profiles: their list, their fields, their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.atomic_file import read_plain
from playhead.domain.model import ModelParameters
from playhead.domain.settings import AppSettings, Profile
from playhead.domain.text import policies
from playhead.domain.trust import AskPolicy, FileAccess, NetworkAccess
from playhead.errors import StorageError
from playhead.formats.documents.profiles_toml import LARGEST_BYTES, from_toml, to_toml
from playhead.ui.settings.field_checks import address_problem
from playhead.ui.settings.parameter_fields import read_parameters, show_parameters
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.form import (
    FieldError,
    FormNote,
    add_row,
    form_grid,
    line,
    read_number,
    show_number,
    text_area,
)
from playhead.ui.widgets.wording import mark, tr, tr_error, tr_n

LONGEST_NAME = 80
_APPROVALS = (
    (None, mark("As the conversation says")),
    (False, mark("Ask before code runs")),
    (True, mark("Run code without asking")),
)


class ProfileForm(QWidget):
    """Holds one profile. Owner: the page. Signal: `renamed(str)` while the name is typed."""

    renamed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parameters = ModelParameters()
        unset = tr("As in the settings")
        self.name = line("", tr("Name of the profile"))
        self.name.setMaxLength(LONGEST_NAME)
        self.model = line(unset, tr("Model of the profile"))
        self.address = line(tr("The provider's own address"), tr("Address of the profile's model"))
        self.temperature = line(unset, tr("Temperature of the profile"))
        self.max_tokens = line(unset, tr("Max tokens of the profile"))
        self.max_steps = line(unset, tr("Steps per turn of the profile"))
        self.budget = line(unset, tr("Budget of the profile"))
        self.instructions = text_area(tr("Instructions of the profile"), unset, 60)
        self.prompt = text_area(tr("System prompt of the profile"), unset, 60)
        self.approval = QComboBox()
        self.approval.setAccessibleName(tr("Approval of the profile"))
        for value, label in _APPROVALS:
            self.approval.addItem(tr(label), value)
        self.approval_note = FormNote()
        self.policy = {
            name: self._policy_choice(about, entries) for name, about, entries in _policy_choices()
        }
        grid = form_grid(self)
        for label, rows in (
            (tr("Name"), ([self.name],)),
            (tr("Model"), ([self.model],)),
            (tr("Address"), ([self.address],)),
            (tr("Temperature"), ([self.temperature],)),
            (tr("Max tokens"), ([self.max_tokens],)),
            (tr("Steps per turn"), ([self.max_steps],)),
            (tr("Budget (US $)"), ([self.budget],)),
            (tr("Instructions"), ([self.instructions],)),
            (tr("System prompt"), ([self.prompt],)),
            (tr("Approval"), ([self.approval], [self.approval_note])),
            (tr("Sandbox"), ([*self.policy.values()],)),
        ):
            add_row(grid, label, rows)
        self.name.textEdited.connect(self.renamed)
        self.approval.currentIndexChanged.connect(self._on_approval_changed)

    def show_profile(self, profile: Profile) -> None:
        """Fill the fields."""
        self.name.setText(profile.name)
        self.model.setText(profile.model or "")
        self.address.setText(profile.api_base or "")
        self._parameters = profile.parameters
        show_parameters(profile.parameters, self.temperature, self.max_tokens)
        show_number(self.max_steps, profile.max_steps)
        show_number(self.budget, profile.budget)
        self.instructions.setPlainText(profile.instructions or "")
        self.prompt.setPlainText(profile.system_prompt or "")
        self.approval.setCurrentIndex(max(0, self.approval.findData(profile.auto_run)))
        for name, box in self.policy.items():
            box.setCurrentIndex(max(0, box.findData(getattr(profile, name))))

    def value(self) -> Profile:
        """Return the profile with the values of the fields. Raises FieldError."""
        name = self.name.text().strip()
        if not name:
            raise FieldError(tr("A profile has no name."))
        address = self.address.text().strip()
        try:
            if problem := address_problem(address):
                raise FieldError(problem)
            return Profile(
                name=name,
                model=_text(self.model),
                api_base=address or None,
                parameters=read_parameters(self._parameters, self.temperature, self.max_tokens),
                max_steps=read_number(tr("Steps per turn"), self.max_steps, 1, 1000, int),
                budget=read_number(tr("Budget"), self.budget, 0, 100_000, float),
                system_prompt=self.prompt.toPlainText().strip() or None,
                instructions=self.instructions.toPlainText().strip() or None,
                auto_run=self.approval.currentData(),
                sandbox_files=self.policy["sandbox_files"].currentData(),
                sandbox_network=self.policy["sandbox_network"].currentData(),
                sandbox_ask=self.policy["sandbox_ask"].currentData(),
            )
        except FieldError as error:
            words = tr("Profile “{name}”: {problem}", name=name, problem=error)
            raise FieldError(words) from None

    def _policy_choice(self, about: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
        """Return the choice of a dial, whose first entry leaves it to the settings."""
        box = QComboBox()
        box.setAccessibleName(about)
        box.setToolTip(about)
        box.addItem(tr("As in the settings"), None)
        for value, words in entries:
            box.addItem(words, value)
        return box

    def _on_approval_changed(self) -> None:
        is_risky = self.approval.currentData() is True
        words = tr("All code of such conversations runs without asking, with all your rights.")
        self.approval_note.show_text(words if is_risky else "", "danger")


def _policy_choices() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the dials by their settings: what they are about, and their answers in words."""
    files: tuple[FileAccess, ...] = ("look", "folder")
    networks: tuple[NetworkAccess, ...] = ("off", "on")
    asks: tuple[AskPolicy, ...] = ("every", "risky", "outside")
    return [
        (
            "sandbox_files",
            tr("Files of the profile's code"),
            [(one, policies.files_name(one, tr)) for one in files],
        ),
        (
            "sandbox_network",
            tr("Network of the profile's code"),
            [(one, policies.network_name(one, tr)) for one in networks],
        ),
        (
            "sandbox_ask",
            tr("When the profile's code is asked about"),
            [(one, policies.ask_name(one, tr)) for one in asks],
        ),
    ]


def _text(field: QLineEdit) -> str | None:
    return field.text().strip() or None


_INTRO = mark("A profile is a set of what you like for one kind of work. Empty fields stay as set.")


class ProfilesPage(QWidget):
    """The list of profiles with a form. Owner: the dialog.

    `model_now()` returns the model of the models page with its address.
    """

    def __init__(
        self,
        settings: AppSettings,
        model_now: Callable[[], tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model_now = model_now
        self._profiles: list[Profile] = list(settings.profiles)
        self._shown = -1
        self.used = QComboBox()
        self.used.setAccessibleName(tr("Profile of new conversations"))
        self.chooser = QComboBox()
        self.chooser.setAccessibleName(tr("Profile to edit"))
        self.new = QPushButton(tr("New"))
        self.duplicate = QPushButton(tr("Duplicate"))
        self.delete = QPushButton(tr("Delete"))
        self.import_button = QPushButton(tr("Import…"))
        self.export = QPushButton(tr("Export…"))
        self.note = FormNote()
        self.form = ProfileForm()
        self._lay_out()
        self._connect()
        self._list(0)
        self._list_used(settings.profile)

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the profiles of this page. Raises FieldError."""
        self._keep()
        names = [profile.name for profile in self._profiles]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), "")
        if twice:
            raise FieldError(tr("Two profiles have the name “{name}”.", name=twice))
        used = self.used.currentIndex() - 1
        return replace(
            before,
            profiles=tuple(self._profiles),
            profile=names[used] if 0 <= used < len(names) else "",
        )

    def add(self, profiles: Sequence[Profile]) -> None:
        """Append profiles under free names, and show the first of them."""
        if not profiles or not self._keep_or_report():
            return
        first = len(self._profiles)
        for profile in profiles:
            taken = {one.name for one in self._profiles}
            self._profiles.append(replace(profile, name=_free_name(profile.name, taken)))
        self._list(first)
        self.form.name.setFocus()
        self.form.name.selectAll()

    def import_file(self, path: str) -> None:
        """Add the profiles of a file, or show why it cannot be read."""
        try:
            data = read_plain(path, LARGEST_BYTES)
            if data is None:
                raise OSError(tr("It is not a regular file of at most 1 MB."))
            read = from_toml(data)
        except OSError as error:
            self.note.show_text(f"{path}: {error.strerror or error}", "danger")
        except StorageError as error:
            self.note.show_text(str(tr_error(error)), "danger")
        else:
            self.add(read.profiles)
            count = tr_n("%n profiles were imported.", len(read.profiles), one="1 was imported.")
            self.note.show_text(" ".join((count, *read.notes)), "warn" if read.notes else "ok")

    def export_file(self, path: str) -> None:
        """Write all profiles into a file, which never contains keys."""
        if not self._keep_or_report():
            return
        try:
            Path(path).write_text(to_toml(self._profiles), "utf-8")
        except OSError as error:
            self.note.show_text(f"{path}: {error.strerror or error}", "danger")
        else:
            self.note.show_text(tr("Written to {path}, without keys.", path=path), "ok")

    def _lay_out(self) -> None:
        top = QWidget()
        grid = form_grid(top)
        add_row(grid, tr("New conversations"), ([self.used],))
        self._chooser_label = add_row(grid, tr("Profile"), ([self.chooser],))
        buttons = QWidget()
        flow = FlowLayout(buttons)
        for button in (self.new, self.duplicate, self.delete, self.import_button, self.export):
            button.setAutoDefault(False)
            flow.addWidget(button)
        grid.addWidget(buttons, grid.rowCount(), 1)
        self._hairline = QFrame()
        self._hairline.setProperty("kind", "hairline")
        intro = FormNote()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for widget in (intro, top, self.note, self._hairline, self.form):
            column.addWidget(widget)
        intro.show_text(tr(_INTRO))

    def _connect(self) -> None:
        self.chooser.activated.connect(self._on_chosen)
        self.form.renamed.connect(self._on_renamed)
        self.new.clicked.connect(self._on_new)
        self.duplicate.clicked.connect(self._on_duplicate)
        self.delete.clicked.connect(self._on_delete)
        self.import_button.clicked.connect(self._on_import)
        self.export.clicked.connect(self._on_export)

    def _list(self, shown: int) -> None:
        """List the profiles again and show one of them."""
        self._shown = min(shown, len(self._profiles) - 1)
        used = self.used.currentIndex()
        self.chooser.clear()
        self.chooser.addItems([profile.name for profile in self._profiles])
        self.chooser.setCurrentIndex(self._shown)
        self._list_used("")
        self.used.setCurrentIndex(used if 0 <= used < self.used.count() else 0)
        has_any = bool(self._profiles)
        for widget in (self.form, self.chooser, self.duplicate, self.delete, self.export):
            widget.setEnabled(has_any)
        for widget in (self.form, self._hairline, self.chooser, self._chooser_label):
            widget.setVisible(has_any)
        if has_any:
            self.form.show_profile(self._profiles[self._shown])

    def _list_used(self, name: str) -> None:
        self.used.clear()
        self.used.addItem(tr("No profile: as in the settings"))
        self.used.addItems([profile.name for profile in self._profiles])
        names = [profile.name for profile in self._profiles]
        self.used.setCurrentIndex(names.index(name) + 1 if name in names else 0)

    def _keep(self) -> None:
        """Store the values of the form in its profile. Raises FieldError."""
        if self._shown >= 0:
            self._profiles[self._shown] = self.form.value()

    def _keep_or_report(self) -> bool:
        """Return whether the form could be stored; else show the problem."""
        try:
            self._keep()
        except FieldError as error:
            self.note.show_text(str(error), "danger")
            self.chooser.setCurrentIndex(self._shown)
            return False
        self.note.show_text("")
        return True

    def _on_chosen(self, place: int) -> None:
        if place != self._shown and self._keep_or_report():
            self._list(place)

    def _on_renamed(self, name: str) -> None:
        self.chooser.setItemText(self._shown, name)
        self.used.setItemText(self._shown + 1, name)

    def _on_new(self) -> None:
        model, address = self._model_now()
        self.add([Profile(name=tr("New profile"), model=model or None, api_base=address or None)])

    def _on_duplicate(self) -> None:
        if self._keep_or_report():
            self.add([self._profiles[self._shown]])

    def _on_delete(self) -> None:
        """Remove the profile from the list; it is deleted by Save only."""
        used = self.used.currentIndex() - 1
        del self._profiles[self._shown]
        if used >= self._shown:
            self.used.setCurrentIndex(0 if used == self._shown else used)
        gone, self._shown = self._shown, -1
        self.note.show_text("")
        self._list(max(0, gone - 1))

    def _on_import(self) -> None:
        dialog = self._file_dialog(tr("Import profiles"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.import_file)
        dialog.open()

    def _on_export(self) -> None:
        dialog = self._file_dialog(tr("Export profiles"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.selectFile("playhead-profiles.toml")
        dialog.fileSelected.connect(self.export_file)
        dialog.open()

    def _file_dialog(self, title: str) -> QFileDialog:
        return FileDialog(self, title, str(Path.home()), tr("Profiles") + " (*.toml)")


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
