"""The variables of a kernel as they are saved, what of them another kernel got back."""

from __future__ import annotations

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
    "other_policy",
]


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
    """Names in one file: `key` is the kernel's for the content, `blob` the store's.

    They share objects, unless it `is_sealed`: then each is in it by itself.
    """

    key: str
    names: tuple[str, ...]
    size: int
    blob: str = ""
    is_sealed: bool = False


class Checkpoint(Struct, frozen=True, kw_only=True):
    """All names of a kernel after a run; `at` is in seconds since the epoch.

    `bounds` names the sandbox that it was in, "" for none: what code in one has written is code,
    and is read in no other one.
    """

    conversation_id: str
    at: float
    python: str
    names: tuple[SavedName, ...]
    groups: tuple[SavedGroup, ...]
    bounds: str = ""

    @property
    def offer(self) -> RestoreOffer | None:
        """Return how many variables can come back, modules not counted; None if none can."""
        variables = [one for one in self.names if one.verdict != "import"]
        count = sum(one.comes_back for one in variables)
        return RestoreOffer(count, len(variables)) if count else None


class BroughtBack(Struct, frozen=True):
    """The names that a new kernel got from an earlier one, and those that it did not get."""

    names: tuple[str, ...]
    modules: tuple[str, ...]
    lost: tuple[SavedName, ...]


class RestoreOffer(Struct, frozen=True):
    """A question to the user: bring so many variables of the last kernel back?"""

    count: int
    total: int
