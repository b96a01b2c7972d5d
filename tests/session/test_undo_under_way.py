"""A turn that begins while something earlier is taken back, or gone back to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import (
    FileChange,
    FileChanges,
    RunReport,
    VariableChanges,
)
from playhead.errors import SessionError
from playhead.session.past.kept_variables import KeptVariables
from playhead.session.past.run_files import RunFiles
from playhead.session.ports import SessionPorts
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with
from tests.support.waiting import until

_EFFECT = FileChanges(folder="/tmp", id="run", created=(FileChange(path="a"),))
_ANSWER = Chunk(role="assistant", type="message", start=True)


class Keepers:
    """Files and variables that take so long that an answer begins meanwhile."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.is_idle = True

    def expect_idle(self) -> None:
        if not self.is_idle:
            raise SessionError("A turn is under way.")

    def _begin_turn(self) -> None:
        self.is_idle = False
        self._conversation.apply(_ANSWER)

    async def undo(self, folder: str, effect_id: str, paths: Sequence[str]) -> FileChanges:
        self._begin_turn()
        return replace(_EFFECT, id="undo", of=effect_id)

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        self._begin_turn()
        return VariableChanges()

    def changes(self, conversation_id: str) -> dict[str, VariableChanges]:
        return {}


def _ports(keepers: Any) -> SessionPorts:
    ports = ports_with(ScriptedProvider(), RecordingExecutor())
    return replace(ports, files=keepers, saved_variables=keepers)


async def test_an_undo_is_recorded_after_the_message_that_began_meanwhile() -> None:
    conversation = Conversation()
    keepers = Keepers(conversation)
    files = RunFiles(_ports(keepers), conversation, keepers.expect_idle, lambda: None)
    conversation.apply(Chunk(role="computer", type="files", content=_EFFECT))
    undoing = asyncio.create_task(files.undo_run("run"))
    await until(lambda: conversation.open_id is not None)
    conversation.apply(Chunk(role="assistant", type="message", content="Hello"))
    conversation.apply(replace(_ANSWER, start=False, end=True))
    assert (await undoing).action == "undo"
    assert [message.type for message in conversation.messages] == ["files", "message", "files"]


async def test_a_turn_that_has_begun_meanwhile_keeps_its_place() -> None:
    conversation = Conversation()
    keepers = Keepers(conversation)
    ports = _ports(keepers)
    files = RunFiles(ports, conversation, keepers.expect_idle, lambda: None)
    kept = KeptVariables(ports, conversation, files, keepers.expect_idle)
    start = RunReport(state="started")
    first = conversation.apply(Chunk(role="computer", type="run", content=start))
    undone = replace(_EFFECT, variables=VariableChanges(id="undo"))
    conversation.apply(Chunk(role="computer", type="files", content=undone))
    conversation.apply(Chunk(role="user", type="message", content="go on"))
    with pytest.raises(SessionError, match="under way"):
        await kept.go_on_from(first)
    assert conversation.open_id == conversation.messages[-1].id
