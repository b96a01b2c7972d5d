"""Outputs of a notebook's cell → messages; pages and scripts come as their source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from playhead.dialects.imported import MessageRow
from playhead.dialects.lmc_payloads import UnknownContentError, decode_payload
from playhead.dialects.notebook_outputs import TABLE_MIME
from playhead.dialects.picture_data import SUFFIXES, SVG, picture_of_base64
from playhead.domain.conversation.payloads import CodeError, Table
from playhead.domain.text.terminal import plain
from playhead.domain.text.unicode import whole_characters

Fields = Mapping[str, Any]
_MARKUP = {
    "text/markdown": "markdown",
    "text/latex": "latex",
    "text/html": "html",
    "application/javascript": "javascript",
    "text/javascript": "javascript",
}
_FRAME = re.compile(r"<table[^>]*class=[\"'][^\"']*\bdataframe\b", re.IGNORECASE)
_NAME_LIMIT = 200


def fields_of(value: object) -> Fields:
    """An object of a notebook; an empty one for anything else."""
    return cast(Fields, value) if isinstance(value, Mapping) else {}


def as_text(value: object) -> str:
    """A text of a notebook: one, or a list of lines; '' for anything else."""
    if isinstance(value, list):
        parts = cast("list[object]", value)
        value = "".join(part for part in parts if isinstance(part, str))
    return whole_characters(value) if isinstance(value, str) else ""


def add_outputs(row: MessageRow, outputs: list[object]) -> None:
    """Add what a cell has printed and shown, in its order."""
    printed: list[str] = []

    def settle(last: str = "") -> None:
        if text := "".join((*printed, last)):
            row.add("computer", "console", text)
        printed.clear()

    for raw in outputs:
        output = fields_of(raw)
        match output.get("output_type"):
            case "stream":
                printed.append(as_text(output.get("text")))
            case "error":
                error = _add_traceback(printed, output)
                settle()
                row.add("computer", "error", error)
            case "display_data" | "execute_result":
                text = _add_shown(row, fields_of(output.get("data")), settle)
                printed.append(f"{text}\n" if text and not text.endswith("\n") else text)
            case _:
                row.left_out += 1
    settle()


def _add_traceback(printed: list[str], output: Fields) -> CodeError:
    """Print the traceback, as a kernel of ours does; returns the error as data."""
    name = plain(as_text(output.get("ename")))[:_NAME_LIMIT] or "Error"
    message = plain(as_text(output.get("evalue")))
    rows = output.get("traceback")
    lines = [as_text(row) for row in cast("list[object]", rows)] if isinstance(rows, list) else []
    if lines:
        printed.append("\n".join(lines) + "\n")
    return CodeError(name, message)


def _add_shown(row: MessageRow, data: Fields, settle: Callable[..., None]) -> str:
    """Add the richest form that is known here; a text that is to be printed in its place."""
    if (table := _table(data.get(TABLE_MIME))) is not None:
        text = table.text or as_text(data.get("text/plain"))
        settle(f"{text}\n" if text else "")  # which is what a model is told of it
        row.add("computer", "table", replace(table, text=text, key=""))
        return ""
    for mime in SUFFIXES:
        if mime in data:
            settle()
            return _add_picture(row, mime, as_text(data[mime]))
    text = as_text(data.get("text/plain"))
    for mime, format_ in _MARKUP.items():
        markup = as_text(data.get(mime))
        if markup and not (text and _FRAME.search(markup)):
            settle()
            row.add("computer", "code", markup, format_)
            return ""
    if not text and data:
        row.left_out += 1
    return text


def _add_picture(row: MessageRow, mime: str, text: str) -> str:
    if mime == SVG and "<svg" in text:
        row.add("computer", "image", text, "svg")
        return ""
    picture = picture_of_base64(text)
    if picture is None or picture.mime == SVG:
        return "[A picture that could not be read.]"
    row.add("computer", "image", picture.base64, f"base64.{picture.suffix}")
    return ""


def _table(content: object) -> Table | None:
    if content is None:
        return None
    try:
        table = decode_payload("table", content)
    except UnknownContentError:
        return None
    return table if isinstance(table, Table) else None
