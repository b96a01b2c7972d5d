"""The keys in the operating system's keyring; the only module that imports `keyring`.

All keys are one text in one entry, in parts where the backend has a limit. Every call blocks.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import logging
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from playhead.domain.secret import Secret
from playhead.domain.text.json_text import read_json
from playhead.domain.text.unicode import utf16_length
from playhead.errors import KeyStoreError, phrase
from playhead.storage.process_lock import ProcessLock

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


SYSTEM_LIMIT = 1200 if sys.platform == "win32" else None
"""A Windows credential holds 2,560 bytes of UTF-16: 1,280 units, less what is added to them."""

_MARK = "playhead-parts:"
_SUM_DIGITS = 16


class PartsHead(Struct, frozen=True):
    """The entry under the name of a text in parts; `names` returns the names of the parts.

    `set_` distinguishes one writing from the next, so that their parts are never mixed.
    """

    count: int
    set_: str
    sum: str

    @property
    def text(self) -> str:
        """Return the head as it is kept."""
        return _MARK + ":".join((str(self.count), self.set_, self.sum))

    def names(self, name: str) -> list[str]:
        """Return the names of the parts of the text under `name`."""
        return [f"{name}#{self.set_}.{number}" for number in range(self.count)]

    def fits(self, text: str) -> bool:
        """Return whether the parts make up what was written."""
        return self.sum == _sum(text)


def head_of(text: str) -> PartsHead | None:
    """Return the head if the text is one, else None. Raises ValueError if it cannot be read."""
    if not text.startswith(_MARK):
        return None
    count, _, rest = text.removeprefix(_MARK).partition(":")
    set_, _, sum_ = rest.partition(":")
    return PartsHead(int(count), set_, sum_)


def head_for(text: str, count: int, before: PartsHead | None) -> PartsHead:
    """Return the head of a new writing, which shares no part with the one before."""
    return PartsHead(count, "b" if before is not None and before.set_ == "a" else "a", _sum(text))


def cut_in_parts(text: str, limit: int) -> list[str]:
    """Return the text in parts of at most `limit` units of UTF-16 that cut no character."""
    parts: list[str] = []
    start = units = 0
    for at, character in enumerate(text):
        width = 2 if ord(character) > 0xFFFF else 1
        if units + width > limit and at > start:
            parts.append(text[start:at])
            start, units = at, 0
        units += width
    parts.append(text[start:])
    return parts


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SUM_DIGITS]


SERVICE = "Playhead"
_REFUSED_MODULES = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")
_MOST_READS = 3
_FOREIGN_ERRORS = (
    ("secretstorage.exceptions", "SecretStorageException"),
    ("jeepney", "DBusErrorResponse"),
    ("win32ctypes.pywin32.pywintypes", "error"),
)
"""Errors of the libraries below backends that these do not convert."""
_UNANSWERED = frozenset({"KeyringLocked", "LockedException", "PromptDismissedException"})


class KeyringEntries:
    """Gets, sets and deletes texts; long ones are in parts where the backend has a limit.

    Every method blocks (20–100 ms, minutes while an unlock prompt is open) and raises
    KeyStoreError, LockedKeyringError among them. Used from one thread.
    """

    def __init__(self, limit: int | None = SYSTEM_LIMIT):
        self._limit = limit
        self._backend: KeyringBackend | None = None

    def get(self, name: str) -> str | None:
        """Return the text kept under the name."""
        for _ in range(_MOST_READS):  # another instance may just be writing it
            first = self._call("read", name)
            head = _head(first)
            if first is None or head is None:
                return first
            parts = [self._call("read", part) for part in head.names(name)]
            whole = "".join(part for part in parts if part is not None)
            if None not in parts and head.fits(whole):
                return whole
        raise _damaged()

    def set(self, name: str, text: str) -> None:
        """Keep the text; what was there stays whole until the new one is."""
        before = _head(self._call("read", name))
        if self._limit is None or utf16_length(text) <= self._limit:
            self._call("write", name, text)
        else:
            self._write_parts(name, text, before, self._limit)
        if before is not None:
            self._forget(before.names(name))

    def delete(self, name: str) -> None:
        """Forget the text; a missing one is not an error."""
        first = self._call("read", name)
        if first is None:
            return
        head = _head(first)
        self._call("delete", name)
        if head is not None:
            self._forget(head.names(name))

    def backend_name(self) -> str:
        """Return the backend's own name."""
        return self.backend().name

    def backend(self) -> KeyringBackend:
        """Return the best backend that keeps secrets encrypted."""
        if self._backend is None:
            from keyring import core
            from keyring.backends import chainer, fail

            if isinstance(core.get_keyring(), fail.Keyring):
                core.init_backend()  # the user may have started one since
            chosen = core.get_keyring()
            links = chosen.backends if isinstance(chosen, chainer.ChainerBackend) else [chosen]
            safe = [
                link for link in links if not type(link).__module__.startswith(_REFUSED_MODULES)
            ]
            if not safe:
                raise _unusable(type(chosen).__module__)
            self._backend = safe[0]
        return self._backend

    def _write_parts(self, name: str, text: str, before: PartsHead | None, limit: int) -> None:
        parts = cut_in_parts(text, limit)
        head = head_for(text, len(parts), before)
        for place, part in zip(head.names(name), parts, strict=True):
            self._call("write", place, part)
        self._call("write", name, head.text)

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self._call("delete", name)

    def _call(self, action: str, name: str, text: str = "") -> str | None:
        backend = self.backend()
        from keyring.errors import PasswordDeleteError

        try:
            if action == "read":
                return backend.get_password(SERVICE, name)
            if action == "write":
                backend.set_password(SERVICE, name, text)  # pyright: ignore[reportUnknownMemberType]
            else:
                backend.delete_password(SERVICE, name)
        except PasswordDeleteError:  # another process deleted it meanwhile
            return None
        except _backend_errors() as error:
            self._backend = None  # look again next time: the user may have started or unlocked one
            # Backends word their errors freely, and may repeat what they were given to keep.
            detail = type(error).__name__ if text else str(error)
            if _is_unanswered(error):
                raise locked(detail) from None
            raise KeyStoreError(
                "The system's keyring refused.", detail=detail, remedy=remedy()
            ) from None
        return None


class LockedKeyringError(KeyStoreError):
    """The user was asked to unlock the keyring and did not; asking again needs a reason."""


def locked(detail: str = "") -> LockedKeyringError:
    """Return the error of a keyring that was not unlocked."""
    return LockedKeyringError(
        "The system's keyring stayed locked.",
        detail=detail,
        remedy="Choose “Unlock” in the settings, or set the provider's variable before starting.",
    )


def remedy() -> str:
    """Return the remedy for a missing keyring on this system."""
    if sys.platform == "darwin":
        return phrase("Unlock the login keychain in Keychain Access.")
    if sys.platform == "win32":
        return phrase("Start the Windows service “Credential Manager”.")
    return phrase(
        "Install, start or unlock GNOME Keyring or KWallet (apt install gnome-keyring),"
        " or set the provider's variable, such as OPENAI_API_KEY, before starting Playhead."
    )


def _backend_errors() -> tuple[type[Exception], ...]:
    from keyring.errors import KeyringError

    found: list[type[Exception]] = [KeyringError, RuntimeError, OSError, ValueError]
    for module, name in _FOREIGN_ERRORS:
        with contextlib.suppress(ImportError):
            found.append(getattr(importlib.import_module(module), name))
    return tuple(found)


def _is_unanswered(error: Exception) -> bool:
    """Return whether the user was asked and did not unlock, or make, the keyring."""
    name = type(error).__name__
    return name in _UNANSWERED or (name == "InitError" and "dismissed" in str(error))


def _head(first: str | None) -> PartsHead | None:
    try:
        return None if first is None else head_of(first)
    except ValueError:
        raise _damaged() from None


def _damaged() -> KeyStoreError:
    return KeyStoreError(
        "The keys in the system's keyring cannot be read.",
        detail="Parts of them are missing.",
        remedy="Delete the entries named Playhead in your keyring's program; enter the keys again.",
    )


def _unusable(module: str) -> KeyStoreError:
    if module.startswith("keyrings.alt"):
        detail: str = phrase(
            "The configured keyring {module} keeps keys unencrypted and is not used.", module=module
        )
    else:
        detail = "There is no keyring on this system, or it is not running."
    return KeyStoreError("No usable keyring.", detail=detail, remedy=remedy())


_VERSION = 1


class UnreadableKeysError(ValueError):
    """The text was not written by this release; it must not be overwritten."""


def encode_keys(keys: Mapping[str, Secret]) -> str:
    """Return the keys as JSON; ASCII, since some keyrings refuse lone surrogates or count units."""
    texts = {name: keys[name].reveal() for name in sorted(keys)}
    return json.dumps({"version": _VERSION, "keys": texts}, separators=(",", ":"))


def decode_keys(text: str) -> dict[str, Secret]:
    """Return the keys by name. Raises UnreadableKeysError, which never repeats the text."""
    try:
        found: Any = read_json(text)
    except ValueError:
        raise UnreadableKeysError("not JSON") from None
    body = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if body.get("version") != _VERSION:
        raise UnreadableKeysError("of another version")
    kept: Any = body.get("keys")
    if not isinstance(kept, dict):
        raise UnreadableKeysError("without keys")
    texts = cast("dict[str, Any]", kept)
    if not all(isinstance(value, str) for value in texts.values()):
        raise UnreadableKeysError("with keys that are not text")
    return {name: Secret(value) for name, value in texts.items()}


ENTRY = "keys"
_MOST_WRITES = 5
_LOCK_S = 15.0
_PAUSE_S = 0.02
_log = logging.getLogger(__name__)

Keys = dict[str, Secret]


class KeyringKeys:
    """Reads and changes the entry; every method blocks and raises KeyStoreError. One thread."""

    def __init__(self, entries: KeyringEntries, lock_path: Path | None = None) -> None:
        self._entries = entries
        self._lock_path = lock_path

    @property
    def place(self) -> str:
        """Return the keyring's own name."""
        return self._entries.backend_name()

    def read(self) -> Keys:
        """Return all keys; may open the system's prompt to unlock."""
        text = self._entries.get(ENTRY)
        if text is None:
            return {}
        try:
            return decode_keys(text)
        except UnreadableKeysError as error:
            raise KeyStoreError(
                "The keys in the system's keyring cannot be read.",
                detail=phrase(
                    "The entry “{entry}” of Playhead is {reason}.", entry=ENTRY, reason=error
                ),
                remedy="Use the newest Playhead, or delete that entry and enter the keys again.",
            ) from None

    def change(self, change: Callable[[Keys], None]) -> Keys:
        """Read, change and write the keys; keep what another instance wrote meanwhile."""
        self._entries.get(ENTRY)  # unlock before anything is held
        with self._held():
            for _ in range(_MOST_WRITES):
                keys = self.read()
                before = encode_keys(keys)
                change(keys)
                wanted = encode_keys(keys)
                if wanted == before:
                    return keys
                self._entries.set(ENTRY, wanted)
                # Without the lock another instance may have written in between.
                if self._entries.get(ENTRY) == wanted:
                    return keys
        raise KeyStoreError(
            "The system's keyring did not keep what was written.",
            remedy="Close other running copies of Playhead and try again.",
        )

    @contextlib.contextmanager
    def _held(self) -> Generator[None]:
        """Hold the lock; continue without it if it is unusable or not released in time."""
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
