"""What came of a block of code as the outputs of a notebook's cell (nbformat 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from playhead.dialects.lmc_payloads import encode_payload
from playhead.dialects.passages import CodeBlock
from playhead.dialects.picture_data import SVG, ReadFile, picture_of
from playhead.dialects.pieces import whole_chunk
from playhead.dialects.said_words import changes_words, fate, file_name, input_words
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, FileChanges, InputRequest, Table
from playhead.domain.text.tables import as_html, as_plain
from playhead.domain.text.terminal import plain
from playhead.domain.text.unicode import whole_characters

Wire = dict[str, Any]

TABLE_MIME = "application/vnd.playhead.table+json"
"""Our own tables, whole, beside their HTML and text; others skip what they do not know."""
_MARKUP = {
    "html": "text/html",
    "javascript": "application/javascript",
    "markdown": "text/markdown",
    "latex": "text/latex",
}
_TRACEBACK = "Traceback (most recent call last):"
_JOINT = re.compile(r"(During handling of|The above exception was the direct cause of) the ")
_LOOKED_AT = 200_000


def outputs_of(block: CodeBlock, read_file: ReadFile) -> list[Wire]:
    """The outputs of a cell, in their order; an exception with its traceback."""
    outputs: list[Wire] = []
    for message in block.results:
        match message.content:
            case CodeError() as error:
                outputs.append(_error(error, outputs))
            case InputRequest() as asked:
                _print(outputs, "stdout", input_words(asked) + "\n")
            case Table() as table:
                outputs.append(_display(_table(table)))
            case FileChanges() as changes:
                text = whole("\n".join(changes_words(changes)))
                outputs.append(_display({"text/plain": lines(text)}))
            case _ if message.type == "console":
                _print(outputs, "stdout", whole_characters(message.text))
            case _:
                outputs.append(_display(_rich(message, read_file)))
    if block.report is not None and (words := fate(block)):
        _print(outputs, "stderr", f"[{whole_characters(words)}]\n")
    return outputs


def lines(text: str) -> list[str]:
    """A text as notebooks keep it: a list of lines with their ends."""
    return text.splitlines(keepends=True) if "\n" in text else [text] if text else []


def whole(text: str) -> str:
    """The text with whole characters only."""
    return whole_characters(text)


def _print(outputs: list[Wire], name: str, text: str) -> None:
    """Add to a stream; neighbours are one output."""
    last = outputs[-1] if outputs else {}
    if last.get("output_type") == "stream" and last["name"] == name:
        text = "".join(last["text"]) + text
        outputs.pop()
    outputs.append({"output_type": "stream", "name": name, "text": _stream_lines(text)})


def _stream_lines(text: str) -> list[str]:
    """Only `\\n` ends a line: a return is part of what a progress bar prints."""
    return [piece for piece in re.split(r"(?<=\n)", text) if piece]


def _display(data: Wire) -> Wire:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _table(table: Table) -> Wire:
    content = whole_chunk(Chunk("computer", "table", content=table)).content
    return {
        TABLE_MIME: encode_payload(cast(Table, content))["content"],
        "text/html": lines(whole(as_html(table))),
        "text/plain": lines(whole(as_plain(table))),
    }


def _rich(message: Message, read_file: ReadFile) -> Wire:
    if message.type != "image":
        mime = _MARKUP.get((message.format or "").lower(), "text/plain")
        text = whole(message.text)
        fallback = {} if mime in ("text/plain", "text/markdown") else {"text/plain": lines(text)}
        return {mime: lines(text), **fallback}
    picture = picture_of(message, read_file)
    if picture is None:
        return {"text/plain": [missing_words(message)]}
    if picture.mime == SVG:
        return {SVG: lines(picture.data.decode("utf-8", "replace"))}
    return {picture.mime: picture.base64}


def missing_words(message: Message) -> str:
    """What stands in the place of a picture that could not be read."""
    name = file_name(message.text) if (message.format or "path") == "path" else ""
    return f"[The picture {name} could not be read.]".replace("  ", " ")


def _error(error: CodeError, outputs: list[Wire]) -> Wire:
    """The exception; its traceback moves from the end of what was printed to where it belongs."""
    name, message = whole(error.name), whole(error.message)
    traceback: list[str] = []
    last = next((one for one in reversed(outputs) if one["output_type"] == "stream"), None)
    if last is not None:
        kept, traceback = split_traceback("".join(last["text"]), name)
        last["text"] = _stream_lines(kept)
        if not kept:
            outputs.remove(last)
    if not traceback:
        traceback = [f"{name}: {message}" if message else name]
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": traceback}


def split_traceback(output: str, name: str) -> tuple[str, list[str]]:
    """The output without the traceback at its end, and the lines of that, colours kept."""
    begin = max(0, len(output) - _LOOKED_AT)
    rows = output[begin:].rstrip("\n").split("\n")
    shown = [plain(row) for row in rows]
    if not any(re.match(rf"(?:[\w.]+\.)?{re.escape(name)}(?::|$)", row) for row in shown):
        return output, []
    heads = [at for at, row in enumerate(shown) if row == _TRACEBACK]
    heads = heads or [at for at, row in enumerate(shown) if row.startswith('  File "')]
    if not heads:
        return output, []
    first = _first_of_chain(shown, heads)
    kept = "\n".join(rows[:first])
    return output[:begin] + (f"{kept}\n" if kept else ""), rows[first:]


def _first_of_chain(shown: list[str], heads: list[int]) -> int:
    """The traceback that begins the chain which the last one ends."""
    at = len(heads) - 1
    while at > 0 and _is_joined(shown[heads[at - 1] : heads[at]]):
        at -= 1
    return heads[at]


def _is_joined(between: Iterable[str]) -> bool:
    return any(_JOINT.match(row) for row in between)
