"""An exception of the user's code: its last line, and the traceback on demand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import PurePath

from msgspec.structs import replace
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF, QPainter

from playhead.domain.conversation.payloads import CodeError, Frame
from playhead.domain.execution import Variable
from playhead.ui.timeline.cards.card import BUTTON_PX, CardTools, Intent, PaintState, Spot
from playhead.ui.timeline.cards.small_cards import BoxCard
from playhead.ui.timeline.model.console_text import TracePlace, places_in
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.line_clipper import clip
from playhead.ui.timeline.text.markdown_stream import Block, cut_plain
from playhead.ui.timeline.text.shapes import draw_text, text_width
from playhead.ui.widgets.wording import tr

_FOLD = 24
_TITLE_CHARS = 400
_COLUMN_CHARS = 30
_NO_FILES = ("<", "\\\\", "//")
"""Beginnings of what is no file of this machine; Windows sends a password to other machines."""


class ProblemCard(BoxCard):
    """Shows the error and its place; the traceback is folded under it."""

    gap = 12

    def __init__(self, row: Row, tools: CardTools) -> None:
        self._remedy: BlockColumn | None = None
        self._places: list[tuple[int, int, TracePlace]] = []  # with a block and a line in it
        content = row.message.content if row.message else None
        self._error = (
            with_cells(content, row)
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
        blocks = self._linked(cut_plain(clip(trace), "code")) if trace else []
        self.column.set_blocks([*blocks, *self._failure_blocks()])
        if self._error.remedy:
            self._remedy = self._remedy or BlockColumn(self.tools.maker)
            self._remedy.set_blocks(cut_plain(clip(self._error.remedy[:4_000]), "plain"))

    def _linked(self, blocks: list[Block]) -> list[Block]:
        """Return the blocks of the traceback with links where it names places to see."""
        found: list[Block] = []
        self._places = []
        for index, block in enumerate(blocks):
            places = [place for place in places_in(block.source) if self._intent(place)]
            self._places += [(index, place.number, place) for place in places]
            found.append(replace(block, links=_spans_of(block.source, places)))
        return found

    def _intent(self, place: TracePlace) -> Intent | None:
        """Return what a place leads to: a block of the conversation or a file; None for neither."""
        if key := self.row.blocks.get(place.file):
            return Intent("line", f"{key} {place.line}")
        if place.file.startswith(_NO_FILES):
            return None
        return Intent("source", f"{place.line} {place.file}")

    def _failure_blocks(self) -> list[Block]:
        if not self.row.failure:
            return []
        title = Block(kind="title", source=tr("Variables at the failure"))
        return [title, *cut_plain(clip(self.row.failure), "code")]

    def act(self, word: str) -> bool:
        """Hide the variables."""
        self.row.failure = ""
        self.refresh()
        return True

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

    def title_margin(self) -> int:
        """Return the room for the button that copies the traceback."""
        return BUTTON_PX if self._trace() else 0

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
        spots = [*self._place_spots(), *self._trace_spots(), *self._button_spots()]
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

    def _trace_spots(self) -> list[Spot]:
        """Return the places that the open traceback names and that can be seen."""
        box, spots = self.text_box(), list[Spot]()
        glyph = QFontMetricsF(self.theme.code_font()).horizontalAdvance("0")
        for block, number, place in self._places if self.row.is_open and self.column else ():
            line = self.column.line_box(block, number) if self.column else QRect()
            if line.isEmpty() or (intent := self._intent(place)) is None:
                continue
            left, right = round(place.start * glyph), round(place.end * glyph)
            rect = QRect(left, line.top(), min(right, line.width()) - left, line.height())
            if right > line.width():  # it goes on in the next line
                rect = line
            tip = tr("Show line {line} in the editor", line=place.line)
            shown = rect.translated(box.topLeft())
            spots.append(Spot(rect=shown, intent=intent, tip=tip, look="bare"))
        return spots

    def _button_spots(self) -> list[Spot]:
        left, top, spots = 40, self.frame_height() - 38, list[Spot]()
        if self.tools.has_model():
            label = tr("Ask the model to fix it")
            spots.append(self.button_spot(left, top, label, Intent("mend", self.title()), "wrench"))
            left = spots[-1].rect.right() + 9
        if self._has_variables():
            is_shown = bool(self.row.failure)
            label = tr("Hide variables") if is_shown else tr("Show variables")
            intent = Intent("card", "hide") if is_shown else Intent("failure")
            spots.append(self.button_spot(left, top, label, intent))
        return spots

    def _has_variables(self) -> bool:
        """Return whether the kernel may still have the variables of the failure, or they show."""
        is_asked = bool(self._error.frames) and self._error.printed is not None
        return bool(self.row.failure) or (is_asked and self.row.state != "past")

    def own_line(self) -> int:
        """Return the line of the code itself that failed, 0 if it is not known."""
        own = [frame.line for frame in self._error.frames if not frame.file]
        return own[-1] if own else 0

    def frame_height(self) -> int:
        """Return the height, with room for the buttons."""
        has_buttons = self.tools.has_model() or self._has_variables()
        return super().frame_height() + (40 if has_buttons else 0)

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


def _spans_of(source: str, places: Sequence[TracePlace]) -> tuple[tuple[int, int], ...]:
    """Return where in a text its places are."""
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    return tuple((starts[one.number] + one.start, starts[one.number] + one.end) for one in places)


def with_cells(error: CodeError, row: Row) -> CodeError:
    """Return an error with the names of cells in place of those that the kernel has for them."""
    frames = (replace(one, file=row.cells.get(one.file, one.file)) for one in error.frames)
    return replace(error, frames=tuple(frames))


def failure_text(error: CodeError, variables: Sequence[Variable]) -> str:
    """Return the variables of an error's frames as lines of columns, the innermost frame first."""
    rows = [(one, f"{one.type} {one.shape}".strip()[:_COLUMN_CHARS]) for one in variables]
    names = max((len(one.name[:_COLUMN_CHARS]) for one in variables), default=0)
    kinds = max((len(kind) for _, kind in rows), default=0)
    lines: list[str] = []
    for index in range(len(error.frames) - 1, -1, -1):
        of_frame = [row for row in rows if row[0].frame == index]
        if of_frame:
            lines.append(_place(error.frames[index]))
        lines += [
            f"    {one.name[:_COLUMN_CHARS]:{names}}  {kind:{kinds}}  {one.value}"
            for one, kind in of_frame
        ]
    return "\n".join(lines)


def _place(frame: Frame) -> str:
    file = tr(" of {name}", name=PurePath(frame.file).name) if frame.file else ""
    name = tr(", in {name}", name=frame.name) if frame.name not in ("", "<module>") else ""
    return tr(
        "line {line}{name}{name_2}",
        line=frame.line,
        name=file[:_TITLE_CHARS],
        name_2=name[:_TITLE_CHARS],
    )
