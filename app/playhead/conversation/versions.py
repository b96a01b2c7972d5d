"""Where a conversation forks: the versions of a message, and which of them was looked at last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from playhead.conversation.message import Message


@dataclass(frozen=True, slots=True)
class Versions:
    """The messages that stand beside each other at one place, and which of them is shown."""

    ids: tuple[str, ...]
    shown: int

    @property
    def number(self) -> int:
        """Which one is shown, counted from 1."""
        return self.shown + 1

    @property
    def previous(self) -> str:
        """The version before the one that is shown, '' at the first."""
        return self.ids[self.shown - 1] if self.shown else ""

    @property
    def following(self) -> str:
        """The version after the one that is shown, '' at the last."""
        return self.ids[self.shown + 1] if self.number < len(self.ids) else ""


class Forks:
    """The children of every message, in order of age. Owner: the conversation."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._children: dict[str | None, list[str]] = {}
        self._used: dict[str | None, str] = {}
        for message in messages:
            self._children.setdefault(message.parent_id, []).append(message.id)

    def add(self, message: Message) -> None:
        """A message that is new."""
        self._children.setdefault(message.parent_id, []).append(message.id)

    def remove(self, message: Message) -> None:
        """A message that no longer hangs where it did."""
        self._children[message.parent_id].remove(message.id)
        if self._used.get(message.parent_id) == message.id:
            del self._used[message.parent_id]

    def forget(self, message_id: str) -> None:
        """Nothing hangs on a message any more."""
        self._children.pop(message_id, None)
        self._used.pop(message_id, None)

    def use(self, path: Sequence[str]) -> None:
        """Remember a path as the one that was looked at last."""
        parent: str | None = None
        for message_id in path:
            self._used[parent] = message_id
            parent = message_id

    def children(self, message_id: str | None) -> Sequence[str]:
        """What follows a message directly, the oldest first."""
        return self._children.get(message_id, ())

    def leaf_below(self, message_id: str) -> str:
        """The end of the branch that was looked at last, or of the newest one."""
        leaf = message_id
        while children := self._children.get(leaf):
            used = self._used.get(leaf)
            leaf = used if used is not None else children[-1]
        return leaf

    def versions(self, path: Sequence[str]) -> dict[str, Versions]:
        """By the id of each message of a path that does not stand alone: its versions."""
        found: dict[str, Versions] = {}
        parent: str | None = None
        for message_id in path:
            beside = self._children[parent]
            if len(beside) > 1:
                found[message_id] = Versions(tuple(beside), beside.index(message_id))
            parent = message_id
        return found
