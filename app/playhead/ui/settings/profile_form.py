"""The fields of one profile; an empty one leaves what the settings say."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from playhead.domain.settings import Profile
from playhead.ui.settings.checks import address_problem
from playhead.ui.settings.form_rows import (
    FieldError,
    Note,
    add_row,
    form_grid,
    line,
    number_in,
    text_area,
)
from playhead.ui.wording import mark, tr

LONGEST_NAME = 80
_APPROVALS = (
    (None, mark("As the conversation says")),
    (False, mark("Ask before code runs")),
    (True, mark("Run code without asking")),
)


class ProfileForm(QWidget):
    """Owner: the page of profiles. Signal: `renamed(str)` while the name is typed."""

    renamed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.approval_note = Note()
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
        ):
            add_row(grid, label, rows)
        self.name.textEdited.connect(self.renamed)
        self.approval.currentIndexChanged.connect(self._on_approval_changed)

    def show_profile(self, profile: Profile) -> None:
        """Fill the fields."""
        self.name.setText(profile.name)
        self.model.setText(profile.model or "")
        self.address.setText(profile.api_base or "")
        for field, value in (
            (self.temperature, profile.temperature),
            (self.max_tokens, profile.max_tokens),
            (self.max_steps, profile.max_steps),
            (self.budget, profile.budget),
        ):
            field.setText("" if value is None else f"{value:g}" if value < 1e6 else f"{value}")
        self.instructions.setPlainText(profile.instructions or "")
        self.prompt.setPlainText(profile.system_prompt or "")
        self.approval.setCurrentIndex(max(0, self.approval.findData(profile.auto_run)))

    def value(self) -> Profile:
        """The profile as the fields have it. Raises FieldError."""
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
                temperature=number_in(tr("Temperature"), self.temperature, 0, 2, float),
                max_tokens=number_in(tr("Max tokens"), self.max_tokens, 1, 10_000_000, int),
                max_steps=number_in(tr("Steps per turn"), self.max_steps, 1, 1000, int),
                budget=number_in(tr("Budget"), self.budget, 0, 100_000, float),
                system_prompt=self.prompt.toPlainText().strip() or None,
                instructions=self.instructions.toPlainText().strip() or None,
                auto_run=self.approval.currentData(),
            )
        except FieldError as error:
            words = tr("Profile “{name}”: {problem}", name=name, problem=error)
            raise FieldError(words) from None

    def _on_approval_changed(self) -> None:
        is_risky = self.approval.currentData() is True
        words = tr("All code of such conversations runs at once, with all your rights.")
        self.approval_note.say(words if is_risky else "", "danger")


def _text(field: QLineEdit) -> str | None:
    return field.text().strip() or None
