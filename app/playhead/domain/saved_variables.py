"""The variables of a kernel as they are saved, what of them another kernel got back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.payloads import LeftName, VariableChanges, WhyLeft

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

    `again`: running line `line` of the block that made it makes it again. `hash` is that of its
    content, or the key of the group whose objects it shares. `size` is its part of the file; type,
    shape, value and `size_bytes` are what was shown of it.
    """

    name: str
    verdict: Verdict
    why: WhyLost = ""
    type: str = ""
    line: int = 0
    size: int = 0
    module: str = ""
    source: str = ""
    hash: str = ""
    shape: str = ""
    value: str = ""
    size_bytes: int = 0

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


class Origin(Struct, frozen=True, kw_only=True):
    """The run, or undo, that a checkpoint was saved after, and the one `before` it in its kernel.

    '' is a new kernel without variables. `skipped` are runs between them, which no save came after.
    `place` is the run that the variables are as after: another one where a person went back to it.
    """

    id: str = ""
    before: str = ""
    place: str = ""
    skipped: tuple[str, ...] = ()


class Checkpoint(Struct, frozen=True, kw_only=True):
    """All names of a kernel after a run; `at` is in seconds since the epoch.

    `bounds` names the sandbox that it was in, "" for none: what code in one has written is code,
    and is read in no other one. `changes` are those since the one before; None if not known.
    """

    conversation_id: str
    at: float
    python: str
    names: tuple[SavedName, ...] = ()
    groups: tuple[SavedGroup, ...] = ()
    bounds: str = ""
    origin: Origin = Origin()
    changes: VariableChanges | None = None

    @property
    def offer(self) -> RestoreOffer | None:
        """Return how many variables can come back, modules not counted; None if none can."""
        variables = [one for one in self.names if one.verdict != "import"]
        count = sum(one.comes_back for one in variables)
        return RestoreOffer(count, len(variables)) if count else None

    def contents(self) -> dict[str, str]:
        """Return for each name a text that is another one for another content."""
        blobs = {group.key: group.blob for group in self.groups}
        return {one.name: blobs.get(one.hash, one.hash) for one in self.names}

    def joined(self) -> list[frozenset[str]]:
        """Return the names that share objects, which only come back together."""
        keys = {one.name: one.hash for one in self.names}
        return [
            frozenset(group.names)
            for group in self.groups
            if len(group.names) > 1 and all(keys.get(name) == group.key for name in group.names)
        ]


class BroughtBack(Struct, frozen=True):
    """The names that a new kernel got from an earlier one, and those that it did not get."""

    names: tuple[str, ...]
    modules: tuple[str, ...]
    lost: tuple[SavedName, ...]


class RestoreOffer(Struct, frozen=True):
    """A question to the user: bring so many variables of the last kernel back?

    With `is_branch`: put these `names` where the branch that is shown now has left them?
    """

    count: int
    total: int
    is_branch: bool = False
    names: tuple[str, ...] = ()


def changes_between(before: Checkpoint, after: Checkpoint) -> VariableChanges:
    """Return the names that are different in two checkpoints."""
    was, is_now = before.contents(), after.contents()
    return VariableChanges(
        made=tuple(name for name in is_now if name not in was),
        changed=tuple(name for name, one in is_now.items() if was.get(name, one) != one),
        deleted=tuple(name for name in was if name not in is_now),
        left=tuple(
            LeftName(one.name, "not_kept", one.why)
            for one in before.names
            if not one.comes_back and was[one.name] != is_now.get(one.name)
        ),
    )


def to_take_back(
    living: Checkpoint, after: Checkpoint, before: Checkpoint, aside: frozenset[str]
) -> tuple[frozenset[str], tuple[LeftName, ...]]:
    """Return the names that become as they were before a run, and those that stay.

    These others have changed since, or their values are neither saved nor `aside` (by their
    hashes). Names that share objects come back together or not at all.
    """
    now, then, was = living.contents(), after.contents(), before.contents()
    changed = after.changes.names if after.changes is not None else ()
    wanted = {name for name in changed if now.get(name) != was.get(name)}
    rows = {one.name: one for one in before.names}
    gone = {
        name
        for name in wanted & rows.keys()
        if not rows[name].comes_back and rows[name].hash not in aside
    }
    left: dict[str, WhyLeft] = {}
    left.update(dict.fromkeys(gone, "not_kept"))
    left.update({name: "changed" for name in wanted if now.get(name) != then.get(name)})
    names = wanted - left.keys()
    groups = [*living.joined(), *before.joined()]
    while cut := next((one & names for one in groups if one & names and one - names), None):
        left |= dict.fromkeys(cut, "joined")
        names -= cut
    return frozenset(names), tuple(
        LeftName(name, why, rows[name].why if why == "not_kept" else "")
        for name, why in sorted(left.items())
    )


def joined_with(names: Iterable[str], *checkpoints: Checkpoint) -> frozenset[str]:
    """Return names with all that share objects with them in one of the checkpoints."""
    found = set(names)
    groups = [group for one in checkpoints for group in one.joined()]
    while more := [group for group in groups if group & found and group - found]:
        found.update(*more)
    return frozenset(found)


def composed(living: Checkpoint, target: Checkpoint, names: frozenset[str]) -> Checkpoint:
    """Return a checkpoint in which these names are as in the target, all others as they live."""
    staying = [one for one in living.names if one.name not in names]
    rows = [*staying, *(one for one in target.names if one.name in names)]
    parts = [(one, part) for one in living.groups if (part := set(one.names) - names)]
    python = living.python if parts else target.python
    bounds = living.bounds if any(one.comes_back for one in staying) else ""
    parts += [(one, names & set(one.names)) for one in target.groups]
    groups: dict[str, SavedGroup] = {}
    for group, part in parts:
        if part:
            others = groups[group.blob].names if group.blob in groups else ()
            kept = tuple(name for name in group.names if name in part)
            groups[group.blob] = replace(group, names=(*others, *kept))
    return replace(
        living,
        names=tuple(rows),
        groups=tuple(groups.values()),
        python=python,
        bounds=bounds or target.bounds,
    )
