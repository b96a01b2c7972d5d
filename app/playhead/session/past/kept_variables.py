"""Variables of a conversation's kernels that are saved: given to the next kernel, and its past."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import PastState
from playhead.errors import ExecutionError
from playhead.session.ports import SessionPorts

if TYPE_CHECKING:
    from playhead.domain.saved_variables import RestoreOffer


class KeptVariables:
    """Answers whether a new kernel gets the variables of the one before it.

    Also how they were after each run, which is named by a message in it.
    """

    def __init__(
        self, ports: SessionPorts, conversation: Conversation, expect_idle: Callable[[], None]
    ) -> None:
        self._ports = ports
        self._saved = ports.saved_variables
        self._conversation = conversation
        self._id = conversation.id
        self._expect_idle = expect_idle

    @property
    def offer(self) -> RestoreOffer | None:
        """Return the question that a run waits for, if there is one."""
        return self._ports.executor.status(self._id).offer

    @property
    def saved(self) -> RestoreOffer | None:
        """Return how many a new kernel can get; None for none."""
        return self._saved.saved(self._id) if self._saved is not None else None

    async def survivors(self) -> Callable[[], str]:
        """Return what says what a model gets to know of those from before the kernel."""
        return await self._saved.survivors(self._id) if self._saved is not None else str

    def answer(self, choice: Literal["yes", "no"]) -> None:
        """Have them brought back, or not."""
        if self._saved is not None:
            self._saved.answer(self._id, choice)

    def ask_again(self) -> None:
        """Have none brought back without a question: a person wants a new kernel."""
        if self._saved is not None:
            self._saved.ask_again(self._id)

    async def answer_always(self) -> None:
        """Have them brought back, now and from now on."""
        self.answer("yes")
        settings = self._ports.settings
        await settings.save(replace(settings.current, restores_variables="always"))

    async def state_at(self, message_id: str) -> PastState:
        """Return the variables as they were after the run that has this message in it."""
        run_id, _ = run_around(self._conversation, message_id)
        if self._saved is None or not run_id:
            return PastState(why="off")
        return await self._saved.state_at(self._id, run_id)

    async def go_on_from(self, message_id: str, *, with_variables: bool = True) -> None:
        """Move to the end of the run that has this message in it, with the variables from there.

        Without them, those of the kernel stay as they are. Raises SessionError while a turn is
        under way, ExecutionError if they are not kept.
        """
        self._expect_idle()
        run_id, end_id = run_around(self._conversation, message_id)
        if with_variables:
            if self._saved is None or not run_id:
                raise ExecutionError("The variables of this run are not kept.")
            await self._saved.go_to(self._id, run_id)
        if end_id:
            self._conversation.change(MoveTo(end_id))


def run_around(conversation: Conversation, message_id: str) -> tuple[str, str]:
    """Return the id of the run that a message is in or after, and its last message; '' for none."""
    if conversation.message(message_id) is None:
        return "", ""
    path = conversation.path_to(message_id)
    starts = [n for n, message in enumerate(path) if _is_start(message)]
    if not starts:
        return "", ""
    run_id, end_id = "", message_id
    for message in (*path[starts[-1] + 1 :], *conversation.below(message_id)[1:]):
        if _is_start(message):
            break
        if message.type == "console" and message.call_id:
            run_id = message.call_id
        end_id = message.id
        if isinstance(message.content, RunReport):
            break
    return run_id, end_id


def _is_start(message: Message) -> bool:
    return isinstance(message.content, RunReport) and message.content.state == "started"
