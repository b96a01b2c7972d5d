"""Takes back what runs of a conversation did to its files and variables, and does it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Coverage, FileChanges
from playhead.errors import ExecutionError
from playhead.session.code_ports import FileEffects


class RunFiles:
    """Takes back what runs of a conversation did to files, and does it again.

    Each is an effect of its own, a message `computer/files` that names the one that it is `of`;
    `effect_states` returns what is left of each. The result names the conflicts. Where nothing was
    done the conversation gets no message. All raise SessionError while a turn is under way, and
    ExecutionError if it cannot be.
    """

    def __init__(
        self,
        files: FileEffects | None,
        conversation: Conversation,
        expect_idle: Callable[[], None],
        on_covered: Callable[[], None],
    ) -> None:
        self._files = files
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
                self._apply(changes)

    async def _take_back(
        self, effect_id: str, paths: Sequence[str], action: Literal["undo", "redo"]
    ) -> FileChanges:
        files, folder = self._place_of(effect_id)
        changes = await files.undo(folder, effect_id, paths)
        return self._apply(replace(changes, action=action))

    async def _settle(self, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        files, folder = self._place_of(effect_id)
        return self._apply(await files.settle(folder, effect_id, path, is_kept=is_kept))

    def _place_of(self, effect_id: str) -> tuple[FileEffects, str]:
        self._expect_idle()
        found = (message.content for message in self._conversation.everything)
        effects = (one for one in found if isinstance(one, FileChanges) and effect_id)
        folder = next((one.folder for one in effects if one.id == effect_id), "")
        if self._files is not None and folder:
            return self._files, folder
        raise ExecutionError(
            "This can no longer be put back.",
            detail="Nothing is kept of the files as they were.",
        )

    def _apply(self, changes: FileChanges) -> FileChanges:
        if changes.listed or changes.set_aside:
            self._conversation.apply(Chunk(role="computer", type="files", content=changes))
        return changes
