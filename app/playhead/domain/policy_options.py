"""The options of command lines for what code may do, and the variables that hand them on.

`playhead chat` starts a server that reads the variables; a program that imports `playhead` sets
them, or its user does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import cast

import msgspec
from msgspec.structs import replace

from playhead.domain.grants import hosts_of
from playhead.domain.trust import PolicyWish
from playhead.errors import SessionError

_FILES_HELP = (
    "what code may do: only read the working folder, change it, or all that you may "
    "(default: the folder, where the boundary test of this computer held)"
)
_NETWORK_HELP = (
    "whether code in the sandbox reaches the network (default: off), or only the places that "
    "--allow-host names"
)
_ASK_HELP = "ask about every block, only about what is risky, or about nothing inside the sandbox"
_REVIEW_HELP = "whether code works in a copy of the folder, of which you apply what you want"

POLICY_OPTIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "sandbox": (("look", "folder", "everything"), _FILES_HELP),
    "network": (("off", "listed", "on"), _NETWORK_HELP),
    "ask": (("every", "risky", "outside"), _ASK_HELP),
    "review": (("off", "on"), _REVIEW_HELP),
}
"""The values and the help of each option."""
HOST_OPTION = "allow_host"
HOST_HELP = "a place that code in the sandbox reaches, as api.example.com; may be repeated"


def add_policy_options(add: Callable[..., object]) -> None:
    """Add them to a parser, by its `add_argument`."""
    for name, (values, words) in POLICY_OPTIONS.items():
        add(f"--{name}", choices=values, help=words)
    add("--allow-host", action="append", metavar="NAME", help=HOST_HELP)


def policy_wish(options: object, variables: Mapping[str, str]) -> PolicyWish:
    """Return what the options choose, else the variables. Raises ValueError for another word."""
    fields = {"sandbox": "files", "network": "network", "ask": "ask", "review": "is_reviewed"}
    chosen: dict[str, object] = {}
    for option, field in fields.items():
        value = cast("str | None", getattr(options, option, None))
        value = value or variables.get(_variable(option)) or None
        values = POLICY_OPTIONS[option][0]
        if value is not None and value not in values:
            raise ValueError(f"{_variable(option)} is {', '.join(values)}; it cannot be {value}.")
        if value is not None:
            chosen[field] = value == "on" if option == "review" else value
    wish = msgspec.convert(chosen, PolicyWish)
    return _with_hosts(wish, _named_hosts(options) or variables.get(_variable(HOST_OPTION), ""))


def _with_hosts(wish: PolicyWish, names: str) -> PolicyWish:
    """Return the wish with the places of a list, which is wished for with the first of them."""
    try:
        hosts = hosts_of(names.split(","))
    except SessionError as error:
        raise ValueError(str(error)) from error
    if not hosts and wish.network != "listed":
        return wish
    return replace(wish, network=wish.network or "listed", hosts=hosts)


def _named_hosts(options: object) -> str:
    return ",".join(cast("list[str] | None", getattr(options, HOST_OPTION, None)) or ())


def keep_policy(options: object, variables: MutableMapping[str, str]) -> None:
    """Put what the options choose into the variables, for the process that runs the code."""
    for option in POLICY_OPTIONS:
        value = cast("str | None", getattr(options, option, None))
        if value is not None:
            variables[_variable(option)] = value
    if named := _named_hosts(options):
        variables[_variable(HOST_OPTION)] = named


def _variable(option: str) -> str:
    return f"PLAYHEAD_{option.upper()}"
