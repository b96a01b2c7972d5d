"""A folder with copies that code works in: what would change, and what of it is applied.

A copy is a layer of overlayfs over the folder, for each conversation one. It is on the disk until
it is discarded, whatever becomes of this process.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from playhead.undo_worker.applying import Apply, Merge, of_copy, remove
from playhead.undo_worker.comparing import Listing, Step, Steps, diff_of, is_touched, shown, text_of
from playhead.undo_worker.effects_store import AGE_S, Effect, write_whole
from playhead.undo_worker.pack import EMPTY, Image
from playhead.undo_worker.protocol import COPIES, copy_place
from playhead.undo_worker.scanning import FILE_FLAGS, Entries, Entry, Tree
from playhead.undo_worker.set_aside import is_run_by_others
from playhead.undo_worker.undoing import Conflict, Undo, Wish, Wishes
from playhead.undo_worker.upper_layer import LayerTree, UpperLayer, image_of, opened, read_upper
from playhead.undo_worker.watched_folder import FolderProblem, WatchedFolder

_UPPER, _WORK, _STATE = "upper", "work", "state"
_COMPARED_BYTES = 8_000_000
_LISTED, _MOVES_COMPARED = 200, 2_000


class Copy(NamedTuple):
    """One copy: its place, and the folder's entries as they were when the code saw them last."""

    place: Path
    base: Entries

    @property
    def upper(self) -> Path:
        """Return the layer of its changes."""
        return self.place / _UPPER


class ReviewedFolder(WatchedFolder):
    """A watched folder of which conversations can have copies; `store` is our folder for it."""

    def __init__(
        self, path: str, store: Path, without: tuple[int, int] | None, *, is_home: bool = False
    ) -> None:
        self._store_at = store
        super().__init__(path, store, without, is_home=is_home)
        self._delete_old()

    def _delete_old(self) -> None:
        """Delete copies in which nothing was done for long, as effects are."""
        oldest = time.time() - AGE_S
        for state in (self._store_at / COPIES).glob(f"*/{_STATE}"):
            with suppress(OSError):
                if state.stat().st_mtime < oldest:
                    delete_place(state.parent)

    # The copy.

    def has_copy(self, conversation: str) -> bool:
        """Return whether a conversation has a copy here."""
        return self._copy(conversation) is not None

    def begin_copy(self, conversation: str) -> dict[str, Any]:
        """Make the copy of a conversation, or return to it; return what overlayfs needs."""
        place = copy_place(self._store_at, conversation)
        self._entries = self._scanned()
        upper = place / _UPPER
        if (before := self._copy(conversation)) is not None and self._is_all_applied(before):
            self.discard(conversation)  # so that code sees what others have changed since
        if not upper.is_dir() or upper.is_symlink():
            self._make_upper(upper)
        copy = self._copy(conversation) or Copy(place, {})
        self._see(copy)
        for old in place.glob(f"{_WORK}-*"):  # each mount wants one of its own
            with suppress(OSError), _opened(place) as fd:
                remove(fd, old.name)
        work = place / f"{_WORK}-{os.urandom(6).hex()}"
        work.mkdir(mode=0o700)
        return {"upper": str(upper), "work": str(work)}

    def _is_all_applied(self, copy: Copy) -> bool:
        upper = LayerTree(str(copy.upper))
        try:
            layer = read_upper(upper, self._entries)
            steps = self._changes(copy, layer, upper)[0].values()
            return not layer.left_out and all(is_touched(step, False) for step in steps)
        finally:
            upper.close()

    def _make_upper(self, upper: Path) -> None:
        """Make a layer without changes, which looks like the folder itself."""
        root = self._tree.look("")
        try:
            upper.mkdir(mode=0o700, parents=True)
            with _opened(upper) as fd:
                os.setxattr(fd, "user.playhead", b"1")  # overlayfs keeps there what it knows
                os.removexattr(fd, "user.playhead")
                if root is not None:
                    self._dress(fd, root)
        except OSError as error:
            with suppress(OSError):
                upper.rmdir()
            raise FolderProblem("no_copy") from error

    def _dress(self, fd: int, root: Entry) -> None:
        for name, value in _attributes_of(self._tree.fd).items():
            with suppress(OSError):
                os.setxattr(fd, name, value)
        os.chmod(fd, root.mode)
        os.utime(fd, ns=(root.mtime_ns, root.mtime_ns))

    def _copy(self, conversation: str) -> Copy | None:
        place = copy_place(self._store_at, conversation)
        try:
            fields = json.loads((place / _STATE).read_text("ascii"))
            base = {path: Entry(*one) for path, one in fields["base"].items()}
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Copy(place, base) if (place / _UPPER).is_dir() else None

    def _see(self, copy: Copy) -> None:
        """Remember the folder as the code in the copy sees it now, but for what that has changed.

        That it knows as it was before.
        """
        layer = self._layer(copy)
        changed = layer.entries.keys() - {""}
        base = {path: entry for path, entry in self._entries.items() if path not in changed}
        base |= {path: entry for path, entry in copy.base.items() if path in changed}
        self._write_base(copy, base)

    def _write_base(self, copy: Copy, base: Entries) -> None:
        try:
            write_whole(copy.place / _STATE, json.dumps({"base": base}))
        except OSError as error:
            raise FolderProblem("disk_full") from error

    def _layer(self, copy: Copy) -> UpperLayer:
        upper = LayerTree(str(copy.upper))
        try:
            return read_upper(upper, self._entries)
        finally:
            upper.close()

    def before(
        self, run: str, conversation: str, within_s: float, *, is_bounded: bool = False
    ) -> dict[str, Any]:
        """Remember the folder before a run, in which code sees it as it is now."""
        coverage = super().before(run, conversation, within_s, is_bounded=is_bounded)
        copy = self._copy(conversation)
        if copy is not None and self._entries:
            self._see(copy)
        return coverage

    # What would change.

    def review(self, conversation: str) -> dict[str, Any]:
        """Return what would change if all of a copy were applied; {} without a copy."""
        copy = self._copy(conversation)
        if copy is None:
            return {}
        self._entries = self._scanned()
        upper = LayerTree(str(copy.upper))
        try:
            layer = read_upper(upper, self._entries)
            steps, conflicts = self._changes(copy, layer, upper)
            moves = self._moves(steps, upper)
            fields = Listing(steps, moves, self._pack, upper, is_bounded=True).fields()
            fields["conflicts"] = [self._conflict(one, copy) for one in conflicts[:_LISTED]]
        finally:
            upper.close()
        if len(conflicts) > _LISTED:
            fields["conflicts_total"] = len(conflicts)
        for one in (*fields["created"], *fields["changed"], *fields["moved"]):
            if is_run_by_others(
                one["path"], one.get("kind", "")
            ):  # to apply it is what a person does, who sees it here
                one["may_be_run"] = True
        note = _note(layer)
        return {"folder": self.path, "action": "review", "id": "", "note": note, **fields}

    def _changes(self, copy: Copy, layer: UpperLayer, upper: Tree) -> tuple[Steps, list[Conflict]]:
        """Return the paths that differ in a copy, and those that others have changed meanwhile."""
        steps: Steps = {}
        conflicts: list[Conflict] = []
        for path, want in layer.entries.items():
            now, base = self._entries.get(path), copy.base.get(path)
            if (now is None and want is None) or self._is_others(now, base, want):
                continue
            if (
                now is not None
                and want is not None
                and self._is_alike(path, now, want, layer, upper)
            ):
                continue
            image = self._kept(path, now) if now is not None else None
            steps[path] = Step(now, image, want)
            is_folder = now is not None and now.kind == "dir" and want and want.kind == "dir"
            if not is_folder and not self._is_as_seen(path, now, base):
                conflicts.append(Conflict(path, "changed"))
        return steps, conflicts

    def _is_others(self, now: Entry | None, base: Entry | None, want: Entry | None) -> bool:
        """Return whether only others have changed a file since it was applied, or last seen."""
        if want is None:
            return base is None
        if now is None or base is None or want.kind != "file" or now.key == base.key:
            return False
        return self._pack.origin(base.key) == of_copy(want).key

    def _moves(self, steps: Steps, upper: Tree) -> dict[str, str]:
        """Return the files that a copy has at another path: the new paths and the old.

        There they are other files with the same time, size and content.
        """
        gone: dict[tuple[int, int, int], list[str]] = defaultdict(list)
        for path, step in steps.items():
            if step.after is None and step.before is not None and step.before.kind == "file":
                gone[_likeness(step.before)].append(path)
        moves: dict[str, str] = {}
        for path, step in steps.items():
            new = step.after if step.before is None else None
            if new is None or new.kind != "file" or len(moves) == _MOVES_COMPARED:
                continue
            candidates = gone.get(_likeness(new), [])
            candidates.sort(key=lambda one: _name_of(one) == _name_of(path))
            if candidates and self._is_copied(candidates[-1], path, upper):
                moves[path] = candidates.pop()
        return moves

    def _is_copied(self, old: str, path: str, upper: Tree) -> bool:
        try:
            return _holds_same(self._tree, old, upper, path)
        except OSError:
            return False

    def _is_as_seen(self, path: str, now: Entry | None, base: Entry | None) -> bool:
        if now is not None and base is not None and now.kind == base.kind == "dir":
            return True
        return self._is_same(path, now, base)

    def _is_alike(self, path: str, now: Entry, want: Entry, layer: UpperLayer, upper: Tree) -> bool:
        """Return whether applying a path would change nothing that is seen."""
        if now.kind != want.kind or now.mode != want.mode or now.target != want.target:
            return False
        if now.kind == "dir":
            image = layer.images.get(path, EMPTY)
            known = self._kept(path, now)
            return now.mtime_ns == want.mtime_ns and (image.attributes or {}) == (
                known.attributes or {}
            )
        if now.mtime_ns != want.mtime_ns or now.size != want.size:
            return False
        if self._pack.origin(now.key) == of_copy(want).key or now.kind != "file":
            return True
        return self._is_copied(path, path, upper)

    def _conflict(self, conflict: Conflict, copy: Copy) -> dict[str, Any]:
        """Return a conflict with what the other one has changed, if that is known."""
        path = conflict.path
        fields = {"path": shown(path), "reason": conflict.reason, "detail": conflict.detail}
        before, now = copy.base.get(path), self._entries.get(path)
        image = self._pack.images.get(before.key) if before is not None else None
        if now is None or now.kind != "file" or image is None or image.why:
            return fields
        with suppress(OSError):
            old = text_of(self._pack.content(image))
            new = text_of(self._pack.content(self._kept(path, now)))
            if old is not None and new is not None:
                fields["diff"] = diff_of(shown(path), old, new)
        return fields

    # Apply and discard.

    def apply(self, conversation: str, paths: Sequence[str]) -> dict[str, Any]:
        """Carry out what a copy has changed, or what it did to these paths. Raises KeyError.

        What others have changed meanwhile stays as it is, unless it is named.
        """
        copy = self._copy(conversation)
        if copy is None:
            raise KeyError(conversation)
        self._entries = before = self._scanned()
        upper = LayerTree(str(copy.upper))
        landed = Effect(os.urandom(16).hex(), {}, {}, conversation)
        try:
            layer = read_upper(upper, before)
            steps, changed = self._changes(copy, layer, upper)
            moves = self._moves(steps, upper)
            wishes, conflicts = _wishes_of(steps, layer, changed, paths)
            wishes |= self._folders_of(wishes) | self._other_names(wishes)
            kept = {p: self._kept(p, wish.now) if wish.now else EMPTY for p, wish in wishes.items()}
            self._begin_journal(landed, wishes, kept, copy)
            conflicts += self._carry_out(landed, wishes, {}, kept, before, upper)
            done = landed.steps.keys()
            landed.moves = {new: old for new, old in moves.items() if {new, old} <= done}
            left = self._merge(layer, upper, paths)
            self._finish(landed)
        finally:
            upper.close()
        self._see_again(copy, wishes)
        return self._applied(landed, conflicts, left, is_whole=not paths)

    def _other_names(self, wishes: Wishes) -> Wishes:
        """Return the wish that other names of what is replaced stay: an undo joins them again."""
        shared = {
            wish.now.inode
            for wish in wishes.values()
            if wish.now is not None and wish.now.links > 1 and wish.now.kind == "file"
        }
        if not shared:
            return {}
        return {
            path: Wish(entry, entry, None)
            for path, entry in self._entries.items()
            if entry.inode in shared and entry.kind == "file" and path not in wishes
        }

    def _begin_journal(
        self, landed: Effect, wishes: Wishes, kept: dict[str, Image], copy: Copy
    ) -> None:
        self._begin(landed, wishes, {}, kept, str(copy.upper))

    def _merge(self, layer: UpperLayer, upper: Tree, paths: Sequence[str]) -> list[str]:
        """Carry out what is in folders that are only counted; return what was refused."""
        merge = Merge(os.urandom(8).hex())
        for path in layer.left_out:
            if not paths or _is_meant(path, paths):
                merge.run(upper, self._tree, path)
        return merge.failed

    def _applied(
        self, landed: Effect, conflicts: list[Conflict], left: list[str], *, is_whole: bool
    ) -> dict[str, Any]:
        conflicts += [Conflict(path, "refused") for path in left]
        fields = self._listed(landed)
        fields |= {"action": "apply", "is_whole": is_whole}
        fields["conflicts"] = [
            {"path": shown(one.path), "reason": one.reason, "detail": one.detail}
            for one in conflicts[:_LISTED]
        ]
        if len(conflicts) > _LISTED:
            fields["conflicts_total"] = len(conflicts)
        return fields

    def _see_again(self, copy: Copy, paths: Wishes | Steps) -> None:
        """Know what was just applied, or undone, as a state that the copy knows."""
        base = dict(copy.base)
        for path in paths:
            if (now := self._entries.get(path)) is not None:
                base[path] = now
            else:
                base.pop(path, None)
        self._write_base(copy, base)

    def undo(self, effect_id: str, paths: Sequence[str]) -> dict[str, Any]:
        """Take back an effect; what was applied of a copy waits there once more."""
        fields = super().undo(effect_id, paths)
        effect = self._effects.get(effect_id)
        if effect is not None and (copy := self._copy(effect.conversation)) is not None:
            self._see_again(copy, effect.steps)
        return fields

    def discard(self, conversation: str) -> dict[str, Any]:
        """Delete a copy; no code may work in it. Raises KeyError."""
        place = copy_place(self._store_at, conversation)
        if not place.is_dir():
            raise KeyError(conversation)
        beside = place.with_name(f"{place.name}.{os.urandom(4).hex()}")
        place.rename(beside)
        delete_place(beside)
        return {"folder": self.path, "action": "discard", "id": ""}

    def _layer_at(self, path: str) -> Tree:
        return LayerTree(path)

    def _work_of(
        self, wishes: Wishes, moves: dict[str, str], token: str, upper: Tree | None
    ) -> Undo:
        if upper is None:
            return super()._work_of(wishes, moves, token, upper)
        return Apply(self._tree, self._pack, wishes, token, upper)


def delete_place(place: Path) -> None:
    """Delete a copy; no link in it is followed."""
    with suppress(OSError), _opened(place.parent) as fd:
        remove(fd, place.name)


def _wishes_of(
    steps: Steps, layer: UpperLayer, changed: Sequence[Conflict], paths: Sequence[str]
) -> tuple[Wishes, list[Conflict]]:
    """Return what is to be done, and what is left since others have changed it."""
    others = {one.path for one in changed}
    wishes: Wishes = {}
    conflicts: list[Conflict] = []
    meant = _meant(steps, paths)
    for path, step in steps.items():
        if path not in meant:
            continue
        if path in others and not any(shown(path) == one for one in paths):
            conflicts.append(Conflict(path, "changed"))
            continue
        want = of_copy(step.after) if step.after is not None else None
        wishes[path] = Wish(step.before, want, layer.images.get(path))
    return wishes, conflicts


def _meant(steps: Steps, paths: Sequence[str]) -> set[str]:
    """Return the paths that are to be applied, with the new folders on the way to them."""
    meant = {path for path in steps if not paths or _is_meant(path, paths)}
    for path in list(meant):
        while path := path.rpartition("/")[0]:
            if path in steps and steps[path].before is None:
                meant.add(path)
    return meant


def _is_meant(path: str, paths: Sequence[str]) -> bool:
    name = shown(path)
    return any(name == one or name.startswith(f"{one}/") for one in paths)


def _note(layer: UpperLayer) -> str:
    if not layer.left_out:
        return ""
    counts: dict[str, int] = {}
    for path, count in layer.left_out.items():
        name = shown(path).rpartition("/")[2]
        counts[name] = counts.get(name, 0) + count
    said = (f"{name} ({n:,})" if n else name for name, n in sorted(counts.items()))
    note = f"Not looked at: {', '.join(said)}."
    run = sorted(shown(path) for path in layer.left_out if is_run_by_others(path, "link"))
    return f"{note} Other programs may run what is in {', '.join(run)}." if run else note


def _likeness(entry: Entry) -> tuple[int, int, int]:
    return entry.size, entry.mtime_ns, entry.mode


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _holds_same(tree: Tree, old: str, upper: Tree, path: str) -> bool:
    """Return whether a file of the folder is the same as one in the copy. Raises OSError."""
    source, name = upper.place(path)
    with tree.file(old) as one, opened(source, name, FILE_FLAGS) as other:
        if image_of(one) != image_of(other):
            return False
        at = 0
        while data := os.pread(one, _COMPARED_BYTES, at):
            if os.pread(other, len(data), at) != data:
                return False
            at += len(data)
    return True


def _attributes_of(fd: int) -> dict[str, bytes]:
    with suppress(OSError):
        return {name: os.getxattr(fd, name) for name in os.listxattr(fd)}
    return {}


@contextmanager
def _opened(path: Path) -> Generator[int]:
    """Open a folder of our own."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)
