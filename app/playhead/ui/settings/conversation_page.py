"""The settings page for instructions, system prompt, steps and budget of a conversation."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace
from PySide6.QtWidgets import QPushButton, QWidget

from playhead.domain.settings import AppSettings
from playhead.ui.widgets.form import FormNote, add_row, form_grid, line, read_number, text_area
from playhead.ui.widgets.wording import tr

_MOST_DOLLARS = 100_000


class ConversationPage(QWidget):
    """Fields for instructions, system prompt, steps and budget. Owner: the dialog."""

    def __init__(
        self,
        settings: AppSettings,
        built_in: tuple[str, Mapping[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._built_in, self._words = built_in
        self.instructions = text_area(
            tr("Custom instructions"), tr("Sent to the model in every conversation"), 76
        )
        self.max_steps = line("20", tr("Steps per turn"))
        self.steps_note = FormNote()
        self.budget = line(tr("No budget"), tr("Budget of a conversation in US dollars"))
        self.budget_note = FormNote()
        self.prompt = text_area(tr("System prompt"), "", 210)
        self.built_in = QPushButton(tr("Use the built-in one"))
        self.built_in.setAutoDefault(False)
        self.prompt_note = FormNote()
        grid = form_grid(self)
        for label, rows in (
            (tr("Instructions"), ([self.instructions],)),
            (tr("Steps per turn"), ([self.max_steps], [self.steps_note])),
            (tr("Budget (US $)"), ([self.budget], [self.budget_note])),
            (tr("System prompt"), ([self.prompt], [self.built_in], [self.prompt_note])),
        ):
            add_row(grid, label, rows)
        self._show(settings)
        self.built_in.clicked.connect(lambda: self.prompt.setPlainText(self._built_in))
        self.prompt.textChanged.connect(self._show_prompt)

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        steps = read_number(tr("Steps per turn"), self.max_steps, 1, 1000, int)
        budget = read_number(tr("Budget"), self.budget, 0, _MOST_DOLLARS, float)
        return replace(
            before,
            instructions=self.instructions.toPlainText().strip(),
            max_steps=before.max_steps if steps is None else steps,
            budget=budget or 0.0,
            system_prompt="" if self._is_built_in else self.prompt.toPlainText().strip(),
        )

    @property
    def _is_built_in(self) -> bool:
        return self.prompt.toPlainText().strip() in ("", self._built_in.strip())

    def _show(self, settings: AppSettings) -> None:
        self.instructions.setPlainText(settings.instructions)
        self.max_steps.setText(f"{settings.max_steps}")
        self.budget.setText(f"{settings.budget:g}" if settings.budget else "")
        self.prompt.setPlainText(settings.system_prompt or self._built_in)
        self.steps_note.show_text(tr("How often a model may run code before it is asked to stop."))
        self.budget_note.show_text(
            tr("A conversation that has cost this much stops and asks. Empty: it never does.")
        )
        self._show_prompt()

    def _show_prompt(self) -> None:
        is_built_in = self._is_built_in
        self.built_in.setEnabled(not is_built_in)
        names = ", ".join(f"{{{name}}}" for name in self._words)
        if is_built_in:
            words = tr("This is the built-in one; newer versions of Playhead may better it.")
        else:
            words = tr("Your own. It stays as it is when Playhead is updated.")
        self.prompt_note.show_text(
            f"{words} {tr('Filled in when it is sent: {names}', names=names)}"
        )
