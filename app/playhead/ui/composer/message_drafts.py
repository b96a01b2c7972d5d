"""Drafts of messages on the disk, so that unsent text survives a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from playhead.atomic_file import read_checked
from playhead.domain.conversation.message import Attachment
from playhead.domain.text.json_text import read_json
from playhead.session.message_queue import QueuedMessage

MOST_DRAFTS = 200
_LIMIT_BYTES = 500_000_000


class Draft(Struct, frozen=True, kw_only=True):
    """The unsent text of one conversation; `missing` names attachments that no longer exist."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    queued: tuple[QueuedMessage, ...] = ()
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is anything to keep."""
        return bool(self.text or self.attachments or self.queued)


class StoredDrafts(Struct, frozen=True):
    """Holds all drafts by the id of their conversation ('' for a new one) and the last models."""

    drafts: Mapping[str, Draft]
    models: tuple[tuple[str, str], ...] = ()


def encoded(kept: StoredDrafts) -> str:
    """Return all as one JSON text; if there are too many drafts, only the last ones."""
    rows = {
        key: {
            "text": draft.text,
            "attachments": _rows(draft.attachments),
            "queued": [[one.id, one.text, _rows(one.attachments)] for one in draft.queued],
        }
        for key, draft in list(kept.drafts.items())[-MOST_DRAFTS:]
        if draft
    }
    return json.dumps({"version": 1, "models": kept.models, "drafts": rows})


def decoded(text: str) -> StoredDrafts:
    """Return what `encoded` was given; leave out what cannot be read."""
    try:
        table: Any = read_json(text)
    except ValueError:
        return StoredDrafts({})
    if not isinstance(table, dict):
        return StoredDrafts({})
    table = cast("dict[str, Any]", table)
    rows, models = table.get("drafts"), table.get("models")
    drafts: dict[str, Draft] = {}
    for key, row in rows.items() if isinstance(rows, dict) else ():
        if isinstance(row, dict) and isinstance(row.get("text"), str):
            drafts[str(key)] = _draft(cast("dict[str, Any]", row))
    return StoredDrafts(drafts, tuple(_pairs(models)))


def read(path: Path) -> StoredDrafts:
    """Return the drafts in a file, without missing attachments. Call it in a thread."""
    try:
        kept = decoded(read_checked(path, _LIMIT_BYTES, read_json))
    except OSError:
        return StoredDrafts({})
    return StoredDrafts({key: _looked_at(draft) for key, draft in kept.drafts.items()}, kept.models)


def _looked_at(draft: Draft) -> Draft:
    """Return the draft without missing attachments; queued messages keep their text."""
    gone: list[str] = []
    attachments = _existing(draft.attachments, gone)
    queued = tuple(
        replace(one, attachments=_existing(one.attachments, gone)) for one in draft.queued
    )
    queued = tuple(one for one in queued if one.text or one.attachments)
    return Draft(text=draft.text, attachments=attachments, queued=queued, missing=tuple(gone))


def _existing(attachments: Iterable[Attachment], gone: list[str]) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for one in attachments:
        if Path(one.path).exists():
            found.append(one)
        else:
            gone.append(one.name or one.path)
    return tuple(found)


def _rows(attachments: Sequence[Attachment]) -> list[list[object]]:
    return [[one.kind, one.path, one.name, one.size_bytes] for one in attachments]


def _draft(row: dict[str, Any]) -> Draft:
    queued = row.get("queued")
    return Draft(
        text=row["text"],
        attachments=tuple(_attachments(row.get("attachments"))),
        queued=tuple(_queued(queued) if isinstance(queued, list) else ()),
    )


def _attachments(rows: object) -> Iterable[Attachment]:
    for row in cast("list[object]", rows) if isinstance(rows, list) else ():
        match row:
            case [("file" | "image" | "folder") as kind, str(path), str(name), int(size)] if path:
                yield Attachment(kind=kind, path=path, name=name, size_bytes=size)
            case _:
                pass


def _queued(rows: Iterable[object]) -> Iterable[QueuedMessage]:
    for row in rows:
        match row:
            case [str(id_), str(text), list() as attachments] if id_:
                yield QueuedMessage(id_, text, tuple(_attachments(attachments)))
            case _:
                pass


def _pairs(rows: object) -> Iterable[tuple[str, str]]:
    for row in cast("list[object]", rows) if isinstance(rows, list) else ():
        match row:
            case [str(model), str(base)] if model:
                yield model, base
            case _:
                pass
