"""The ports for the program's own files, as the window shows them; handed in by `bootstrap`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from playhead.conversation.upkeep import CrashReport, Place, ResetWish


class Places(Protocol):
    """Where the program keeps its files."""

    @property
    def places(self) -> Sequence[Place]:
        """The folders, each once."""
        ...

    @property
    def is_portable(self) -> bool:
        """Whether all of it lies below one folder that was named at the start."""
        ...

    async def size(self, place: Place) -> int:
        """How many bytes lie there, without the other places inside it."""
        ...


class CrashReports(Protocol):
    """What is known of crashes; nothing of it leaves this computer."""

    @property
    def folder(self) -> str:
        """Where the files lie."""
        ...

    async def news(self) -> list[CrashReport]:
        """Those that have not been told of, the newest first; from now on they have."""
        ...

    async def found(self) -> list[CrashReport]:
        """All that are there, the newest first."""
        ...

    async def delete(self, names: Sequence[str]) -> None:
        """Delete reports. Raises StorageError."""
        ...


class Resetting(Protocol):
    """Back to the state of a first start."""

    async def reset(self, wish: ResetWish) -> str:
        """Reset the settings and what is wished; the folder that has what was there before.

        Nothing is taken before it lies there. Raises StorageError or KeyStoreError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The three of them."""

    places: Places
    crashes: CrashReports
    resetting: Resetting
