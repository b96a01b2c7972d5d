"""Variables of a conversation's kernels that are saved: given to the next kernel, and its past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.events import ConversationEvent, MoveTo
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    FileChanges,
    Proposal,
    RunReport,
    VariableChanges,
)
from playhead.domain.execution import PYTHON, PastState
from playhead.errors import ExecutionError
from playhead.session.past.run_files import RunFiles
from playhead.session.ports import SessionPorts

if TYPE_CHECKING:
    from playhead.domain.saved_variables import RestoreOffer


class KeptVariables:
    """Answers whether a new kernel gets the variables of the one before it.

    Also how they were after each run, which is named by a message in it.
    """

    def __init__(
        self,
        ports: SessionPorts,
        conversation: Conversation,
        files: RunFiles,
        expect_idle: Callable[[], None],
    ) -> None:
        self._files = files
        self._ports = ports
        self._saved = ports.saved_variables
        self._conversation = conversation
        self._id = conversation.id
        self._expect_idle = expect_idle
        self._leaf = conversation.leaf_id
        self._is_moving = False
        self.left_runs: tuple[str, ...] = ()
        """The runs of the branch that was left whose files are still as they left them."""
        self.close = conversation.subscribe(self._follow)
        """Follow the conversation no more."""

    def _follow(self, event: ConversationEvent) -> None:
        before, self._leaf = self._leaf, self._conversation.leaf_id
        if event.kind != "moved" or self._saved is None or before == self._leaf:
            return
        self.left_runs = self._left_behind(before)
        place = place_of(self._conversation.messages)
        if not self._is_moving and place is not None:
            self._saved.move(self._id, place)

    def _left_behind(self, leaf_id: str | None) -> tuple[str, ...]:
        """Return the runs after the fork that changed files, the last one first."""
        here = {message.id for message in self._conversation.messages}
        states = effect_states(self._conversation.everything)
        found: list[str] = []
        for message in reversed(self._conversation.path_to(leaf_id)):
            changes = message.content
            if message.id in here or not isinstance(changes, FileChanges) or not changes.id:
                continue
            is_left = states.get(changes.id, EffectState()).is_left(changes)
            if changes.action in ("run", "apply") and changes.listed and is_left:
                found.append(changes.id)
        return tuple(found)

    @property
    def offer(self) -> RestoreOffer | None:
        """Return the question that a run waits for, if there is one."""
        return self._ports.executor.status(self._id).offer

    @property
    def saved(self) -> RestoreOffer | None:
        """Return how many a new kernel can get; None for none."""
        return self._saved.saved(self._id) if self._saved is not None else None

    @property
    def is_elsewhere(self) -> bool:
        """Return whether those of the kernel are of another branch than the one that is shown."""
        place = self._ports.executor.status(self._id).place
        return bool(place) and place_of(self._conversation.messages) not in (place, None)

    async def survivors(self) -> Callable[[], str]:
        """Return what says what a model gets to know of those from before the kernel."""
        return await self._saved.survivors(self._id) if self._saved is not None else str

    def answer(self, choice: Literal["yes", "no"]) -> None:
        """Have them brought back, or not."""
        self.left_runs = ()
        if self._saved is not None:
            self._saved.answer(self._id, choice)

    async def take_back_files(self) -> None:
        """Take back the files of the branch that was left, and the variables if that is asked."""
        runs, self.left_runs = self.left_runs, ()
        try:
            await self._files.undo_left(runs)
        finally:
            self.answer("yes")

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
        """Return the variables as they were after the run that has this message in it.

        After a run of another language they are those that the last one of Python left.
        """
        place = place_of(self._conversation.path_to(run_end(self._conversation, message_id)))
        if self._saved is None or not place:
            return PastState(why="off" if self._saved is None else "language")
        return await self._saved.state_at(self._id, place)

    async def go_on_from(self, message_id: str, *, with_variables: bool = True) -> None:
        """Move to the end of the run that has this message in it, with the variables from there.

        Without them, those of the kernel stay as they are. Raises SessionError while a turn is
        under way, ExecutionError if they are not kept.
        """
        self._expect_idle()
        end_id = run_end(self._conversation, message_id)
        if with_variables:
            place = place_of(self._conversation.path_to(end_id))
            if self._saved is None or not place:
                raise ExecutionError("The variables of this run are not kept.")
            await self._saved.go_to(self._id, place)
            self._expect_idle()  # it takes a while
        self._is_moving = True  # nothing is to be asked
        try:
            if end_id:
                self._conversation.change(MoveTo(end_id))
        finally:
            self._is_moving = False


def place_of(messages: Sequence[Message]) -> str | None:
    """Return the last run, or undo of variables, of a path; '' without any, None if unknown."""
    place: str | None = ""
    is_python = False
    for message in messages:
        match message.content:
            case Proposal() as proposal:
                is_python = proposal.language == PYTHON
            case FileChanges(variables=VariableChanges(id=str(id_))) if id_:
                place = id_
            case _ if message.type == "console" and is_python:
                place = message.call_id
            case _:
                pass
    return place


def run_end(conversation: Conversation, message_id: str) -> str | None:
    """Return the last message of the run that a message is in or after; None for none."""
    if conversation.message(message_id) is None:
        return None
    path = conversation.path_to(message_id)
    starts = [n for n, message in enumerate(path) if _is_start(message)]
    if not starts:
        return None
    end_id = message_id
    for message in (*path[starts[-1] + 1 :], *conversation.below(message_id)[1:]):
        if _is_start(message):
            break
        end_id = message.id
        if isinstance(message.content, RunReport):
            break
    return end_id


def _is_start(message: Message) -> bool:
    return isinstance(message.content, RunReport) and message.content.state == "started"
