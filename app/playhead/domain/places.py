"""Servers, machines and containers that can run code: what a person pastes, and who answers."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import parse_qs, quote, unquote, urlsplit

from msgspec import Struct

from playhead.domain.execution import PYTHON, Place, place_of
from playhead.domain.secret import Secret
from playhead.errors import SessionError, phrase

KEY_PREFIX = "jupyter:"
_LONGEST_ADDRESS = 2_000
_LONGEST_NAME = 24
_PAGES = frozenset({
    "lab", "tree", "notebooks", "notebook", "doc", "edit", "files", "view", "login", "logout",
    "api", "terminals", "consoles", "voila", "nbclassic", "retro",
})  # fmt: skip
"""The pages of a server whose addresses people copy; what stands before one is its own."""
_FIRST_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_LOOPBACK = re.compile(r"127(\.\d{1,3}){3}|localhost|::1", re.IGNORECASE)
_HOST = re.compile(r"[A-Za-z0-9_][\w.%+-]*(@[A-Za-z0-9_][\w.%+-]*)*", re.ASCII)
_HOST_NAME = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+(%[\w.-]+)?", re.ASCII)


class PastedAddress(Struct, frozen=True):
    """A server's address without anything secret, and the token that was in it."""

    address: str
    token: Secret | None = None


class ServerSpec(Struct, frozen=True):
    """A kind of kernel that a server can start; `language` is the word of its fences."""

    name: str
    label: str
    language: str = PYTHON


class RunningKernel(Struct, frozen=True, kw_only=True):
    """A kernel that runs on a server already, with the notebook that uses it, if one does."""

    id: str
    spec: str
    label: str
    language: str = PYTHON
    notebook: str = ""
    state: str = ""


class ServerAnswer(Struct, frozen=True, kw_only=True):
    """The answer of a server, with a title like "Jupyter Server 2.21" and its kernels.

    `address` is the one to keep, which may be that of a user's server behind a hub.
    """

    kind: Literal["server", "hub", "gateway"] = "server"
    title: str
    address: str
    user: str = ""
    specs: tuple[ServerSpec, ...] = ()
    running: tuple[RunningKernel, ...] = ()


class Machine(Struct, frozen=True, kw_only=True):
    """A machine that `ssh` has a name for, or a container; `address` as a place has it."""

    kind: Literal["ssh", "container"] = "ssh"
    address: str
    label: str
    detail: str = ""


class PlaceQuestion(Struct, frozen=True, kw_only=True):
    """A question of the program that makes a connection, word for word; "" takes it back.

    `is_secret`: the answer is not shown while it is typed. `is_choice`: yes or no, as about the key
    of a host that is not known.
    """

    id: str
    place: str
    text: str
    is_secret: bool = True
    is_choice: bool = False


def key_of(address: str) -> str:
    """Return the name under which the token of a server is kept."""
    return KEY_PREFIX + address


def pasted_address(text: str) -> PastedAddress:
    """Return the address of a server in what a person pasted, and its token.

    The address of any of its pages will do, and the line that a server prints at its start.
    Raises SessionError.
    """
    found = _FIRST_ADDRESS.search(text)
    words = found.group() if found else text.strip()
    if len(words) > _LONGEST_ADDRESS or not words.isprintable() or " " in words:
        raise _not_an_address()
    has_scheme = "://" in words
    try:
        parts = urlsplit(words if has_scheme else f"https://{words}")
        # Letters that look like others are shown as what they are.
        host, port = (parts.hostname or "").encode("idna").decode("ascii").lower(), parts.port
    except ValueError as error:
        raise _not_an_address() from error
    if parts.scheme.lower() not in ("http", "https") or not _HOST_NAME.fullmatch(host):
        raise _not_an_address()
    scheme = parts.scheme.lower()
    if not has_scheme and _LOOPBACK.fullmatch(host):
        scheme = "http"
    host = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104 - what servers print
    host = f"[{host}]" if ":" in host else host
    where = f"{scheme}://{host}" + (f":{port}" if port else "")
    token = next(iter(parse_qs(parts.query).get("token", ())), "")
    token = token or next(iter(parse_qs(parts.fragment).get("token", ())), "")
    return PastedAddress(where + _server_path(parts.path), Secret(token) if token else None)


def _server_path(path: str) -> str:
    """Return the part of a path that is the server's own, without a slash at its end."""
    kept: list[str] = []
    parts = [unquote(part) for part in path.split("/") if part]
    for place, part in enumerate(parts):
        is_users = place > 0 and parts[place - 1] == "user"
        if (part in _PAGES and not is_users) or (part == "hub" and not is_users):
            break
        kept.append(part)
    return "".join(f"/{quote(part, safe='@~+,')}" for part in kept)


def is_unencrypted(address: str) -> bool:
    """Return whether what is sent to an address could be read on the way."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not _LOOPBACK.fullmatch(parts.hostname or "")


def server_name(address: str) -> str:
    """Return the short name of a server: its host, and a port that is not the usual one."""
    parts = urlsplit(address)
    return parts.netloc.rpartition("@")[2] or address


def server_place(server: str, name: str, spec: ServerSpec) -> Place:
    """Return the place of a new kernel of a server."""
    return Place(
        kind="server",
        language=spec.language,
        label=f"{name}: {spec.label}",
        address=server,
        program=spec.name,
    )


def joined_place(server: str, name: str, kernel: RunningKernel) -> Place:
    """Return the place of a kernel that runs on a server already."""
    shared = kernel.notebook.rpartition("/")[2] or kernel.label
    return Place(
        kind="server",
        language=kernel.language,
        label=f"{name}: {shared}",
        address=server,
        program=kernel.spec,
        kernel_id=kernel.id,
    )


def machine_place(address: str, folder: str = "", python: str = "", label: str = "") -> Place:
    """Return the place of our own kernel on a machine. Raises SessionError for no machine."""
    address, folder, python = address.strip(), folder.strip(), python.strip()
    is_container = address.startswith(("docker:", "podman:", "kubectl:", "wsl:"))
    host = address.partition(":")[2] if is_container else address
    if not _HOST.fullmatch(host):  # a dash at its start would be an option of ssh
        raise SessionError(
            phrase("“{address}” is no name of a machine.", address=address[:80]),
            remedy="Give it as ssh takes it: gpu-box, or anna@gpu-box.example.org.",
        )
    for words in (folder, python):
        if not words.isprintable() or words.startswith("-"):
            raise SessionError(phrase("“{words}” is no path there.", words=words[:80]))
    return Place(
        kind="container" if is_container else "ssh",
        language=PYTHON,
        label=label or host,
        address=address,
        program=python,
        folder=folder,
    )


def short_name(place: Place) -> str:
    """Return the name of the machine or of the server, for a narrow line."""
    if place.kind == "server":
        return server_name(place.address)
    return place.label if place.kind == "jupyter" else place.address.rpartition(":")[2]


def nickname(machine: str) -> str:
    """Return a machine's name, of a long one the part before its domain, for a narrow place."""
    user, at, host = machine.rpartition("@")
    first = host.partition(".")[0]
    if len(machine) <= _LONGEST_NAME or first.isdecimal():
        return machine
    return first if len(user) + len(first) > _LONGEST_NAME else f"{user}{at}{first}"


def machine_of(interpreter: str) -> str:
    """Return the short name of the machine that an interpreter is on; "" for this computer."""
    place = place_of(interpreter)
    return nickname(short_name(place)) if place is not None and place.is_elsewhere else ""


def kernel_name(place: Place) -> str:
    """Return what runs code at a place, without the name of its machine."""
    if place.kind == "server":
        return place.label.partition(": ")[2] or place.program
    if place.kind == "jupyter":
        return place.label
    return place.program.rpartition("/")[2] or "Python"


def folder_there(place: Place) -> str:
    """Return the working folder as it is named over there."""
    if place.kind == "server":
        return place.folder or "/"
    return place.folder or "~"


def _not_an_address() -> SessionError:
    return SessionError(
        "No server has this address.",
        remedy="Paste what the browser shows, like https://lab.example.org/lab.",
    )
