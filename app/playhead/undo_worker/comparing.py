"""Two states of a folder: what differs between them, and how that is listed."""

from __future__ import annotations

import difflib
import os
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from playhead.undo_worker.pack import Image, Pack
from playhead.undo_worker.scanning import Entries, Entry, Tree
from playhead.undo_worker.set_aside import may_be_run

LISTED_LIMIT = 200
"""Of each kind; a block that unpacks an archive has made thousands."""
TEXT_LIMIT = 200_000
DIFFS_LIMIT = 4_000_000
_DIFF_LINES = 400
_DIFF_WIDTH = 400
_COMPARED_LINES = 2_000
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg"})
_NO_TEXT = re.compile(
    r"\.(png|jpe?g|gif|bmp|webp|tiff?|ico|pdf|zip|gz|xz|bz2|zst|7z|tar|whl|so|dll|exe|pyc"
    r"|np[yz]|pkl|parquet|feather|h5|sqlite|db|mp[34]|mov|wav|ttf)$",
    re.IGNORECASE,
)


class Step(NamedTuple):
    """One path in two states: what it was, what that held, what it is."""

    before: Entry | None
    image: Image | None
    after: Entry | None


Steps = dict[str, Step]
IsSame = Callable[[str, Entry, Entry], bool]


def shown(path: str) -> str:
    """Return a path as it is written in messages: what is not UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def steps_between(before: Entries, after: Entries, pack: Pack) -> Steps:
    """Return every path that differs in anything, with what it held before if that is kept."""
    found: Steps = {}
    for path, old in before.items():
        new = after.get(path)
        if new is not old and new != old:
            found[path] = Step(old, pack.images.get(old.key) or _plain(old), new)
    for path in after.keys() - before.keys():
        found[path] = Step(None, None, after[path])
    return found


def _plain(entry: Entry) -> Image | None:
    """Return the image of what has no content; that of a folder is known by its name."""
    return Image(place="") if entry.kind in ("dir", "link", "fifo") else None


def is_touched(step: Step, has_same_content: bool) -> bool:
    """Return whether only facts differ that nobody sees: times of folders, a count of links."""
    old, new = step.before, step.after
    if old is None or new is None or old.kind != new.kind or old.mode != new.mode:
        return False
    if old.kind == "dir":
        return True
    if old.kind == "left_out":
        return old.size == new.size
    is_alike = (old.size, old.mtime_ns, old.target) == (new.size, new.mtime_ns, new.target)
    return is_alike and has_same_content


def moves_of(steps: Steps) -> dict[str, str]:
    """Return the files that are the same ones at another path: the new paths and the old.

    Of a file with several names any old one does for any new one.
    """
    gone: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for path, step in steps.items():
        if step.after is None and step.before is not None and _can_move(step.before):
            gone[_likeness(step.before)].append(path)
    moves: dict[str, str] = {}
    for path, step in steps.items():
        new = step.after if step.before is None else None
        if new is not None and _can_move(new) and (old := gone.get(_likeness(new))):
            moves[path] = old.pop()
    return moves


def _can_move(entry: Entry) -> bool:
    return entry.kind in ("file", "link", "fifo")


def _likeness(entry: Entry) -> tuple[int, int, int]:
    """Return what stays the same when a file moves; inodes alone are used again."""
    return entry.inode, entry.size, entry.mtime_ns


class Listing:
    """Lists the steps as the fields of the app's `FileChanges`.

    Without a pack and a tree it has no texts to compare. Of a run in a sandbox (`is_bounded`) it
    marks what other programs may run.
    """

    def __init__(
        self,
        steps: Steps,
        moves: dict[str, str],
        pack: Pack | None,
        tree: Tree | None,
        *,
        is_bounded: bool = False,
    ) -> None:
        self._steps = steps
        self._moves = moves
        self._pack = pack
        self._tree = tree
        self._is_bounded = is_bounded
        self._diffs_left = DIFFS_LIMIT

    def fields(self) -> dict[str, Any]:
        """Return created, changed, deleted and moved files, with totals where these are cut."""
        groups: dict[str, list[str]] = {"created": [], "changed": [], "deleted": [], "moved": []}
        whole: dict[str, list[str]] = defaultdict(list)
        old_paths = set(self._moves.values())
        with_files = {path.rpartition("/")[0] for path in self._steps}
        for path in sorted(self._steps):
            step = self._steps[path]
            if path in old_paths or self._is_unlisted(path, step, with_files):
                continue
            if (folder := git_folder(path)) != "":
                whole[folder].append(path)
                continue
            kind = "created" if step.before is None else "deleted"
            if path in self._moves:
                kind = "moved"
            elif step.before is not None and step.after is not None:
                kind = "changed"
            groups[kind].append(path)
        found: dict[str, Any] = {
            name: [self._change(path) for path in paths[:LISTED_LIMIT]]
            for name, paths in groups.items()
        }
        found["changed"] += [
            {"path": shown(folder), "kind": "folder", "files": len(paths)}
            | self._mark(f"{folder}/config" if f"{folder}/config" in paths else "")
            for folder, paths in whole.items()
        ]
        totals = {f"{name}_total": len(paths) for name, paths in groups.items()}
        return found | {name: n for name, n in totals.items() if n > LISTED_LIMIT}

    def _is_unlisted(self, path: str, step: Step, with_files: set[str]) -> bool:
        """Return whether a line would say nothing: the files of a folder say more than itself."""
        if not path:
            return True
        one = step.before or step.after
        if one is not None and one.kind == "left_out":
            return True
        is_folder = one is not None and one.kind == "dir"
        if is_folder and (step.before is None or step.after is None):
            return path in with_files
        return is_touched(step, self._has_same_content(path, step))

    def _has_same_content(self, path: str, step: Step) -> bool:
        old, new = step.before, step.after
        if (
            self._tree is None
            or self._pack is None
            or old is None
            or new is None
            or old.kind != "file"
        ):
            return True
        if (old.size, old.mtime_ns) != (new.size, new.mtime_ns):
            return False
        try:
            return self._pack.same(step.image, self._pack.keep(self._tree, path, new))
        except OSError:
            return False

    def _change(self, path: str) -> dict[str, Any]:
        step = self._steps[path]
        origin = self._moves.get(path, "")
        if origin:
            step = Step(self._steps[origin].before, self._steps[origin].image, step.after)
        old, new = step.before, step.after
        entry = new or old
        assert entry is not None  # noqa: S101 - one of the two is there
        found: dict[str, Any] = {"path": shown(path), "size_bytes": entry.size} | self._mark(path)
        found["kind"] = {"dir": "folder", "link": "link"}.get(entry.kind, "other")
        if origin:
            found["old_path"] = shown(origin)
        elif old is not None and (step.image is None or step.image.why):
            found["uncovered"] = (step.image.why if step.image else "") or "changing"
        if old is not None and new is not None:
            if old.mode != new.mode and "link" not in (old.kind, new.kind):
                found["modes"] = [old.mode, new.mode]
            if old.target != new.target:
                found["targets"] = [shown(old.target), shown(new.target)]
        if entry.kind == "file":
            self._describe(path, step, found)
        return found

    def _mark(self, path: str) -> dict[str, bool]:
        return {"may_be_run": True} if self._is_bounded and may_be_run(path) else {}

    def _describe(self, path: str, step: Step, found: dict[str, Any]) -> None:
        """Add whether it is a text, and how that has changed."""
        if PurePosixPath(path).suffix.lower() in _IMAGES:
            found["kind"] = "image"
            return
        if _NO_TEXT.search(path):
            return
        old = "" if step.before is None else self._text(step.image, step.before)
        new = "" if step.after is None else self._text_now(path, step.after)
        known = old if step.after is None else new
        if known is not None:
            found["kind"] = "text"
        if old is not None and new is not None and old != new and self._diffs_left > 0:
            found["diff"] = diff = diff_of(shown(path), old, new)
            self._diffs_left -= len(diff)

    def _text(self, image: Image | None, entry: Entry) -> str | None:
        if self._pack is None or image is None or image.why:
            return None
        if entry.kind != "file" or entry.size > TEXT_LIMIT:
            return None
        try:
            return text_of(self._pack.content(image))
        except OSError:
            return None

    def _text_now(self, path: str, entry: Entry) -> str | None:
        if entry.kind != "file" or entry.size > TEXT_LIMIT:
            return None
        if self._tree is None:
            return None
        return read_text(self._tree, path, entry)


def read_text(tree: Tree, path: str, entry: Entry) -> str | None:
    """Return the text of a file in this state; None if it is no text or has changed."""
    try:
        with tree.file(path) as fd:
            facts = os.fstat(fd)
            if (facts.st_ino, facts.st_ctime_ns) != entry.key:
                return None
            return text_of(os.read(fd, TEXT_LIMIT + 1))
    except OSError:
        return None


def git_folder(path: str) -> str:
    """Return git's own folder that a path is in, '' if it is in none."""
    if ".git" not in path:
        return ""
    at = f"/{path}/".find("/.git/")
    is_inside = at >= 0 and len(path) > at + len(".git")
    is_hook = is_inside and path[at:].startswith(".git/hooks/") and not path.endswith(".sample")
    return path[: at + len(".git")] if is_inside and not is_hook else ""


def text_of(data: bytes) -> str | None:
    """Return bytes as a text; None for binary data."""
    if b"\0" in data or len(data) > TEXT_LIMIT:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def diff_of(path: str, old: str, new: str) -> str:
    """Return a unified diff of bounded length; "" for no difference."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    if max(len(old_lines), len(new_lines)) > _COMPARED_LINES and old and new:
        return ""  # to compare them could take seconds
    names = ("/dev/null" if not old else f"a/{path}", "/dev/null" if not new else f"b/{path}")
    lines = list(difflib.unified_diff(old_lines, new_lines, *names, lineterm=""))
    more = len(lines) - _DIFF_LINES
    kept = [line[:_DIFF_WIDTH] for line in lines[:_DIFF_LINES]]
    return "\n".join([*kept, f"… {more:,} more lines"] if more > 0 else kept)


def as_entry(fields: Any) -> Entry | None:
    """Return an entry of the list that it is written as; None for none."""
    return None if fields is None else Entry(*fields)


def way_to(path: str) -> list[str]:
    """Return the folders on the way to a path, from the first one on."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts))] if path else []


def note_of(before: Entries, after: Entries) -> str:
    """Return which folders were only counted, and by how much their numbers differ."""
    counts: dict[str, int] = {}
    for sign, entries in ((-1, before), (1, after)):
        for path, entry in entries.items():
            if entry.kind == "left_out":
                name = shown(path).rpartition("/")[2]
                counts[name] = counts.get(name, 0) + sign * entry.size
    if not counts:
        return ""
    said = (f"{name} ({n:+,})" if n else name for name, n in sorted(counts.items()))
    return f"Not looked at: {', '.join(said)}."
