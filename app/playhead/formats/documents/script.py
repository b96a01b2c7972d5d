"""Write a conversation as one Python script: its code as it ran, everything else as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure
from playhead.domain.text.terminal import line_ends, one_line, plain
from playhead.formats.documents.notebook import is_python
from playhead.formats.documents.reader_view import (
    CodeBlock,
    Passage,
    error_words,
    failure_words,
    file_name,
    passages_of,
    run_end_words,
)

_HEAD = "# -*- coding: utf-8 -*-"
_NAME = "conversation"
_MAGIC = re.compile(r"\s*(?:[\w.,* ]+=\s*)?[%!?]|\s*[\w.]+\?{1,2}\s*$")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_PYTHON_CELLS = ("time", "timeit", "capture", "prun")
_FUTURE = re.compile(r"^from[ \t]+__future__[ \t]+import[ \t]+([\w, \t]+?)[ \t]*(?:#.*)?$", re.M)
_MAGICS_LIMIT = 500


class _Part(Struct):
    """A stretch of the script; `code` is taken back to comments if the whole does not compile."""

    words: str
    code: str = ""

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.words, self.code)))


def write_script(messages: Iterable[Message], title: str = "") -> str:
    """Return the script: always valid Python, in the order of the conversation.

    Code that did not run, magics, and code that is not Python become comments that say so.
    """
    parts = [_part(item) for item in passages_of(messages)]
    parts = [part for part in parts if part.text]
    futures: list[str] = []
    for part in parts:
        part.code = _without_futures(part.code, futures)
    head = f"{_HEAD}\n{_comment(one_line(title))}" if title else _HEAD
    if futures:
        head += f"\n\nfrom __future__ import {', '.join(dict.fromkeys(futures))}"
    return _valid(head, parts)


def _part(item: Passage | CodeBlock) -> _Part:
    if isinstance(item, Passage):
        words = _passage_words(item.message)
        return _Part(f"# %% [markdown]\n{_comment(words)}" if words else "")
    if not item.code:
        return _Part("")
    told = _run_end_comment(item)
    if not item.has_run:
        return _Part(_left_out(f"{told} {_named(item)}".strip(), item.code))
    if not is_python(item.language):
        return _Part(_left_out(f"This ran as {one_line(item.language)}, not as Python.", item.code))
    code = _python_of(line_ends(item.code).strip("\n"))
    if code is None:
        return _Part(_left_out(f"This is not valid Python. {told}".strip(), item.code))
    return _Part(f"# %%\n{_comment(told)}" if told else "# %%", code)


def _passage_words(message: Message) -> str:
    match message.type:
        case "message":
            return f"You:\n{message.text}" if message.role == "user" else message.text
        case "reasoning" | "plan":
            return f"{message.type.capitalize()}:\n{message.text}"
        case "file" | "image" if message.role == "user":
            is_name = message.type == "file" or (message.format or "path") == "path"
            return f"You attached {file_name(message.text) if is_name else 'a picture'}."
        case "tool_call":
            return f"Call of the tool {one_line(message.format or '')}:\n{message.text}"
        case "tool_result":
            return f"Result of the tool {one_line(message.format or '')}:\n{message.text}"
        case _:
            content = message.content
            return f"Failed: {failure_words(content)}" if isinstance(content, Failure) else ""


def _run_end_comment(block: CodeBlock) -> str:
    """Return text on how the code ended if it failed, else ''."""
    words = run_end_words(block)
    if block.error is not None:
        words = f"When it ran it failed: {error_words(block.error)}. {words}"
    return words.strip()


def _named(block: CodeBlock) -> str:
    return "" if is_python(block.language) else f"({one_line(block.language)})"


def _left_out(words: str, code: str) -> str:
    return f"# %% [markdown]\n{_comment(words)}\n{_comment(line_ends(code).strip(chr(10)))}"


def _comment(text: str) -> str:
    """Return the text as comments; no line of it begins a cell or declares an encoding."""
    rows = plain(line_ends(text)).split("\n")
    return "\n".join(f"# {_escape_cell_mark(row)}".rstrip() for row in rows)


def _escape_cell_mark(row: str) -> str:
    return f"\\{row.lstrip()}" if row.lstrip().startswith("%%") else row


def _python_of(code: str) -> str | None:
    """Return the code with its magics as comments; None if it is not Python even then."""
    rows = code.split("\n")
    if (cell := _CELL_MAGIC.match(code)) is not None:
        if cell[1] not in _PYTHON_CELLS:
            return None
        rows[0] = _without_magic(rows[0])
    for _ in range(_MAGICS_LIMIT):
        place = _syntax_error_line("\n".join(rows))
        if place is None:
            return "\n".join(rows)
        if not 0 < place <= len(rows) or not _MAGIC.match(rows[place - 1]):
            return None
        rows[place - 1] = _without_magic(rows[place - 1])
    return None


def _without_magic(row: str) -> str:
    """Return the line as a comment, after `pass` in a block, which may need a statement."""
    indent = row[: len(row) - len(row.lstrip())]
    words = f"# Left out, this is not Python: {plain(row.strip())}"
    return f"{indent}pass  {words}" if indent else words


def _syntax_error_line(code: str) -> int | None:
    """Return the line of the code's syntax error: 0 if it is unknown, None if there is no error."""
    try:
        compile(code, _NAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.lineno or 0
    except (ValueError, RecursionError, MemoryError):
        return 0
    return None


def _without_futures(code: str, found: list[str]) -> str:
    """Return the code without the imports that must be at the top of a file."""
    if "__future__" not in code:
        return code
    for names in _FUTURE.findall(code):
        found += [name.strip() for name in names.split(",") if name.strip()]
    return _FUTURE.sub("# (this import stands at the top)", code)


def _valid(head: str, parts: list[_Part]) -> str:
    """Return the whole script; parts that are valid alone but not together become comments."""
    while True:
        text = "\n\n".join([head, *(part.text for part in parts)]) + "\n"
        place = _syntax_error_line(text)
        if place is None:
            return text
        faulty = _part_at(place, head, parts)
        if faulty is None:
            return _all_comments(head, parts)
        faulty.words = _left_out("This is valid Python only by itself.", faulty.code)
        faulty.code = ""


def _part_at(place: int, head: str, parts: list[_Part]) -> _Part | None:
    """Return the part that contains a line of the whole, if it is code."""
    last = head.count("\n") + 1
    if place <= last:
        return None
    for part in parts:
        last += 2 + part.text.count("\n")
        if place <= last:
            return part if part.code else None
    return None


def _all_comments(head: str, parts: list[_Part]) -> str:
    words = [part.words if not part.code else _left_out("", part.code) for part in parts]
    return "\n\n".join([_HEAD, _comment(head), *words]) + "\n"
