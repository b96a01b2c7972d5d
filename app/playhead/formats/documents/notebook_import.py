"""Read Jupyter notebooks of version 4 from anybody; nothing in them is run or loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.conversation.chunk import ChunkType, Role
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Payload,
    RunReport,
    Table,
)
from playhead.domain.model import EXECUTE
from playhead.domain.text.fences import fenced
from playhead.domain.text.terminal import plain
from playhead.domain.text.unicode import whole_characters
from playhead.errors import DocumentError, phrase
from playhead.formats.documents.foreign_tables import has_frame, table_of_html, table_of_resource
from playhead.formats.documents.imported_conversation import (
    ImportedConversation,
    MessageBuilder,
    close_open_ends,
)
from playhead.formats.documents.message_list import add_message
from playhead.formats.documents.notebook import (
    CELL_MAGICS,
    CHECK,
    OURS,
    RESULT_MIME,
    TABLE_MIME,
    TITLES,
    YOU,
    sources_text,
)
from playhead.formats.documents.picture import SUFFIXES, SVG, picture_of_base64
from playhead.formats.documents.reader_view import report_words
from playhead.formats.wire.native.objects import UnknownContentError, decode_payload

Fields = Mapping[str, Any]
_MARKUP = {
    "text/markdown": "markdown",
    "text/latex": "latex",
    "text/html": "html",
    "application/javascript": "javascript",
    "text/javascript": "javascript",
}
_NAME_LIMIT = 200
_OWN_RESULTS: tuple[ChunkType, ...] = ("files", "input")
_OWN_PASSAGES: tuple[ChunkType, ...] = ("tool_call", "tool_result", "error", "run")
RESOURCE_MIME = "application/vnd.dataresource+json"
"""The tables of pandas with `display.html.table_schema`."""


def fields_of(value: object) -> Fields:
    """Return an object of a notebook; an empty one for any other value."""
    return cast(Fields, value) if isinstance(value, Mapping) else {}


def as_text(value: object) -> str:
    """Return a text of a notebook, which may be a list of lines; '' for any other value."""
    if isinstance(value, list):
        parts = cast("list[object]", value)
        value = "".join(part for part in parts if isinstance(part, str))
    return whole_characters(value) if isinstance(value, str) else ""


def add_outputs(row: MessageBuilder, outputs: list[object], known: Payload | None = None) -> None:
    """Add what a cell has printed and shown, in its order; `known` has more of its error."""
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
                if isinstance(known, CodeError) and known.name == error.name:
                    error = replace(error, frames=known.frames, remedy=known.remedy)
                row.add("computer", "error", error)
            case "display_data" | "execute_result":
                data = fields_of(output.get("data"))
                if (own := _own_result(data)) is not None:
                    settle()
                    row.add("computer", *own)
                    continue
                text = _add_shown(row, data, settle)
                printed.append(f"{text}\n" if text and not text.endswith("\n") else text)
            case _:
                row.left_out += 1
    settle()


def _own_result(data: Fields) -> tuple[ChunkType, Payload] | None:
    """Return a result that is neither text nor markup nor a table, as we have written it."""
    told = fields_of(data.get(RESULT_MIME))
    for kind in _OWN_RESULTS:
        if told.get("type") == kind and (found := _payload(kind, told.get("content"))):
            return kind, found
    return None


def _payload(kind: ChunkType, content: object) -> Payload | None:
    """Return what a message of ours contains; None if it is not valid."""
    try:
        return decode_payload(kind, content)
    except UnknownContentError:
        return None


def _add_traceback(printed: list[str], output: Fields) -> CodeError:
    """Print the traceback, as a kernel of ours does; returns the error as data."""
    name = plain(as_text(output.get("ename")))[:_NAME_LIMIT] or "Error"
    message = plain(as_text(output.get("evalue")))
    rows = output.get("traceback")
    lines = [as_text(row) for row in cast("list[object]", rows)] if isinstance(rows, list) else []
    text = "\n".join(lines) + "\n" if lines else ""
    printed.append(text)
    return CodeError(name=name, message=message, printed=len(text) or None)


def _add_shown(row: MessageBuilder, data: Fields, settle: Callable[..., None]) -> str:
    """Add the richest form that is known here, or return a text to print in its place."""
    if (table := _table(data)) is not None:
        text = table.text or as_text(data.get("text/plain"))
        settle(f"{text}\n" if text else "")  # which is what the model gets
        row.add("computer", "table", replace(table, text=text, key=""))  # a key of another kernel
        return ""
    for mime in SUFFIXES:
        if mime in data:
            settle()
            return _add_picture(row, mime, as_text(data[mime]))
    text = as_text(data.get("text/plain"))
    for mime, format_ in _MARKUP.items():
        markup = as_text(data.get(mime))
        if markup and not (text and has_frame(markup)):
            settle()
            row.add("computer", "code", markup, format_)
            return ""
    if not text and data:
        row.left_out += 1
    return text


def _add_picture(row: MessageBuilder, mime: str, text: str) -> str:
    if mime == SVG and "<svg" in text:
        row.add("computer", "image", text, "svg")
        return ""
    picture = picture_of_base64(text)
    if picture is None or picture.mime == SVG:
        return "[A picture that could not be read.]"
    row.add("computer", "image", picture.base64, f"base64.{picture.suffix}")
    return ""


def _table(data: Fields) -> Table | None:
    """Return the table that an output has: one of our own, with a schema, or as HTML."""
    table = _payload("table", data[TABLE_MIME]) if TABLE_MIME in data else None
    if isinstance(table, Table):
        return table
    markup = as_text(data.get("text/html"))
    return table_of_resource(data.get(RESOURCE_MIME)) or table_of_html(markup)


_LANGUAGES = {magic: word for word, magic in CELL_MAGICS.items() if word != "shell"}
_SCRIPT = re.compile(r"%%script (?:--\S+ )*([\w+#.-]+)\s*")
_KERNEL_WORDS = {"ir": "r", "javascript": "javascript", "typescript": "typescript"}
_LONGEST_RUN_S = 1e9
_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}")


def is_notebook(raw: object) -> bool:
    """Return whether a parsed JSON document looks like a notebook."""
    return isinstance(raw, Mapping) and ("nbformat" in raw or "cells" in raw)


def read_notebook(raw: object, title: str = "") -> ImportedConversation:
    """Return the conversation of a parsed notebook. Raises DocumentError."""
    book = _checked(raw)
    ours = fields_of(fields_of(book.get("metadata")).get(OURS))
    reader = _Reader(_language(book))
    for cell in cast("list[object]", book["cells"]):
        reader.take(cell)
    row = reader.row
    if not row.messages:
        raise DocumentError(
            "There is nothing in this notebook.", remedy="Choose one that has cells."
        )
    told = ours.get("title")
    title = told if isinstance(told, str) and told else title
    return ImportedConversation(title, tuple(close_open_ends(row.messages)), row.left_out)


def _checked(raw: object) -> Fields:
    book = fields_of(raw)
    version = book.get("nbformat")
    if isinstance(version, int) and version < 4:
        raise DocumentError(
            phrase("This notebook is of the old version {version} of the format.", version=version),
            remedy="Save it with a newer Jupyter (`jupyter nbconvert --to notebook`), then import.",
        )
    if isinstance(version, int) and version > 4:
        raise DocumentError(
            phrase(
                "This notebook is of version {version} of the format, which is not known here.",
                version=version,
            ),
            remedy="Save it as version 4.",
        )
    if not isinstance(book.get("cells"), list):
        raise DocumentError(
            "This file is not a notebook.",
            detail="It has no list of cells.",
            remedy="Choose a file that Jupyter opens.",
        )
    return book


def _language(book: Fields) -> str:
    """Return the language of the notebook's code."""
    facts = fields_of(book.get("metadata"))
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        word = fields_of(facts.get(key)).get(name)
        if isinstance(word, str) and _WORD.fullmatch(word):
            return _KERNEL_WORDS.get(word.lower(), word.lower())
    return "python"


class _Reader:
    """Turns cells into messages."""

    def __init__(self, language: str) -> None:
        self.row = MessageBuilder()
        self._language = language

    def take(self, raw: object) -> None:
        """Read one cell; count it as skipped if it is not valid."""
        cell = fields_of(raw)
        ours = fields_of(fields_of(cell.get("metadata")).get(OURS))
        text = as_text(cell.get("source"))
        match cell.get("cell_type"):
            case "markdown":
                self._prose(text, ours, fields_of(cell.get("attachments")))
            case "code":
                self._code(text, ours, cell)
            case "raw" if text:
                self.row.add("assistant", "message", fenced(text, "text"))
            case "raw":
                pass
            case _:
                self.row.left_out += 1

    def _prose(self, text: str, ours: Fields, attachments: Fields) -> None:
        role: Role = "user" if ours.get("role") == "user" else "assistant"
        if ours.get("type") in ("title", CHECK) or self._own_passage(role, ours):
            return
        kind, text = _kind_of_prose(text, ours)
        citations = _citations(ours)
        text = text.removesuffix(sources_text(citations))
        for picture in attachments.values():
            self._attachment(fields_of(picture), "user" if role == "user" else "computer")
        is_picture = ours.get("type") == "image" and bool(attachments)
        state = "interrupted" if ours.get("state") == "interrupted" else "complete"
        if text.strip() and not is_picture:
            self.row.add(role, kind, text, state=state)
        for citation in citations:
            self.row.add(role, "citation", citation)

    def _own_passage(self, role: Role, ours: Fields) -> bool:
        """Add what is no prose though its cell is; False for other prose."""
        told, name = fields_of(ours.get("message")), ours.get("name")
        if ours.get("type") == "file" and isinstance(name, str) and name:
            self.row.add(role, "file", whole_characters(name), "path")
            return True
        return told.get("type") in _OWN_PASSAGES and add_message(self.row, told)

    def _attachment(self, bundle: Fields, role: Role) -> None:
        for mime, data in bundle.items():
            picture = picture_of_base64(as_text(data)) if mime in SUFFIXES else None
            if picture is None:
                self.row.left_out += 1
            elif picture.mime == SVG:
                text = picture.data.decode("utf-8", "replace")
                self.row.add("computer", "image", text, "svg")
            else:
                self.row.add(role, "image", picture.base64, f"base64.{picture.suffix}")

    def _code(self, text: str, ours: Fields, cell: Fields) -> None:
        language, code = _language_of(text, self._language)
        told = ours.get("language")
        if isinstance(told, str) and _WORD.fullmatch(told) and language != self._language:
            language = told.lower()
        outputs = cell.get("outputs")
        found = cast("list[object]", outputs) if isinstance(outputs, list) else []
        began, seconds = _times(fields_of(cell.get("metadata")))
        has_run = bool(found) or isinstance(cell.get("execution_count"), int)
        if not code.strip() and not found:
            return
        written = ours.get("written")
        first = written if isinstance(written, str) and written else code
        message = self.row.add("assistant", "code", first, language) if code.strip() else None
        if not has_run or message is None:
            add_outputs(self.row, found)
            notes = ours.get("notes")
            for note in cast("list[object]", notes) if isinstance(notes, list) else []:
                self.row.add("computer", "tool_result", as_text(note), EXECUTE)
            return
        report = _report(fields_of(ours.get("run")), seconds)
        self.row.created_at = began or self.row.created_at
        self.row.begin_run(language, code, message)
        add_outputs(self.row, _without_note(found, report), _payload("error", ours.get("error")))
        self.row.created_at += seconds if began else 0.0
        self.row.end_run(report)


def _kind_of_prose(text: str, ours: Fields) -> tuple[ChunkType, str]:
    """Return the type of a cell that we wrote, and its text without the mark for readers."""
    kind = ours.get("type")
    if ours.get("role") == "user":
        return "message", text.removeprefix(YOU).lstrip("\n") if kind == "message" else text
    if kind == "reasoning" or kind == "plan":
        rows = [line.removeprefix(">").removeprefix(" ") for line in text.split("\n")]
        return kind, "\n".join(rows).removeprefix(TITLES[kind]).lstrip("\n")
    return "message", text


def _language_of(text: str, default: str) -> tuple[str, str]:
    """Return the language of a cell and its code; a magic in the first line may set another one."""
    first, _, rest = text.partition("\n")
    first = first.strip()
    if first in _LANGUAGES:
        return _LANGUAGES[first], rest
    if (script := _SCRIPT.fullmatch(first)) is not None:
        return script[1].lower(), rest
    return default, text


_TIMES = (
    ("execution", ("shell.execute_reply.started", "iopub.execute_input", "iopub.status.busy"),
     ("shell.execute_reply", "iopub.status.idle")),
    ("papermill", ("start_time",), ("end_time",)),
    ("ExecuteTime", ("start_time",), ("end_time",)),
)  # fmt: skip
"""Where JupyterLab and nbconvert, papermill, and an extension of the old notebook keep them."""


def _times(facts: Fields) -> tuple[float, float]:
    """Return when a cell was run, in seconds since the epoch, and for how long; 0 if unknown."""
    for name, begins, ends in _TIMES:
        told = fields_of(facts.get(name))
        began = next(filter(None, (_moment(told.get(key)) for key in begins)), 0.0)
        ended = next(filter(None, (_moment(told.get(key)) for key in ends)), 0.0)
        if began:
            return began, _duration(ended - began if ended else 0.0)
    colab = fields_of(facts.get("executionInfo"))
    took, ended = _duration(colab.get("elapsed"), 1000), _duration(colab.get("timestamp"), 1000, 10)
    return max(0.0, ended - took), took


def _moment(text: object) -> float:
    """Return a time of a notebook, in UTC if it does not say; 0 if it is not one."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment is None:
            return 0.0
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _duration(value: object, parts: int = 1, longest: int = 1) -> float:
    """Return a number of seconds, or of their parts, within limits; else 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    seconds = value / parts
    return float(seconds) if 0 <= seconds < _LONGEST_RUN_S * longest else 0.0


def _report(told: Fields, seconds: float) -> RunReport:
    """Return the end of the run as one of our own notebooks records it."""
    report = _payload("run", told)
    if not isinstance(report, RunReport) or report.state == "started":
        report = RunReport(state="finished")
    took = _duration(report.seconds) or seconds
    return replace(report, seconds=took, output_path=None)  # a click would open that file


def _without_note(outputs: list[object], report: RunReport) -> list[object]:
    """Return the outputs without what we have added to say how the run ended."""
    last = fields_of(outputs[-1] if outputs else None)
    words = report_words(report)
    is_note = last.get("name") == "stderr" and as_text(last.get("text")) == f"[{words}]\n"
    return outputs[:-1] if words and is_note else outputs


def _citations(ours: Fields) -> tuple[Citation, ...]:
    """Return the citations of a passage that we have written."""
    told = ours.get("citations")
    found = (
        [_payload("citation", one) for one in cast("list[object]", told)]
        if isinstance(told, list)
        else []
    )
    return tuple(one for one in found if isinstance(one, Citation))
