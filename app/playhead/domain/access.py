"""Kinds of access to the desktop and the environment that code has only if it is allowed.

Running code gets none of it by itself: a display lets it press keys in the window that asks for
approvals, the session bus leads to the keyring, an agent signs in the person's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Access = Literal["display", "desktop", "agent", "secrets"]
ACCESSES: tuple[Access, ...] = get_args(Access)

_RUNTIME = "XDG_RUNTIME_DIR"  # holds the sockets of the bus and of Wayland, at fixed names
_VARIABLES: Mapping[Access, frozenset[str]] = {
    "display": frozenset({"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", _RUNTIME}),
    "desktop": frozenset(
        {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID"}
        | {"DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", _RUNTIME, "SESSION_MANAGER"}
        | {"ICEAUTHORITY", "AT_SPI_BUS_ADDRESS", "IBUS_ADDRESS", "GNOME_KEYRING_CONTROL"}
        | {"GNOME_KEYRING_PID", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"}
        # Sockets by which compositors, terminals and editors take keys and commands.
        | {"SWAYSOCK", "I3SOCK", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET", "TMUX", "TMUX_PANE"}
        | {"STY", "ZELLIJ", "ZELLIJ_SESSION_NAME", "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET"}
        | {"NVIM", "NVIM_LISTEN_ADDRESS", "VSCODE_IPC_HOOK", "VSCODE_IPC_HOOK_CLI"}
    ),
    "agent": frozenset(
        {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "KRB5CCNAME"}
        | {"VSCODE_GIT_IPC_HANDLE"}
    ),
}
_WORDS = frozenset(
    {"KEY", "KEYS", "APIKEY", "APIKEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "CREDENTIAL"}
    | {"CREDENTIALS", "PASSPHRASE", "PASSWD", "PASS", "PAT", "JWT", "DSN"}
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_AWS_PLACE = re.compile(r"(?i)AWS_(CA_BUNDLE|(DEFAULT_)?REGION|DEFAULT_OUTPUT|ENDPOINT_URL\w*)")
_WAY = re.compile(r"(?i)(\w+_)?proxy|(pip|uv|poetry|conda)_\w*(index|links|channel|url)\w*")
_LOGIN = re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@")


def access_of(name: str, value: str) -> Access | None:
    """Return the kind of access that a variable of the environment gives; None for none."""
    for access, names in _VARIABLES.items():
        if name in names:
            return access
    return "secrets" if _looks_secret(name, value) else None


def accesses_of(words: Iterable[str]) -> tuple[Access, ...]:
    """Return the kinds that words name. Raises ValueError, which says what the words are."""
    named = {word.strip() for word in words} - {""}
    if unknown := named - set(ACCESSES):
        known = ", ".join(ACCESSES)
        raise ValueError(f"{min(unknown)} is not a kind of access. The kinds are {known}.")
    return tuple(access for access in ACCESSES if access in named)


def names_of(access: Access, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables that give a kind of access; the folder of sockets is in two kinds."""
    names = _VARIABLES.get(access)
    if names is not None:
        return tuple(sorted(names & variables.keys()))
    return tuple(sorted(one for one in variables if access_of(one, variables[one]) == access))


def names_way(name: str) -> bool:
    """Return whether a variable has the address of a proxy or of an index of packages."""
    return _WAY.fullmatch(name) is not None


def without_login(value: str) -> str:
    """Return a text whose addresses have neither name nor password."""
    return _LOGIN.sub(lambda match: match[0].partition("//")[0] + "//", value)


def _looks_secret(name: str, value: str) -> bool:
    """Return whether it is named like a key or a password, or its address has a password in it."""
    words = [word.upper() for word in re.split(r"[\W_]+", _CAMEL.sub("_", name)) if word]
    if "PASSWORD" in name.upper():
        return True
    if name.upper().startswith("AWS_") and not _AWS_PLACE.fullmatch(name):
        return True
    if len(words) > 1 and words[-1] == "PWD" and words[0] != "OLD":
        return True
    return any(word.rstrip("0123456789") in _WORDS for word in words) or bool(_LOGIN.search(value))


_SIGNS: tuple[tuple[Access, re.Pattern[str]], ...] = (
    (
        "agent",
        re.compile(
            r"(?i)permission denied \([\w,-]*publickey|connection to your authentication agent"
            r"|error connecting to agent|SSH_AUTH_SOCK|no kerberos credentials"
            r"|no authentication methods available|no credentials cache found"
        ),
    ),
    (
        "desktop",
        re.compile(
            r"(?i)DBUS_SESSION_BUS_ADDRESS|autolaunch (a )?d-?bus|failed to connect to (the )?"
            r"(session |user (scope )?)?bus|unable to connect to (the )?session bus"
            r"|no recommended backend was available|XDG_RUNTIME_DIR"
        ),
    ),
    (
        "display",
        re.compile(
            r"(?i)no display name|\$DISPLAY\b|'DISPLAY'|bad display name|connect to display"
            r"|(cannot|can't|could not|unable to|failed to) open (the )?(x )?display"
            r"|'headless' is currently running|no qt platform plugin could be initialized"
            r"|could not be initialized.{0,40}no (display|screen)|gtk couldn't be initialized"
            r"|no available video device|connect to x server|wl_display|missing x server"
            r"|failed to (create|connect to) (a )?wayland|xdg-open: no method available"
            r"|could not find a copy/paste mechanism|x connection failed"
        ),
    ),
)


def missing_access(text: str) -> Access | None:
    """Return the kind of access for want of which code has failed, by what it printed."""
    last: tuple[Access | None, int] = (None, 0)
    for access, sign in _SIGNS:
        for match in sign.finditer(text):
            last = max(last, (access, match.end()), key=lambda one: one[1])
    return last[0]
