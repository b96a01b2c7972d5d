"""The options of command lines for what code may do, and the variables that hand them on.

`playhead chat` starts a server that reads the variables; a program that imports `playhead` sets
them, or its user does.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import cast

import msgspec

from playhead.domain.trust import PolicyWish

_FILES_HELP = (
    "what code may do: only read the working folder, change it, or all that you may "
    "(default: the folder, where the boundary test of this computer held)"
)
_ASK_HELP = "ask about every block, only about what is risky, or about nothing inside the sandbox"
_REVIEW_HELP = "whether code works in a copy of the folder, of which you apply what you want"

POLICY_OPTIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "sandbox": (("look", "folder", "everything"), _FILES_HELP),
    "network": (("off", "on"), "whether code in the sandbox reaches the network (default: off)"),
    "ask": (("every", "risky", "outside"), _ASK_HELP),
    "review": (("off", "on"), _REVIEW_HELP),
}
"""The values and the help of each option."""


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
    return msgspec.convert(chosen, PolicyWish)


def keep_policy(options: object, variables: MutableMapping[str, str]) -> None:
    """Put what the options choose into the variables, for the process that runs the code."""
    for option in POLICY_OPTIONS:
        value = cast("str | None", getattr(options, option, None))
        if value is not None:
            variables[_variable(option)] = value


def _variable(option: str) -> str:
    return f"PLAYHEAD_{option.upper()}"
