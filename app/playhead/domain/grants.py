"""Grants: what a person lets code reach beyond its dials, or denies it whatever the dials say.

A denial beats a grant, and a grant beats a dial. No model, client or code ever makes one.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.trust import Policy, Reach, RiskFact, is_below
from playhead.errors import SessionError, phrase

GrantKind = Literal["read", "write", "host", "packages", "variable"]
GrantScope = Literal["run", "conversation", "folder"]
GRANT_KINDS: tuple[GrantKind, ...] = get_args(GrantKind)
GRANT_SCOPES: tuple[GrantScope, ...] = get_args(GrantScope)

USUAL_PORTS = ("80", "443")
"""The ports of a name without one."""
PACKAGE_HOSTS: Mapping[str, tuple[str, ...]] = {
    "pypi": ("pypi.org:443", "files.pythonhosted.org:443"),
    "cran": ("cran.r-project.org:443", "cloud.r-project.org:443"),
    "npm": ("registry.npmjs.org:443",),
}
"""The names behind each index of packages, whose packages go into those of the working folder."""


class Grant(Struct, frozen=True, kw_only=True):
    """One thing that a person has granted to code, or denied it.

    `target`: the real path of a folder or file, a name in the network with or without a port, an
    index of packages, a variable of the environment. It holds for the next run of a conversation,
    for all of that or for all code with its working folder. `cause` is what asked for it, in words,
    `message_id` the message that did. `uses` counts the runs that began while it held.
    """

    id: str
    kind: GrantKind
    target: str
    scope: GrantScope
    conversation_id: str
    folder: str
    is_denial: bool = False
    cause: str = ""
    message_id: str = ""
    made_at: float = 0.0
    uses: int = 0
    used_at: float = 0.0

    def is_for(self, conversation_id: str, folder: str) -> bool:
        """Return whether it is about code of a conversation in this folder."""
        if self.scope == "folder":
            return bool(folder) and self.folder == folder
        return self.conversation_id == conversation_id

    @property
    def words(self) -> str:
        """Return what decides what code may do, for the key of an approval."""
        return " ".join(("deny" if self.is_denial else "allow", self.kind, self.target))


def under_grants(policy: Policy, grants: Iterable[Grant]) -> tuple[Policy, Reach]:
    """Return the policy without the names that are denied, and what code reaches beyond it.

    Outside of a sandbox nothing can be granted or denied.
    """
    if not policy.is_bounded:
        return policy, Reach()
    given: dict[GrantKind, set[str]] = {kind: set() for kind in GRANT_KINDS}
    denied: dict[GrantKind, set[str]] = {kind: set() for kind in GRANT_KINDS}
    for one in grants:
        (denied if one.is_denial else given)[one.kind].add(one.target)
    listed = policy.hosts if policy.network == "listed" else ()
    hosts = _let_through(given["host"], given["packages"], denied)
    if policy.network == "on":  # all names are let through: nothing to add to them
        hosts = ()
    left = replace(policy, hosts=_let_through(listed, (), denied))
    return left, replace(_paths(given, denied), hosts=hosts)


_ByKind = Mapping[GrantKind, set[str]]


def _let_through(hosts: Iterable[str], indexes: Iterable[str], denied: _ByKind) -> tuple[str, ...]:
    """Return names with or without ports, those of indexes too, without what is denied of them."""
    closed = denied["host"] | _names((), denied["packages"])
    found: set[str] = set()
    for host in {*hosts, *_names((), indexes)}:
        parts = {host} if closed.isdisjoint(_names((host,), ())) else _names((host,), ())
        found |= {one for one in parts if not {one, one.partition(":")[0]} & closed}
    return tuple(sorted(found))


def _names(hosts: Iterable[str], indexes: Iterable[str]) -> set[str]:
    """Return names with their ports."""
    named = {f"{one}:{port}" for one in hosts if ":" not in one for port in USUAL_PORTS}
    named |= {one for one in hosts if ":" in one}
    return named.union(*(PACKAGE_HOSTS.get(index, ()) for index in indexes))


def denied_hosts(grants: Iterable[Grant]) -> tuple[str, ...]:
    """Return the names that are denied: an open network could not keep code from them."""
    found = {one.target for one in grants if one.is_denial and one.kind == "host"}
    for one in grants:
        if one.is_denial and one.kind == "packages":
            found.update(PACKAGE_HOSTS.get(one.target, ()))
    return tuple(sorted(found))


def _paths(given: _ByKind, denied: _ByKind) -> Reach:
    hidden, fixed = denied["read"], denied["write"]
    writable = {one for one in given["write"] if not is_below(one, hidden | fixed)}
    # What is denied to be changed can be read nevertheless.
    seen = {one for one in given["read"] | given["write"] if not is_below(one, hidden)}
    return Reach(
        readable=tuple(sorted(one for one in seen if not is_below(one, writable))),
        writable=tuple(sorted(writable)),
        fixed=tuple(sorted(one for one in fixed if not is_below(one, hidden))),
        hidden=tuple(sorted(hidden)),
        variables=tuple(sorted(given["variable"] - denied["variable"])),
        kept_out=tuple(sorted(denied["variable"])),
    )


Verdict = Literal["", "blocked", "hidden"]
"""What the sandbox makes of one thing that code would do; '' if it lets it."""
_INDEXES = {"javascript": "npm", "r": "cran"}
_OUTSIDE = frozenset({"writes_outside", "deletes", "reads_secrets", "changes_settings"})


class Wanted(Struct, frozen=True):
    """A thing that a person could grant."""

    kind: GrantKind
    target: str


def can_reach(policy: Policy, reach: Reach, host: str) -> bool:
    """Return whether code reaches a name, with a port or at one of the usual ones."""
    if policy.network == "on" or not policy.is_bounded:
        return True
    is_open = _names((*policy.hosts, *reach.hosts), ())
    return not is_open.isdisjoint(_names((host,), ()))


def verdict_of(fact: RiskFact, policy: Policy, reach: Reach, folder: str) -> Verdict:
    """Return what the sandbox makes of a fact."""
    if not policy.is_bounded:
        return ""
    match fact.kind:
        case "network" if fact.target:
            return "" if can_reach(policy, reach, fact.target) else "blocked"
        case "network" | "installs_packages":
            is_shut = policy.network == "off" and not reach.hosts
            return "blocked" if is_shut else ""
        case "writes_inside":
            return "blocked" if policy.files == "look" else ""
        case kind if kind in _OUTSIDE and fact.target.startswith(("/", "~")):
            path = os.path.normpath(os.path.expanduser(fact.target))
            return "" if is_below(path, (folder,)) or reach.shows(path) else "hidden"
        case _:
            return ""


def wanted_hosts(targets: Iterable[str]) -> tuple[Wanted, ...]:
    """Return what would let code reach places that a run was refused, of which some are no names.

    A name covers its usual ports.
    """
    found: dict[Wanted, None] = {}
    for target in targets:
        name, _, port = target.partition(":")
        try:
            found[Wanted("host", host_of(name if port in USUAL_PORTS else target))] = None
        except SessionError:
            continue  # an address in numbers, as a rule
    return tuple(found)


def wanted_by(fact: RiskFact, language: str) -> Wanted | None:
    """Return what would let code do what the sandbox keeps it from; None if nothing is offered.

    Secrets and settings of other programs are not.
    """
    match fact.kind:
        case "network" if fact.target:
            try:
                return Wanted("host", host_of(fact.target))
            except SessionError:
                return None
        case "installs_packages":
            return Wanted("packages", _INDEXES.get(language, "pypi"))
        case "writes_outside" | "deletes" if fact.target.startswith(("/", "~")):
            path = os.path.normpath(os.path.expanduser(fact.target))
            return Wanted("write", os.path.dirname(path))
        case _:
            return None


_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)({_LABEL}\.)+(?=[a-z]){_LABEL}")
"""Names of public places: the last part of an address in numbers begins with a digit."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")


def host_of(text: str) -> str:
    """Return a name of the network as grants and lists have it: `host` or `host:port`.

    Raises SessionError for anything but the name of a public place.
    """
    name, colon, port = text.strip().lower().partition(":")
    name = name.removesuffix(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            name = ""
    is_port = not colon or (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536)
    if not _NAME.fullmatch(name) or not is_port:
        raise SessionError(
            phrase("“{name}” is not the name of a place in the network.", name=text.strip()[:200]),
            remedy="A name looks like api.example.com, or like api.example.com:8443 with a port.",
            code="invalid_grant",
        )
    return f"{name}:{int(port)}" if colon else name


def hosts_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return names as lists have them, each once, in order. Raises SessionError."""
    return tuple(dict.fromkeys(host_of(text) for text in texts if text.strip()))


def word_of(kind: GrantKind, text: str) -> str:
    """Return a target that is no path as grants have it. Raises SessionError."""
    if kind == "host":
        return host_of(text)
    if kind == "packages" and text not in PACKAGE_HOSTS:
        raise SessionError(
            phrase("“{name}” is not an index of packages.", name=text[:200]),
            remedy=phrase("The known ones are {known}.", known=", ".join(PACKAGE_HOSTS)),
            code="invalid_grant",
        )
    if kind == "variable" and not _VARIABLE.fullmatch(text):
        raise SessionError(
            phrase("“{name}” is not the name of a variable.", name=text[:200]),
            code="invalid_grant",
        )
    return text
