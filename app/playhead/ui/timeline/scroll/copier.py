"""Entries, turns and selections as Markdown or as text; a picture as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRunnable, QSize, QThreadPool
from PySide6.QtCore import Signal as QtSignal
from PySide6.QtGui import QGuiApplication, QImage

from playhead.domain.conversation.message import Message
from playhead.domain.text.fences import fenced
from playhead.domain.text.tables import as_markdown
from playhead.ui.timeline.cards.picture_decoder import decode_picture
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.text_selection import Selection
from playhead.ui.timeline.text.block_column import END, START, BlockColumn
from playhead.ui.timeline.text.find_query import MARKDOWN_KINDS
from playhead.ui.timeline.text.markdown_stream import MarkdownStream

_RENDERED = 100
"""So many entries are copied as they are shown; of more, the source is as good as text."""
_SPEAKERS = ("## You\n", "## Assistant\n")
_DRAWING_SIZE, _ANY_SIZE = QSize(2_000, 2_000), QSize(1 << 30, 1 << 30)


class Copier:
    """Makes text of rows and puts it on the clipboard. Owner: the view."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._sheet = canvas.sheet
        self._maker = canvas.maker
        self.pictures = PictureCopier(canvas)

    def copy(self) -> None:
        """Put what is selected, or else the entry with the ring, on the clipboard.

        A picture alone is copied as a picture.
        """
        ringed = self._canvas.model.index_of(self._canvas.ringed)
        if (index := self._lone_picture(ringed)) is not None:
            self.pictures.copy(self._sheet.rows[index])
        elif self._canvas.selection is None and ringed is not None:
            to_clipboard(self._sheet.source(ringed))
        else:
            to_clipboard(self._canvas.selected_text())

    def copy_selection(self, *, is_markdown: bool) -> None:
        """Put what is selected on the clipboard, as Markdown or as it is shown."""
        if selection := self._canvas.selection:
            to_clipboard(self.selection(selection, is_markdown=is_markdown))

    def _lone_picture(self, ringed: int | None) -> int | None:
        selection, sheet = self._canvas.selection, self._sheet
        if selection is None:
            is_picture = ringed is not None and sheet.rows[ringed].kind == "image"
            return ringed if is_picture else None
        shown = [
            index
            for index in range(selection.first.row, selection.last.row + 1)
            if index < len(sheet.rows) and sheet.is_shown(index)
        ][:2]
        is_lone = len(shown) == 1 and sheet.rows[shown[0]].kind == "image"
        return shown[0] if is_lone else None

    def markdown_of(self, index: int) -> str:
        """Return an entry as Markdown that shows it as it is."""
        row = self._sheet.rows[index]
        match row.kind:
            case "answer" | "question" | "plan" | "reasoning" | "rendered":
                return row.text.strip("\n")
            case "code" | "markup":
                return fenced(row.text.rstrip("\n"), row.language)
            case "console":
                printed = self._sheet.card(index).source().strip("\n")
                return fenced(printed, "text") if printed else ""
            case "versions":
                return ""
            case "table" if row.sorting.page is not None:
                return as_markdown(row.sorting.page)
            case _ if row.message is not None:
                return messages_markdown([row.message])
            case _:
                return self._sheet.source(index)

    def text_of(self, index: int) -> str:
        """Return an entry as it is shown, without marks."""
        row = self._sheet.rows[index]
        if row.kind not in MARKDOWN_KINDS:
            return self._sheet.card(index).source().strip("\n")
        stream = MarkdownStream()
        stream.feed(row.text)
        stream.finish()
        column = BlockColumn(self._maker)
        column.definitions = stream.definitions
        column.set_blocks(stream.closed)
        return column.text_between(START, END).strip("\n") if len(column) else ""

    def selection(self, selection: Selection, *, is_markdown: bool) -> str:
        """Return the selection; of the entries at its ends, only the selected part."""
        first = selection.first.row
        last = min(selection.last.row, len(self._sheet.rows) - 1)
        whole = self.markdown_of if is_markdown else self.text_of
        if not is_markdown and last - first >= _RENDERED:
            whole = self._sheet.source
        pieces: list[str] = []
        for index in range(first, last + 1):
            part = selection.part(index)
            if part is None or not self._sheet.is_shown(index):
                continue
            column = self._sheet.card(index).column if part != (START, END) else None
            if part == (START, END):
                pieces.append(whole(index))
            elif column is not None:
                text = column.text_between(*part)
                kind = self._sheet.rows[index].kind
                is_code = is_markdown and kind in ("code", "console") and "\n" in text
                pieces.append(fenced(text, self._sheet.rows[index].language) if is_code else text)
        return "\n\n".join(piece for piece in pieces if piece)

    def turn(self, index: int, messages: Sequence[Message], *, is_markdown: bool) -> str:
        """Return the question of an entry with everything that came of it."""
        rows = self._sheet.rows
        first, last = turn_of(rows, index)
        if not is_markdown:
            indexes = range(first, last + 1)
            texts = (self.text_of(one) for one in indexes if self._sheet.is_shown(one))
            return "\n\n".join(text for text in texts if text)
        ids = [message.id for message in messages]
        begin = ids.index(rows[first].key) if rows[first].key in ids else 0
        after = rows[last + 1].key if last + 1 < len(rows) else ""
        end = ids.index(after) if after in ids else len(ids)
        from playhead.formats.documents.markdown_document import write_markdown  # later, as below

        return write_markdown(messages[begin:end], folder="").text.strip("\n")


def turn_of(rows: Sequence[Row], index: int) -> tuple[int, int]:
    """Return the first and the last row of the turn that contains a row."""
    first = index
    while first and rows[first].kind not in ("question", "attachment"):
        first -= 1
    while first and rows[first - 1].kind == "attachment":
        first -= 1
    last = index
    while last + 1 < len(rows) and rows[last].kind == "attachment":
        last += 1
    while last + 1 < len(rows) and rows[last + 1].kind not in ("question", "attachment"):
        last += 1
    return first, last


def messages_markdown(messages: Sequence[Message]) -> str:
    """Return messages as Markdown, without headings for the speakers; pictures are only named."""
    from playhead.formats.documents.markdown_document import (
        write_markdown,  # not needed for the first paint
    )

    text = write_markdown(messages, folder="").text
    for speaker in _SPEAKERS:
        text = text.removeprefix(speaker)
    return text.strip("\n")


def to_clipboard(text: str) -> None:
    """Put a text on the clipboard, unless there is none."""
    if text:
        QGuiApplication.clipboard().setText(text)


class PictureCopier(QObject):
    """Reads a picture in a thread and puts it on the clipboard. Owner: the view."""

    _read = QtSignal(QImage)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._read.connect(self._on_read)

    def copy(self, row: Row) -> None:
        """Copy the picture of a row in its own size."""
        QThreadPool.globalInstance().start(_PictureJob(row.text, row.language or "path", self))

    def _on_read(self, image: QImage) -> None:
        if not image.isNull():
            QGuiApplication.clipboard().setImage(image)


class _PictureSignals(QObject):
    read = QtSignal(QImage)


class _PictureJob(QRunnable):
    """Holds nothing of the view, which may be gone before it ends."""

    def __init__(self, source: str, kind: str, copier: PictureCopier) -> None:
        super().__init__()
        self._source, self._kind = source, kind
        self._answer = _PictureSignals()
        self._answer.read.connect(copier._read)

    def run(self) -> None:
        """Read the picture; Qt calls this in a thread of the pool."""
        limit = _DRAWING_SIZE if self._kind == "svg" else _ANY_SIZE
        self._answer.read.emit(decode_picture(self._source, self._kind, limit)[0])
