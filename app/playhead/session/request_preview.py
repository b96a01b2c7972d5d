"""Build the request to a model from a conversation, for a turn or for a preview."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.execution import Interpreter, languages_at, place_of
from playhead.domain.places import folder_there
from playhead.session.code_runs import count_runs, has_run_here
from playhead.session.ports import SessionPorts
from playhead.session.trust.policy_choice import policy_at
from playhead.session.turn_settings import TurnOptions, TurnSettings


def turn_request(
    turn_id: str,
    conversation_id: str,
    messages: Sequence[Message],
    settings: TurnSettings,
    languages: tuple[str, ...],
    managed: Interpreter | None = None,
    *,
    must_call: bool = False,
    runs_unasked: bool = False,
) -> TurnRequest:
    """Return the request for the next answer; `managed` is the default Python."""
    policy = policy_at(settings.policy(), settings.interpreter)
    place = place_of(settings.interpreter)
    return TurnRequest(
        turn_id=turn_id,
        conversation_id=conversation_id,
        messages=tuple(messages),
        model=settings.model,
        instructions=_instructions(settings, messages),
        languages=languages_at(settings.interpreter, languages),
        folder=folder_there(place) if place and place.is_elsewhere else settings.folder,
        tools=settings.tools,
        offers_execute=settings.offers_execute,
        must_call=must_call,
        system_prompt=settings.system_prompt,
        interpreter=settings.interpreter or (managed.path if managed else ""),
        runs_unasked=runs_unasked or (policy.is_bounded and policy.ask == "outside"),
        policy=policy,
    )


def _instructions(settings: TurnSettings, messages: Sequence[Message]) -> str:
    """Return the user's instructions, with a note for the model if the kernel is a new one."""
    gone = min(settings.fresh_after(), count_runs(messages))
    if not gone:
        return settings.instructions
    survivors = settings.survivors()
    note = (
        f"The kernel ended after the first {gone} code run(s) of this conversation. {survivors}"
        if survivors
        else f"The kernel was restarted after the first {gone} code run(s) of this conversation: "
        "names, imports and data from those runs no longer exist. Run again what you need."
        if has_run_here(messages)
        else f"The first {gone} code run(s) of this conversation are imported and did not run "
        "here: names, imports and data from those runs do not exist. Run again what you need."
    )
    return f"{settings.instructions}\n\n{note}".strip()


class RequestPreview:
    """Shows the last and the next request to the model; `on_change` is called on changes."""

    def __init__(
        self,
        conversation: Conversation,
        ports: SessionPorts,
        settings: Callable[[TurnOptions], Awaitable[TurnSettings]],
        is_auto_run: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        self._conversation = conversation
        self._ports = ports
        self._settings = settings
        self._is_auto_run = is_auto_run
        self._on_change = on_change
        self._latest: FittedRequest | None = None

    @property
    def first_sent_id(self) -> str:
        """Return the id of the oldest message still sent, '' if all are or none was sent yet."""
        return self._latest.first_sent_id if self._latest else ""

    @property
    def latest(self) -> FittedRequest | None:
        """Return the last request since the program started."""
        return self._latest

    def record(self, fitted: FittedRequest) -> None:
        """Record a request that is being sent."""
        before, self._latest = self.first_sent_id, fitted
        if before != fitted.first_sent_id:
            self._on_change()

    def forget(self) -> None:
        """Drop the last request."""
        self._latest = None

    async def sent(self) -> OutgoingRequest | None:
        """Return the request that was sent last, None if none was since the program started."""
        return await self._ports.provider.outgoing(self._latest) if self._latest else None

    async def next(self, before_id: str = "") -> OutgoingRequest:
        """Return the request that would be sent now; with `before_id` with the messages before it.

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
