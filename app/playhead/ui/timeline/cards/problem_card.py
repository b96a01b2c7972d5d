"""An exception of the user's code: its last line, and the traceback on demand."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from playhead.domain.conversation.payloads import CodeError, Frame
from playhead.ui.timeline.cards.card import CardTools, Intent, PaintState, Spot
from playhead.ui.timeline.cards.small_cards import BoxCard
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.line_clipper import clip
from playhead.ui.timeline.text.markdown_stream import cut_plain
from playhead.ui.timeline.text.shapes import draw_text, text_width
from playhead.ui.widgets.wording import tr

_FOLD = 24
_TITLE_CHARS = 400


class ProblemCard(BoxCard):
    """Shows the error and its place; the traceback is folded under it."""

    gap = 12

    def __init__(self, row: Row, tools: CardTools) -> None:
        self._remedy: BlockColumn | None = None
        content = row.message.content if row.message else None
        self._error = (
            content
            if isinstance(content, CodeError)
            else CodeError(name=tr("Error"), message=row.text)
        )
        super().__init__(row, tools)

    def refresh(self) -> None:
        """Lay out the traceback as code, only while it is open."""
        super().refresh()
        trace = self._trace() if self.row.is_open else ""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker)
        self.column.set_blocks(cut_plain(clip(trace), "code") if trace else [])
        if self._error.remedy:
            self._remedy = self._remedy or BlockColumn(self.tools.maker)
            self._remedy.set_blocks(cut_plain(clip(self._error.remedy[:4_000]), "plain"))

    def forget(self) -> None:
        """Forget the colours, which the remedy's document has too."""
        super().forget()
        if self._remedy is not None:
            self._remedy.forget()

    def release(self) -> None:
        """Release the documents."""
        super().release()
        if self._remedy is not None:
            self._remedy.release()

    def title(self) -> str:
        """Return the error's kind and message."""
        first = self._error.message.strip().split("\n")[0][:_TITLE_CHARS]
        name = self._error.name[:_TITLE_CHARS]
        return f"{name}: {first}" if first else name

    def words(self) -> str:
        """Return ''; the place of the error is beside the line that opens the traceback."""
        return ""

    def source(self) -> str:
        """Return the traceback, or what is known of it, and the remedy."""
        told, remedy = self._trace() or self.title(), self._error.remedy
        return told if not remedy or remedy in told else f"{told}\n{remedy}"

    def where(self) -> str:
        """Return the place nearest to the failure, in words."""
        frames = self._error.frames
        own = [frame for frame in frames if not frame.file]
        if not frames:
            return ""
        nearest, words = frames[-1], _place(frames[-1])
        if own and own[-1] != nearest:
            words = tr("line {line} → {words}", line=own[-1].line, words=words)
        return words

    def text_box(self) -> QRect:
        """Return the box under the line that opens the traceback."""
        box = super().text_box()
        extra = _FOLD + 4 if self._has_line() else 0
        return QRect(box.left(), self._line_top() + extra, box.width(), 0)

    def _line_top(self) -> int:
        """Return the top of the line that opens the traceback, below title and remedy."""
        box = super().text_box()
        if self._remedy is None or not self.width:
            return box.top()
        return box.top() + self._remedy.lay_out(box.width(), 0, 10_000) + 4

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the buttons: the line, the traceback, its copy, and the fix if a model is set."""
        spots = [*self._place_spots(), *self._mend_spots()]
        if not self._trace():
            return spots
        label = tr("Hide traceback") if self.row.is_open else tr("Show traceback")
        width = text_width(self.theme, label, 12) + 4
        rect = QRect(self._trace_left(width), self._line_top() + 2, width, _FOLD)
        spots.append(Spot(rect=rect, intent=Intent("fold"), tip=label, label=label, look="word"))
        copy = Intent("copy", self._trace())
        return [*spots, self.icon_spot(self.width - 8, 23, "copy", tr("Copy traceback"), copy)]

    def _trace_left(self, width: int) -> int:
        place = self.where()
        left = 40 + (text_width(self.theme, place, 12) + 14 if place else 0)
        return min(left, max(40, self.width - 16 - width))

    def _place_spots(self) -> list[Spot]:
        """Return the place of the failure, which leads to the line in the editor."""
        line, place = self.own_line(), self.where()
        if not line or not self.row.origin:
            return []
        width = min(text_width(self.theme, place, 12) + 4, self.width - 54)
        rect = QRect(40, self._line_top() + 2, width, _FOLD)
        intent = Intent("line", f"{self.row.origin} {line}")
        return [
            Spot(
                rect=rect,
                intent=intent,
                tip=tr("Show line {line} in the editor", line=line),
                look="bare",
            )
        ]

    def _mend_spots(self) -> list[Spot]:
        if not self.tools.has_model():
            return []
        label, top = tr("Ask the model to fix it"), self.frame_height() - 38
        return [self.button_spot(40, top, label, Intent("mend", self.title()), "wrench")]

    def own_line(self) -> int:
        """Return the line of the code itself that failed, 0 if it is not known."""
        own = [frame.line for frame in self._error.frames if not frame.file]
        return own[-1] if own else 0

    def frame_height(self) -> int:
        """Return the height, with room for the button."""
        return super().frame_height() + (40 if self.tools.has_model() else 0)

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the frame, the remedy and the place of the error."""
        super().paint_frame(painter, state)
        if self._remedy is not None:
            top = super().text_box().top()
            painter.save()
            painter.translate(40, top)
            self._remedy.paint(painter, state.clip.translated(-40, -top), None)
            painter.restore()
        if place := self.where():
            top = self._line_top() + 2
            room = self.width - 40 - 14 - (104 if self._trace() else 0)
            is_link = bool(self.own_line() and self.row.origin)
            colour = "accent" if is_link else "mute"
            draw_text(painter, QRect(40, top, room, _FOLD), place, self.theme, colour, 12)

    def _has_line(self) -> bool:
        return bool(self._error.frames or self._trace())

    def _trace(self) -> str:
        """Return the traceback that the program printed, else its frames."""
        if self.row.items:
            return self.row.items[0]
        if not self._error.frames and "\n" not in self._error.message.strip():
            return ""
        name, message = self._error.name, self._error.message
        lines = [f"  {_place(frame)}" for frame in self._error.frames]
        return "\n".join([*lines, f"{name}: {message}".rstrip(": ")])


def _place(frame: Frame) -> str:
    file = tr(" of {name}", name=PurePath(frame.file).name) if frame.file else ""
    name = tr(", in {name}", name=frame.name) if frame.name not in ("", "<module>") else ""
    return tr(
        "line {line}{name}{name_2}",
        line=frame.line,
        name=file[:_TITLE_CHARS],
        name_2=name[:_TITLE_CHARS],
    )
