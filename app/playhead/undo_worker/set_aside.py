"""Files that other programs run, by their names.

An editor, a desktop, git or a shell runs files of some names because they are there. What a run in
a sandbox leaves under such a name would be run outside of it.
"""

from __future__ import annotations

import re

from playhead.undo_worker.scanning import Entry, Tree, is_environment

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


def is_run_by_others(path: str, kind: str = "") -> bool:
    """Return whether other programs run a file of this name, or what it names, unasked.

    A link may stand for an environment.
    """
    is_link = kind == "link" and path.rpartition("/")[2] in _ENVIRONMENTS
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
