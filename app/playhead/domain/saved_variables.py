"""The variables of a kernel as they are saved, and what of them another kernel got back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Verdict = Literal["kept", "import", "source", "again", "lost"]
WhyLost = Literal[
    "",
    "generator",
    "file",
    "lock",
    "socket",
    "connection",
    "process",
    "thread",
    "view",
    "gpu",
    "frame",
    "reference",
    "local_class",
    "class_changed",
    "unpicklable",
    "too_large",
    "secret",
    "slow",
    "no_module",
    "unreadable",
    "missing",
    "other_python",
]
_LISTED = 40

WORDS: dict[WhyLost, str] = {
    "generator": "a generator cannot be kept",
    "file": "an open file cannot be kept",
    "lock": "a lock cannot be kept",
    "socket": "a socket cannot be kept",
    "connection": "an open connection cannot be kept",
    "process": "a running program cannot be kept",
    "thread": "a thread cannot be kept",
    "view": "a view of memory cannot be kept",
    "gpu": "it is in the memory of a graphics card",
    "frame": "a frame cannot be kept",
    "reference": "a weak reference cannot be kept",
    "local_class": "its class is not defined at the top of a block",
    "class_changed": "its class was defined again since",
    "unpicklable": "it cannot be pickled",
    "too_large": "it is too large",
    "secret": "it looks like a secret",
    "slow": "saving it took too long",
    "no_module": "its module cannot be imported",
    "unreadable": "it could not be read again",
    "missing": "its file is missing or was changed",
    "other_python": "another Python has saved it",
}
"""The reasons as ends of a sentence."""


class SavedName(Struct, frozen=True, kw_only=True):
    """A variable: its value, module or source is `kept`, or why not.

    `again`: running line `line` of the block that made it makes it again.
    """

    name: str
    verdict: Verdict
    why: WhyLost = ""
    type: str = ""
    line: int = 0
    size: int = 0
    module: str = ""
    source: str = ""

    @property
    def comes_back(self) -> bool:
        """Return whether another kernel can have it."""
        return self.verdict in ("kept", "import", "source")


class SavedGroup(Struct, frozen=True, kw_only=True):
    """Names that share objects: `key` is the kernel's for the content, `blob` the store's."""

    key: str
    names: tuple[str, ...]
    size: int
    blob: str = ""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """All names of a kernel after a run; `at` is in seconds since the epoch."""

    conversation_id: str
    at: float
    python: str
    names: tuple[SavedName, ...]
    groups: tuple[SavedGroup, ...]

    @property
    def count(self) -> int:
        """Return how many names can come back."""
        return sum(one.comes_back for one in self.names)


class BroughtBack(Struct, frozen=True):
    """The names that a new kernel got from an earlier one, and those that it did not get."""

    names: tuple[str, ...]
    lost: tuple[SavedName, ...]


class RestoreOffer(Struct, frozen=True):
    """A question to the user: bring so many variables of the last kernel back?"""

    count: int
    total: int


def words_of_loss(lost: SavedName) -> str:
    """Return why a name did not come back, as the end of a sentence."""
    words = WORDS.get(lost.why, "it is lost")
    return f"{words}; line {lost.line} of its block makes it again" if _is_again(lost) else words


def _is_again(lost: SavedName) -> bool:
    return lost.verdict == "again" and lost.line > 0


def note_for_model(back: Sequence[str], lost: Sequence[SavedName], *, is_done: bool) -> str:
    """Return the sentences that a model gets in place of "names no longer exist"."""
    verb = "were brought back" if is_done else "are brought back before the next code runs"
    if not is_done:
        verb += ", unless the user refuses"
    parts = [f"These names {verb}: {_listed(back)}."] if back else []
    missing = [f"{one.name} ({words_of_loss(one)})" for one in lost]
    if missing:
        parts.append(f"Not brought back: {_listed(missing)}.")
    return " ".join([*parts, "All other names and data from those runs no longer exist."])


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _LISTED
    return ", ".join(words[:_LISTED]) + (f" and {more} more" if more > 0 else "")
