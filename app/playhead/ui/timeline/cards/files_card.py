"""The changes of a run to the files of its folder: one line each, with previews."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal

from msgspec import Struct
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from playhead.domain.conversation.payloads import FileChange, FileChanges
from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_X,
    Card,
    CardTools,
    Intent,
    PaintState,
    Spot,
    draw_detail,
    draw_header,
)
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.markdown_stream import Block
from playhead.ui.timeline.text.shapes import (
    draw_hairline,
    draw_icon,
    draw_panel,
    draw_text,
    text_width,
)
from playhead.ui.widgets.wording import format_size, mark, tr, tr_n

Status = Literal["created", "changed", "deleted"]
FOLDED_FILES = 8
LINE = 30
MOST_FILES = 500
"""More are counted, not listed."""
_PICTURE_LINE = 64
_THUMB = 48
_FOOT = 28
_TEXT_LEFT = 42
_DIFF_LINES = 400
_ICONS: dict[Status, tuple[str, str]] = {
    "created": ("file-plus-corner", "ok"),
    "changed": ("file-pen", "accent"),
    "deleted": ("file-minus-corner", "danger"),
}
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that break a line, change the text direction, or cannot be drawn."""
_MEDIUM = QFont.Weight.Medium
_RIGHT = Qt.AlignmentFlag.AlignRight


class _Line(Struct, kw_only=True):
    """A file and its position in the card; `diff` while it is open."""

    status: Status
    change: FileChange
    top: int = 0
    height: int = LINE
    diff: BlockColumn | None = None


class FilesCard(Card):
    """Created, changed and deleted files; a click opens one, a chevron shows its diff."""

    gap = 12

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._changes = content if isinstance(content, FileChanges) else FileChanges(folder="")
        self._lines: list[_Line] = []
        self._spots: list[Spot] | None = None
        super().__init__(row, tools)

    def refresh(self) -> None:
        """Make the lines that are shown."""
        every: list[tuple[Status, FileChange]] = [
            *(("created", one) for one in self._changes.created),
            *(("changed", one) for one in self._changes.changed),
            *(("deleted", one) for one in self._changes.deleted),
        ]
        self._count = len(every)
        shown = every[: MOST_FILES if self.row.is_open else FOLDED_FILES]
        self._spots = None
        self._lines = [self._make_line(status, one) for status, one in shown]

    def forget(self) -> None:
        """Forget the colours, which the diffs have too."""
        self.refresh()

    def release(self) -> None:
        """Release the documents."""
        for line in self._lines:
            if line.diff is not None:
                line.diff.release()

    def act(self, word: str) -> bool:
        """Show or hide the diff of a path."""
        items = self.row.items
        items.remove(word) if word in items else items.append(word)
        return True

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Place the lines below each other; return the height of the card."""
        self.width = width
        self._spots = None
        y = HEADER
        for line in self._lines:
            line.top = y
            line.height = _PICTURE_LINE if self._has_thumb(line) else LINE
            y += line.height
            if line.diff is not None:
                y += line.diff.lay_out(self._diff_width(), top - y, bottom - y) + 14
        return self.frame_height()

    def frame_height(self) -> int:
        """Return the height with the note and the line to unfold."""
        last = self._lines[-1] if self._lines else None
        end = HEADER
        if last is not None:
            end = last.top + last.height
            end += last.diff.height + 14 if last.diff is not None else 0
        extra = (_FOOT if self.note() else 0) + (_FOOT if self._foot_label() else 0)
        return end + extra + 4

    def source(self) -> str:
        """Return a line for each file."""
        return "\n".join(
            f"{status} {one.path}"
            for status, ones in (
                ("created", self._changes.created),
                ("changed", self._changes.changed),
                ("deleted", self._changes.deleted),
            )
            for one in ones
        )

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the names, the chevrons of diffs, and the line to unfold the list."""
        if self._spots is None:
            self._spots = self._make_spots()
        return self._spots

    def _make_spots(self) -> list[Spot]:
        spots: list[Spot] = []
        for line in self._lines:
            path, name = line.change.path, shown_name(line.change.path)
            if line.status != "deleted":
                intent = Intent("file", path)
                spots.append(
                    Spot(
                        rect=self._name_box(line),
                        intent=intent,
                        tip=tr("Open {name}", name=name),
                        look="bare",
                    )
                )
            if line.change.diff:
                is_open = line.diff is not None
                icon = "chevron-down" if is_open else "chevron-right"
                words = mark("Show what changed in {name}")
                if is_open:
                    words = mark("Hide what changed in {name}")
                tip = tr(words, name=name)
                middle = line.top + line.height // 2
                intent = Intent("card", path)
                spots.append(self.icon_spot(self.width - 8, middle, icon, tip, intent, 24))
        if label := self._foot_label():
            width = text_width(self.theme, label, 12) + 4
            rect = QRect(PAD_X, self.frame_height() - _FOOT - 2, width, _FOOT)
            spots.append(
                Spot(rect=rect, intent=Intent("fold"), tip=label, label=label, look="word")
            )
        return spots

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the box, its header, and the lines that touch the clip."""
        tokens = self.theme.tokens
        draw_panel(painter, QRect(0, 0, self.width, self.frame_height()), tokens.bg, tokens.line)
        header = QRect(0, 0, self.width, HEADER)
        draw_panel(painter, header, tokens.header, tokens.line, is_bottom=False)
        draw_hairline(painter, 0, HEADER - 1, self.width, self.theme.colour("line"))
        right = draw_header(painter, self.theme, header, "folder", tr("Files")) + 10
        draw_detail(painter, self.theme, right, header, self.summary())
        for line in self._lines:
            diff = line.diff.height + 14 if line.diff is not None else 0
            if line.top <= state.clip.bottom() and line.top + line.height + diff > state.clip.top():
                self._paint_line(painter, line, state)
        if note := self.note():
            foot = _FOOT if self._foot_label() else 0
            top = self.frame_height() - foot - _FOOT - 4
            box = QRect(PAD_X, top, self.width - 2 * PAD_X, _FOOT)
            draw_text(painter, box, note, self.theme, "mute", 12)

    def summary(self) -> str:
        """Return the counts as text: 2 created · 1 changed."""
        words = (mark("%n created"), mark("%n changed"), mark("%n deleted"))
        counts = zip(words, self._changes.counts, strict=True)
        return " · ".join(tr_n(many, count) for many, count in counts if count)

    def note(self) -> str:
        """Return a note on the files that were not examined or not listed."""
        more = sum(self._changes.counts) - min(self._count, MOST_FILES)
        unlisted = tr_n("%n more are not listed.", more) if self.row.is_open and more > 0 else ""
        return " ".join(filter(None, (unlisted, self._changes.note)))

    def _make_line(self, status: Status, change: FileChange) -> _Line:
        line = _Line(status=status, change=change)
        if change.diff and change.path in self.row.items:
            line.diff = BlockColumn(self.tools.maker)
            line.diff.set_blocks(_diff_blocks(change.diff))
        return line

    def _foot_label(self) -> str:
        if self._count <= FOLDED_FILES:
            return ""
        shown = min(self._count, MOST_FILES)
        return tr("Show fewer files") if self.row.is_open else tr_n("Show %n files", shown)

    def _has_thumb(self, line: _Line) -> bool:
        return line.change.kind == "image" and line.status != "deleted"

    def _diff_width(self) -> int:
        return max(60, self.width - _TEXT_LEFT - PAD_X)

    def _name_left(self, line: _Line) -> int:
        return _TEXT_LEFT + (_THUMB + 4 if self._has_thumb(line) else 0)

    def _name_box(self, line: _Line) -> QRect:
        left = self._name_left(line)
        width = text_width(self.theme, shown_name(line.change.path), 13) + 4
        return QRect(left, line.top + 2, min(width, self._name_room(left)), line.height - 4)

    def _name_room(self, left: int) -> int:
        return max(40, self.width - left - 130)

    def _paint_line(self, painter: QPainter, line: _Line, state: PaintState) -> None:
        icon, colour = _ICONS[line.status]
        middle = line.top + line.height / 2
        draw_icon(painter, self.theme, icon, colour, QPointF(22, middle + 0.5))
        if self._has_thumb(line):
            self._paint_thumb(painter, line)
        left = self._name_left(line)
        is_hovered = state.hover is not None and state.hover.rect == self._name_box(line)
        box = QRect(left, line.top, self._name_room(left), line.height)
        ink = "mute" if line.status == "deleted" else "accent" if is_hovered else "text"
        draw_text(painter, box, shown_name(line.change.path), self.theme, ink, 13, _MEDIUM)
        right = QRect(self.width - 136, line.top, 100, line.height)
        draw_text(painter, right, self._detail(line), self.theme, "mute", 12, align=_RIGHT)
        if line.diff is not None:
            origin = QRect(_TEXT_LEFT, line.top + line.height, 0, 0).topLeft()
            painter.save()
            painter.translate(origin)
            line.diff.paint(painter, state.clip.translated(-origin), None)
            painter.restore()

    def _detail(self, line: _Line) -> str:
        if line.status == "deleted":
            return "deleted"
        if line.status == "changed" and line.change.diff:
            plus, minus = _counted(line.change.diff)
            return f"+{plus} −{minus}"
        return format_size(line.change.size_bytes)

    def _paint_thumb(self, painter: QPainter, line: _Line) -> None:
        box = QRect(_TEXT_LEFT - 4, line.top + 8, _THUMB, _THUMB)
        tokens = self.theme.tokens
        pictures = self.tools.pictures
        path = str(PurePath(self._changes.folder) / line.change.path)
        name = f"{self.row.key}#{line.change.path}"
        found = pictures.get(name, path, "path", 2 * _THUMB)
        if found is not None and not found[1]:
            image = found[0]
            size = image.deviceIndependentSize().scaled(
                QRectF(box).size(), Qt.AspectRatioMode.KeepAspectRatio
            )
            target = QRectF(QPointF(), size)
            target.moveCenter(QRectF(box).center())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(target, image)
        elif found is not None:
            draw_icon(painter, self.theme, "image-off", "faint", QRectF(box).center())
        draw_panel(painter, box, None, tokens.line, radius=6)


def shown_name(path: str) -> str:
    """Return a path in one line, with its characters in the order in which they are stored."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", path)


def _counted(diff: str) -> tuple[int, int]:
    lines = [line for line in diff.split("\n") if not line.startswith(("+++", "---"))]
    plus = sum(line.startswith("+") for line in lines)
    return plus, sum(line.startswith("-") for line in lines)


def _diff_blocks(diff: str) -> list[Block]:
    """Return a unified diff in the terminal's green and red, without the file names above it."""
    lines = diff.rstrip("\n").replace("\x1b", "␛").split("\n")
    lines = [line for line in lines if not line.startswith(("+++ ", "--- "))]
    left_out = len(lines) - _DIFF_LINES
    shown = [_coloured(line) for line in lines[:_DIFF_LINES]]
    if left_out > 0:
        shown.append(f"\x1b[2m{tr_n('… %n more lines', left_out, one='… 1 more line')}\x1b[0m")
    return [
        Block(kind="console", source="\n".join(shown[at : at + 40]))
        for at in range(0, len(shown), 40)
    ]


def _coloured(line: str) -> str:
    colour = {"+": "32", "-": "31", "@": "2"}.get(line[:1], "")
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line
