"""Files that other programs run, by their names.

An editor, a desktop, git or a shell runs files of some names because they are there. What a run in
a sandbox leaves under such a name would be run outside of it.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress

from playhead.undo_worker.scanning import FOLDER_FLAGS, Entries, Entry, Tree, is_environment

_ASIDE = re.compile(
    r"(^|/)(\.git/hooks/.*(?<!\.sample)$|\.vscode(/|$)|\.idea(/|$)|\.envrc$|pyvenv\.cfg$|\.github/workflows(/|$))"
    r"|\.desktop$",
    re.IGNORECASE,
)
"""Names that other programs run, or read for what to run, once they are there."""
_MARKED = re.compile(
    r"(^|/)(conftest\.py|(site|user)customize\.py|package\.json|(gnu)?makefile|\.git/config)$"
    r"|\.pth$",
    re.IGNORECASE,
)
"""Names that other programs run when a person has them work in the folder."""
_ENVIRONMENTS = frozenset({".venv", "venv"})
COMPILED = "__pycache__"
"""The folders in which Python has compiled modules, which it runs in place of their sources."""


def is_run_by_others(path: str, kind: str = "") -> bool:
    """Return whether other programs run a file of this name, or what it names, unasked.

    A link may stand for an environment, or for compiled modules.
    """
    is_link = kind == "link" and path.rpartition("/")[2] in {*_ENVIRONMENTS, COMPILED}
    return is_link or _ASIDE.search(path) is not None


def may_be_run(path: str) -> bool:
    """Return whether a program that a person starts may run a file since it has this name."""
    return _MARKED.search(path) is not None


def is_new_environment(tree: Tree, path: str, before: Entry | None, after: Entry | None) -> bool:
    """Return whether an environment, whose programs others start, is there now and was not."""
    was_there = before is not None and before.kind == "left_out"
    if was_there or after is None or after.kind != "left_out":
        return False
    try:
        folder, name = tree.place(path)
    except OSError:
        return False
    return name in _ENVIRONMENTS or is_environment(folder, name)


def drop_compiled(tree: Tree, before: Entries, after: Entries, since_ns: int) -> None:
    """Delete compiled modules that are new or were changed since a time; Python makes them again.

    What is in them is not what the source beside them says, if code has written them by itself.
    """
    for path, entry in list(after.items()):
        if entry.kind != "left_out" or path.rpartition("/")[2] != COMPILED:
            continue
        known = before.get(path)
        was_there = known is not None and known.inode == entry.inode
        with suppress(OSError):
            count = _drop(tree, path, since_ns if was_there else 0)
            after[path] = entry._replace(size=max(0, entry.size - count))


def _drop(tree: Tree, path: str, since_ns: int) -> int:
    folder, name = tree.place(path)
    fd = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    count = 0
    try:
        for one in os.listdir(fd):
            facts = os.stat(one, dir_fd=fd, follow_symlinks=False)
            is_compiled = one.endswith(".pyc") and not stat.S_ISDIR(facts.st_mode)
            if is_compiled and facts.st_ctime_ns >= since_ns:
                os.unlink(one, dir_fd=fd)
                count += 1
    finally:
        os.close(fd)
    return count
