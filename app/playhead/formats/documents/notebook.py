"""Write a conversation as a Jupyter notebook (nbformat 4.5): prose, code with its outputs,
pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk, ChunkType
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChanges,
    InputRequest,
    Payload,
    RunReport,
    Table,
    split_printed,
)
from playhead.domain.text.fences import fenced, quoted
from playhead.domain.text.tables import as_html, as_plain
from playhead.domain.text.terminal import line_ends
from playhead.domain.text.unicode import whole_characters
from playhead.formats.documents.message_list import wire_of
from playhead.formats.documents.picture import SVG, ReadFile, no_files, picture_of
from playhead.formats.documents.reader_view import (
    CodeBlock,
    Passage,
    changes_words,
    failure_words,
    file_name,
    input_words,
    missing_picture_words,
    passages_of,
    report_words,
    run_end_words,
    source_address,
    source_words,
    sources_of,
)
from playhead.formats.wire.codec import Wire, whole_chunk
from playhead.formats.wire.native.objects import encode_payload

TABLE_MIME = "application/vnd.playhead.table+json"
"""Our own tables, whole, beside their HTML and text; others skip what they do not know."""
RESULT_MIME = "application/vnd.playhead.result+json"
"""Other results of our own: changes of files, and questions of the code."""
_MARKUP = {
    "html": "text/html",
    "javascript": "application/javascript",
    "markdown": "text/markdown",
    "latex": "text/latex",
}


def outputs_of(block: CodeBlock, read_file: ReadFile) -> list[Wire]:
    """Return the outputs of a cell, in their order; an exception with its traceback."""
    outputs: list[Wire] = []
    for message in block.results:
        match message.content:
            case CodeError() as error:
                outputs.append(_error(error, outputs))
            case InputRequest() as asked:
                outputs.append(_display(_own("input", asked, input_words(asked))))
            case Table() as table:
                outputs.append(_display(_table(table)))
            case FileChanges() as changes:
                words = "\n".join(changes_words(changes))
                outputs.append(_display(_own("files", _without_diffs(changes), words)))
            case _ if message.type == "console":
                _print(outputs, "stdout", whole_characters(message.text))
            case _:
                outputs.append(_display(_rich(message, read_file)))
    if block.report is not None and (words := run_end_words(block)):
        _print(outputs, "stderr", f"[{whole_characters(words)}]\n")
    return outputs


def lines(text: str) -> list[str]:
    """Return a text as notebooks store it: a list of lines with their line ends."""
    return text.splitlines(keepends=True) if "\n" in text else [text] if text else []


def whole(text: str) -> str:
    """Return the text with lone surrogates replaced."""
    return whole_characters(text)


def _print(outputs: list[Wire], name: str, text: str) -> None:
    """Add to a stream; neighbours are one output."""
    last = outputs[-1] if outputs else {}
    if last.get("output_type") == "stream" and last["name"] == name:
        text = "".join(last["text"]) + text
        outputs.pop()
    outputs.append({"output_type": "stream", "name": name, "text": _stream_lines(text)})


def _stream_lines(text: str) -> list[str]:
    """Split a text at `\n` only: a carriage return is part of a progress bar's output."""
    return [piece for piece in re.split(r"(?<=\n)", text) if piece]


def _display(data: Wire) -> Wire:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _table(table: Table) -> Wire:
    return {
        TABLE_MIME: _content("table", table),
        "text/html": lines(whole(as_html(table))),
        "text/plain": lines(whole(as_plain(table))),
    }


def _own(kind: ChunkType, payload: Payload, words: str) -> Wire:
    """Return a result as data for us, and in words for others."""
    data = {"type": kind, "content": _content(kind, payload)}
    return {RESULT_MIME: data, "text/plain": lines(whole(words))}


def _without_diffs(changes: FileChanges) -> FileChanges:
    """Return the changes without what is inside the files."""
    groups = {
        "created": changes.created,
        "changed": changes.changed,
        "deleted": changes.deleted,
        "moved": changes.moved,
    }
    listed = {
        name: tuple(replace(file, diff="") for file in files) for name, files in groups.items()
    }
    return replace(changes, **listed)


def _content(kind: ChunkType, payload: Payload) -> Wire:
    """Return a payload as our messages have it."""
    chunk = whole_chunk(Chunk(role="computer", type=kind, content=payload))
    return encode_payload(cast(Payload, chunk.content))["content"]


def _rich(message: Message, read_file: ReadFile) -> Wire:
    if message.type != "image":
        mime = _MARKUP.get((message.format or "").lower(), "text/plain")
        text = whole(message.text)
        fallback = {} if mime in ("text/plain", "text/markdown") else {"text/plain": lines(text)}
        return {mime: lines(text), **fallback}
    picture = picture_of(message, read_file)
    if picture is None:
        return {"text/plain": [missing_picture_words(message)]}
    if picture.mime == SVG:
        return {SVG: lines(picture.data.decode("utf-8", "replace"))}
    return {picture.mime: picture.base64}


def _error(error: CodeError, outputs: list[Wire]) -> Wire:
    """Return the exception as an output; take its traceback from the end of the printed text."""
    name, message = whole(error.name), whole(error.message)
    traceback: list[str] = []
    last = next((one for one in reversed(outputs) if one["output_type"] == "stream"), None)
    if last is not None:
        kept, printed = split_printed("".join(last["text"]), error.printed)
        traceback = printed.rstrip("\n").split("\n") if printed else []
        last["text"] = _stream_lines(kept)
        if not kept:
            outputs.remove(last)
    if not traceback:
        traceback = [f"{name}: {message}" if message else name]
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": traceback}


OURS = "playhead"
"""The key of our own words in the notebook's metadata."""
CHECK = "check"
"""The kind of the cell with the report of a check, which is no part of the conversation."""
YOU = "**You**"
TITLES = {"reasoning": "**Reasoning**", "plan": "**Plan**"}
CELL_MAGICS = {
    "bash": "%%bash",
    "shell": "%%bash",
    "sh": "%%sh",
    "html": "%%html",
    "latex": "%%latex",
    "perl": "%%perl",
    "ruby": "%%ruby",
    "javascript": "%%script node",
    "r": "%%script Rscript -",
}
"""Magics of a Python notebook for other languages; for the rest `%%script LANGUAGE`."""
_WORD = re.compile(r"[A-Za-z][\w+#.-]*")
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def write_notebook(
    messages: Iterable[Message], title: str = "", read_file: ReadFile = no_files
) -> Wire:
    """Return the notebook; a file that `read_file` cannot read is replaced by a note."""
    writer = _Writer(read_file)
    if title:
        writer.prose(f"# {' '.join(whole(title).split())}", "title")
    for item in passages_of(messages):
        if isinstance(item, CodeBlock):
            writer.code(item)
        else:
            writer.passage(item)
    return {
        "cells": writer.cells,
        "metadata": {
            "kernelspec": _KERNEL,
            "language_info": {"name": "python"},
            OURS: {"title": whole(title)},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def is_python(language: str) -> bool:
    """Return whether code is in the notebook's own language."""
    return language.lower() in ("", "python", "py", "python3", "ipython")


class _Writer:
    """Adds cells."""

    def __init__(self, read_file: ReadFile) -> None:
        self.cells: list[Wire] = []
        self._read_file = read_file
        self._runs = 0

    def prose(
        self, text: str, kind: str, role: str = "", ours: Wire | None = None, **fields: Any
    ) -> None:
        facts = {"type": kind, **({"role": role} if role else {}), **(ours or {})}
        cell = {"source": lines(line_ends(text)), "metadata": {OURS: facts}, **fields}
        self._add("markdown", cell)

    def code(self, block: CodeBlock) -> None:
        """Add a code cell; its source is empty if the results have no code."""
        self._runs += block.has_run
        ours: Wire = {"language": whole(block.language) or "python", "has_run": block.has_run}
        if block.is_edited:
            ours["written"] = whole(block.written)
        if block.notes:
            ours["notes"] = [whole(note) for note in block.notes]
        if block.report is not None:
            report = replace(block.report, output_path=None, seconds=round(block.report.seconds, 3))
            ours["run"] = _content("run", report)
        if block.error is not None:
            ours["error"] = _content("error", block.error)
        cell = {
            "source": lines(_source(block)),
            "metadata": {**_execution(block), OURS: ours},
            "execution_count": self._runs if block.has_run else None,
            "outputs": outputs_of(block, self._read_file),
        }
        self._add("code", cell)

    def passage(self, passage: Passage) -> None:
        message = passage.message
        text = line_ends(message.text)
        match message.type:
            case "message" if message.role == "user":
                self.prose(f"{YOU}\n\n{text}", "message", "user")
            case "message" | "citation":
                self._say(passage, text)
            case "reasoning" | "plan":
                title = TITLES[message.type]
                words = quoted(f"{title}\n\n{text}")
                self.prose(words, message.type, message.role, _state(message))
            case "image":
                self._picture(message)
            case "file":
                name = file_name(text)
                words = f"{YOU} attached the file `{name}`."
                self.prose(words, "file", message.role, {"name": whole(name)})
            case _:
                self._other(message, text)

    def _say(self, passage: Passage, text: str) -> None:
        cited = [_content("citation", citation) for citation in passage.citations]
        ours = {**_state(passage.message), **({"citations": cited} if cited else {})}
        words = text + sources_text(passage.citations)
        self.prose(words, "message", passage.message.role, ours)

    def _other(self, message: Message, text: str) -> None:
        name = " ".join((message.format or "").split())
        match message.content:
            case Failure() as failure:
                words = quoted(f"**Failed.** {failure_words(failure)}")
            case RunReport() as report:
                words = quoted(report_words(report))
                message = replace(message, content=replace(report, output_path=None))
            case _ if message.type == "tool_call":
                words = f"**Call of the tool {name}**\n\n{fenced(text, 'json')}"
            case _ if message.type == "tool_result":
                words = f"**Result of the tool {name}**\n\n{fenced(text, 'text')}"
            case _:
                words = fenced(text, name)
        if words:
            self.prose(words, message.type, message.role, {"message": wire_of(message)})

    def _picture(self, message: Message) -> None:
        picture = picture_of(message, self._read_file)
        if picture is None:
            self.prose(missing_picture_words(message), "image", message.role)
            return
        name = f"picture.{picture.suffix}"
        text = f"{YOU} attached a picture.\n\n![picture](attachment:{name})"
        attachments = {name: {picture.mime: picture.base64}}
        self.prose(text, "image", message.role, attachments=attachments)

    def _add(self, kind: str, fields: Wire) -> None:
        cell_id = f"cell-{len(self.cells) + 1}"
        self.cells.append({"cell_type": kind, "id": cell_id, **fields})


def _source(block: CodeBlock) -> str:
    code = line_ends(block.code)
    return code if is_python(block.language) else f"{_magic(block.language)}\n{code}"


def _magic(language: str) -> str:
    """Return the first line of a cell in another language."""
    word = language.strip().lower()
    if word in CELL_MAGICS:
        return CELL_MAGICS[word]
    return f"%%script {word}" if _WORD.fullmatch(word) else "%%script false"


def _state(message: Message) -> Wire:
    return {} if message.state == "complete" else {"state": "interrupted"}


def _execution(block: CodeBlock) -> Wire:
    """Return the times of a run where JupyterLab keeps and shows them."""
    if not block.began_at or block.report is None:
        return {}
    began = _moment(block.began_at)
    ended = _moment(block.began_at + block.report.seconds)
    return {
        "execution": {
            "iopub.execute_input": began,
            "shell.execute_reply.started": began,
            "shell.execute_reply": ended,
            "iopub.status.idle": ended,
        }
    }


def _moment(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def sources_text(citations: tuple[Citation, ...]) -> str:
    """Return the cited sources as a list, to follow the text that cites them."""
    found = sources_of(citations)
    if not found:
        return ""
    rows: list[str] = []
    for number, source in enumerate(found, 1):
        address = source_address(source)
        rows.append(f"{number}. {source_words(source)}" + (f" <{address}>" if address else ""))
    return whole("\n\nSources:\n\n" + "\n".join(rows))
