"""Report to other programs which models there are and whether one can answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from playhead.domain.model import DIRECT, DIRECT_MODEL
from playhead.domain.settings import AppSettings
from playhead.errors import KeyStoreError
from playhead.session.model_choice import api_base_for, settings_for
from playhead.session.ports import Catalog, Keys, Settings

_UNREACHABLE = frozenset(
    {
        *("upstream_error", "upstream_truncated", "rate_limit_exceeded", "upstream_quota"),
        *("upstream_network", "upstream_nonsense", "upstream_silent"),
    }
)
_WITHOUT_KEY = ("upstream_auth_error", "missing_api_key")
_KEYRING_S = 2.0
"""A health check does not wait until the user unlocks a keyring."""

T = TypeVar("T")


class Health(Struct, frozen=True):
    """The model of the settings, and whether it can be asked as far as is known."""

    model: str
    status: Literal["ready", "no_key", "unreachable"]


class ModelState:
    """Answers from the settings, the keyring and what is on this machine; asks no model."""

    def __init__(self, settings: Settings, keys: Keys, catalog: Catalog) -> None:
        self._settings = settings
        self._keys = keys
        self._catalog = catalog
        self._has_key = _Cached(self._find_key, kept_s=5.0)
        self._local = _Cached(self._find_local, kept_s=60.0)

    @property
    def current_name(self) -> str:
        """Return the model, as it is called on the wire, for requests that name none."""
        return self._current.model or DIRECT

    @property
    def _current(self) -> AppSettings:
        """Return the settings with the profile of new conversations."""
        return settings_for(self._settings.current, self._catalog)

    async def health(self, last_failure: str) -> Health:
        """Return the health; `last_failure` is the code that the last turn failed with, else ''."""
        model = self._current.model
        if model == DIRECT_MODEL:
            return Health(DIRECT, "ready")
        if last_failure in _WITHOUT_KEY or not await self._has_key():
            return Health(model, "no_key")
        return Health(model, "unreachable" if last_failure in _UNREACHABLE else "ready")

    async def models(self) -> list[str]:
        """Return the settings' model, then those of local servers, then Direct mode."""
        names = [self._current.model, *await self._local(), DIRECT]
        return list(dict.fromkeys(name for name in names if name))

    async def _find_key(self) -> bool:
        """Return whether there is a key or none is needed: only a vendor's own address needs
        one.
        """
        current = self._current
        model = current.model
        address = api_base_for(model, current, self._catalog)
        if not self._catalog.needs_key(model, address):
            return True
        name = self._catalog.key_name(model, address)
        try:
            async with asyncio.timeout(_KEYRING_S):
                return (await self._keys.get(name)).secret is not None
        except (KeyStoreError, TimeoutError):  # a locked keyring has no key for us either
            return False

    async def _find_local(self) -> list[str]:
        servers = await self._catalog.local_servers()
        return [model for server in servers for model in server.models]


class _Cached(Generic[T]):
    """A value that is computed at most once in `kept_s` seconds: anyone may ask for health."""

    def __init__(self, ask: Callable[[], Awaitable[T]], kept_s: float) -> None:
        self._ask = ask
        self._kept_s = kept_s
        self._known: tuple[float, T] | None = None

    async def __call__(self) -> T:
        if self._known is None or time.monotonic() - self._known[0] > self._kept_s:
            self._known = time.monotonic(), await self._ask()
        return self._known[1]
