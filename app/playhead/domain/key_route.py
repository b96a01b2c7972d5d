"""The ways that keys take to their providers, and what a person has confirmed."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from playhead.domain.secret import KeySource

RouteAnswer = Literal["new", "old", "remove", "later"]
RoutePart = Literal["address", "proxy", "certificates", "parameters"]
ANY_KEY = "*"
"""The name of the way that keys without a way of their own take through the network."""
_MOST_ROUTES, _MOST_REFUSED = 4, 8


class KeyRoute(Struct, frozen=True, kw_only=True):
    """All that decides where a key goes; empty fields are the provider's own and the system's.

    `ca_sum` is of the contents of `ca_file`, `extra` are parameters of the request as JSON.
    """

    address: str = ""
    proxy: str = ""
    ca_file: str = ""
    ca_sum: str = ""
    extra: str = ""

    @property
    def digest(self) -> str:
        """Return a word that stands for this way."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]

    @property
    def parts(self) -> dict[RoutePart, str]:
        """Return the fields as a person compares them."""
        return {
            "address": self.address,
            "proxy": self.proxy,
            "certificates": f"{self.ca_file} {self.ca_sum}".strip(),
            "parameters": self.extra,
        }

    def through(self, network: KeyRoute) -> KeyRoute:
        """Return this way through the network of another."""
        own = {"address": self.address, "extra": self.extra}
        return KeyRoute(**{**asdict(network), **own})


class KeyRoutes(Struct, frozen=True):
    """The ways that were confirmed for a key, the last first, and the digests of those refused."""

    confirmed: tuple[KeyRoute, ...] = ()
    refused: tuple[str, ...] = ()

    def confirm(self, route: KeyRoute) -> KeyRoutes:
        """Return them with this way, whose network is from now on that of all of them."""
        others = (one.through(route) for one in self.confirmed)
        kept = dict.fromkeys((route, *others))
        refused = tuple(one for one in self.refused if one != route.digest)
        return KeyRoutes(tuple(kept)[:_MOST_ROUTES], refused)

    def refuse(self, route: KeyRoute) -> KeyRoutes:
        """Return them with this way refused."""
        return KeyRoutes(self.confirmed, (route.digest, *self.refused)[:_MOST_REFUSED])


class Witness(Struct, frozen=True):
    """The choices that a person has confirmed, kept beside the keys, where code does not write.

    `routes` are by key name, `consents` name the switches that a person switched on.
    """

    routes: dict[str, KeyRoutes] = {}
    consents: tuple[str, ...] = ()


class RouteQuestion(Struct, frozen=True, kw_only=True):
    """Asks whether a key may take another way than before; `variable` is where it was read from."""

    key: str
    source: KeySource
    variable: str
    old: KeyRoute
    new: KeyRoute

    @property
    def changes(self) -> list[tuple[RoutePart, str, str]]:
        """Return what has changed, as it was and as it is, without passwords."""
        old, new = self.old.parts, self.new.parts
        return [
            (part, without_password(old[part]), without_password(new[part]))
            for part in new
            if old[part] != new[part]
        ]


def without_password(address: str) -> str:
    """Return an address without the name and the password in it."""
    return re.sub(r"//[^/@\s]*@", "//…@", address)
