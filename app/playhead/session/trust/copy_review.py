"""The copy of the folder that a conversation's runs work in, and what a person does about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import FileChanges
from playhead.errors import SessionError
from playhead.session.code_ports import FileEffects


class CopyReview:
    """Holds what runs did in a copy, which waits until a person applies or discards it.

    The next run goes on in the same copy. `folder` returns the working folder, `end_kernels` ends
    what works in the copy; `on_changed` is called when something else waits. Apply and discard
    raise SessionError while a turn is under way or nothing waits, and ExecutionError if they fail.
    """

    def __init__(
        self,
        files: FileEffects | None,
        conversation: Conversation,
        folder: Callable[[], str],
        expect_idle: Callable[[], None],
        end_kernels: Callable[[], Awaitable[None]],
        on_changed: Callable[[], None],
    ) -> None:
        self._files = files
        self._conversation = conversation
        self._folder = folder
        self._expect_idle = expect_idle
        self._end_kernels = end_kernels
        self._on_changed = on_changed
        self.waiting: FileChanges | None = None
        """What would change if all of the copy were applied; None without a copy."""
        self.is_busy = False

    @property
    def may_wait(self) -> bool:
        """Return whether a stored conversation had a copy that was not discarded."""
        return self._last("review", "discard") == "review"

    @property
    def has_applied(self) -> bool:
        """Return whether some of the copy was applied already."""
        return self._last("apply", "discard") == "apply"

    def _last(self, *wanted: str) -> str:
        contents = (message.content for message in reversed(self._conversation.messages))
        actions = (one.action for one in contents if isinstance(one, FileChanges))
        return next((one for one in actions if one in wanted), "")

    async def look(self) -> None:
        """Find out what waits."""
        if self._files is not None:
            self._show(await self._files.review(self._folder(), self._conversation.id))

    async def apply(self, paths: Sequence[str] = ()) -> FileChanges:
        """Carry out what runs did in the copy, or that of these paths; it is an effect to undo.

        What was changed meanwhile by others stays as it is, unless its path is named.
        """
        files, folder = self._place()
        self._set_busy(True)
        try:
            changes = await files.apply(folder, self._conversation.id, paths)
            if changes.listed:
                self._add(changes)
            await self.look()
        finally:
            self._set_busy(False)
        return changes

    async def discard(self) -> FileChanges:
        """Delete the copy; the kernel ends, and the next run sees the folder as it is."""
        files, folder = self._place()
        before = self.waiting or FileChanges(folder=folder)
        self._set_busy(True)
        try:
            await self._end_kernels()
            await files.discard(folder, self._conversation.id)
            discarded = replace(before, action="discard", conflicts=(), conflicts_total=0)
            if discarded.listed:
                self._add(discarded)
            self._show(None)
        finally:
            self._set_busy(False)
        return discarded

    def _place(self) -> tuple[FileEffects, str]:
        self._expect_idle()
        if self._files is None or self.waiting is None:
            raise SessionError("No changes wait for a review.", code="invalid_state")
        return self._files, self.waiting.folder

    def _add(self, changes: FileChanges) -> None:
        self._conversation.apply(Chunk(role="computer", type="files", content=changes))

    def _show(self, waiting: FileChanges | None) -> None:
        if waiting != self.waiting:
            self.waiting = waiting
            self._on_changed()

    def _set_busy(self, is_busy: bool) -> None:
        self.is_busy = is_busy
        self._on_changed()
