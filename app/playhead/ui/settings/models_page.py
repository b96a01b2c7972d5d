"""The settings page for models: the model that answers, its key and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QVBoxLayout, QWidget

from playhead.domain.model import LocalServer, ModelFacts, ModelOverride, ModelSettings
from playhead.domain.secret import KeyInfo, KeyringStatus
from playhead.domain.settings import AppSettings
from playhead.errors import AppError
from playhead.session.model_choice import describe_model
from playhead.session.ports import Catalog, Keys, Provider
from playhead.ui.composer.picker_rows import context_text, facts_text
from playhead.ui.settings.parameter_fields import read_parameters, show_parameters
from playhead.ui.settings.provider_form import ProviderForm
from playhead.ui.widgets.form import (
    FieldError,
    FormNote,
    add_row,
    form_grid,
    line,
    read_number,
    show_number,
)
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import mark, tr, tr_error, tr_n

_LARGEST = 100_000_000
_CHOICES = ((None, mark("Automatic")), (True, mark("Yes")), (False, mark("No")))


class AnswerSection(QWidget):
    """Fields for temperature and length, and for the overrides of one model. Owner: its page."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._overrides: dict[str, ModelOverride] = dict(settings.model_overrides)
        self._model = ""
        self.temperature = line(tr("The provider's default"), tr("Temperature"))
        self.max_tokens = line(tr("The provider's default"), tr("Max tokens"))
        self.facts_note = FormNote()
        self.takes_tools = _choice(tr("Calls tools"))
        self.sees_images = _choice(tr("Sees images"))
        self.through_litellm = _choice(tr("Through litellm"), _CHOICES[:2])
        self.through_litellm.setToolTip(
            tr("Yes: the library litellm asks this model. It starts slowly, and may do otherwise.")
        )
        self.context = line(tr("Automatic"), tr("Context in tokens"))
        self._grid = form_grid(self)
        for label, rows in (
            (tr("Temperature"), ([self.temperature],)),
            (tr("Max tokens"), ([self.max_tokens],)),
            (tr("Calls tools"), ([self.takes_tools],)),
            (tr("Sees images"), ([self.sees_images],)),
            (tr("Context (tokens)"), ([self.context], [self.facts_note])),
            (tr("Through litellm"), ([self.through_litellm],)),
        ):
            add_row(self._grid, label, rows)
        show_parameters(settings.parameters, self.temperature, self.max_tokens)

    def show_model(self, model: str) -> None:
        """Show the overrides of a model; keep those of the model before."""
        if model == self._model:
            return
        self._keep()
        self._model = model
        override = self._overrides.get(model, ModelOverride())
        for box, value in (
            (self.takes_tools, override.takes_tools),
            (self.sees_images, override.supports_images),
            (self.through_litellm, override.through_litellm),
        ):
            box.setCurrentIndex(box.findData(value))
            box.setEnabled(bool(model))
        show_number(self.context, override.context_tokens)
        self.context.setEnabled(bool(model))
        self.facts_note.show_text("")

    def show_facts(self, facts: ModelFacts) -> None:
        """Show the known facts of the model."""
        if facts.model != self._model:
            return
        words = facts_text(facts)
        self.facts_note.show_text(
            tr("Known: {facts}", facts=words) if words else tr("Nothing is known of this model.")
        )
        size = facts.context_tokens
        self.context.setPlaceholderText(context_text(size) if size else tr("Not known"))

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        read_number(tr("Context"), self.context, 1, _LARGEST, int)
        self._keep()
        return replace(
            before,
            parameters=read_parameters(before.parameters, self.temperature, self.max_tokens),
            model_overrides=self.overrides,
        )

    @property
    def overrides(self) -> Mapping[str, ModelOverride]:
        """Return the user's overrides by model string."""
        return dict(self._overrides)

    def _keep(self) -> None:
        if not self._model:
            return
        size = self.context.text().strip()
        override = ModelOverride(
            takes_tools=self.takes_tools.currentData(),
            supports_images=self.sees_images.currentData(),
            context_tokens=int(size) if size.isdecimal() and int(size) else None,
            through_litellm=self.through_litellm.currentData(),
        )
        self._overrides.pop(self._model, None)
        if override != ModelOverride():
            self._overrides[self._model] = override


def _choice(name: str, choices: Sequence[tuple[bool | None, str]] = _CHOICES) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, label in choices:
        box.addItem(tr(label), value)
    return box


def key_words(model: str, info: KeyInfo, status: KeyringStatus, variable: str) -> str:
    """Return where the key is or would be stored; '' if there is no model."""
    if not model:
        return ""
    place = status.backend or tr("the system keyring")
    refusal = str(tr_error(status.error)) if status.error else ""
    match info.source:
        case "environment":
            return tr(
                "Read from the environment variable {variable}, which goes before a key kept here.",
                variable=info.variable,
            )
        case "keyring":
            return tr("Kept in {place}. Type another to replace it.", place=place)
        case "session":
            text = tr("Kept in memory until Playhead ends.")
            return f"{text} {refusal}".strip()
        case "none":
            pass
    if status.is_usable:
        hint = tr("Or set {variable} before starting Playhead.", variable=variable)
        text = tr("It will be kept in {place}, nowhere else.", place=place)
        return f"{text} {hint}" if variable else text
    is_named = not variable or variable in refusal
    hint = "" if is_named else tr("This provider's variable is {variable}.", variable=variable)
    kept = tr("Keys are kept for this run only.")
    return " ".join(part for part in (refusal, kept, hint) if part)


def _refusal(error: AppError | FieldError) -> str:
    return str(tr_error(error) if isinstance(error, AppError) else error)


_KEY_DELAY_MS = 250


class ModelPorts(Struct, frozen=True):
    """Holds the services that the page uses."""

    keys: Keys
    catalog: Catalog
    provider: Provider


class ModelsPage(QWidget):
    """The page of models. Owner: the dialog, whose tasks it uses.

    `gather` returns the settings with the values of all pages, or raises FieldError.
    """

    def __init__(
        self,
        settings: AppSettings,
        ports: ModelPorts,
        tasks: TaskOwner,
        gather: Callable[[], AppSettings],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ports = ports
        self._tasks = tasks
        self._gather = gather
        self._address = settings.api_base
        self._key_info = KeyInfo()
        self._servers: list[LocalServer] = []
        self._is_asking = False
        self._checked: tuple[str, ...] = ()
        self._listed: tuple[str, ...] = ()
        self.form = ProviderForm(ports.catalog.providers())
        self.answers = AnswerSection(settings)
        self._hairline = QFrame()
        self._hairline.setProperty("kind", "hairline")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for widget in (self.form, self._hairline, self.answers):
            column.addWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_KEY_DELAY_MS)
        self._timer.timeout.connect(lambda: tasks.start(self._look()))
        page = ports.catalog.page_of(settings.model, settings.api_base)
        self.form.show_settings(settings, page)
        self._offer_known()
        self._connect()
        self._show_answers()
        tasks.start(self._look())
        tasks.start(self._find_servers())

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        values = self.form.values(before)
        return values if self.form.page is None else self.answers.values(values)

    async def keep_key(self) -> None:
        """Store the key that was typed."""
        secret = self.form.typed_secret
        if secret is not None and self.form.page is not None:
            await self._ports.keys.set(self._key_name(), secret, self.form.api_base)

    def check(self) -> None:
        """Send a test request to the model in the fields."""
        if not self._is_asking:
            self._tasks.start(self._check())

    def find_models(self) -> None:
        """Ask the provider for its models."""
        if not self._is_asking:
            self._tasks.start(self._find_models())

    def close_down(self) -> None:
        """Cancel the running requests."""
        self._timer.stop()

    def _connect(self) -> None:
        form = self.form
        form.changed.connect(self._on_changed)
        form.turned.connect(self._on_turned)
        form.check_requested.connect(self.check)
        form.models_requested.connect(self.find_models)
        form.key_removal_requested.connect(lambda: self._tasks.start(self._remove_key()))
        form.unlock_requested.connect(lambda: self._tasks.start(self._unlock()))
        form.model.editTextChanged.connect(self._drop_wrong_results)
        for field in self.findChildren(QLineEdit):
            if field is not form.model_field:  # which offered models empty and fill again
                field.textChanged.connect(self._drop_wrong_results)

    def _offer_known(self) -> None:
        """Offer well-known models of each provider until it is asked."""
        pages = [page for page in self._ports.catalog.providers() if not page.address]
        suggested = self._ports.catalog.suggestions()
        for page in pages:
            if page.needs_address == "needed":
                continue
            names = [one for one in suggested if one.startswith(page.prefix)]
            self.form.offer(page.name, [one.removeprefix(page.prefix) for one in names])

    async def _look(self) -> None:
        """Read where the key of the chosen model is stored, and the facts of the model."""
        form, keys = self.form, self._ports.keys
        self.answers.show_model(form.chosen_model)
        model, address = form.any_model, form.api_base
        await self._read_key()
        status = await keys.status()
        if (model, address) != (form.any_model, form.api_base):
            return  # what was typed meanwhile has its own look
        variable = self._ports.catalog.key_variable(model) if model else ""
        form.show_key(
            key_words(model, self._key_info, status, variable),
            is_kept=self._key_info.source != "none",
            is_ours=self._key_info.source in ("keyring", "session"),
            is_locked=status.is_locked,
        )
        if form.chosen_model:
            facts = await self._ports.provider.facts(ModelSettings(model=form.chosen_model))
            self.answers.show_facts(facts)

    async def _read_key(self) -> None:
        name = self._key_name()
        self._key_info = await self._ports.keys.get(name) if name else KeyInfo()

    async def _find_servers(self) -> None:
        self._servers = await self._ports.catalog.local_servers()
        catalog = self._ports.catalog
        for server in self._servers:
            page = catalog.page_of("openai/x", server.api_base)
            if page.address:
                self.form.offer(page.name, [one.removeprefix("openai/") for one in server.models])
        found = ", ".join(
            f"{one.name} ({tr_n('%n models', len(one.models), one='1 model')})"
            for one in self._servers
        )
        if found and self.form.page is None:
            self.form.provider_note.show_text(tr("Found on this machine: {found}", found=found))

    async def _check(self) -> None:
        form = self.form
        self._is_asking = True  # a disabled button would hand its focus on
        form.check_result.show_text(tr("Asking the model…"))
        checked = self._checked = self._asked()
        try:
            await self._read_key()  # the address may just have changed: never send another's key
            words = await self._ports.provider.check(self._model_in_fields())
        except (AppError, FieldError) as error:
            words, kind = _refusal(error), "danger"
        else:
            kind = "ok"
        finally:
            self._is_asking = False
        if self._checked == checked:  # else another was asked for meanwhile
            form.check_result.show_text(words, kind)

    async def _find_models(self) -> None:
        form = self.form
        page = form.page
        if page is None:
            return
        self._is_asking = True
        form.models_note.show_text(tr("Asking the provider…"))
        listed = self._listed = form.asked
        try:
            await self._read_key()
            found = await self._ports.provider.models(self._provider_in_fields())
        except (AppError, FieldError) as error:
            if self._listed == listed:
                form.models_note.show_text(_refusal(error), "danger")
        else:
            if self._listed == listed:
                self._show_found(page.name, found)
        finally:
            self._is_asking = False

    def _show_found(self, page: str, found: list[ModelFacts]) -> None:
        prefix = self.form.page.prefix if self.form.page else ""
        self.form.offer(page, [one.model.removeprefix(prefix) for one in found])
        self.form.models_note.show_text(tr_n("%n models: choose one.", len(found), one="1 model."))
        if found:
            self.form.model.showPopup()

    def _model_in_fields(self) -> ModelSettings:
        """Return the model as it would be after Save. Raises FieldError."""
        values = self._gather()
        if not values.model:
            raise FieldError(tr("Choose a model first."))
        return replace(
            describe_model(values.model, values, self._ports.catalog),
            api_base=values.api_base or None,
            api_key=self.form.typed_secret or self._key_info.secret,
            is_address_given=self._is_address_typed(values.api_base),
            parameters=values.parameters,
        )

    def _provider_in_fields(self) -> ModelSettings:
        """Return the same without a check of the model's name, which need not be set."""
        if self.form.chosen_model:
            return self._model_in_fields()
        values = replace(self._gather_without_model(), model=self.form.any_model)
        return replace(
            describe_model(values.model, values, self._ports.catalog),
            api_base=self.form.api_base or None,
            api_key=self.form.typed_secret or self._key_info.secret,
            is_address_given=self._is_address_typed(self.form.api_base),
        )

    def _is_address_typed(self, address: str) -> bool:
        """Return whether the person has entered the address here, or the key for it."""
        return self.form.typed_secret is not None or address != self._address

    def _gather_without_model(self) -> AppSettings:
        self.form.model.blockSignals(True)
        self.form.model.setEditText("?")
        try:
            return self._gather()
        finally:
            self.form.model.setEditText("")
            self.form.model.blockSignals(False)

    async def _unlock(self) -> None:
        self.form.key_note.show_text(tr("Waiting for the keyring…"))
        await self._ports.keys.unlock()
        await self._look()

    async def _remove_key(self) -> None:
        await self._ports.keys.delete(self._key_name())
        self.form.forget_typed()
        await self._look()

    def _key_name(self) -> str:
        model = self.form.any_model
        return self._ports.catalog.key_name(model, self.form.api_base) if model else ""

    def _show_answers(self) -> None:
        """Hide the fields for answers while there is no model."""
        has_model = self.form.page is not None
        self._hairline.setVisible(has_model)
        self.answers.setVisible(has_model)

    def _on_turned(self) -> None:
        self._show_answers()
        self._timer.stop()
        self._tasks.start(self._look())

    def _on_changed(self) -> None:
        self._timer.start()

    def _asked(self) -> tuple[str, ...]:
        """Return what a check depends on."""
        form, answers = self.form, self.answers
        texts = (form.chosen_model, answers.temperature.text(), answers.max_tokens.text())
        return (*form.asked, *texts)

    def _drop_wrong_results(self) -> None:
        """Remove the results of what is no longer in the fields; others stay."""
        if self._checked and self._checked != self._asked():
            self._checked = ()
            self.form.check_result.show_text("")
        if self._listed and self._listed != self.form.asked:
            self._listed = ()
            self.form.models_note.show_text("")
