"""Joins the attachments' chips to the model of the conversation that is shown."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from playhead.domain.model import ModelFacts, ModelSettings
from playhead.session.model_choice import describe_model
from playhead.session.ports import Catalog, Provider
from playhead.ui.composer.composer import Composer
from playhead.ui.tasks import TaskOwner
from playhead.ui.window.session_view import SessionView


class ChipFollower(QObject):
    """Owner: the window. Asks what the model can take when there is something attached."""

    def __init__(
        self,
        composer: Composer,
        view: SessionView,
        tasks: TaskOwner,
        provider: Provider,
        catalog: Catalog,
    ) -> None:
        super().__init__(composer)
        self._chips = composer.chips
        self._view = view
        self._provider = provider
        self._catalog = catalog
        self._tasks = tasks
        self._asked: ModelSettings | None = None
        self._facts: ModelFacts | None = None
        self._chips.changed.connect(self.refresh)

    def refresh(self) -> None:
        """The model, or what is attached, is another."""
        if not self._chips.attachments:
            return
        model = self._model()
        if model != self._asked:
            self._asked, self._facts = model, None
            if model is not None:
                self._tasks.start(self._learn(model))
        self._chips.show_facts(self._facts)

    async def _learn(self, model: ModelSettings) -> None:
        facts = await self._provider.facts(model)
        if model == self._asked:
            self._facts = facts
            self._chips.show_facts(facts)

    def _model(self) -> ModelSettings | None:
        """The model of the session; None in Direct mode, where nobody looks at anything."""
        session = self._view.session
        if session is None or not session.settings.model:
            return None
        settings = session.settings
        model = describe_model(settings.model, settings, self._catalog)
        return replace(model, api_base=settings.api_base or None)
