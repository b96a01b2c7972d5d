"""Blocking calls to the operating system's keyring; the only module that imports `keyring`."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING

from playhead.errors import KeyStoreError
from playhead.storage.keyring_parts import (
    SYSTEM_LIMIT,
    PartsHead,
    cut,
    head_for,
    head_of,
    length,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keyring.backend import KeyringBackend

SERVICE = "Playhead"
_REFUSED_MODULES = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")
_MOST_TRIES = 3
_FOREIGN_ERRORS = (
    ("secretstorage.exceptions", "SecretStorageException"),
    ("jeepney", "DBusErrorResponse"),
    ("win32ctypes.pywin32.pywintypes", "error"),
)
"""What backends let through of the libraries below them, where those are installed."""
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
        """The text kept under the name."""
        for _ in range(_MOST_TRIES):  # another instance may just be writing it
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
        if self._limit is None or length(text) <= self._limit:
            self._call("write", name, text)
        else:
            self._write_parts(name, text, before, self._limit)
        if before is not None:
            self._forget(before.names(name))

    def delete(self, name: str) -> None:
        """Forget the text; one that is not there is fine."""
        first = self._call("read", name)
        if first is None:
            return
        head = _head(first)
        self._call("delete", name)
        if head is not None:
            self._forget(head.names(name))

    def backend_name(self) -> str:
        """What the backend calls itself."""
        return self.backend().name

    def backend(self) -> KeyringBackend:
        """The best backend that keeps secrets encrypted."""
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
        parts = cut(text, limit)
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
        except PasswordDeleteError:  # somebody else deleted it meanwhile
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
    """The error of a keyring that was not unlocked."""
    return LockedKeyringError(
        "The system's keyring stayed locked.",
        detail=detail,
        remedy="Unlock it in the settings, or set the provider's variable before starting.",
    )


def remedy() -> str:
    """What to do about a missing keyring on this system."""
    if sys.platform == "darwin":
        return "Unlock the login keychain in Keychain Access."
    if sys.platform == "win32":
        return "Start the Windows service “Credential Manager”."
    return (
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
    """Whether the user was asked and did not unlock, or make, the keyring."""
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
        detail = f"The configured keyring {module} keeps keys unencrypted and is not used."
    else:
        detail = "There is no keyring on this system, or it is not running."
    return KeyStoreError("No usable keyring.", detail=detail, remedy=remedy())
