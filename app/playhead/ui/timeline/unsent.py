"""The line above the oldest message that still goes to the model."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.ui.timeline.rows import Note, Row
from playhead.ui.wording import tr

UNSENT = "unsent"
"""The key of the line; there is one at most."""


def with_mark(rows: Sequence[Row], before: int | None) -> list[Row]:
    """The rows with the line before the one at an index of them, or without it."""
    line = next((row for row in rows if row.key == UNSENT), None)
    target = rows[before] if before is not None and 0 < before < len(rows) else None
    others = [row for row in rows if row.key != UNSENT]
    if target is None or target.key == UNSENT:
        return others if target is None else list(rows)
    at = others.index(target)
    return [*others[:at], line or Row(UNSENT, "note", note=_note()), *others[at:]]


def _note() -> Note:
    return Note(
        "info",
        tr("What stands above is no longer sent to the model."),
        tr("The conversation is longer than the model takes; the oldest turns were left out."),
    )
