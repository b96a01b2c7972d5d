"""Keep the arrows between versions under the mouse while another branch is shown."""

from __future__ import annotations

from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.row_layout import Anchor


class VersionPosition:
    """Knows where the arrows were that somebody used. Owner: the view."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._target = ""
        self._bottom = 0

    def note(self, index: int, target: str) -> None:
        """Store the version that was requested with the arrows at the end of a row."""
        self._target = target
        self._bottom = self._canvas.card_rect(index).bottom()

    def hold(self) -> None:
        """Put the arrows of the version that is shown now where the others were."""
        canvas, target = self._canvas, self._target
        self._target = ""
        if not target:
            return
        found = [
            (index, row)
            for index, row in enumerate(canvas.sheet.rows)
            if row.versions is not None and row.versions.ids[row.versions.shown] == target
        ]
        for index, row in found[:1]:
            canvas.show_anchor(Anchor(key=row.key, part=0, above=-self._bottom))
            above = canvas.card_rect(index).height() - 1 - self._bottom
            canvas.show_anchor(Anchor(key=row.key, part=0, above=above))
            canvas.follow_if_at_end()


def version_beside(canvas: Canvas, index: int, step: int) -> str:
    """Return the version before (-1) or after (1) the one that a row ends or belongs to."""
    rows = canvas.sheet.rows
    for row in rows[index:]:
        if row.versions is not None:
            return row.versions.previous if step < 0 else row.versions.following
        if row is not rows[index] and row.kind in ("question", "attachment"):
            break
    return ""
