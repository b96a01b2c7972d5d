"""Keys by provider name: environment, then the system's keyring, then the memory of this run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Generator, Mapping

import msgspec

from playhead.domain.key_route import ANY_KEY, KeyRoute, KeyRoutes, Witness
from playhead.domain.secret import KeyInfo, KeyringStatus, KeySource, Secret
from playhead.errors import KeyStoreError
from playhead.storage.keys.system_keyring import (
    KeyringEntries,
    KeyringKeys,
    Keys,
    LockedKeyringError,
    remedy,
)
from playhead.storage.worker_thread import WorkerThread

_log = logging.getLogger(__name__)
_LIMIT_S = 120.0
_LONG_S = 1.0
WITNESS = "playhead-witness"
"""The name under which it is kept, as if it were a key."""


class KeyStore:
    """The keys; written only into the keyring. Owned by `bootstrap`.

    `environment` holds what `take_from_environment` returned, by variable; `variables` names the
    variable of a key (`{"openai": "OPENAI_API_KEY"}`), by default NAME_API_KEY.

    The keyring is loaded at the first use, called in one thread and read once: all keys are in
    one entry, so the system asks the user at most once. A caller that waits for that may be
    cancelled; the prompt then stays, and its answer is kept. A caller waits at most
    `limit_s`. A prompt that was refused is shown again only by `set`, `delete` and `unlock`.
    """

    def __init__(
        self,
        environment: Mapping[str, Secret],
        variables: Mapping[str, str] | None = None,
        kept: KeyringKeys | None = None,
        limit_s: float = _LIMIT_S,
        long_s: float = _LONG_S,
    ) -> None:
        self._environment = dict(environment)
        self._variables = dict(variables or {})
        self._kept = kept or KeyringKeys(KeyringEntries())
        self._limit_s = limit_s
        self._long_s = long_s
        self._session: dict[str, Secret] = {}
        self._own_witness: Witness | None = None
        self._known: Keys | None = None
        self._refusal: KeyStoreError | None = None
        self._reading: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[bool], None]] = []
        self._is_waiting = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = WorkerThread("playhead-keyring")

    def on_waiting(self, listener: Callable[[bool], None]) -> None:
        """Subscribe to the keyring taking long, as with a prompt open, and to the end of that."""
        self._listeners.append(listener)

    async def get(self, name: str) -> KeyInfo:
        """Return the key and its source; a keyring that refuses is not an error here."""
        variable = self._variables.get(name) or f"{name.upper()}_API_KEY"
        if secret := self._environment.get(variable):
            return KeyInfo(secret, "environment", variable)
        if secret := self._session.get(name):  # newer than the keyring's, which refused it
            return KeyInfo(secret, "session")
        try:
            secret = await self._find(name)
        except KeyStoreError as error:
            _log.info("no key for %s from the keyring: %s", name, error)
            return KeyInfo()
        return KeyInfo(secret, "keyring") if secret else KeyInfo()

    async def set(self, name: str, secret: Secret, address: str | None = None) -> KeySource:
        """Keep a key in the keyring, or for this run if that refuses; return which.

        With the `address` that it was entered for, that is its way, if it has none yet.
        """

        def put(keys: Keys) -> None:
            keys[name] = secret
            if address is not None:
                _put_witness(keys, _with_route(_witness_in(keys), name, address))

        try:
            await self._change(put)
        except KeyStoreError as error:
            _log.info("the key for %s is kept for this run only: %s", name, error)
            self._session[name] = secret
            if address is not None:
                self._own_witness = _with_route(await self.witness(), name, address)
            return "session"
        self._session.pop(name, None)
        return "keyring"

    async def delete(self, name: str) -> None:
        """Forget a key. Raises KeyStoreError if the keyring refuses; the environment's stays."""
        was_session = self._session.pop(name, None) is not None

        def drop(keys: Keys) -> None:
            if keys.pop(name, None) is not None:
                _put_witness(keys, _without_route(_witness_in(keys), name))

        if self._own_witness is not None:
            self._own_witness = _without_route(self._own_witness, name)
        try:
            await self._change(drop)
        except KeyStoreError:
            if not was_session:
                raise

    async def delete_all(self) -> None:
        """Forget all keys but the environment's. Raises KeyStoreError if the keyring refuses."""
        self._session.clear()
        self._own_witness = None
        if await self._load():
            await self._change(lambda keys: keys.clear())

    @property
    def seen_witness(self) -> Witness:
        """Return what is known of it without asking the keyring."""
        return self._own_witness or _witness_in(self._known or {})

    async def witness(self) -> Witness:
        """Return what a person has confirmed; nothing if the keyring refuses."""
        if self._own_witness is None:
            try:
                await self._load()
            except KeyStoreError as error:
                _log.info("what was confirmed is not known: %s", error)
        return self.seen_witness

    async def confirm(self, change: Callable[[Witness], Witness]) -> bool:
        """Keep what a person has confirmed; return False if that is for this run only."""
        try:
            await self._change(lambda keys: _put_witness(keys, change(_witness_in(keys))))
        except KeyStoreError as error:
            _log.info("what was confirmed is kept for this run only: %s", error)
            self._own_witness = change(await self.witness())
            return False
        self._own_witness = None
        return True

    async def status(self) -> KeyringStatus:
        """Return whether keys can be kept; asks the keyring unless it has answered before."""
        try:
            await self._load()
            backend = await asyncio.wrap_future(self._thread.submit(lambda: self._kept.place))
        except KeyStoreError as error:
            is_locked = isinstance(error, LockedKeyringError)
            return KeyringStatus(is_usable=False, error=error, is_locked=is_locked)
        return KeyringStatus(is_usable=True, backend=backend)

    async def unlock(self) -> KeyringStatus:
        """Read the keyring again, with the system's prompt if it is locked."""
        if self._reading is None:
            self._known, self._refusal = None, None
        return await self.status()

    def close(self) -> None:
        """Forget the keys and end the thread."""
        self._session.clear()
        self._known = None
        for task in tuple(self._tasks):
            task.cancel()
        self._thread.close()

    async def _find(self, name: str) -> Secret | None:
        return (await self._load()).get(name)

    async def _load(self) -> Keys:
        """Return the keyring's keys, read once for all callers that wait meanwhile."""
        if self._known is None and self._refusal is not None:
            raise self._refusal
        if self._known is None:
            if self._reading is None:
                self._reading = self._start(self._kept.read)
                self._reading.add_done_callback(self._on_read)
            try:
                await self._wait(self._reading)
            except _SilentKeyringError as error:
                self._refusal = error  # until it answers after all
                raise
        return self._known or {}

    def _on_read(self, task: asyncio.Task[None]) -> None:
        self._reading = None
        error = None if task.cancelled() else task.exception()
        # Only a prompt costs the user something: all else is tried again.
        self._refusal = error if isinstance(error, LockedKeyringError) else None

    async def _change(self, change: Callable[[Keys], object]) -> None:
        is_wanted = threading.Event()
        is_wanted.set()

        def careful(keys: Keys) -> None:
            if not is_wanted.is_set():  # the caller is no longer waiting
                raise _silent()
            change(keys)

        try:
            await self._wait(self._start(lambda: self._kept.change(careful)))
        finally:
            is_wanted.clear()
        self._refusal = None

    def _start(self, work: Callable[[], Keys]) -> asyncio.Task[None]:
        """Start a task that no caller's cancellation ends, so that its result is always known."""
        task = asyncio.create_task(self._do(work), name="playhead-keyring")
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    async def _do(self, work: Callable[[], Keys]) -> None:
        with self._report_if_long():
            self._known = await asyncio.wrap_future(self._thread.submit(work))

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the waiting callers get it, if there are any

    async def _wait(self, task: asyncio.Task[None]) -> None:
        done, _ = await asyncio.wait((task,), timeout=self._limit_s)
        if not done:
            raise _silent()
        task.result()

    @contextlib.contextmanager
    def _report_if_long(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._long_s, self._report_waiting, True)
        try:
            yield
        finally:
            timer.cancel()
            self._report_waiting(False)

    def _report_waiting(self, is_waiting: bool) -> None:
        """Report whether the keyring takes long; one call runs at a time, the others wait."""
        if is_waiting != self._is_waiting:
            self._is_waiting = is_waiting
            for listener in tuple(self._listeners):
                listener(self._is_waiting)


def _witness_in(keys: Mapping[str, Secret]) -> Witness:
    """Return what is kept beside the keys; nothing where it cannot be read."""
    if (kept := keys.get(WITNESS)) is None:
        return Witness()
    try:
        return msgspec.json.decode(kept.reveal(), type=Witness)
    except (msgspec.MsgspecError, UnicodeError):
        return Witness()


def _put_witness(keys: Keys, witness: Witness) -> None:
    if witness != _witness_in(keys):
        keys[WITNESS] = Secret(msgspec.json.encode(witness).decode())


def _with_route(witness: Witness, name: str, address: str) -> Witness:
    """Give a key that was entered for an address its way, through the confirmed network."""
    if name in witness.routes:
        return witness
    network = witness.routes.get(ANY_KEY, KeyRoutes()).confirmed or (KeyRoute(),)
    route = KeyRoute(address=address if "@" in name else "").through(network[0])
    return Witness({**witness.routes, name: KeyRoutes((route,))}, witness.consents)


def _without_route(witness: Witness, name: str) -> Witness:
    routes = {one: kept for one, kept in witness.routes.items() if one != name}
    return Witness(routes, witness.consents)


class _SilentKeyringError(KeyStoreError):
    """The keyring has not answered in time; it may still do so."""


def _silent() -> _SilentKeyringError:
    return _SilentKeyringError(
        "The system's keyring does not answer.",
        detail="It may be waiting for you to unlock it.",
        remedy=remedy(),
    )
