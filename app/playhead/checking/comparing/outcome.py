"""The results of one block as they are compared: texts, figures, tables, an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from playhead.domain.conversation.payloads import CodeError, InputRequest, Table, split_printed
from playhead.domain.text.terminal import plain
from playhead.formats.documents.picture import picture_of
from playhead.formats.documents.reader_view import CodeBlock

OutcomeKind = Literal["text", "figure", "table", "markup", "error", "question"]
Verdict = Literal["same", "volatile", "differs"]
"""`volatile`: only parts differ that no two runs have in common, such as addresses and times."""


class Outcome(Struct, frozen=True, kw_only=True):
    """One result: a text, the bytes of a picture, or a table.

    `name` is the format of a markup, the class of an error or the media type of a figure.
    """

    kind: OutcomeKind
    text: str = ""
    name: str = ""
    data: bytes = b""
    table: Table | None = None


class Match(Struct, frozen=True):
    """The result of a comparison; `words` say what differs, '' where nothing does."""

    verdict: Verdict
    words: str = ""


SAME = Match("same")


def outcomes_of(block: CodeBlock, read_file: Callable[[str], bytes | None]) -> tuple[Outcome, ...]:
    """Return the results of a block in their order; neighbouring texts are one.

    Changes of files are left out: all files are compared at the end.
    """
    found: list[Outcome] = []
    for message in block.results:
        match message.content:
            case CodeError() as error:
                _add_error(found, error)
            case InputRequest(prompt=prompt):
                found.append(Outcome(kind="question", text=prompt))
            case Table() as table:
                found.append(Outcome(kind="table", table=table))
            case str() as text if message.type == "console":
                _add_text(found, text)
            case str() if message.type == "image":
                picture = picture_of(message, read_file)
                data = picture.data if picture is not None else b""
                found.append(
                    Outcome(kind="figure", name=picture.mime if picture else "", data=data)
                )
            case str() as text if message.type == "code":
                found.append(Outcome(kind="markup", name=message.format or "", text=text))
            case _:
                pass
    return tuple(one for one in found if one.kind != "text" or one.text)


def _add_text(found: list[Outcome], text: str) -> None:
    text = plain(text)
    if found and found[-1].kind == "text":
        text = found.pop().text + text
    found.append(Outcome(kind="text", text=text))


def _add_error(found: list[Outcome], error: CodeError) -> None:
    """Add an error; its traceback, which names files and lines, is not part of the text."""
    if found and found[-1].kind == "text":
        last = found.pop().text
        kept, _ = split_printed(last, error.printed)
        if kept == last:
            kept = last.partition("Traceback (most recent call last)")[0]
        found.append(Outcome(kind="text", text=kept))
    found.append(Outcome(kind="error", name=error.name, text=plain(error.message)))
