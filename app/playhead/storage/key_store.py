"""Keys by provider name: environment, then the system's keyring, then the memory of this run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from playhead.conversation.requests import KeyInfo, KeyringStatus, KeySource
from playhead.conversation.secret import Secret
from playhead.errors import KeyStoreError
from playhead.storage.keyring_entries import KeyringEntries, remedy
from playhead.storage.worker_thread import WorkerThread

T = TypeVar("T")

_log = logging.getLogger(__name__)
_LIMIT_S = 10.0


class KeyStore:
    """The keys; never written anywhere but into the keyring. Owned by `bootstrap`.

    `environment` holds what `take_from_environment` returned, by variable; `variables` names the
    variable of a key (`{"openai": "OPENAI_API_KEY"}`), by default NAME_API_KEY.
    The keyring is loaded at the first use and called in one thread; a call that takes longer
    than `limit_s` (an unlock prompt nobody answers) counts as refused.
    """

    def __init__(
        self,
        environment: Mapping[str, Secret],
        variables: Mapping[str, str] | None = None,
        entries: KeyringEntries | None = None,
        limit_s: float = _LIMIT_S,
    ) -> None:
        self._environment = dict(environment)
        self._variables = dict(variables or {})
        self._entries = entries or KeyringEntries()
        self._limit_s = limit_s
        self._session: dict[str, Secret] = {}
        self._thread = WorkerThread("playhead-keyring")

    async def get(self, name: str) -> KeyInfo:
        """The key and where it came from; a keyring that refuses is no error here."""
        variable = self._variables.get(name) or f"{name.upper()}_API_KEY"
        if secret := self._environment.get(variable):
            return KeyInfo(secret, "environment", variable)
        if secret := self._session.get(name):  # newer than the keyring's, which refused it
            return KeyInfo(secret, "session")
        try:
            secret = await self._call(lambda: self._entries.get(name))
        except KeyStoreError as error:
            _log.info("no key for %s from the keyring: %s", name, error)
            return KeyInfo()
        return KeyInfo(secret, "keyring") if secret else KeyInfo()

    async def set(self, name: str, secret: Secret) -> KeySource:
        """Keep a key in the keyring, or for this run only when that refuses; says which."""
        try:
            await self._call(lambda: self._entries.set(name, secret))
        except KeyStoreError as error:
            _log.info("the key for %s is kept for this run only: %s", name, error)
            self._session[name] = secret
            return "session"
        self._session.pop(name, None)
        return "keyring"

    async def delete(self, name: str) -> None:
        """Forget a key. Raises KeyStoreError if the keyring refuses; the environment's stays."""
        was_session = self._session.pop(name, None) is not None
        try:
            await self._call(lambda: self._entries.delete(name))
        except KeyStoreError:
            if not was_session:
                raise

    async def status(self) -> KeyringStatus:
        """Whether keys can be kept; asks the keyring for real."""
        try:
            backend = await self._call(self._entries.check)
        except KeyStoreError as error:
            words = " ".join(part for part in (error.title, error.detail) if part)
            return KeyringStatus(
                is_usable=False,
                message=f"{words} Keys are kept for this run only. {error.remedy}",
            )
        return KeyringStatus(is_usable=True, backend=backend)

    def close(self) -> None:
        """Forget the session's keys and end the thread."""
        self._session.clear()
        self._thread.close()

    async def _call(self, call: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(self._limit_s):
                return await asyncio.wrap_future(self._thread.submit(call))
        except TimeoutError:
            raise KeyStoreError(
                "The system's keyring does not answer.",
                detail="It may be waiting for you to unlock it.",
                remedy=remedy(),
            ) from None
