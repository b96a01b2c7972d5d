"""Takes back what runs of a conversation did to its files and variables, and does it again."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.effect_choice import RunEffect, effects_left, run_effects
from playhead.domain.conversation.payloads import Coverage, FileChanges, VariableChanges
from playhead.errors import ExecutionError
from playhead.session.code_ports import FileEffects
from playhead.session.ports import SessionPorts


class RunFiles:
    """Takes back what runs of a conversation did to files and variables, and does it again.

    Each is an effect of its own, a message `computer/files` that names the one that it is `of`;
    `effect_states` returns what is left of each. The result names the conflicts. Where nothing was
    done the conversation gets no message. All raise SessionError while a turn is under way, and
    ExecutionError if it cannot be.
    """

    def __init__(
        self,
        ports: SessionPorts,
        conversation: Conversation,
        expect_idle: Callable[[], None],
        on_covered: Callable[[], None],
    ) -> None:
        self._ports = ports
        self._files = ports.files
        self._saved = ports.saved_variables
        self._conversation = conversation
        self._expect_idle = expect_idle
        self._on_covered = on_covered
        self.coverage: Coverage | None = None
        """What of the folder could be put back after a run, as it was found last."""

    async def cover(self, folder: str) -> None:
        """Keep the files of a folder as they are, while a person reads what is to run in it."""
        if self._files is not None:
            self.coverage = await self._files.cover(folder)
            self._on_covered()

    async def undo_run(self, effect_id: str) -> FileChanges:
        """Put back all that a run has created, changed, deleted and moved."""
        return await self._take_back(effect_id, (), "undo")

    async def undo_file(self, effect_id: str, path: str) -> FileChanges:
        """Put back one file of a run."""
        return await self._take_back(effect_id, (path,), "undo")

    async def redo_run(self, undo_id: str, path: str = "") -> FileChanges:
        """Do again what an undo took back, or what it did to one file."""
        return await self._take_back(undo_id, (path,) if path else (), "redo")

    async def undo_left(self, effect_ids: Sequence[str]) -> None:
        """Put back the files of runs of a branch that was left, also while a model answers."""
        contents = (message.content for message in self._conversation.everything)
        known = {one.id: one for one in contents if isinstance(one, FileChanges)}
        for effect_id in effect_ids:
            if self._files is not None and effect_id in known:
                changes = await self._files.undo(known[effect_id].folder, effect_id, ())
                await self._apply(replace(changes, action="undo"))

    async def keep(self, effect_id: str, path: str) -> FileChanges:
        """Put a file into its place that was set aside."""
        return await self._settle(effect_id, path, is_kept=True)

    async def delete(self, effect_id: str, path: str) -> FileChanges:
        """Delete a file that was set aside."""
        return await self._settle(effect_id, path, is_kept=False)

    async def report_unreported(self) -> None:
        """Add what runs did that ended with the program."""
        if self._files is None:
            return
        contents = [message.content for message in self._conversation.everything]
        known = {one.id for one in contents if isinstance(one, FileChanges)}
        for changes in await self._files.unreported(self._conversation.id):
            if changes.id not in known:
                await self._apply(changes)

    @property
    def effects(self) -> list[RunEffect]:
        """Return the effects of the active path that are kept, the oldest first."""
        return run_effects(self._conversation, self.variables)

    def left(self, what: Literal["undo", "redo"]) -> list[RunEffect]:
        """Return the runs that can be undone, or undos that can be redone, the last one first."""
        return effects_left(self._conversation, what, self.variables)

    @property
    def variables(self) -> Mapping[str, VariableChanges]:
        """Return what is known of the variables that runs changed, by the ids of runs."""
        if self._saved is None or not self._conversation.messages:
            return {}
        return self._saved.changes(self._conversation.id)

    async def settle(self) -> None:
        """Save what the last run did to variables, so that it is known. Raises ExecutionError."""
        if self._saved is not None and self._ports.executor.status(self._conversation.id).pid:
            await self._saved.settle(self._conversation.id)

    async def _take_back(
        self, effect_id: str, paths: Sequence[str], action: Literal["undo", "redo"]
    ) -> FileChanges:
        effect = self._effect(effect_id)
        variables = None if paths else self._variables_of(effect_id, effect)
        if variables and self._saved is not None:
            await self._saved.settle(self._conversation.id)
        files = self._files
        if files is not None and effect is not None and effect.folder and _has_files(effect):
            changes = await files.undo(effect.folder, effect_id, paths)
            changes = replace(changes, action=action, of=effect_id)
        elif variables:
            changes = FileChanges(folder="", action=action, of=effect_id, is_whole=True)
        else:
            raise _not_kept()
        try:
            if variables and self._saved is not None:
                undo_id = uuid.uuid4().hex
                done = await self._saved.take_back(self._conversation.id, variables, undo_id)
                changes = _with_variables(changes, done, undo_id)
        finally:
            await self._apply(changes)
        return changes

    def _effect(self, effect_id: str) -> FileChanges | None:
        self._expect_idle()
        contents = (message.content for message in self._conversation.everything)
        effects = (one for one in contents if isinstance(one, FileChanges) and effect_id)
        return next((one for one in effects if one.id == effect_id), None)

    def _variables_of(self, effect_id: str, effect: FileChanges | None) -> str:
        """Return the id of what an effect did to variables; '' for nothing that is kept."""
        if effect is None or effect.action == "run":
            known = self.variables.get(effect_id)
            return effect_id if known is not None and not known.is_unknown else ""
        return effect.variables.id if effect.variables is not None else ""

    async def _settle(self, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        files, folder = self._place_of(effect_id)
        return await self._apply(await files.settle(folder, effect_id, path, is_kept=is_kept))

    def _place_of(self, effect_id: str) -> tuple[FileEffects, str]:
        effect = self._effect(effect_id)
        if self._files is not None and effect is not None and effect.folder:
            return self._files, effect.folder
        raise _not_kept()

    async def _closed(self) -> None:
        """Wait until no message is open, so that another one can be added."""
        while self._conversation.open_id is not None:
            closed = asyncio.Event()
            end = self._conversation.subscribe(lambda event, one=closed: one.set())
            try:
                await closed.wait()
            finally:
                end()

    async def _apply(self, changes: FileChanges) -> FileChanges:
        """Add what was done, once no message is open: a turn may have begun meanwhile."""
        await self._closed()
        has_variables = changes.variables is not None and changes.variables.names
        if changes.listed or changes.set_aside or has_variables:
            self._conversation.apply(Chunk(role="computer", type="files", content=changes))
        return changes


def _not_kept() -> ExecutionError:
    return ExecutionError(
        "This can no longer be put back.",
        detail="Nothing is kept of the files and variables as they were.",
    )


def _has_files(effect: FileChanges) -> bool:
    return bool(effect.listed or effect.conflicts)


def _with_variables(
    changes: FileChanges, done: VariableChanges | None, undo_id: str
) -> FileChanges:
    if done is None:
        if changes.id:
            return changes
        raise _not_kept()
    id_ = changes.id or (undo_id if done.names else "")
    return replace(changes, id=id_, variables=replace(done, id=undo_id))
