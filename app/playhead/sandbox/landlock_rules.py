"""Rules of Landlock for a view, where the system makes no namespaces: what they hold and what not.

The kernel's process gives itself these rules and a filter of system calls (`supervisor`).
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from playhead.domain.trust import Attempt
from playhead.sandbox.view import View, is_inside

_CREATE_RULESET, _ASK_VERSION = 444, 1
_LEAST_VERSION, _WITH_SCOPES = 3, 6
"""From the third on no file can be cut off, from the sixth on no signal gets out."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
TEMPORARY = "tmp"
"""The folder for temporary files, in the one that a kernel has for its own."""
_KNOWN: Mapping[str, frozenset[str]] = {
    "reading": frozenset({"the arguments of another process"}),
    "writing": frozenset({"the mode", "the times"}),
    "processes": frozenset({"its presence"}),
}
_SIGNALS = frozenset({"a kill", "a kill of a group", "a stop", "a signal to all"})
_WHOLE_FOLDER, _ITSELF = "the folder", "the folder itself moved"
_GAPS = (
    (
        "Code sees which programs run, with their arguments. Of a file whose name it knows it can"
        " find out that it exists, with its size and times; it cannot read it."
    ),
    "It can change the mode and the times of your files outside of the folder.",
    "With the network on it reaches the servers of this computer and your own network, too.",
    (
        "Nothing in the working folder is spared: it can change the hooks of a repository, an"
        " environment and the settings of editors, which other programs run later."
    ),
    (
        "The number of its processes has no limit. What needs /tmp, a terminal, semaphores or local"
        " sockets fails, as the pools of multiprocessing do."
    ),
    "With the network on it reaches the servers of this computer and of your own network, too.",
)
_SIGNALS_GAP = "It can send signals to your other programs, and so end them."


def landlock_version() -> int:
    """Return the version of Landlock that the system's kernel has; 0 for none."""
    try:
        call = ctypes.CDLL(None).syscall
    except (OSError, AttributeError, TypeError):
        return 0
    return max(0, int(call(_CREATE_RULESET, None, 0, _ASK_VERSION)))


def is_enough(version: int) -> bool:
    """Return whether rules of this version hold enough to be called a sandbox."""
    return version >= _LEAST_VERSION


def landlock_arguments(view: View, kernel: Sequence[str]) -> list[str]:
    """Return the rules for a view, as JSON, and the command of a kernel that is kept to them.

    Parts of the working folder cannot be read-only while the rest of it is not. What root could
    read of the system and nobody else is left out, file by file.
    """
    hidden = [mount.target for mount in view.mounts if mount.kind == "hide"]
    readable = _paths(view, "read")
    listed = [path for path in readable if any(os.path.dirname(one) == path for one in hidden)]
    beside = [entry.path for path in listed for entry in os.scandir(path)]
    rules: dict[str, object] = {
        "read": [path for path in readable if path not in listed]
        + [path for path in beside if path not in hidden and not os.path.islink(path)],
        "list": listed,
        "write": _paths(view, "bind"),
        "use": [path for name in _DEVICES if os.path.exists(path := f"/dev/{name}")],
        "temporary": os.path.join(view.spool, TEMPORARY),
    }
    return [json.dumps(rules), *kernel]


def _paths(view: View, kind: str) -> list[str]:
    sources = [mount.source for mount in view.mounts if mount.kind == kind]
    sources += ["/proc"] if kind == "read" else []
    known = {os.path.realpath(path) for path in sources if os.path.exists(path)}
    if kind == "read":
        return sorted(known)
    # What is below another one is in it already.
    return sorted(p for p in known if not any(p != q and is_inside(p, q) for q in known))


def landlock_gaps(version: int, problem: str) -> tuple[str, ...]:
    """Return what the rules do not hold, in sentences; `problem` is why nothing better is there."""
    weaker = f"This is the weaker of two sandboxes. {problem}"
    signals = () if version >= _WITH_SCOPES else (_SIGNALS_GAP,)
    return (weaker, *_GAPS, *signals)


def with_known_gaps(judged: Iterable[Attempt], version: int) -> tuple[Attempt, ...]:
    """Return the attempts, those that got through as is said of these rules marked as that."""
    return tuple(
        replace(one, outcome="open")
        if one.outcome == "through" and _is_known(one, version)
        else one
        for one in judged
    )


def _is_known(attempt: Attempt, version: int) -> bool:
    if attempt.group == _WHOLE_FOLDER:
        return attempt.name != _ITSELF
    if attempt.group == "processes" and attempt.name in _SIGNALS:
        return version < _WITH_SCOPES
    return attempt.name in _KNOWN.get(attempt.group, frozenset())


def is_kept(status: str) -> bool:
    """Return whether a process has a filter and can get no more rights, by its `/proc` status."""
    found = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return found.get("Seccomp") == "2" and found.get("NoNewPrivs") == "1"
