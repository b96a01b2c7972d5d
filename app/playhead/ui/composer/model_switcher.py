"""Connects the model picker to the conversation that is shown, the settings and the providers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from playhead.domain.model import ModelFacts, ModelSettings
from playhead.domain.settings import ConversationConfig
from playhead.errors import ProviderError
from playhead.session.model_choice import describe_model, profile_of
from playhead.session.ports import Catalog, Keys, Provider, Settings
from playhead.session.session import Session
from playhead.ui.composer.button_row import ModelButton
from playhead.ui.composer.picker_rows import ModelAddress, PickerContents, PickerRow, rows_of
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from playhead.ui.composer.model_picker import ModelPicker

_MOST_FACTS = 24


class PickerPorts(Struct, frozen=True, kw_only=True):
    """Holds the services that the picker uses."""

    settings: Settings
    keys: Keys
    catalog: Catalog
    provider: Provider


class ModelSwitcher(QObject):
    """Opens the picker and applies its choices. Owner: the window.

    Signals: `settings_wanted()`, `settings_changed()` after a star or a first model. A choice
    applies to the conversation; it is stored in the settings if they have no model yet.
    """

    settings_wanted = Signal()
    settings_changed = Signal()

    def __init__(
        self,
        choice: ModelButton,
        shown: Callable[[], Session | None],
        ports: PickerPorts,
        tasks: TaskOwner,
        theme: Theme,
        window: QObject,
    ) -> None:
        super().__init__(window)
        self._choice = choice
        self._shown = shown
        self._ports = ports
        self._tasks = tasks
        self._theme = theme
        self._picker: ModelPicker | None = None
        self._found: dict[str, list[ModelAddress]] = {}
        self._facts: dict[str, ModelFacts] = {}
        self._is_looking = False
        choice.clicked.connect(self.open)

    @property
    def picker(self) -> ModelPicker:
        """Return the picker; make it when it is first needed."""
        if self._picker is None:
            from playhead.ui.composer.model_picker import (
                ModelPicker,  # not needed for the first paint
            )

            self._picker = ModelPicker(self._theme, self._choice.window())
            self._picker.chosen.connect(self._on_chosen)
            self._picker.starred.connect(self._on_starred)
        return self._picker

    def open(self) -> None:
        """Show the known models at once, and ask the providers for the rest."""
        if self._shown() is None:
            return
        self._offer_known()
        self.picker.open(self._rows(), self._choice)
        if not self._is_looking:
            self._tasks.start(self._look())

    def _rows(self) -> list[PickerRow]:
        session = self._shown()
        if session is None:
            return []
        current = self._ports.settings.current
        profile = profile_of(current, session.config)
        return rows_of(
            PickerContents(
                current=ModelAddress(session.settings.model, session.settings.api_base),
                favourites=[ModelAddress.of(text) for text in current.favourite_models],
                recent=[ModelAddress(*one) for one in self._choice.recent_models()],
                found=self._found,
                facts=self._facts,
                profiles=current.profiles,
                profile=profile.name if profile else "",
                is_auto_run=session.auto_run,
            )
        )

    def _offer_known(self) -> None:
        """Offer the well-known models of the provider in the settings."""
        current = self._ports.settings.current
        if not current.model:
            return
        place = ModelAddress(current.model, current.api_base)
        self._found.setdefault(self._group(place), [place])

    def _group(self, place: ModelAddress) -> str:
        page = self._ports.catalog.page_of(place.model, place.api_base)
        if page.prefix:
            return tr(page.label)
        return self._ports.catalog.key_name(place.model, place.api_base)

    async def _look(self) -> None:
        """Find the models on this machine and those of the providers that have a key."""
        self._is_looking = True
        try:
            for server in await self._ports.catalog.local_servers():
                places = [ModelAddress(model, server.api_base) for model in server.models]
                self._found[server.name] = places
            self._refresh()
            await asyncio.gather(*(self._ask(place) for place in await self._reachable()))
            await self._fetch_facts()
        finally:
            self._is_looking = False

    async def _reachable(self) -> list[ModelAddress]:
        """Return one model for each provider that has a key, and the one in the settings."""
        current = self._ports.settings.current
        catalog = self._ports.catalog
        own = ModelAddress(current.model, current.api_base)
        places = {self._group(own): own} if own.model else {}
        for model in catalog.suggestions():
            key = await self._ports.keys.get(catalog.key_name(model, ""))
            if key.secret is not None:
                places.setdefault(self._group(ModelAddress(model)), ModelAddress(model))
        return list(places.values())

    async def _ask(self, place: ModelAddress) -> None:
        """Ask one provider for its models; use the well-known ones if it does not list them."""
        catalog, current = self._ports.catalog, self._ports.settings.current
        key = await self._ports.keys.get(catalog.key_name(place.model, place.api_base))
        asked = replace(
            describe_model(place.model, current, catalog),
            api_base=place.api_base or None,
            api_key=key.secret,
        )
        try:
            found = await self._ports.provider.models(asked)
        except ProviderError:
            prefix = place.model.partition("/")[0] + "/"
            known = [one for one in catalog.suggestions() if one.startswith(prefix)]
            found = [ModelFacts(model=model) for model in known]
        self._facts |= {facts.model: facts for facts in found}
        places = [ModelAddress(facts.model, place.api_base) for facts in found]
        self._found[self._group(place)] = places or [place]
        self._refresh()

    async def _fetch_facts(self) -> None:
        """Fetch the facts of the models at the top of the list."""
        rows = [row.place.model for row in self._rows() if row.kind == "model" and row.place.model]
        unknown = [model for model in dict.fromkeys(rows) if not _is_known(self._facts.get(model))]
        for model in unknown[:_MOST_FACTS]:
            self._facts[model] = await self._ports.provider.facts(ModelSettings(model=model))
        self._refresh()

    def _refresh(self) -> None:
        if self._picker is not None and not self._picker.isHidden():
            self._picker.show_rows(self._rows())

    def _on_chosen(self, row: PickerRow) -> None:
        session = self._shown()
        match row.kind:
            case "settings":
                self.settings_wanted.emit()
            case "ask_first" | "auto_run":
                self._choice.auto_run_toggled.emit(row.kind == "auto_run")
            case "profile" if session is not None:
                session.set_config(ConversationConfig(profile=row.name))
            case "model" if session is not None:
                self._choose(session, row.place)
            case _:
                pass

    def _choose(self, session: Session, place: ModelAddress) -> None:
        """Use the model in this conversation, and store it in the settings if they have none."""
        config = replace(session.config, model=place.model, api_base=place.api_base)
        session.set_config(config)
        if place.model and not self._ports.settings.current.model:
            self._tasks.start(self._remember(model=place.model, api_base=place.api_base))

    def _on_starred(self, row: PickerRow) -> None:
        favourites: Sequence[str] = self._ports.settings.current.favourite_models
        others = [text for text in favourites if text != row.place.text]
        added = [] if len(others) < len(favourites) else [row.place.text]
        self._tasks.start(self._remember(favourite_models=(*others, *added)))

    async def _remember(self, **changes: object) -> None:
        settings = self._ports.settings
        await settings.save(replace(settings.current, **changes))  # type: ignore[arg-type]
        self.settings_changed.emit()
        self._refresh()


def _is_known(facts: ModelFacts | None) -> bool:
    return facts is not None and (facts.takes_tools is not None or bool(facts.context_tokens))
