"""Keys that are never shown, logged or stored by accident, and their sources."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from playhead.errors import AppError


class Secret:
    """Holds a key; `reveal()` is the only way to its text, and easy to search for."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself, for the one place that passes it on."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        import hmac

        return hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not serialised")


KeySource = Literal["environment", "keyring", "session", "none"]


class KeyInfo(Struct, frozen=True):
    """A key and its source; `variable` names the environment variable that it was read from."""

    secret: Secret | None = None
    source: KeySource = "none"
    variable: str = ""


class KeyringStatus(Struct, frozen=True, kw_only=True):
    """The state of the keyring: whether it can keep keys; `error` says why not and what to do.

    `is_locked`: the user was asked to unlock the keyring, and did not.
    """

    is_usable: bool
    backend: str = ""
    error: AppError | None = None
    is_locked: bool = False
