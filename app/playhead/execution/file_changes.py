"""Tells what differs between two snapshots of a folder, with diffs where both texts are known."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from playhead.domain.conversation.payloads import FileChange, FileChanges
from playhead.execution.snapshots import GivenUp, Snapshot, Stamp, Texts, read_text

LISTED_LIMIT = 200
"""Of each kind; a block that unpacks an archive has made thousands."""
_DIFF_LINES = 400
_DIFF_WIDTH = 400
_COMPARED_LINES = 2_000
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg"})


class Comparison:
    """Two snapshots of one folder; `texts` are those known from before."""

    def __init__(self, folder: str, before: Snapshot, after: Snapshot, texts: Texts) -> None:
        self._folder = folder
        self._before = before
        self._after = after
        self._texts = texts

    def changes(self, is_given_up: GivenUp) -> FileChanges:
        """What was created, changed and deleted; diffs are left out once somebody gave up."""
        old, new = self._before.files, self._after.files
        created = sorted(new.keys() - old.keys())
        deleted = sorted(old.keys() - new.keys())
        changed = sorted(path for path, stamp in new.items() if old.get(path, stamp) != stamp)
        return FileChanges(
            self._folder,
            tuple(self._change(path, is_given_up) for path in created[:LISTED_LIMIT]),
            tuple(self._change(path, is_given_up) for path in changed[:LISTED_LIMIT]),
            tuple(self._change(path, is_given_up) for path in deleted[:LISTED_LIMIT]),
            self._note(),
            *(_total(paths) for paths in (created, changed, deleted)),
        )

    def _change(self, path: str, is_given_up: GivenUp) -> FileChange:
        old, new = self._before.files.get(path), self._after.files.get(path)
        size = (new or old or Stamp(0, 0, 0)).size
        if PurePosixPath(path).suffix.lower() in _IMAGES:
            return FileChange(path, size, "image")
        if is_given_up():
            return FileChange(path, size)
        old_text = "" if old is None else self._texts.get(path, old)
        new_text = "" if new is None else read_text(os.path.join(self._folder, path), new)
        if old_text is None or new_text is None:
            is_text = old_text is not None if new is None else new_text is not None
            return FileChange(path, size, "text" if is_text else "other")
        return FileChange(path, size, "text", diff_of(path, old_text, new_text))

    def _note(self) -> str:
        skipped = sorted(self._before.skipped | self._after.skipped)
        return f"Not looked at: {', '.join(skipped)}." if skipped else ""


def _total(paths: list[str]) -> int:
    """How many there are where not all of them are listed."""
    return len(paths) if len(paths) > LISTED_LIMIT else 0


def diff_of(path: str, old: str, new: str) -> str:
    """A unified diff of bounded length; "" where nothing differs."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    if max(len(old_lines), len(new_lines)) > _COMPARED_LINES and old and new:
        return ""  # to compare them could take seconds
    names = ("/dev/null" if not old else f"a/{path}", "/dev/null" if not new else f"b/{path}")
    import difflib  # not needed for the first paint

    lines = list(difflib.unified_diff(old_lines, new_lines, *names, lineterm=""))
    more = len(lines) - _DIFF_LINES
    kept = [line[:_DIFF_WIDTH] for line in lines[:_DIFF_LINES]]
    return "\n".join([*kept, f"… {more:,} more lines"] if more > 0 else kept)
