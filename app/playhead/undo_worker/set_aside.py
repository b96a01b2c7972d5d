"""Files that other programs run: their names, and where folders wait that were moved away.

An editor, a desktop, git or a shell runs files of some names because they are there. What a run in
a sandbox leaves under such a name would be run outside of it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Container
from pathlib import Path

from playhead.undo_worker.scanning import Entry, Tree, is_environment

_ASIDE = re.compile(
    r"(^|/)(\.git/hooks/.*(?<!\.sample)$|\.vscode(/|$)|\.idea(/|$)|\.envrc$|\.github/workflows(/|$))"
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


def is_run_by_others(path: str) -> bool:
    """Return whether other programs run a file of this name, or what it names, unasked."""
    return _ASIDE.search(path) is not None


def may_be_run(path: str) -> bool:
    """Return whether a program that a person starts may run a file since it has this name."""
    return _MARKED.search(path) is not None


def is_new_environment(tree: Tree, path: str, before: Entry | None, after: Entry | None) -> bool:
    """Return whether an environment, whose programs others start, is there now and was not."""
    if before is not None or after is None or after.kind != "left_out":
        return False
    try:
        folder, name = tree.place(path)
    except OSError:
        return False
    return name in _ENVIRONMENTS or is_environment(folder, name)


class Shelf:
    """Owner of the folders that were moved away, below `folder`, by the effect and their path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        self._fd = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def take(self, tree: Tree, path: str, effect_id: str) -> None:
        """Move a folder away. Raises OSError, also if it is on another file system."""
        source, name = tree.place(path)
        os.rename(name, _name_of(effect_id, path), src_dir_fd=source, dst_dir_fd=self._fd)
        tree.forget(path)

    def put_back(self, tree: Tree, path: str, effect_id: str) -> None:
        """Move a folder to where it was. Raises OSError, also if something else is there."""
        if tree.look(path) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        target, name = tree.place(path)
        os.rename(_name_of(effect_id, path), name, src_dir_fd=self._fd, dst_dir_fd=target)

    def delete(self, effect_id: str, path: str) -> None:
        """Delete a folder that was moved away."""
        shutil.rmtree(self._folder / _name_of(effect_id, path), ignore_errors=True)

    def shrink(self, effects: Container[str]) -> None:
        """Delete the folders of effects that are not kept any more."""
        for one in self._folder.iterdir():
            if one.name.rpartition(".")[0] not in effects:
                shutil.rmtree(one, ignore_errors=True)

    def close(self) -> None:
        """Close the folder."""
        os.close(self._fd)


def _name_of(effect_id: str, path: str) -> str:
    return f"{effect_id}.{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"
