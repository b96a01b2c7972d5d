"""A stand-in for what keeps files, behind its port: it says what a worker would have done."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from playhead.domain.conversation.payloads import (
    Coverage,
    FileChange,
    FileChanges,
    FileConflict,
    Uncovered,
)
from playhead.errors import ExecutionError

RUN = FileChanges(
    folder="/data",
    id="run",
    created=(FileChange(path="new.txt", size_bytes=4),),
    changed=(FileChange(path="notes.md", size_bytes=9),),
    deleted=(FileChange(path="old.csv"),),
)


class EffectsInMemory:
    """Takes back effects of no file; those in `changed` are conflicts. Notes what it was asked."""

    def __init__(self, *effects: FileChanges) -> None:
        self.effects = {one.id: one for one in effects}
        self.changed: set[str] = set()
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []
        self.is_gone = False

    async def cover(self, folder: str) -> Coverage:
        movie = Uncovered(path="video.mov", reason="too_large", size_bytes=4_000_000_000)
        return Coverage(folder=folder, files=813, covered=812, uncovered=(movie,))

    async def undo(self, folder: str, effect_id: str, paths: Sequence[str] = ()) -> FileChanges:
        self.asked.append((folder, effect_id, tuple(paths)))
        if self.is_gone:
            raise ExecutionError("The folder is not the one that it was.")
        effect = self.effects[effect_id]

        def left(files: Sequence[FileChange]) -> tuple[FileChange, ...]:
            wanted = [one for one in files if not paths or one.path in paths]
            return tuple(one for one in wanted if one.path not in self.changed)

        refused = [one.path for one in effect.listed if not paths or one.path in paths]
        undo = FileChanges(
            folder=folder,
            id=f"{effect_id}-{len(self.asked)}",
            of=effect_id,
            action="undo",
            created=left(effect.deleted),
            changed=left(effect.changed),
            deleted=left(effect.created),
            is_whole=not paths,
            conflicts=tuple(
                FileConflict(path=path, reason="changed")
                for path in refused
                if path in self.changed
            ),
        )
        self.effects[undo.id] = undo
        return undo

    async def settle(self, folder: str, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        action = "keep" if is_kept else "delete"
        told = FileChanges(folder=folder, id=f"{action} {path}", of=effect_id, action=action)
        return replace(told, created=(FileChange(path=path),))

    async def review(self, folder: str, conversation_id: str) -> FileChanges | None:
        return None

    async def apply(
        self, folder: str, conversation_id: str, paths: Sequence[str] = ()
    ) -> FileChanges:
        raise NotImplementedError

    async def discard(self, folder: str, conversation_id: str) -> None:
        raise NotImplementedError

    async def forget(self, conversation_id: str) -> None:
        """Have no copy."""
        self.asked.append(("", conversation_id, ("forget",)))

    async def unreported(self, conversation_id: str) -> list[FileChanges]:
        return []
