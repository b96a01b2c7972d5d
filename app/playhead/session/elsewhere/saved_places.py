"""The servers and machines that a person has added, their tokens, and the choice among all."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.execution import Interpreter, Place, place_of
from playhead.domain.places import (
    Machine,
    ServerAnswer,
    joined_place,
    key_of,
    machine_place,
    server_name,
    server_place,
)
from playhead.domain.secret import KeySource, Secret
from playhead.domain.settings import SavedServer
from playhead.errors import ExecutionError, SessionError, phrase
from playhead.session.ports import Keys, Places, SessionPorts, Settings

_MOST_MACHINES = 20


class FoundPlaces(Struct, frozen=True, kw_only=True):
    """All that a conversation can choose from, without what only a server knows."""

    here: tuple[Interpreter, ...] = ()
    servers: tuple[SavedServer, ...] = ()
    machines: tuple[Place, ...] = ()


class SavedPlaces:
    """Keeps servers and machines in the settings, and tokens only where keys are kept."""

    def __init__(self, settings: Settings, keys: Keys, places: Places | None) -> None:
        self._settings = settings
        self._keys = keys
        self.port = places
        """What finds places and asks servers; without it code runs on this computer only."""

    @classmethod
    def of(cls, ports: SessionPorts) -> SavedPlaces:
        """Return those of sessions."""
        return cls(ports.settings, ports.keys, ports.places)

    @property
    def servers(self) -> tuple[SavedServer, ...]:
        """Return the servers, in the order in which they were added."""
        return self._settings.current.servers

    async def ask(self, address: str, token: Secret | None = None) -> ServerAnswer:
        """Return who answers at an address; without a `token`, with the one that is kept for it.

        Raises ExecutionError.
        """
        if self.port is None:
            raise ExecutionError("No server can be asked here.")
        if token is None:
            token = (await self._keys.get(key_of(address))).secret
        return await self.port.ask_server(address, token)

    async def add(self, answer: ServerAnswer, token: Secret | None) -> KeySource:
        """Keep a server that has answered; return where its token is kept. Raises StorageError."""
        address = answer.address
        others = tuple(one for one in self.servers if one.address != address)
        name = _free_name(server_name(address), {one.name for one in others})
        known = next((one for one in self.servers if one.address == address), None)
        kept = known or SavedServer(name, address)
        current = self._settings.current
        await self._settings.save(replace(current, servers=(*others, kept)))
        return await self.set_token(address, token) if token else "none"

    async def set_token(self, address: str, token: Secret) -> KeySource:
        """Keep another token of a server; return where."""
        return await self._keys.set(key_of(address), token)

    async def forget(self, address: str) -> None:
        """Forget a server with its token. Raises StorageError or KeyStoreError."""
        current = self._settings.current
        kept = tuple(one for one in current.servers if one.address != address)
        await self._settings.save(replace(current, servers=kept))
        await self._keys.delete(key_of(address))

    async def machines(self) -> list[Place]:
        """Return the machines that were typed, then those that are found, each once."""
        found = await self.port.machines() if self.port is not None else []
        places = {place.id: place for place in self.typed_machines}
        for one in found:
            place = _place_of(one)
            if place is not None:
                places.setdefault(place.id, place)
        return list(places.values())

    @property
    def typed_machines(self) -> list[Place]:
        """Return the places on machines that a person typed, the last first."""
        found = map(place_of, self._settings.current.machines)
        return [one for one in found if one is not None and one.kind in ("ssh", "container")]

    async def remember(self, place: Place) -> None:
        """Keep a place on a machine that a person typed. Raises StorageError."""
        current = self._settings.current
        others = tuple(one for one in current.machines if one != place.id)
        kept = (place.id, *others)[:_MOST_MACHINES]
        await self._settings.save(replace(current, machines=kept))

    async def forget_machine(self, place: Place) -> None:
        """Forget a place that was typed. Raises StorageError."""
        current = self._settings.current
        kept = tuple(one for one in current.machines if one != place.id)
        await self._settings.save(replace(current, machines=kept))

    def kernels(self, server: SavedServer, answer: ServerAnswer) -> list[Place]:
        """Return the places of a server: its kinds of kernels, then those that run."""
        new = [server_place(server.address, server.name, spec) for spec in answer.specs]
        return new + [joined_place(server.address, server.name, one) for one in answer.running]

    async def named(self, words: str) -> Place:
        """Return the place that a person or a program names.

        That is a machine (`gpu-box`, `gpu-box:~/data`, `docker:web`), or a server that was added,
        with one of its kernels (`lab.uni.edu`, `lab.uni.edu/python3`). Raises SessionError, and
        ExecutionError if the server does not answer.
        """
        words = words.strip()
        server, _, kernel = words.partition("/")
        for one in self.servers:
            if server in (one.name, server_name(one.address)) or words == one.address:
                return await self._kernel_named(one, "" if words == one.address else kernel)
        known = {place.address: place for place in reversed(await self.machines())}
        if words in known:
            return known[words]
        for address, place in known.items():
            if words.startswith(f"{address}:") and place.kind in ("ssh", "container"):
                return machine_place(address, words[len(address) + 1 :], place.program, place.label)
        raise SessionError(
            phrase("There is no place “{name}”.", name=words[:80]),
            detail=phrase(
                "Known are: {names}.",
                names=", ".join([*(one.name for one in self.servers), *known][:20]) or "none",
            ),
            remedy="Servers are added in the window; machines are the hosts of ~/.ssh/config.",
            code="unknown_place",
        )

    async def _kernel_named(self, server: SavedServer, kernel: str) -> Place:
        answer = await self.ask(server.address)
        places = self.kernels(server, answer)
        if not kernel and places:
            return places[0]
        for place in places:
            if kernel in (place.program, place.kernel_id, place.label.partition(": ")[2]):
                return place
        raise SessionError(
            phrase("{server} has no kernel “{name}”.", server=server.name, name=kernel[:80]),
            detail=phrase("It has: {names}.", names=", ".join(one.name for one in answer.specs)),
            code="unknown_place",
        )


def _place_of(machine: Machine) -> Place | None:
    try:
        return machine_place(machine.address, label=machine.label)
    except SessionError:  # a name that ssh could take for an option
        return None


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
