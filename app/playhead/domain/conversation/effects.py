"""The state of each effect of runs on files, after the undos and redos of a conversation."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    ChangeAction,
    FileChange,
    FileChanges,
    LeftName,
)


class EffectState(Struct, frozen=True, kw_only=True):
    """The state of one effect: which of its paths were taken back, and by which effect.

    `undone` maps paths to the effect that took them back; `whole` is the one that took back all
    others, '' if none did, but for the paths in `left`. `settled` are files that had been set
    aside. `variables` is the one that took back what is saved of variables, but for `left_names`.
    """

    undone: dict[str, str] = {}
    whole: str = ""
    left: frozenset[str] = frozenset()
    settled: dict[str, ChangeAction] = {}
    variables: str = ""
    left_names: tuple[LeftName, ...] = ()

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

    def is_left(self, changes: FileChanges) -> bool:
        """Return whether something of an effect is not taken back."""
        variables = changes.variables
        if variables is not None and variables.is_unknown and not self.whole:
            return True
        if variables is not None and variables.names and not self.variables:
            return True
        return not all(self.undone_by(one) for one in changes.listed)


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
    if changes.variables is not None and changes.variables.names:
        left = changes.variables.left
        before = states[of] = replace(before, variables=changes.id, left_names=left)
    if changes.is_whole:
        left = frozenset(one.path for one in changes.conflicts)
        undone = _without(before.undone, _paths(changes))
        states[of] = replace(before, undone=undone, whole=changes.id, left=left)
    else:
        states[of] = replace(
            before, undone=before.undone | dict.fromkeys(_paths(changes), changes.id)
        )


def _give_back(states: dict[str, EffectState], changes: FileChanges, origin: str) -> None:
    before = states.get(origin, EffectState())
    has_variables = changes.variables is not None and changes.variables.names
    if has_variables and before.variables == changes.of:
        before = states[origin] = replace(before, variables="", left_names=())
    if changes.is_whole and before.whole == changes.of:
        states[origin] = replace(before, whole="", left=frozenset())
        return
    paths = _paths(changes)
    left = before.left | paths if before.whole else before.left
    states[origin] = replace(before, undone=_without(before.undone, paths), left=left)


def _without(undone: dict[str, str], paths: frozenset[str]) -> dict[str, str]:
    return {path: by for path, by in undone.items() if path not in paths}


def _paths(changes: FileChanges) -> frozenset[str]:
    both = (path for one in changes.listed for path in (one.path, one.old_path))
    return frozenset(filter(None, both))
