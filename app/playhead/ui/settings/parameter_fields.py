"""The fields of a form in which model parameters are typed."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QLineEdit

from playhead.domain.model import ModelParameters
from playhead.ui.widgets.form import read_number, show_number
from playhead.ui.widgets.wording import tr


def show_parameters(
    parameters: ModelParameters, temperature: QLineEdit, max_tokens: QLineEdit
) -> None:
    """Fill the fields."""
    show_number(temperature, parameters.temperature)
    show_number(max_tokens, parameters.max_tokens)


def read_parameters(
    before: ModelParameters, temperature: QLineEdit, max_tokens: QLineEdit
) -> ModelParameters:
    """Return `before` with what the fields say; an empty one is not set. Raises FieldError."""
    return replace(
        before,
        temperature=read_number(tr("Temperature"), temperature, 0, 2, float),
        max_tokens=read_number(tr("Max tokens"), max_tokens, 1, 10_000_000, int),
    )
