"""Keep keys out of the children's environment, and this process out of their reach."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable

from playhead.conversation.secret import Secret

_OWN_SECRETS = re.compile(r"PLAYHEAD_(.*_)?(KEY|TOKEN|SECRET|PASSWORD)")
_PR_SET_DUMPABLE = 4


def take_from_environment(variables: Iterable[str]) -> dict[str, Secret]:
    """Read the named variables and our own `PLAYHEAD_…` secrets and remove them for children."""
    names = {*variables, *(name for name in os.environ if _OWN_SECRETS.fullmatch(name))}
    taken: dict[str, Secret] = {}
    for name in sorted(names):
        text = os.environ.pop(name, "").strip()
        if text:
            taken[name] = Secret(text)
    return taken


def hide_process() -> bool:
    """Refuse our memory and first environment to the user's other processes (Linux); done or not.

    `os.environ.pop` does not reach /proc/PID/environ: that shows what the process began with.
    """
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
