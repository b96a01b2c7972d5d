"""All keys in one entry of the system's keyring; several instances may change them at once."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

from playhead.domain.secret import Secret
from playhead.errors import KeyStoreError
from playhead.storage.key_document import UnreadableKeysError, decode, encode
from playhead.storage.keyring_entries import KeyringEntries
from playhead.storage.process_lock import ProcessLock

ENTRY = "keys"
_MOST_TRIES = 5
_LOCK_S = 15.0
_PAUSE_S = 0.02
_log = logging.getLogger(__name__)

Keys = dict[str, Secret]


class KeptKeys:
    """Reads and changes the entry; every method blocks and raises KeyStoreError. One thread.

    Keys that an earlier release kept in an entry each are taken over when they are asked for.
    """

    def __init__(self, entries: KeyringEntries, lock_path: Path | None = None) -> None:
        self._entries = entries
        self._lock_path = lock_path

    @property
    def place(self) -> str:
        """What the keyring calls itself."""
        return self._entries.backend_name()

    def read(self) -> Keys:
        """All keys; may open the system's prompt to unlock."""
        text = self._entries.get(ENTRY)
        if text is None:
            return {}
        try:
            return decode(text)
        except UnreadableKeysError as error:
            raise KeyStoreError(
                "The keys in the system's keyring cannot be read.",
                detail=f"The entry “{ENTRY}” of Playhead is {error}.",
                remedy="Use the newest Playhead, or delete that entry and enter the keys again.",
            ) from None

    def change(self, change: Callable[[Keys], None]) -> Keys:
        """Read, change and write the keys; what another instance wrote meanwhile stays.

        `change` may be called more than once. Returns all keys as they are now.
        """
        self._entries.get(ENTRY)  # unlock before anything is held
        with self._held():
            for _ in range(_MOST_TRIES):
                keys = self.read()
                before = encode(keys)
                change(keys)
                wanted = encode(keys)
                if wanted == before:
                    return keys
                self._entries.set(ENTRY, wanted)
                # Where the lock could not be had another instance may have written in between.
                if self._entries.get(ENTRY) == wanted:
                    return keys
        raise KeyStoreError(
            "The system's keyring did not keep what was written.",
            remedy="Close other running copies of Playhead and try again.",
        )

    def take_over(self, names: Iterable[str]) -> Keys | None:
        """Move keys of an earlier release into the entry; all keys, or None if there were none."""
        found = {name: text for name in names if (text := self._entries.get(name))}
        if not found:
            return None

        def add(keys: Keys) -> None:
            for name, text in found.items():
                keys.setdefault(name, Secret(text))

        keys = self.change(add)
        for name in found:
            self._entries.delete(name)
        return keys

    def forget_old(self, name: str) -> None:
        """Delete the entry that an earlier release kept for the name, if there is one."""
        self._entries.delete(name)

    @contextlib.contextmanager
    def _held(self) -> Generator[None]:
        """Hold the lock; without a usable file, or if nobody gives it back, go on without it."""
        lock = ProcessLock(self._lock_path) if self._lock_path is not None else None
        try:
            if lock is not None and not _acquired(lock):
                _log.info("The keyring is changed although another instance holds its lock")
            yield
        finally:
            if lock is not None:
                lock.release()


def _acquired(lock: ProcessLock) -> bool:
    deadline = time.monotonic() + _LOCK_S
    try:
        while not lock.acquire():
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)
    except OSError as error:
        _log.info("There is no lock for the keyring: %s", error.strerror)
    return True
