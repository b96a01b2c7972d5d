"""Turns what a kernel shows (images, markup, frames) into chunks; all of it can be forged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playhead.domain.conversation.chunk import Chunk, ChunkType
from playhead.execution.run_output import file_name
from playhead.execution.spool import Spool
from playhead.execution.tables import parse_json, table_of

IMAGE_LIMIT = 64_000_000
MARKUP_LIMIT = 8_000_000
TABLE_LIMIT = 2_000_000
_KEPT_LIMIT = 1_000_000_000
_LONGEST_TEXT = 65_536


class Results:
    """The results of one run, fetched from the kernel's spool folder."""

    def __init__(self, spool: Spool, output_dir: Path, run_id: str) -> None:
        self._spool = spool
        self._stem = output_dir / file_name(run_id)

    def take(self, kind: str, name: str) -> list[Chunk] | str:
        """Whole messages that show it, or a text for the console; [] if it is none."""
        match kind:
            case "png":
                return self._image(name)
            case "svg":
                return self._markup("image", kind, name)
            case "html" | "javascript" | "markdown" | "latex":
                return self._markup("code", kind, name)
            case "table":
                return self._table(name)
            case "text":
                return self._too_long(kind, name) or self._text(name)
            case _:
                return []

    def _image(self, name: str) -> list[Chunk]:
        path = self._place(name, "png")
        if not self._spool.take(name, path, IMAGE_LIMIT):
            return []
        return list(message("image", "path", str(path)))

    def _markup(self, kind: ChunkType, form: str, name: str) -> list[Chunk] | str:
        return self._too_long(form, name) or list(message(kind, form, self._text(name)))

    def _table(self, name: str) -> list[Chunk]:
        data = self._spool.read(name, TABLE_LIMIT)
        table = table_of(parse_json(data) or {}) if data else None
        return [] if table is None else [Chunk("computer", "table", content=table)]

    def _text(self, name: str) -> str:
        return (self._spool.read(name, MARKUP_LIMIT) or b"").decode("utf-8", "replace")

    def _too_long(self, form: str, name: str) -> str:
        """A note in the place of what is too long to be shown; it is kept as a file."""
        size = self._spool.size(name)
        path = self._place(name, form)
        if size <= MARKUP_LIMIT or not self._spool.take(name, path, _KEPT_LIMIT):
            return ""
        return f"[{form} of {size:,} bytes, too long to be shown: {path}]\n"

    def _place(self, name: str, suffix: str) -> Path:
        stem = file_name(name.removesuffix("." + suffix))
        return self._stem.with_name(f"{self._stem.name}-{stem}.{suffix}")


def message(kind: ChunkType, form: str, text: str) -> Iterator[Chunk]:
    """A whole message of this text; nothing if there is none."""
    if not text:
        return
    yield Chunk("computer", kind, form, start=True)
    for at in range(0, len(text), _LONGEST_TEXT):
        yield Chunk("computer", kind, form, text[at : at + _LONGEST_TEXT])
    yield Chunk("computer", kind, form, end=True)
