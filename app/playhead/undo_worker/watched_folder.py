"""One folder that code runs in: its contents kept, its runs compared, its effects taken back."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from playhead.undo_worker.comparing import (
    TEXT_LIMIT,
    Listing,
    Step,
    diff_of,
    moves_of,
    note_of,
    read_text,
    shown,
    steps_between,
    text_of,
    way_to,
)
from playhead.undo_worker.effects_store import Before, Effect, EffectsStore, Shelf
from playhead.undo_worker.pack import ALL_BYTES, EMPTY, YOUNG_NS, Image, Pack
from playhead.undo_worker.scanning import Entries, Entry, Scan, ScanProblem, Tree
from playhead.undo_worker.set_aside import drop_compiled, is_new_environment, is_run_by_others
from playhead.undo_worker.undoing import (
    Conflict,
    Undo,
    Wish,
    Wishes,
    is_half_written,
    is_on_its_way,
    is_only_facts,
    read_work,
    sweep,
    work_fields,
)

SCAN_LIMIT_S = 2.0
_UNCOVERED_LISTED = 20
_CONFLICTS_LISTED = 200
_SLICE = 4_000
"""So many files are kept between two looks at the clock, a tenth of a second's work."""
_LOOKS = 5
_ASIDE = "-aside"
"""The end of the id of an effect that has moved away what others would run."""


class FolderProblem(Exception):
    """Nothing can be put back in a folder, with the reason."""


class WatchedFolder:
    """Owner of the descriptors and contents of one folder; `store` is our own folder for it."""

    def __init__(
        self, path: str, store: Path, without: tuple[int, int] | None, *, is_home: bool = False
    ) -> None:
        self.path = path
        self.store = store
        self.problem = ""
        self._tree = Tree(path)
        self.identity = self._tree.identity
        self._without = without
        self._is_home = is_home
        self._pack = Pack(store)
        self._effects = EffectsStore(store)
        self._entries: Entries = {}
        self._unreadable: list[str] = []
        self._unread: Iterator[tuple[str, Entry]] = iter(())
        self._is_reading = False
        self._before: dict[str, Before] = {}
        self._shelf = Shelf(store / "aside")
        if self._effects.drop_old() or self._pack.size_bytes > ALL_BYTES // 2:
            self._pack.shrink(self._effects.images(), self._scanned().values())
            self._shelf.shrink({effect.id for effect in self._effects.all()})
        self._finish_undo()
        self._finish_runs()

    @property
    def is_there(self) -> bool:
        """Return whether the path still leads to this folder."""
        try:
            facts = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return False
        return (facts.st_dev, facts.st_ino) == self.identity

    def has(self, effect_id: str) -> bool:
        """Return whether an effect is kept here."""
        return self._effects.get(effect_id) is not None

    def close(self) -> None:
        """Write what is left, also the runs of which nobody has seen the end; close all."""
        for run in self._before:
            self.note_run(run)
        self.write_late()
        self._pack.close()
        self._shelf.close()
        self._tree.close()

    # Before a run.

    def cover(self, within_s: float) -> dict[str, Any]:
        """Keep what is not kept yet, for so long at most; return the coverage."""
        end = time.monotonic() + within_s
        try:
            self._look()
            if self._is_home:
                raise FolderProblem("home")
            self._unread = iter(list(self._entries.items()))
            self._is_reading = True
            while self._is_reading and time.monotonic() < end:
                self.read_on()
        except (ScanProblem, FolderProblem) as problem:
            self.problem = str(problem)
            return self._coverage() | {"problem": str(problem)}
        self.problem = ""
        return self._coverage()

    def read_on(self) -> bool:
        """Read some more files; return whether there are any left. Raises FolderProblem."""
        try:
            part = list(islice(self._unread, _SLICE))
            self._pack.keep_all(self._tree, part)
            if len(part) < _SLICE:
                self._is_reading = False
                self._pack.save()
        except OSError as error:
            self._is_reading = False
            raise _problem(error) from error
        return self._is_reading

    def before(
        self, run: str, conversation: str, within_s: float, *, is_bounded: bool = False
    ) -> dict[str, Any]:
        """Remember the folder as it is as the state before a run; return the coverage.

        What other programs would run of a run in a sandbox (`is_bounded`) is set aside.
        """
        coverage = self.cover(within_s)
        if coverage.get("problem") not in ("too_many", "too_slow", "vanished"):
            self._before[run] = Before(conversation, is_bounded, self._entries, time.time_ns())
        return coverage

    def note_run(self, run: str) -> None:
        """Have the state before a run survive this process, as far as the disk lets it."""
        if (before := self._before.get(run)) is not None:
            with suppress(OSError):
                self._pack.save()
                self._effects.begin_run(run, before)

    def _look(self) -> None:
        """Look at the folder when no file of it is so young that its time says nothing."""
        self._entries = self._scanned()
        for _ in range(_LOOKS):
            end = time.time_ns()
            young = [p for p, one in self._entries.items() if 0 <= end - one.ctime_ns < YOUNG_NS]
            if not young:
                break
            time.sleep(YOUNG_NS / 1e9)
            for path in young:
                now = self._tree.look_or_none(path)
                old = self._entries[path]
                if now is None:
                    del self._entries[path]
                elif old.kind != "left_out":
                    self._entries[path] = now

    def _scanned(self) -> Entries:
        if not self.is_there:
            raise FolderProblem("vanished")
        scan = Scan(self._entries, self._without, SCAN_LIMIT_S)
        try:
            scan.run(self._tree)
        except OSError as error:
            raise FolderProblem("vanished") from error
        self._unreadable = scan.unreadable
        return scan.entries

    def _coverage(self) -> dict[str, Any]:
        files = 0
        without: list[dict[str, Any]] = []
        for path, entry in self._entries.items():
            if entry.kind == "left_out":
                without.append(_uncovered(path, "left_out", files=entry.size))
            elif entry.kind != "dir":
                files += 1
                image = self._pack.images.get(entry.key)
                if image is not None and image.why:
                    without.append(_uncovered(path, image.why, entry.size))
        without += [_uncovered(path, "unreadable") for path in self._unreadable]
        lost = sum(one["reason"] != "left_out" for one in without)
        without.sort(key=lambda one: -one["size_bytes"])
        return {
            "folder": self.path,
            "files": files,
            "covered": max(files - lost, 0),
            "uncovered": without[:_UNCOVERED_LISTED],
            "uncovered_total": len(without),
            "is_reading": self._is_reading,
        }

    # After a run.

    def after(self, run: str, *, is_reported: bool = True) -> dict[str, Any]:
        """Compare the folder with the state before a run; return its effect, {} if it has none."""
        if run not in self._before:
            return {}
        fields = self._ended(run, self._before.pop(run))
        if fields and not is_reported:
            self._report_later(fields["id"])
        self._effects.end_run(run)
        return fields

    def _report_later(self, effect_id: str) -> None:
        effect = self._effects.get(effect_id) if effect_id else None
        if effect is not None:
            self._effects.report_later(effect)

    def _ended(self, run: str, before: Before) -> dict[str, Any]:
        self._entries = after = self._scanned()
        if before.is_bounded:
            drop_compiled(self._tree, before.entries, after, before.at_ns - YOUNG_NS)
        steps = steps_between(before.entries, after, self._pack)
        effect = Effect(
            run, steps, moves_of(steps), before.conversation, is_bounded=before.is_bounded
        )
        fields = self._listed(effect) if steps else {}
        has_any = any(fields.get(name) for name in ("created", "changed", "deleted", "moved"))
        files, environments = self._run_by_others(effect)
        if not has_any and not environments:
            return {}
        problem = self._keep_effect(effect)
        if (files or environments) and not problem:
            conflicts = self._set_aside(effect, files, environments)
            fields = self._listed(effect) | {"conflicts": _as_fields(conflicts)}
        fields["problem"] = problem
        if problem:
            fields["id"] = ""
        there = {path: one for path, one in after.items() if shown(path) not in effect.aside}
        if note := note_of(before.entries, there):
            fields["note"] = note
        return fields

    def _listed(self, effect: Effect) -> dict[str, Any]:
        aside = sorted(path for path in effect.steps if shown(path) in effect.aside)
        steps = {path: step for path, step in effect.steps.items() if path not in aside}
        moves = {n: old for n, old in effect.moves.items() if n in steps and old in steps}
        listing = Listing(steps, moves, self._pack, self._tree, is_bounded=effect.is_bounded)
        found = {"folder": self.path, "id": effect.id, "of": effect.of, **listing.fields()}
        if effect.is_bounded:
            found["is_bounded"] = True
        if aside:
            found["set_aside"] = [
                _aside_fields(path, step.after)
                for path in aside
                if (step := effect.steps[path]).after and effect.aside[shown(path)] != "folder"
            ]
        return found

    def _keep_effect(self, effect: Effect) -> str:
        """Write an effect; return why that cannot be: then nothing of the run can be undone."""
        if self.problem:
            return self.problem
        try:
            self._pack.save()
            self._effects.put(effect)
        except OSError:
            return "disk_full"
        return ""

    # What is set aside.

    def _run_by_others(self, effect: Effect) -> tuple[list[str], list[str]]:
        """Return the files and the environments of a run in a sandbox that others would run."""
        if not effect.is_bounded:
            return [], []
        items = effect.steps.items()
        return (
            [path for path, step in items if _is_set_aside(path, step)],
            [
                path
                for path, step in items
                if is_new_environment(self._tree, path, step.before, step.after)
            ],
        )

    def _set_aside(
        self, effect: Effect, files: list[str], environments: list[str]
    ) -> list[Conflict]:
        """Move away what other programs would run; files wait in an effect of their own."""
        conflicts: list[Conflict] = []
        if files:
            moved = Effect(f"{effect.id}{_ASIDE}", {}, {}, effect.conversation, effect.id)
            conflicts += self._take_back(effect, files, moved)
            self._note_aside(effect, moved)
        for path in environments:
            effect.aside[shown(path)] = "waiting"
            self._effects.put(effect)  # before it is gone from its place
            try:
                self._shelf.take(self._tree, path, effect.id, effect.steps[path].before)
            except OSError as error:
                del effect.aside[shown(path)]
                conflicts.append(Conflict(path, "refused", error.strerror or ""))
        self._effects.put(effect)
        return conflicts

    def _note_aside(self, effect: Effect, moved: Effect) -> None:
        """Have files that were moved away wait for a decision."""
        for path, step in moved.steps.items():
            if step.before is not None and is_run_by_others(path, step.before.kind):
                is_folder = step.before.kind == "dir"
                effect.aside[shown(path)] = "folder" if is_folder else "waiting"

    def settle(self, effect_id: str, path: str, *, is_kept: bool) -> dict[str, Any]:
        """Put back what was set aside of an effect, or delete it. Raises as `undo` does."""
        effect = self._effects.get(effect_id)
        if effect is None or effect.aside.get(path) != "waiting":
            raise KeyError(effect_id)
        real = next(one for one in effect.steps if shown(one) == path)
        after = effect.steps[real].after
        fields: dict[str, Any] = {"folder": self.path, "id": "", "conflicts": []}
        line = _aside_fields(real, after)
        if after is None or after.kind != "left_out":
            if is_kept:
                fields = self.undo(f"{effect_id}{_ASIDE}", [path])
        elif not is_kept:
            self._shelf.delete(effect_id, real)
        else:
            try:
                self._shelf.put_back(self._tree, real, effect_id)
            except OSError as error:
                is_taken = error.errno == errno.EEXIST
                reason = "in_the_way" if is_taken else "refused"
                conflict = Conflict(real, reason, os.strerror(error.errno or 0))
                fields["conflicts"] = _as_fields([conflict])
        fields |= {"of": effect_id, "is_whole": False, "action": "keep" if is_kept else "delete"}
        if not fields["conflicts"]:
            fields |= {"created" if is_kept else "deleted": [line]}
            effect.aside[path] = fields["action"]
            self._effects.put(effect)
        return fields

    # Undo and redo.

    def undo(self, effect_id: str, paths: Sequence[str]) -> dict[str, Any]:
        """Take back an effect, or what it did to these paths. Raises KeyError, FolderProblem."""
        effect = self._effects.get(effect_id)
        if effect is None:
            raise KeyError(effect_id)
        undone = Effect(
            os.urandom(16).hex(), {}, {}, effect.conversation, effect.id, is_whole=not paths
        )
        scope = _below(effect, paths) if paths else list(effect.steps)
        self._entries = self._scanned()
        conflicts = self._take_back(effect, scope, undone)
        fields = self._listed(undone)
        fields["action"] = "undo"
        fields["is_whole"] = not paths
        fields["conflicts"] = [
            one | self._diff_for(effect, one["path"]) for one in _as_fields(conflicts)
        ]
        if len(conflicts) > _CONFLICTS_LISTED:
            fields["conflicts_total"] = len(conflicts)
        return fields

    def _take_back(self, effect: Effect, scope: Sequence[str], undone: Effect) -> list[Conflict]:
        """Put the paths of an effect back; what was done becomes the steps of another effect."""
        before = self._entries
        self.write_late()
        wishes, conflicts = self._wishes(effect, scope, is_whole=undone.is_whole)
        wishes |= self._folders_of(wishes)
        moves = self._moves_back(effect, wishes)
        kept = self._images_of(wishes, moves, conflicts)
        self._begin(undone, wishes, moves, kept)
        conflicts += self._carry_out(undone, wishes, moves, kept, before)
        self._finish(undone)
        return conflicts

    def _begin(
        self,
        undone: Effect,
        wishes: Wishes,
        moves: dict[str, str],
        kept: dict[str, Image],
        upper: str = "",
    ) -> None:
        """Have what is about to be done survive the end of this process, or of the machine."""
        of = self._effects.get(undone.of) if undone.of else None
        work = work_fields(wishes, of.steps if of else {}, moves, kept, self._pack)
        try:
            self._pack.sync()
            self._effects.write_journal({"effect": undone.encode(), "upper": upper, **work})
        except OSError as error:
            raise _problem(error) from error

    def _work_of(
        self, wishes: Wishes, moves: dict[str, str], token: str, upper: Tree | None
    ) -> Undo:
        """Return what carries out wishes; `upper` has the files if they come from a copy."""
        del upper
        return Undo(self._tree, self._pack, wishes, moves, token)

    def _layer_at(self, path: str) -> Tree:
        """Return the layer of a copy that was being applied. Raises OSError."""
        return Tree(path)

    def _carry_out(
        self,
        undone: Effect,
        wishes: Wishes,
        moves: dict[str, str],
        kept: dict[str, Image],
        before: Entries,
        upper: Tree | None = None,
    ) -> list[Conflict]:
        self._tree.forget()
        undo = self._work_of(wishes, moves, undone.id[:16], upper)
        undo.run()
        self._tree.forget()
        touched = set(wishes)
        for above in {path.rpartition("/")[0] for path in wishes if path}:
            touched.update((above, *way_to(above)))
        self._entries = after = dict(self._entries)
        for path in touched:
            now = undo.done.get(path) or self._tree.look_or_none(path)
            if now is not None:
                after[path] = now
            else:
                after.pop(path, None)
        self._tree.forget()
        steps = steps_between(
            {path: before[path] for path in touched if path in before},
            {path: after[path] for path in touched if path in after},
            self._pack,
        )
        undone.steps = {
            path: Step(old, kept.get(path, image), new) for path, (old, image, new) in steps.items()
        }
        undone.moves = moves_of(undone.steps)
        failed = {one.path for one in undo.conflicts}
        for path, wish in wishes.items():
            is_there = path in after and path not in failed
            if wish.want is not None and wish.want.kind == "file" and is_there:
                self._pack.adopt(after[path], wish.want, wish.image)
        return undo.conflicts

    def _finish(self, undone: Effect) -> None:
        """Know the effect of an undo; it is written later, until then the journal is kept."""
        self._effects.put_late(undone)
        if undone.id.endswith(_ASIDE) and (effect := self._effects.get(undone.of)):
            self._note_aside(effect, undone)
            with suppress(OSError):
                self._effects.put(effect)

    def write_late(self) -> None:
        """Write what the last undo did: what nobody has to wait for."""
        with suppress(OSError):  # then it cannot be redone: the files are what matters
            self._pack.save()
            self._effects.write_late()

    def _wishes(
        self, effect: Effect, scope: Sequence[str], *, is_whole: bool
    ) -> tuple[Wishes, list[Conflict]]:
        """Return what is to be done to put paths back, and what is another one by now."""
        wishes: Wishes = {}
        conflicts: list[Conflict] = []
        for path in scope:
            step = effect.steps[path]
            now, want = self._entries.get(path), step.before
            wish = Wish(now, want, step.image)
            if now is not None and want is not None and now.kind == want.kind == "file":
                if now == step.after or self._is_same(path, now, step.after):
                    wishes[path] = wish
                elif not self._is_same(path, now, want):
                    conflicts.append(Conflict(path, "changed"))
                continue
            kinds = {one.kind for one in (now, want, step.after) if one is not None}
            if "left_out" in kinds:
                continue
            if kinds == {"dir"} and now is not None and want is not None:
                is_as_left = step.after is not None and now.mtime_ns == step.after.mtime_ns
                if now.mode != want.mode or (is_whole and is_as_left):
                    wishes[path] = wish
            elif self._is_same(path, now, step.after) or (now is None and not is_whole):
                wishes[path] = wish  # of a file that was asked for by name nothing gets lost
            elif not self._is_same(path, now, want):
                conflicts.append(Conflict(path, "changed"))
        return wishes, conflicts

    def _folders_of(self, wishes: Wishes) -> Wishes:
        """Return the wish that the folders of what is put back look as they do now."""
        above = {path.rpartition("/")[0] for path in wishes if path} - wishes.keys()
        now = {path: self._entries.get(path) for path in above}
        return {
            path: Wish(entry, entry, self._kept(path, entry))
            for path, entry in now.items()
            if entry is not None and entry.kind == "dir"
        }

    def _is_same(self, path: str, now: Entry | None, then: Entry | None) -> bool:
        """Return whether a path is in the state that it was left in."""
        if now is None or then is None:
            return now is then
        if now.kind != then.kind or now.mode != then.mode or now.target != then.target:
            return False
        if now.kind != "file":
            return True
        if (now.size, now.mtime_ns) != (then.size, then.mtime_ns):
            return False
        if self._pack.origin(now.key) == self._pack.origin(then.key):
            return True
        with suppress(OSError):
            known = self._pack.images.get(then.key)
            return known is not None and self._pack.same(
                known, self._pack.keep(self._tree, path, now)
            )
        return False

    def _moves_back(self, effect: Effect, wishes: Wishes) -> dict[str, str]:
        """Return the files that only have to go back: the old paths and the present ones."""
        return {
            old: new
            for new, old in effect.moves.items()
            if new in wishes
            and old in wishes
            and _has_inode(wishes[new].now, wishes[old].want)
            and self._is_way_free(old)
        }

    def _is_way_free(self, path: str) -> bool:
        above = (self._entries.get(one) for one in way_to(path))
        return all(one is None or one.kind == "dir" for one in above)

    def _images_of(
        self, wishes: Wishes, moves: dict[str, str], conflicts: list[Conflict]
    ) -> dict[str, Image]:
        """Keep what the files hold now, for the way back; what cannot be kept stays as it is."""
        kept: dict[str, Image] = {}
        moved = set(moves.values())
        for path, wish in list(wishes.items()):
            now, want = wish.now, wish.want
            if now is None:
                image = EMPTY
            elif now.kind == "special":
                image = Image(why="special")
            else:
                image = self._kept(path, now)
            is_held = path in moved or (now is not None and is_only_facts(now, want))
            needs_content = want is not None and want.kind == "file" and path not in moves
            has_content = wish.image is not None and not wish.image.why
            if (image.why and not is_held) or (needs_content and not has_content and not is_held):
                why = image.why or (wish.image.why if wish.image else "") or "changing"
                conflicts.append(Conflict(path, "not_kept", why))
                del wishes[path]
            elif now is not None:
                kept[path] = image
        return kept

    def _kept(self, path: str, now: Entry) -> Image:
        try:
            return self._pack.keep(self._tree, path, now)
        except OSError as error:
            raise _problem(error) from error

    def _diff_for(self, effect: Effect, path: str) -> dict[str, str]:
        """Return how an undo would have changed the text of a file that is another one by now."""
        step = effect.steps.get(path)
        now = self._entries.get(path)
        if step is None or now is None or step.image is None or step.image.why:
            return {}
        if now.kind != "file" or max(now.size, step.image.size) > TEXT_LIMIT:
            return {}
        with suppress(OSError):
            new = text_of(self._pack.content(step.image))
            old = read_text(self._tree, path, now)
            if old is not None and new is not None:
                return {"diff": diff_of(path, old, new)}
        return {}

    # What an earlier process left.

    def _finish_undo(self) -> None:
        """Finish the undo that an earlier process had begun: all of it is in the journal."""
        journal = self._effects.journal()
        if journal is None:
            return
        undone = Effect.decode(journal["effect"])
        of = self._effects.get(undone.of) if undone.of else None
        known, kept = read_work(journal, of.steps if of else {}, self._pack)
        self._entries = now = self._scanned()
        wishes: Wishes = {}
        before: Entries = dict(now)
        for path, wish in known.items():
            found = now.get(path)
            before.pop(path, None)
            if wish.now is not None:
                before[path] = wish.now
            if is_on_its_way(found, wish) or (
                found is not None
                and path in kept
                and is_half_written(self._tree, path, found, wish, kept[path], self._pack)
            ):
                wishes[path] = wish._replace(now=found)
        self._sweep(undone.id[:16])
        upper: Tree | None = None
        if journal.get("upper"):
            try:
                upper = self._layer_at(journal["upper"])
            except OSError:  # without the copy nothing more of it can be applied
                wishes = {}
        try:
            self._carry_out(undone, wishes, journal["moves"], kept, before, upper)
        finally:
            if upper is not None:
                upper.close()
        self._finish(undone)
        if not undone.id.endswith(_ASIDE):
            self._report_later(undone.id)

    def _sweep(self, token: str) -> None:
        """Delete the half-made files of an undo that was ended."""
        for path, entry in {"": None, **self._entries}.items():
            if entry is None or entry.kind == "dir":
                with suppress(OSError):
                    sweep(self._tree.folder(path), token)

    def _finish_runs(self) -> None:
        """Compare what runs did that ended with the program."""
        for run, before in list(self._effects.open_runs()):
            with suppress(FolderProblem, ScanProblem):
                if before is not None and not self.has(run):
                    self._ended(run, before)
                self._report_later(run)
            self._effects.end_run(run)

    def unreported(self, conversation: str) -> list[dict[str, Any]]:
        """Return the effects of a conversation that were not reported, once."""
        return [
            self._listed(effect)
            | {"action": "undo" if effect.of else "run", "is_whole": effect.is_whole}
            for effect in self._effects.take_unreported(conversation)
        ]


def _problem(error: OSError) -> FolderProblem:
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return FolderProblem("disk_full" if is_full else "vanished")


def _uncovered(path: str, reason: str, size: int = 0, files: int = 1) -> dict[str, Any]:
    return {"path": shown(path), "reason": reason, "size_bytes": size, "files": files}


def _aside_fields(path: str, entry: Entry | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"path": shown(path)}
    if entry is not None and entry.kind == "left_out":
        return fields | {"kind": "folder", "files": entry.size}
    return fields | {"size_bytes": entry.size if entry is not None else 0}


def _is_set_aside(path: str, step: Step) -> bool:
    one = step.after
    return (
        one is not None and one.kind in ("file", "link", "dir") and is_run_by_others(path, one.kind)
    )


def _below(effect: Effect, paths: Sequence[str]) -> list[str]:
    """Return the paths of an effect that are meant: by their names as shown, with what is below."""
    ends = {**effect.moves, **{old: new for new, old in effect.moves.items()}}
    meant = [
        path
        for path in effect.steps
        if any(shown(path) == one or shown(path).startswith(f"{one}/") for one in paths)
    ]
    return list(dict.fromkeys([*meant, *(ends[path] for path in meant if path in ends)]))


def _has_inode(one: Entry | None, other: Entry | None) -> bool:
    return one is not None and other is not None and one.inode == other.inode


def _as_fields(conflicts: list[Conflict]) -> list[dict[str, Any]]:
    return [
        {"path": shown(one.path), "reason": one.reason, "detail": one.detail}
        for one in conflicts[:_CONFLICTS_LISTED]
    ]
