"""The choice of provider and model: the fields that the provider needs, and their checks."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from playhead.domain.model import DIRECT_MODEL, ProviderPage
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.ui.settings.field_checks import (
    EXAMPLE,
    address_problem,
    extra_problem,
    field_problem,
    key_problem,
)
from playhead.ui.widgets.form import FieldError, FormNote, add_row, form_grid, keep_place, line
from playhead.ui.widgets.wording import mark, tr

DIRECT_LABEL = mark("No model (Direct mode: what you type as code runs)")


class _Row(Struct, frozen=True):
    """A row of the form that only some providers have."""

    label: QLabel
    widgets: tuple[QWidget, ...]

    def show(self, is_wanted: bool) -> None:
        for widget in (self.label, *self.widgets):
            widget.setVisible(is_wanted)


class ProviderForm(QWidget):
    """The fields of one provider. Owner: the page of models.

    Signals: `changed()` when the provider, the model or the address changed, `turned()` after it if
    the provider did, `key_typed()`, `check_requested()`, `models_requested()`,
    `key_removal_requested()`, `unlock_requested()`.
    """

    changed = Signal()
    turned = Signal()
    key_typed = Signal()
    check_requested = Signal()
    models_requested = Signal()
    key_removal_requested = Signal()
    unlock_requested = Signal()

    def __init__(self, pages: Sequence[ProviderPage], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages = {page.name: page for page in pages}
        self._offered: dict[str, tuple[str, ...]] = {}
        self.provider = QComboBox()
        self.provider.setMaxVisibleItems(16)
        self.provider_note = FormNote()
        self.model = self._make_model()
        self.model_field = self.model.lineEdit() or QLineEdit()  # none only if it is not editable
        self.find_models = QPushButton(tr("Find models"))
        self.models_note = FormNote()
        self.address = line("")
        self.api_key = line("")
        self.api_key.setEchoMode(QLineEdit.EchoMode.Password)
        self.replace_key = QPushButton(tr("Replace"))
        self.remove_key = QPushButton(tr("Remove"))
        self.unlock_keyring = QPushButton(tr("Unlock"))
        self.key_note = FormNote()
        self.key_link = QLabel()
        self.check_button = QPushButton(tr("Check"))
        self.check_result = FormNote()
        self.extra = line(EXAMPLE)
        self.fields: dict[str, QLineEdit] = {}
        self._rows: dict[str, _Row] = {}
        self._fill_providers()
        self._lay_out()
        self._name_widgets()
        self._connect()
        self._show_page()

    @property
    def page(self) -> ProviderPage | None:
        """Return the provider's page; None in Direct mode."""
        return self._pages.get(self.provider.currentData() or "")

    @property
    def chosen_model(self) -> str:
        """Return the litellm model string; '' in Direct mode."""
        page, text = self.page, self.model.currentText().strip()
        if page is None or not text:
            return DIRECT_MODEL
        is_vendors = page.prefix != "openai/" or page.name == "openai"
        if is_vendors and text.startswith(page.prefix):  # the whole string was pasted
            return text
        return page.prefix + text

    @property
    def any_model(self) -> str:
        """Return the model string, or one that at least names the provider."""
        return self.chosen_model or (self.page.prefix if self.page else "")

    @property
    def api_base(self) -> str:
        """Return the address to ask; '' for the provider's own."""
        page = self.page
        if page is None or page.needs_address == "none":
            return ""
        return self.address.text().strip() or page.address

    @property
    def asked(self) -> tuple[str, ...]:
        """Return what an answer of the provider depends on, but for the model."""
        fields = (self.api_key, self.extra, *self.fields.values())
        return self.provider.currentData(), self.api_base, *(field.text() for field in fields)

    def show_settings(self, settings: AppSettings, page: ProviderPage) -> None:
        """Fill the fields; `page` is the page of the settings' model."""
        name = page.name if settings.model else ""
        self.provider.setCurrentIndex(max(0, self.provider.findData(name)))
        self.model.setEditText(settings.model.removeprefix(page.prefix))
        self.address.setText("" if settings.api_base == page.address else settings.api_base)
        self.extra.setText(settings.extra_parameters)
        for full_name, field in self.fields.items():
            field.setText(settings.provider_fields.get(full_name, ""))
        self._show_page()

    def choose(self, page: str, model: str, address: str = "") -> None:
        """Choose a provider with a model of it."""
        self.provider.setCurrentIndex(self.provider.findData(page))
        self.model.setEditText(model)
        self.address.setText(address)

    def offer(self, page: str, models: Sequence[str]) -> None:
        """Offer models of a provider, by their names without its prefix."""
        self._offered[page] = tuple(models)
        if self.page is not None and self.page.name == page:
            self._show_models()

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        if self.page is None:
            return replace(before, model=DIRECT_MODEL, api_base="")
        if problem := self.problem():
            raise FieldError(problem)
        shown = {
            name: field.text().strip()
            for name, field in self.fields.items()
            if not field.isHidden() and not self._is_secret(name)
        }
        kept = {**before.provider_fields, **shown}
        return replace(
            before,
            model=self.chosen_model,
            api_base=self.api_base,
            extra_parameters="" if self.extra.isHidden() else self.extra.text().strip(),
            provider_fields={name: value for name, value in kept.items() if value},
        )

    def problem(self) -> str:
        """Return the first problem of the fields in words, or ''."""
        page = self.page
        if page is None:
            return ""
        if page.needs_address == "needed" and not self.api_base:
            return tr("The address is missing.")
        checks = [address_problem(self.api_base), *self._model_problems(page)]
        for field in page.fields:
            text = self.fields[f"{page.name}.{field.name}"].text().strip()
            checks.append(
                field_problem(field.name, tr(field.label), text, is_needed=field.is_needed)
            )
        checks += [key_problem(self.api_key.text().strip()), self._parts_problem(page)]
        checks.append(extra_problem(self.extra.text()))
        return next((problem for problem in checks if problem), "")

    @property
    def typed_secret(self) -> Secret | None:
        """Return the whole key that was typed; several secrets are one, as JSON."""
        page = self.page
        if page is None:
            return None
        if not page.key_parts:
            typed = self.api_key.text().strip()
            return Secret(typed) if typed else None
        parts = {name: self.fields[f"{page.name}.{name}"].text().strip() for name in page.key_parts}
        given = {name: text for name, text in parts.items() if text}
        return Secret(json.dumps(given)) if given else None

    def forget_typed(self) -> None:
        """Clear the fields of secrets."""
        self.api_key.clear()
        for name, field in self.fields.items():
            if self._is_secret(name):
                field.clear()

    def show_key(
        self, words: str, *, is_kept: bool, is_ours: bool, is_locked: bool = False
    ) -> None:
        """Show where the key is stored; `is_ours` is whether it can be removed from there.

        `is_locked` is whether the keyring can be unlocked.
        """
        page = self.page
        self.key_note.show_text(words if page is not None and page.key != "none" else "")
        self.api_key.setPlaceholderText("•" * 12 if is_kept else tr("Paste a key"))
        for name, field in self.fields.items():
            if self._is_secret(name) and not field.isHidden():
                field.setPlaceholderText("•" * 12 if is_kept else self._hint(name))
        has_key = page is not None and page.key != "none"
        self.remove_key.setVisible(is_ours and has_key)
        self.replace_key.setVisible(is_ours and has_key)
        self.unlock_keyring.setVisible(is_locked and has_key)

    def _model_problems(self, page: ProviderPage) -> list[str]:
        text = self.model.currentText().strip()
        label = tr(page.model_label)
        if not text:
            return [tr("{label} is missing.", label=label)]
        if any(letter.isspace() for letter in text):
            return [tr("{label} has a space in it.", label=label)]
        if not page.prefix and "/" not in text:
            return [tr("The model string begins with its provider and a slash.")]
        return []

    def _parts_problem(self, page: ProviderPage) -> str:
        """Return the problem of an access key that lacks its other half, or ''."""
        if page.name != "bedrock":
            return ""
        key_id, secret = (
            self.fields[f"bedrock.{name}"].text().strip()
            for name in ("aws_access_key_id", "aws_secret_access_key")
        )
        if bool(key_id) != bool(secret):
            return tr("An access key ID and its secret access key belong together.")
        return key_problem(key_id) or key_problem(secret)

    def _is_secret(self, full_name: str) -> bool:
        page, _, name = full_name.partition(".")
        return name in self._pages[page].key_parts

    def _hint(self, full_name: str) -> str:
        page, _, name = full_name.partition(".")
        return next(tr(one.placeholder) for one in self._pages[page].fields if one.name == name)

    def _make_model(self) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setMaxVisibleItems(16)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(6)
        if completer := box.completer():
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(completer.CompletionMode.PopupCompletion)
        return box

    def _fill_providers(self) -> None:
        self.provider.addItem(tr(DIRECT_LABEL), "")
        self.provider.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.provider.setMinimumContentsLength(12)
        for page in self._pages.values():
            self.provider.addItem(tr(page.label), page.name)

    def _lay_out(self) -> None:
        grid = form_grid(self)
        add_row(grid, tr("Provider"), ([self.provider], [self.provider_note]))
        self._add(grid, "address", tr("Address"), ([self.address],))
        for page in self._pages.values():
            for field in page.fields:
                name = f"{page.name}.{field.name}"
                self.fields[name] = edit = line(tr(field.placeholder), tr(field.label))
                if field.is_secret:
                    edit.setEchoMode(QLineEdit.EchoMode.Password)
                    edit.textEdited.connect(self.key_typed)
                self._add(grid, name, tr(field.label), ([edit],))
        self._add(grid, "key", tr("API key"), ([self.api_key],))
        buttons = [self.replace_key, self.remove_key, self.unlock_keyring]
        add_row(grid, "", ([self.key_note], [self.key_link, *buttons]))
        self._add(grid, "model", tr("Model"), ([self.model, self.find_models], [self.models_note]))
        self._add(grid, "extra", tr("Extra parameters"), ([self.extra],))
        self._add(grid, "check", "", ([self.check_button], [self.check_result]))
        for button in (*buttons, self.find_models, self.check_button):
            button.setAutoDefault(False)
        self.key_link.setOpenExternalLinks(True)
        self.key_link.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)

    def _add(self, grid: object, name: str, label: str, rows: Sequence[Sequence[QWidget]]) -> None:
        words = add_row(grid, label, rows)  # type: ignore[arg-type]
        shown = [one for row in rows for one in row if not isinstance(one, FormNote)]
        self._rows[name] = _Row(words, tuple(shown))

    def _name_widgets(self) -> None:
        for widget, name in (
            (self.provider, tr("Provider")),
            (self.model, tr("Model")),
            (self.address, tr("Address")),
            (self.api_key, tr("API key")),
            (self.replace_key, tr("Replace the key")),
            (self.remove_key, tr("Remove the key")),
            (self.unlock_keyring, tr("Unlock the keyring")),
            (self.extra, tr("Extra parameters")),
        ):
            widget.setAccessibleName(name)

    def _connect(self) -> None:
        self.provider.currentIndexChanged.connect(self._on_provider_changed)
        self.model.editTextChanged.connect(self.changed)
        self.address.textChanged.connect(self.changed)
        self.api_key.textEdited.connect(self.key_typed)
        self.check_button.clicked.connect(self.check_requested)
        self.find_models.clicked.connect(self.models_requested)
        self.remove_key.clicked.connect(self.key_removal_requested)
        self.unlock_keyring.clicked.connect(self.unlock_requested)
        self.replace_key.clicked.connect(self._on_replace)

    def _on_provider_changed(self) -> None:
        """Clear the fields: values for one provider, above all keys, are wrong for another."""
        self.forget_typed()
        self.model.setEditText("")
        self.address.clear()
        self.extra.clear()
        self._show_page()
        self.changed.emit()
        self.turned.emit()

    def _on_replace(self) -> None:
        self.api_key.setPlaceholderText(tr("Paste the new key"))
        secrets = (field for name, field in self.fields.items() if self._is_secret(name))
        target = next((one for one in secrets if not one.isHidden()), self.api_key)
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_page(self) -> None:
        page = self.page
        shown = {f"{page.name}.{field.name}" for field in page.fields} if page else set[str]()
        if page is not None:
            shown |= {"model", "check"}
            shown |= {"address"} if page.needs_address != "none" else set()
            shown |= {"key"} if page.key != "none" and not page.key_parts else set()
            shown |= {"extra"} if page.takes_extra or self.extra.text() else set()
        for name, row in self._rows.items():
            row.show(name in shown)
        has_key = page is not None and page.key != "none"
        self.key_note.keep_place(2 if has_key else 0)
        keep_place(self.replace_key, has_key)
        for note in (self.models_note, self.check_result):
            note.keep_place(1 if page else 0)
        self.remove_key.hide()
        self.replace_key.hide()
        self.unlock_keyring.hide()
        self.key_note.show_text("")  # that was of the provider before
        self.models_note.show_text("")
        self.check_result.show_text("")
        self._show_words(page)
        self._show_models()

    def _show_words(self, page: ProviderPage | None) -> None:
        self.provider_note.show_text(tr(page.note) if page else "")
        self.key_link.setVisible(page is not None and bool(page.key_url))
        if page is None:
            self.provider_note.show_text(tr("Code that you type runs, without a model."))
            return
        self._rows["model"].label.setText(tr(page.model_label))
        self.model_field.setPlaceholderText(tr(page.model_hint))
        self.address.setPlaceholderText(page.address or tr(page.address_hint))
        words = tr("Which providers there are") if not page.prefix else tr("Where to get a key")
        self.key_link.setAccessibleName(words)
        self.key_link.setText(f'<a href="{page.key_url}">{words}</a>')

    def _show_models(self) -> None:
        page, field = self.page, self.model_field
        text, position, is_selected = field.text(), field.cursorPosition(), field.hasSelectedText()
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems(list(self._offered.get(page.name, ())) if page else [])
        self.model.setEditText(text)
        self.model.blockSignals(False)
        field.setCursorPosition(position)  # the models come while somebody types
        if is_selected:
            field.selectAll()
