"""Keep keys out of the children's environment, and this process out of their reach."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable

from playhead.domain.secret import Secret

_OWN_SECRETS = re.compile(r"PLAYHEAD_(.*_)?(KEY|TOKEN|SECRET|PASSWORD)")
_PR_SET_DUMPABLE = 4


def take_from_environment(variables: Iterable[str]) -> dict[str, Secret]:
    """Read the named variables and our own `PLAYHEAD_…` secrets and remove them for children."""
    names = {*variables, *(name for name in os.environ if _OWN_SECRETS.fullmatch(name))}
    taken: dict[str, Secret] = {}
    for name in sorted(names & os.environ.keys()):
        _overwrite(name)
        text = os.environ.pop(name, "").strip()
        if text:
            taken[name] = Secret(text)
    return taken


def hide_process() -> bool:
    """Refuse our memory and first environment to the user's other processes (Linux); done or not.

    Those of root see us all the same, and so does code that root approves.
    """
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0


def _overwrite(name: str) -> None:
    """Fill the variable's text with zeros where the process received it.

    `os.environ.pop` only forgets its address, and /proc/PID/environ and `ps` would still show it.
    """
    if (
        sys.platform == "win32"
    ):  # a process has a copy of its own there, which others cannot ask for
        return
    libc = ctypes.CDLL(None)
    libc.getenv.argtypes, libc.getenv.restype = [ctypes.c_char_p], ctypes.c_void_p
    libc.strlen.argtypes, libc.strlen.restype = [ctypes.c_void_p], ctypes.c_size_t
    if place := libc.getenv(os.fsencode(name)):
        ctypes.memset(place, 0, libc.strlen(place))
