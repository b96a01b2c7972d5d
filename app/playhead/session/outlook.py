"""What of a conversation goes to its model: what was sent last, and what would be next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from playhead.conversation.conversation import Conversation
from playhead.conversation.outgoing import FittedRequest, OutgoingRequest
from playhead.session.options import TurnOptions
from playhead.session.session_values import SessionPorts
from playhead.session.turn_request import turn_request
from playhead.session.turn_values import TurnSettings


class Outlook:
    """Owner: a session, which hears of changes by `tell`."""

    def __init__(
        self,
        conversation: Conversation,
        ports: SessionPorts,
        settings: Callable[[TurnOptions], Awaitable[TurnSettings]],
        is_auto_run: Callable[[], bool],
        tell: Callable[[], None],
    ) -> None:
        self._conversation = conversation
        self._ports = ports
        self._settings = settings
        self._is_auto_run = is_auto_run
        self._tell = tell
        self._latest: FittedRequest | None = None

    @property
    def first_sent_id(self) -> str:
        """The oldest message that is still sent, '' where all are or nothing was sent yet."""
        return self._latest.first_sent_id if self._latest else ""

    @property
    def latest(self) -> FittedRequest | None:
        """What was sent last since the program started."""
        return self._latest

    def note(self, fitted: FittedRequest) -> None:
        """This is being sent."""
        before, self._latest = self.first_sent_id, fitted
        if before != fitted.first_sent_id:
            self._tell()

    async def sent(self) -> OutgoingRequest | None:
        """What was sent last, None where nothing was since the program started."""
        return await self._ports.provider.outgoing(self._latest) if self._latest else None

    async def next(self, before_id: str = "") -> OutgoingRequest:
        """What would be sent now; with `before_id` what stands before that message.

        Raises AppError.
        """
        settings = await self._settings(TurnOptions())
        messages = self._conversation.messages
        ids = [message.id for message in messages]
        if before_id in ids:
            messages = messages[: ids.index(before_id)]
        request = turn_request(
            "",
            self._conversation.id,
            messages,
            settings,
            self._ports.executor.languages,
            self._ports.interpreters.status.interpreter,
            runs_unasked=self._is_auto_run(),
        )
        provider = self._ports.provider
        return await provider.outgoing(await provider.fit(request))
