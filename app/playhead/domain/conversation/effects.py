"""The state of each effect of runs on files, after the undos and redos of a conversation."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import ChangeAction, FileChange, FileChanges


class EffectState(Struct, frozen=True, kw_only=True):
    """The state of one effect: which of its paths were taken back, and by which effect.

    `undone` maps paths to the effect that took them back; `whole` is the one that took back all,
    '' if none did, but for the paths in `left`. `settled` are files that had been set aside.
    """

    undone: dict[str, str] = {}
    whole: str = ""
    left: frozenset[str] = frozenset()
    settled: dict[str, ChangeAction] = {}

    def undone_by(self, change: FileChange) -> str:
        """Return the effect that has put a file back, by which that is redone; '' if it is not."""
        for path in filter(None, (change.path, change.old_path)):
            if path in self.undone:
                return self.undone[path]
        return "" if change.path in self.left else self.whole

    @property
    def is_undone(self) -> bool:
        """Return whether all that could be put back was put back by one undo."""
        return bool(self.whole)


def effect_states(messages: Iterable[Message]) -> dict[str, EffectState]:
    """Return the state of every effect that something was taken back of, by its id."""
    states: dict[str, EffectState] = {}
    origins: dict[str, str] = {}
    for message in messages:
        match message.content:
            case FileChanges(action="undo" | "redo") as changes if changes.of:
                origins[changes.id] = changes.of
                _take_back(states, changes, changes.of)
                if (origin := origins.get(changes.of)) is not None:  # an undo was taken back
                    _give_back(states, changes, origin)
            case FileChanges(action="keep" | "delete") as changes if changes.of:
                before = states.get(changes.of, EffectState())
                settled = before.settled | {one.path: changes.action for one in changes.listed}
                states[changes.of] = replace(before, settled=settled)
            case _:
                pass
    return states


def _take_back(states: dict[str, EffectState], changes: FileChanges, of: str) -> None:
    before = states.get(of, EffectState())
    if changes.is_whole:
        left = frozenset(one.path for one in changes.conflicts)
        states[of] = replace(before, undone={}, whole=changes.id, left=left)
    else:
        states[of] = replace(
            before, undone=before.undone | dict.fromkeys(_paths(changes), changes.id)
        )


def _give_back(states: dict[str, EffectState], changes: FileChanges, origin: str) -> None:
    before = states.get(origin, EffectState())
    if changes.is_whole and before.whole == changes.of:
        states[origin] = replace(before, undone={}, whole="", left=frozenset())
        return
    paths = _paths(changes)
    if before.whole:
        states[origin] = replace(before, left=before.left | paths)
    else:
        undone = {path: by for path, by in before.undone.items() if path not in paths}
        states[origin] = replace(before, undone=undone)


def _paths(changes: FileChanges) -> frozenset[str]:
    both = (path for one in changes.listed for path in (one.path, one.old_path))
    return frozenset(filter(None, both))
