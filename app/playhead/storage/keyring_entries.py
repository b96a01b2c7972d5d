"""Blocking calls to the operating system's keyring; the only module that imports `keyring`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from playhead.conversation.secret import Secret
from playhead.errors import KeyStoreError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "Playhead"
WINDOWS_LIMIT = 1200
"""A Windows credential holds 2,560 bytes of UTF-16: 1,280 characters, less what keyring adds."""
_PARTS_MARK = "playhead-parts:"
_REFUSED_MODULES = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")


class KeyringEntries:
    """Gets, sets and deletes; long secrets are split where the backend has a limit.

    Every method blocks (20–100 ms, minutes while an unlock prompt is open) and raises
    KeyStoreError. Used from one thread.
    """

    def __init__(self, limit: int | None = WINDOWS_LIMIT if sys.platform == "win32" else None):
        self._limit = limit
        self._backend: KeyringBackend | None = None

    def get(self, name: str) -> Secret | None:
        """The secret kept under the name."""
        first = self._call("read", name)
        if first is None or not first.startswith(_PARTS_MARK):
            return Secret(first) if first else None
        count = int(first.removeprefix(_PARTS_MARK))
        parts = [self._call("read", f"{name}#{index}") for index in range(count)]
        return Secret("".join(part for part in parts if part)) if None not in parts else None

    def set(self, name: str, secret: Secret) -> None:
        """Keep the secret, replacing what was there; a short one that is refused loses nothing."""
        text = secret.reveal()
        before = self._parts_of(name)
        parts: list[str] = []
        if self._limit is not None and len(text) > self._limit:
            parts = [text[at : at + self._limit] for at in range(0, len(text), self._limit)]
        for index, part in enumerate(parts):
            self._call("write", f"{name}#{index}", part)
        self._call("write", name, f"{_PARTS_MARK}{len(parts)}" if parts else text)
        for index in range(len(parts), before):
            self._call("delete", f"{name}#{index}")

    def _parts_of(self, name: str) -> int:
        first = self._call("read", name) or ""
        return int(first.removeprefix(_PARTS_MARK)) if first.startswith(_PARTS_MARK) else 0

    def delete(self, name: str) -> None:
        """Forget the secret; one that is not there is fine."""
        first = self._call("read", name)
        if first is None:
            return
        if first.startswith(_PARTS_MARK):
            for index in range(int(first.removeprefix(_PARTS_MARK))):
                self._call("delete", f"{name}#{index}")
        self._call("delete", name)

    def check(self) -> str:
        """The name of the backend, after it has really answered."""
        self._call("read", "check")
        return self.backend().name

    def backend(self) -> KeyringBackend:
        """The best backend that keeps secrets encrypted."""
        if self._backend is None:
            import keyring
            from keyring.backends import chainer

            chosen = keyring.get_keyring()
            links = chosen.backends if isinstance(chosen, chainer.ChainerBackend) else [chosen]
            safe = [
                link for link in links if not type(link).__module__.startswith(_REFUSED_MODULES)
            ]
            if not safe:
                raise _unusable(type(chosen).__module__)
            self._backend = safe[0]
        return self._backend

    def _call(self, action: str, name: str, text: str = "") -> str | None:
        backend = self.backend()
        from keyring.errors import KeyringError, PasswordDeleteError

        try:
            if action == "read":
                return backend.get_password(SERVICE, name)
            if action == "write":
                backend.set_password(SERVICE, name, text)  # pyright: ignore[reportUnknownMemberType]
            else:
                backend.delete_password(SERVICE, name)
        except PasswordDeleteError:  # somebody else deleted it meanwhile
            return None
        except (KeyringError, RuntimeError, OSError) as error:
            self._backend = None  # look again next time: the user may have started or unlocked one
            # Backends word their errors freely: never hand one on that repeats the secret.
            detail = str(error) if not text or text not in str(error) else type(error).__name__
            raise KeyStoreError(
                "The system's keyring refused.", detail=detail, remedy=remedy()
            ) from None
        return None


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


def _unusable(module: str) -> KeyStoreError:
    if module.startswith("keyrings.alt"):
        detail = f"The configured keyring {module} keeps keys unencrypted and is not used."
    else:
        detail = "There is no keyring on this system, or it is not running."
    return KeyStoreError("No usable keyring.", detail=detail, remedy=remedy())
