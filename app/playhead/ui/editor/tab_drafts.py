"""The user's own tabs on the disk, so that unsaved text and the open tab survive a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from playhead.atomic_file import read_checked
from playhead.domain.text.json_text import read_json
from playhead.errors import StorageError
from playhead.ui.editor.tab import Tab
from playhead.ui.editor.text_files import FileForm
from playhead.ui.widgets.wording import tr

_LIMIT_BYTES = 500_000_000
LARGEST = 25_000_000
"""Characters of one tab: more than any file that is opened here has."""


class TabDrafts(Struct, frozen=True):
    """The stored tabs with their texts, and the key of the one that was open."""

    tabs: tuple[Tab, ...] = ()
    current: str = ""


def encoded(tabs: Iterable[Tab], current: str) -> str:
    """Return the tabs as one JSON text; `text` of each must be up to date."""
    rows = [_row(tab) for tab in tabs if len(tab.text) <= LARGEST and (tab.text or tab.file)]
    return json.dumps({"version": 1, "current": current, "tabs": rows})


def decoded(text: str) -> TabDrafts:
    """Return what `encoded` was given; leave out what cannot be read."""
    try:
        table: Any = read_json(text)
    except ValueError:
        return TabDrafts()
    if not isinstance(table, dict):
        return TabDrafts()
    rows = cast("dict[str, Any]", table).get("tabs")
    current = str(cast("dict[str, Any]", table).get("current", ""))
    found = (_tab(row) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
    return TabDrafts(tuple(tab for tab in found if tab is not None), current)


def read(path: Path) -> TabDrafts:
    """Return the tabs in the file; no tabs if it is missing or unreadable."""
    try:
        return decoded(read_checked(path, _LIMIT_BYTES, read_json))
    except OSError:
        return TabDrafts()


def write_error(path: Path, error: OSError) -> StorageError:
    """Return the error for drafts that cannot be written."""
    return StorageError(
        tr("What you have written is not being kept."),
        detail=f"{path}: {error.strerror or error}",
        remedy=tr("Free some space, or see that the folder can be written to. Save or send it."),
    )


def _row(tab: Tab) -> dict[str, object]:
    row: dict[str, object] = {
        "key": tab.key,
        "title": tab.title,
        "language": tab.language,
        "text": tab.text,
    }
    if tab.original != tab.text:
        row["original"] = tab.original
    if (form := tab.file) is not None:
        row["file"] = [form.path, form.encoding, form.line_end, list(form.stamp or ())]
    return row


def _tab(row: dict[str, Any]) -> Tab | None:
    words = [row.get(name) for name in ("key", "title", "language", "text")]
    if not all(isinstance(word, str) for word in words):
        return None
    key, title, language, text = (str(word) for word in words)
    original = str(row.get("original", text))
    form = _form(row.get("file"))
    return Tab(
        key=key,
        title=title,
        language=language,
        is_own=True,
        text=text,
        original=original,
        base=original if form else None,
        is_edited=text != original,
        file=form,
    )


def _form(value: object) -> FileForm | None:
    match value:
        case [str(path), str(encoding), ("\n" | "\r\n" | "\r") as line_end, [*stamp]]:
            numbers = [one for one in stamp if isinstance(one, int)]
            known = (numbers[0], numbers[1]) if len(numbers) == 2 else None
            return FileForm(path=path, encoding=encoding, line_end=line_end, stamp=known)
        case _:
            return None
