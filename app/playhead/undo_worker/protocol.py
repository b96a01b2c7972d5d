"""Messages between the app and its undo worker: JSON objects, one a line, with a number.

Every request has an answer with its `number`, in the order of the requests; `error` is an error's
kind, with its `detail`. Requests by their `verb`:

    cover   folder: read what is not kept yet; answered by a coverage
    before  folder, run, conversation, is_bounded: the same, and remember it as the state before a
            run; what other programs would run of it is set aside if it is in a sandbox
    after   run: compare; answered by changes, {} if there are none
    undo    folder, effect, paths (all without any): take an effect back; answered by changes
    settle  folder, effect, path, is_kept: put back what was set aside, or delete it
    unreported  conversation: the effects of runs without an `after`, once; answered by `effects`.
            Nobody needs to ask while nothing `is_unreported`
    copy    folder, conversation: make the conversation's copy, or return to it; answered by
            `upper` and `work`, the folders that overlayfs wants
    review  folder, conversation: what would change if the copy were applied; {} without one
    apply   folder, conversation, paths (all without any): carry it out; answered by changes
    discard folder, conversation: delete the copy
    forget  delete the copies of deleted conversations, which `mark_copies` has marked; {}

`cover` and `before` have `within_s`, the time after which they answer although files are still to
be read; those are read when nothing is asked. Changes and coverages have the fields of the app's
values of these names; a path that is not UTF-8 is written with escapes.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

Verb = Literal[
    "cover",
    "before",
    "after",
    "undo",
    "settle",
    "unreported",
    "copy",
    "review",
    "apply",
    "discard",
    "forget",
]
ErrorKind = Literal[
    "not_kept", "replaced", "vanished", "unsupported", "disk_full", "busy", "no_copy", "home", "bug"
]
MAX_LINE_BYTES = 256 * 1024 * 1024


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Return the message of a line. Raises ValueError."""
    found: object = json.loads(line)
    if not isinstance(found, dict) or "number" not in found:
        raise ValueError(f"not a message of the undo worker's: {line[:80]!r}")
    return cast("dict[str, Any]", found)


def is_unreported(store: Path, folder: str = "*") -> bool:
    """Return whether a run or an undo of a folder is under way, or has ended with its program."""
    names = (f"{folder}/runs/*", f"{folder}/unreported/*", f"{folder}/journal")
    return any(next(store.glob(name), None) is not None for name in names)


COPIES, _FORGOTTEN = "copies", "forgotten"


def copy_place(store: Path, conversation: str) -> Path:
    """Return where a store of one folder has the copy of a conversation."""
    return store / COPIES / hashlib.sha256(os.fsencode(conversation)).hexdigest()[:24]


def copies_of(store: Path, name: str = "*") -> list[Path]:
    """Return the copies of all folders, or those of this name."""
    return list(store.glob(f"*/{COPIES}/{name}"))


def mark_copies(store: Path, conversation: str) -> bool:
    """Mark the copies of a deleted conversation as to be deleted; return whether it has any."""
    found = copies_of(store, copy_place(store, conversation).name)
    for place in found:
        with suppress(OSError):
            (place / _FORGOTTEN).touch()
    return bool(found)


def is_forgotten(place: Path) -> bool:
    """Return whether a copy is to be deleted: that of a deleted conversation."""
    return (place / _FORGOTTEN).exists()
