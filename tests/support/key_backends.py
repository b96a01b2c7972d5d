"""Backends of `keyring` for tests: one that keeps in memory and counts, and fails when told to."""

from __future__ import annotations

from collections.abc import Callable

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError, PasswordSetError

from playhead.storage.keys.system_keyring import KeyringEntries


class MemoryBackend(KeyringBackend):
    """Keeps texts by name. `calls` are the actions, `writes_left` how many it still does."""

    priority = 1  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self, kept: dict[str, str] | None = None) -> None:
        super().__init__()
        self.kept = {} if kept is None else kept
        self.calls: list[tuple[str, str]] = []
        self.writes_left: int | None = None
        self.before_write: Callable[[], None] = lambda: None

    def get_password(self, service: str, username: str) -> str | None:
        self.calls.append(("read", username))
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._count()
        self.calls.append(("write", username))
        hook, self.before_write = self.before_write, lambda: None
        hook()
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._count()
        self.calls.append(("delete", username))
        if username not in self.kept:
            raise PasswordDeleteError("There is none.")
        del self.kept[username]

    def _count(self) -> None:
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left < 0:
                raise PasswordSetError("no room")


class BackendEntries(KeyringEntries):
    """Entries on a backend of the test's choice."""

    def __init__(self, backend: KeyringBackend, limit: int | None = None) -> None:
        super().__init__(limit)
        self._chosen = backend

    def backend(self) -> KeyringBackend:
        return self._chosen
