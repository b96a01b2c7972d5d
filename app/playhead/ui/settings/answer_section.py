"""How a model answers, and the user's own word on what it can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from playhead.domain.model import ModelFacts
from playhead.domain.settings import AppSettings, ModelOverride
from playhead.ui.composer.picker_rows import context_text, facts_text
from playhead.ui.settings.form_rows import Note, add_row, form_grid, line, number_in
from playhead.ui.wording import mark, tr

_LARGEST = 100_000_000
_CHOICES = ((None, mark("Automatic")), (True, mark("Yes")), (False, mark("No")))


class AnswerSection(QWidget):
    """Temperature and length for all models, overrides for the one chosen. Owner: its page."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._overrides: dict[str, ModelOverride] = dict(settings.model_overrides)
        self._model = ""
        self.temperature = line(tr("The provider's default"), tr("Temperature"))
        self.max_tokens = line(tr("The provider's default"), tr("Max tokens"))
        self.facts_note = Note()
        self.takes_tools = _choice(tr("Calls tools"))
        self.sees_images = _choice(tr("Sees images"))
        self.context = line(tr("Automatic"), tr("Context in tokens"))
        self._grid = form_grid(self)
        for label, rows in (
            (tr("Temperature"), ([self.temperature],)),
            (tr("Max tokens"), ([self.max_tokens],)),
            (tr("Calls tools"), ([self.takes_tools],)),
            (tr("Sees images"), ([self.sees_images],)),
            (tr("Context (tokens)"), ([self.context], [self.facts_note])),
        ):
            add_row(self._grid, label, rows)
        _fill(self.temperature, settings.temperature)
        _fill(self.max_tokens, settings.max_tokens)

    def show_model(self, model: str) -> None:
        """Show what the user said of a model; what was said of the one before is kept."""
        if model == self._model:
            return
        self._keep()
        self._model = model
        override = self._overrides.get(model, ModelOverride())
        for box, value in (
            (self.takes_tools, override.takes_tools),
            (self.sees_images, override.supports_images),
        ):
            box.setCurrentIndex(box.findData(value))
            box.setEnabled(bool(model))
        _fill(self.context, override.context_tokens)
        self.context.setEnabled(bool(model))
        self.facts_note.say("")

    def show_facts(self, facts: ModelFacts) -> None:
        """Say what is known of the model that is shown."""
        if facts.model != self._model:
            return
        words = facts_text(facts)
        self.facts_note.say(
            tr("Known: {facts}", facts=words) if words else tr("Nothing is known of this model.")
        )
        size = facts.context_tokens
        self.context.setPlaceholderText(context_text(size) if size else tr("Not known"))

    def values(self, before: AppSettings) -> AppSettings:
        """The settings as the fields have them. Raises FieldError."""
        number_in(tr("Context"), self.context, 1, _LARGEST, int)
        self._keep()
        return replace(
            before,
            temperature=number_in(tr("Temperature"), self.temperature, 0, 2, float),
            max_tokens=number_in(tr("Max tokens"), self.max_tokens, 1, 10_000_000, int),
            model_overrides=self.overrides,
        )

    @property
    def overrides(self) -> Mapping[str, ModelOverride]:
        """What the user said of models, by model string."""
        return dict(self._overrides)

    def _keep(self) -> None:
        if not self._model:
            return
        size = self.context.text().strip()
        override = ModelOverride(
            self.takes_tools.currentData(),
            self.sees_images.currentData(),
            int(size) if size.isdecimal() and int(size) else None,
        )
        self._overrides.pop(self._model, None)
        if override != ModelOverride():
            self._overrides[self._model] = override


def _choice(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, label in _CHOICES:
        box.addItem(tr(label), value)
    return box


def _fill(field: QLineEdit, value: float | None) -> None:
    field.setText("" if value is None else f"{value}")
