"""Lets a key take only ways that a person has confirmed: asks where the settings name another.

Running code can write the settings' file, and the database of conversations; not the keyring.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.key_route import (
    ANY_KEY,
    KeyRoute,
    KeyRoutes,
    RouteAnswer,
    RouteQuestion,
    Witness,
)
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.domain.secret import KeyInfo
from playhead.domain.settings import AppSettings
from playhead.errors import ProviderError, phrase
from playhead.session.model_choice import parameters_for
from playhead.session.ports import Catalog, Keys, Provider, Settings

Ask = Callable[[RouteQuestion], Awaitable[RouteAnswer]]
ROUTE_CHANGED = "key_route_changed"
"""The code of the error where nobody can be asked."""
_MOST_BYTES = 16_000_000


class RouteGuard:
    """Compares the way of a key with the confirmed one; owned by `bootstrap`.

    `ask` asks a person where they differ; without it the request is refused. `accepted` are
    digests of ways that the person who started the program has confirmed, `address` is the one
    that they named.
    """

    def __init__(
        self,
        keys: Keys,
        settings: Settings,
        catalog: Catalog,
        accepted: Collection[str] = (),
        address: str | None = None,
    ) -> None:
        self.ask: Ask | None = None
        self._keys = keys
        self._settings = settings
        self._catalog = catalog
        self._accepted = frozenset(accepted)
        self._address = address
        self._asking: dict[tuple[str, str], asyncio.Task[RouteAnswer]] = {}
        self._waiting: dict[asyncio.Task[RouteAnswer], int] = {}

    async def passed(self, model: ModelSettings) -> ModelSettings:
        """Return the model with a way that its key may take. Raises ProviderError."""
        if model.api_key is None or not model.model:
            return model
        name = self._catalog.key_name(model.model, model.api_base or "")
        info = await self._keys.get(name)
        if info.secret != model.api_key:
            info = KeyInfo(model.api_key)  # it came with the request
        is_ours = info.source in ("keyring", "session")
        new = await asyncio.to_thread(_route_of, model, is_own="@" not in name)
        if new == KeyRoute() and not is_ours:
            return model  # the provider's own, of which the keyring need not be asked
        known = (await self._keys.witness()).routes.get(name, KeyRoutes())
        if not known.confirmed and is_ours:
            await self._confirm(name, new)  # an earlier version has kept the key
            return model
        old = await self._confirmed(known)
        if model.is_address_given or (new.address and new.address == self._address):
            old = tuple(replace(one, address=new.address) for one in old)  # a person named it
        if new in old:
            return model
        if new.digest in self._accepted:
            await self._confirm(name, new)
            return model
        if new.digest in known.refused:
            return _by(model, old[0], new)
        return await self._asked(model, name, info, old[0], new)

    async def learn(self, before: AppSettings, after: AppSettings) -> None:
        """Take what a person has changed in the settings as confirmed."""
        if (before.proxy, before.ca_file) != (after.proxy, after.ca_file):
            network = await asyncio.to_thread(_network, after.proxy, after.ca_file)
            await self._keys.confirm(lambda witness: _with_network(witness, network))
        for model, address in _places(after) - _places(before):
            await self._learn_place(model, address, after)
        if after.model and self._extra(before) != self._extra(after):
            await self._learn_place(after.model, after.api_base, after)

    async def _learn_place(self, model: str, address: str, settings: AppSettings) -> None:
        name = self._catalog.key_name(model, address)
        info = await self._keys.get(name)
        extra = _encoded(parameters_for(model, settings, self._catalog))
        end = KeyRoute(address=address if "@" in name else "", extra=extra)
        if info.secret is None or (info.source == "environment" and end == KeyRoute()):
            return

        def change(witness: Witness) -> Witness:
            known = witness.routes.get(name, KeyRoutes())
            others = known.confirmed or witness.routes.get(ANY_KEY, KeyRoutes()).confirmed
            route = end.through(others[0] if others else KeyRoute())
            return Witness({**witness.routes, name: known.confirm(route)}, witness.consents)

        await self._keys.confirm(change)

    def _extra(self, settings: AppSettings) -> str:
        return _encoded(parameters_for(settings.model, settings, self._catalog))

    async def _confirmed(self, known: KeyRoutes) -> tuple[KeyRoute, ...]:
        """Return the ways of a key; one without any has the provider's own."""
        if known.confirmed:
            return known.confirmed
        network = (await self._keys.witness()).routes.get(ANY_KEY, KeyRoutes()).confirmed
        return (KeyRoute().through(network[0] if network else KeyRoute()),)

    async def _confirm(self, name: str, route: KeyRoute) -> None:
        def change(witness: Witness) -> Witness:
            routes = witness.routes.get(name, KeyRoutes()).confirm(route)
            return Witness({**witness.routes, name: routes}, witness.consents)

        await self._keys.confirm(change)

    async def _refuse(self, name: str, old: KeyRoute, new: KeyRoute) -> None:
        def change(witness: Witness) -> Witness:
            known = witness.routes.get(name) or KeyRoutes((old,))
            return Witness({**witness.routes, name: known.refuse(new)}, witness.consents)

        await self._keys.confirm(change)
        current = self._settings.current
        restored = _restored(current, old, new)
        if restored != current:
            await self._settings.save(restored)

    async def _asked(
        self, model: ModelSettings, name: str, info: KeyInfo, old: KeyRoute, new: KeyRoute
    ) -> ModelSettings:
        question = RouteQuestion(
            key=name, source=info.source, variable=info.variable, old=old, new=new
        )
        match await self._answer(question):
            case "new":
                await self._confirm(name, new)
                return model
            case "old":
                await self._refuse(name, old, new)
                return _by(model, old, new)
            case "remove":
                await self._keys.delete(name)
                raise ProviderError(
                    phrase("The key “{name}” was removed.", name=name),
                    remedy="Enter a new key in the settings.",
                    code="upstream_auth_error",
                )
            case "later":
                raise route_error(question)

    async def _answer(self, question: RouteQuestion) -> RouteAnswer:
        """Ask once for all requests that wait for the same answer."""
        if self.ask is None:
            raise route_error(question)
        place = question.key, question.new.digest
        if place not in self._asking:
            task = asyncio.create_task(_answer_of(self.ask, question), name="way of a key")
            self._asking[place] = task
            task.add_done_callback(lambda _: self._asking.pop(place, None))
        task = self._asking[place]
        self._waiting[task] = self._waiting.get(task, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:  # nobody waits for the answer any more
                del self._waiting[task]
                task.cancel()


async def _answer_of(ask: Ask, question: RouteQuestion) -> RouteAnswer:
    return await ask(question)


def route_error(question: RouteQuestion) -> ProviderError:
    """Return the error of a request whose key must not take its way; it says how to confirm it."""
    return ProviderError(
        phrase("The key “{name}” was not sent: its way has changed.", name=question.key),
        detail=" ".join(route_lines(question)),
        remedy=phrase(
            "Send a message in Playhead's window, which asks; or start it with "
            "--key-route {digest} or PLAYHEAD_KEY_ROUTE={digest}, if this is your own change.",
            digest=question.new.digest,
        ),
        code=ROUTE_CHANGED,
    )


_PART_NAMES = {
    "address": "address",
    "proxy": "proxy",
    "certificates": "file of certificates",
    "parameters": "extra parameters",
}


def route_lines(question: RouteQuestion) -> list[str]:
    """Return what has changed, a sentence for each part."""
    return [
        f"{_PART_NAMES[part].capitalize()}: {old or 'none'} so far, now {new or 'none'}."
        for part, old, new in question.changes
    ]


class RoutedProvider:
    """A provider that is only asked by ways that the keys may take."""

    def __init__(self, inner: Provider, guard: RouteGuard) -> None:
        self._inner = inner
        self._guard = guard
        self.fit = inner.fit
        self.outgoing = inner.outgoing
        self.facts = inner.facts
        self.attached = inner.attached
        self.close = inner.close

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the answer, as the port says."""
        model = await self._guard.passed(request.model)
        async with aclosing(self._inner.stream(replace(request, model=model))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def check(self, model: ModelSettings) -> str:
        """Send a small request; return a sentence with what answered."""
        return await self._inner.check(await self._guard.passed(model))

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """Return the models of the provider."""
        return await self._inner.models(await self._guard.passed(model))


def _route_of(model: ModelSettings, *, is_own: bool) -> KeyRoute:
    end = KeyRoute(address="" if is_own else model.api_base or "", extra=_encoded(model.extra))
    return end.through(_network(model.connection.proxy, model.connection.ca_file))


def _network(proxy: str, ca_file: str) -> KeyRoute:
    return KeyRoute(proxy=proxy, ca_file=ca_file, ca_sum=_sum(ca_file))


def _sum(path: str) -> str:
    """Return a sum of a file's contents; '' if it cannot be read."""
    try:
        if not path or not Path(path).is_file():  # a pipe would hold us up
            return ""
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(_MOST_BYTES)).hexdigest()[:16]
    except OSError:
        return ""


def _encoded(extra: Any) -> str:
    return json.dumps(dict(extra), sort_keys=True, default=str) if extra else ""


def _by(model: ModelSettings, old: KeyRoute, new: KeyRoute) -> ModelSettings:
    """Return the model by the old way."""
    ca_file = old.ca_file
    if new.ca_file == old.ca_file and new.ca_sum != old.ca_sum:
        ca_file = ""  # the file has other certificates than were confirmed
    connection = replace(model.connection, proxy=old.proxy, ca_file=ca_file)
    address = model.api_base if model.is_address_given else old.address or None
    extra = cast("dict[str, Any]", json.loads(old.extra or "{}"))
    return replace(model, api_base=address, connection=connection, extra=extra)


def _restored(current: AppSettings, old: KeyRoute, new: KeyRoute) -> AppSettings:
    """Return the settings with the old values where they have the new ones."""
    changes: dict[str, Any] = {}
    if current.proxy == new.proxy != old.proxy:
        changes["proxy"] = old.proxy
    if current.ca_file == new.ca_file != old.ca_file:
        changes["ca_file"] = old.ca_file
    if current.api_base == new.address != old.address:
        changes["api_base"] = old.address
    return replace(current, **changes)


def _with_network(witness: Witness, network: KeyRoute) -> Witness:
    """Return it with all ways through this network."""
    routes = {
        name: KeyRoutes(tuple(one.through(network) for one in known.confirmed), ())
        for name, known in witness.routes.items()
    }
    return Witness({**routes, ANY_KEY: KeyRoutes((network,))}, witness.consents)


def _places(settings: AppSettings) -> set[tuple[str, str]]:
    """Return the models with their addresses that the settings and the profiles name."""
    found = {(profile.model, profile.api_base or "") for profile in settings.profiles}
    named = {(model, address) for model, address in found if model}
    return named | ({(settings.model, settings.api_base)} if settings.model else set())
