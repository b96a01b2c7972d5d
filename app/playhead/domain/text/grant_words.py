"""Words for grants and for what a sandbox has hidden: window, terminal, programs and models.

`tr` and `tr_n` put a text into the language of its reader; without them the words are English.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from playhead.domain.grants import Grant, GrantKind, GrantScope, Wanted
from playhead.domain.text.quantities import (
    Translate,
    TranslateNumber,
    count_in_english,
    in_english,
)
from playhead.domain.trust import Reach, is_below


def grant_text(grant: Grant, tr: Translate = in_english) -> str:
    """Return what a grant lets code do, or what a denial keeps it from."""
    target = short_path(grant.target)
    match grant.kind, grant.is_denial:
        case "read", False:
            return tr("May read {path}", path=target)
        case "write", False:
            return tr("May change {path}", path=target)
        case "host", False:
            return tr("May reach {host}", host=target)
        case "packages", False:
            return tr("May install packages of {index}", index=index_name(grant.target))
        case "variable", False:
            return tr("May see the variable {name}", name=target)
        case "read", True:
            return tr("May not read {path}", path=target)
        case "write", True:
            return tr("May not change {path}", path=target)
        case "host", True:
            return tr("May not reach {host}", host=target)
        case "packages", True:
            return tr("May not install packages of {index}", index=index_name(grant.target))
        case _:
            return tr("May not see the variable {name}", name=target)


def allow_text(wanted: Wanted, tr: Translate = in_english) -> str:
    """Return what is offered to a person."""
    target = short_path(wanted.target)
    match wanted.kind:
        case "read":
            return tr("Let it read {path}", path=target)
        case "write":
            return tr("Let it change {path}", path=target)
        case "host":
            return tr("Allow {host}", host=target)
        case "packages":
            return tr("Allow packages of {index}", index=index_name(wanted.target))
        case "variable":
            return tr("Let it see {name}", name=target)


def kind_name(kind: GrantKind, tr: Translate = in_english) -> str:
    """Return the name of a kind, as a choice of what is granted."""
    match kind:
        case "read":
            return tr("Read a folder or file")
        case "write":
            return tr("Change a folder or file")
        case "host":
            return tr("Reach a place in the network")
        case "packages":
            return tr("Install packages")
        case "variable":
            return tr("See a variable of the environment")


def index_name(index: str) -> str:
    """Return an index of packages as it calls itself."""
    return {"pypi": "PyPI", "cran": "CRAN", "npm": "npm"}.get(index, index)


def scope_name(scope: GrantScope, tr: Translate = in_english) -> str:
    """Return how long a grant holds, as a choice."""
    match scope:
        case "run":
            return tr("For this run")
        case "conversation":
            return tr("For this conversation")
        case "folder":
            return tr("For this folder")


def scope_heading(scope: GrantScope, folder: str, tr: Translate = in_english) -> str:
    """Return the heading of the grants of one scope."""
    match scope:
        case "run":
            return tr("Until the next run has ended")
        case "conversation":
            return tr("In this conversation")
        case "folder":
            return tr("In all conversations with {folder}", folder=short_path(folder))


def uses_text(
    grant: Grant, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> str:
    """Return in how many runs a grant has held."""
    if not grant.uses:
        return tr("no run yet")
    return tr_n("%n runs", grant.uses, one="1 run")


def short_path(path: str) -> str:
    """Return a path with `~` for the home folder; anything else as it is."""
    home = os.path.expanduser("~")
    if home != "/" and is_below(path, (home,)):
        return "~" + path[len(home) :]
    return path


def hidden_text(path: str, tr: Translate = in_english) -> str:
    """Return what is said of a path that a run did not find, because the sandbox hides it."""
    return tr("{path} is outside of the sandbox.", path=short_path(path))


def hidden_for_model(path: str) -> str:
    """Return what a model is given of it: the sentence of the window, and who can change that."""
    return (
        f"{hidden_text(path)} Code cannot see it. Only the user can let it read that, in Playhead: "
        "do not try another way."
    )


_SIGNS = re.compile(
    r"(?i)no such file or directory|nosuchfileexception|\bENOENT\b|cannot find the path"
    r"|read-only file system|\bEROFS\b"
)
_PATH = re.compile(r"'(/[^'\n]+)'|\"(/[^\"\n]+)\"|(?:^|[\s:(\[=])(/[^\s:'\",)\]]+)")
_SEEN = frozenset(
    {"/usr", "/etc", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix"}
    | {"/gnu", "/proc", "/dev", "/sys", "/run", "/tmp"}  # noqa: S108 - those of the sandbox
)
_LINE_CHARACTERS, _LINES = 2_000, 400


def hidden_path(printed: str, folder: str, reach: Reach) -> str:
    """Return the last path that a run missed, by what it printed, if it is one that is hidden.

    Whether it is there is not asked: code could find out so what is in the person's folders.
    """
    found, home = "", os.path.expanduser("~")
    for path in _missed_paths(printed, home):
        is_seen = is_below(path, _SEEN) and not is_below(path, (home,))
        if not is_seen and not is_below(path, (folder,)) and not reach.shows(path):
            found = path
    return found


def _missed_paths(printed: str, home: str) -> Iterator[str]:
    for line in printed.splitlines()[-_LINES:]:
        if not _SIGNS.search(line[:_LINE_CHARACTERS]):
            continue
        for match in _PATH.finditer(line[:_LINE_CHARACTERS]):
            path = os.path.normpath(next(filter(None, match.groups())))
            own = os.path.relpath(path, home) if is_below(path, (home,)) else ""
            if not own.startswith(".") and path != "/":  # its caches are in a private home
                yield path
