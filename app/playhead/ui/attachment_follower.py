"""Joins the attachments' chips to the model of the conversation that is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from playhead.conversation.requests import ModelFacts, ModelSettings
from playhead.session.model_choice import described
from playhead.session.ports import Catalog
from playhead.session.session import Session
from playhead.ui.attachment_chips import AttachmentChips
from playhead.ui.tasks import TaskOwner


class AttachmentFollower(QObject):
    """Owner: the window. Asks what the model can take when there is something attached.

    `shown` gives the session on show, `ask` is the provider's `facts`.
    """

    def __init__(
        self,
        chips: AttachmentChips,
        shown: Callable[[], Session | None],
        ask: Callable[[ModelSettings], Awaitable[ModelFacts]],
        catalog: Catalog,
        tasks: TaskOwner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chips = chips
        self._shown = shown
        self._ask = ask
        self._catalog = catalog
        self._tasks = tasks
        self._asked: ModelSettings | None = None
        self._facts: ModelFacts | None = None
        chips.changed.connect(self.refresh)

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
        facts = await self._ask(model)
        if model == self._asked:
            self._facts = facts
            self._chips.show_facts(facts)

    def _model(self) -> ModelSettings | None:
        """The model of the session; None in Direct mode, where nobody looks at anything."""
        session = self._shown()
        if session is None or not session.settings.model:
            return None
        settings = session.settings
        model = described(settings.model, settings, self._catalog)
        return replace(model, api_base=settings.api_base or None)
