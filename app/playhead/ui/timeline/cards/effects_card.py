"""The changes of a run to the files of its folder: a line each, with its diff and its undo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from playhead.domain.conversation.payloads import (
    FileChange,
    FileChanges,
    FileConflict,
    VariableChanges,
)
from playhead.domain.text.file_effects import (
    action_text,
    conflict_advice,
    conflict_text,
    counts_text,
    difference_text,
    left_text,
    limits_text,
    names_text,
    reason_text,
)
from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_X,
    Card,
    CardTools,
    Intent,
    IntentKind,
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
    draw_pill,
    draw_text,
    one_line,
    text_width,
)
from playhead.ui.widgets.wording import format_size, mark, tr, tr_n

Status = Literal["created", "changed", "moved", "deleted", "set_aside", "conflict", "variables"]
FOLDED_FILES = 8
LINE = 30
MOST_FILES = 500
"""More are counted, not listed."""
_PICTURE_LINE = 64
_THUMB = 48
_FOOT = 28
_NOTE_GAP = 6
_TEXT_LEFT = 42
_DIFF_LINES = 400
_BUTTON = 24
_NAME_LEAST = 110
"""Beside a narrower name there are no details, and actions are icons."""
_WORDS_FROM = 430
"""The width of a card that has room for words in place of icons."""
_ICONS: dict[Status, tuple[str, str]] = {
    "created": ("file-plus-corner", "ok"),
    "changed": ("file-pen", "accent"),
    "moved": ("arrow-right", "accent"),
    "deleted": ("file-minus-corner", "danger"),
    "set_aside": ("shield-alert", "warn"),
    "conflict": ("triangle-alert", "warn"),
    "variables": ("variable", "accent"),
}
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that break a line, change the text direction, or cannot be drawn."""
_MEDIUM = QFont.Weight.Medium
_RIGHT = Qt.AlignmentFlag.AlignRight
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
_ACTION_TIPS: dict[IntentKind, str] = {
    "undo": mark("Undo what the run did to {name}"),
    "redo": mark("Do again what was undone to {name}"),
    "keep": mark("Put {name} where the code had put it"),
    "discard": mark("Delete {name}"),
}
_ACTION_WORDS: dict[IntentKind, str] = {
    "undo": mark("Undo"),
    "redo": mark("Redo"),
    "keep": mark("Keep"),
    "discard": mark("Delete"),
}
_ACTION_ICONS: dict[IntentKind, str] = {
    "undo": "undo-2",
    "redo": "redo-2",
    "keep": "check",
    "discard": "trash-2",
}
OUTSIDE = mark("Outside of this folder nothing was watched, and nothing can be undone.")


class _Line(Struct, kw_only=True):
    """A file and its position in the card; `diff` while it is open.

    `state` is a word on what became of the change since, `conflict` why an undo left it as it is.
    """

    status: Status
    change: FileChange
    actions: tuple[IntentKind, ...] = ()
    state: str = ""
    conflict: FileConflict | None = None
    top: int = 0
    height: int = LINE
    words: int = 0
    """The height of the sentence on the conflict."""
    diff: BlockColumn | None = None

    @property
    def name(self) -> str:
        """Return the name as it is shown."""
        name = shown_name(self.change.path)
        if self.status == "set_aside":
            return tr("Set aside: {name} — other programs would run it", name=name)
        if self.change.old_path:
            return f"{shown_name(self.change.old_path)} → {name}"
        return name

    @property
    def diff_text(self) -> str:
        """Return the diff that can be shown: of a conflict what the undo would have done."""
        return self.conflict.diff if self.conflict is not None else self.change.diff

    @property
    def bottom(self) -> int:
        """Return the bottom with sentence and diff."""
        diff = self.diff.height + 14 if self.diff is not None else 0
        return self.top + self.height + self.words + diff


class EffectsCard(Card):
    """Files that a run created, changed, moved and deleted; each can be undone and done again."""

    gap = 12

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._changes = content if isinstance(content, FileChanges) else FileChanges(folder="")
        self._lines: list[_Line] = []
        self._spots: list[Spot] | None = None
        self._notes: list[tuple[str, int]] = []
        self._metrics: dict[int, QFontMetrics] = {}
        self._end = 0
        super().__init__(row, tools)

    def refresh(self) -> None:
        """Make the lines that are shown."""
        self._spots = None
        self._metrics.clear()
        self._end = 0
        every = self._every_line()
        self._count = len(every)
        limit = MOST_FILES if self.row.is_open else FOLDED_FILES
        conflicts = [line for line in every[limit:] if line.conflict is not None]
        self._lines = [self._opened(line) for line in [*every[:limit], *conflicts[:FOLDED_FILES]]]

    def _every_line(self) -> list[_Line]:
        changes, conflicts = self._changes, dict(self.row.effect.conflicts)
        groups: tuple[tuple[Status, tuple[FileChange, ...]], ...] = (
            ("set_aside", changes.set_aside),
            ("created", changes.created),
            ("changed", changes.changed),
            ("moved", changes.moved),
            ("deleted", changes.deleted),
        )
        lines = [
            self._line(status, one, conflicts.pop(one.path, None))
            for status, group in groups
            for one in group
        ]
        others = (
            self._line("conflict", FileChange(path=path), one) for path, one in conflicts.items()
        )
        return [*self._variable_lines(), *lines, *others]

    def _variable_lines(self) -> list[_Line]:
        """Return a line for each kind of change to variables; these are undone with the run."""
        if self._variables is None:
            return []
        kinds = (self._variables.made, self._variables.changed, self._variables.deleted)
        states = [self._state_of(names) for names in kinds if names]
        lines = names_text(self._variables, tr, tr_n)
        return [
            _Line(status="variables", change=FileChange(path=one), state=state)
            for one, state in zip(lines, states, strict=True)
        ]

    def _state_of(self, names: Sequence[str]) -> str:
        """Return a word on what became of variables since the run."""
        state = self.row.effect.state
        left = {one.name for one in state.left_names}
        if not state.variables or left.issuperset(names):
            return ""
        return tr("partly undone") if left.intersection(names) else tr("undone")

    @property
    def _variables(self) -> VariableChanges | None:
        return self._changes.variables or self.row.effect.variables

    def _line(self, status: Status, change: FileChange, conflict: FileConflict | None) -> _Line:
        """Return the line of a file with what can be done about it now."""
        state = self.row.effect.state
        if status == "set_aside":
            settled = state.settled.get(change.path)
            words = {"keep": tr("kept"), "delete": tr("deleted")}.get(settled or "", "")
            actions: tuple[IntentKind, ...] = () if settled else ("keep", "discard")
            return _Line(status=status, change=change, actions=actions, state=words)
        if state.undone_by(change) and not change.uncovered:
            return _Line(status=status, change=change, actions=("redo",), state=tr("undone"))
        can_undo = self._changes.id and not change.uncovered and not self._changes.problem
        return _Line(
            status=status,
            change=change,
            actions=("undo",) if can_undo and status != "conflict" else (),
            conflict=conflict,
        )

    def _opened(self, line: _Line) -> _Line:
        """Return the line with its diff if that is open."""
        if line.diff_text and line.change.path in self.row.items:
            line.diff = BlockColumn(self.tools.maker)
            line.diff.set_blocks(_diff_blocks(line.diff_text))
        return line

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
        is_same_width, self.width = width == self.width, width
        y = HEADER
        for line in self._lines:
            line.top = y
            line.height = _PICTURE_LINE if self._has_thumb(line) else LINE
            line.words = self._sentence_height(line)
            y += line.height + line.words
            if line.diff is not None:
                y += line.diff.lay_out(self._diff_width(), top - y, bottom - y) + 14
        if not is_same_width or y != self._end:
            self._spots, self._end = None, y
            room = width - 2 * PAD_X
            self._notes = [(note, self._height_of(note, room) + _NOTE_GAP) for note in self.notes()]
        return self.frame_height()

    def _width_of(self, text: str, size_px: int) -> int:
        """Return the width of a text; hundreds are measured at once."""
        if size_px not in self._metrics:
            self._metrics[size_px] = QFontMetrics(self.theme.font(size_px, _MEDIUM))
        return self._metrics[size_px].horizontalAdvance(one_line(text))

    def frame_height(self) -> int:
        """Return the height with the notes and the line to unfold."""
        end = self._lines[-1].bottom if self._lines else HEADER
        notes = sum(height for _, height in self._notes)
        return end + notes + (4 if notes else 0) + _FOOT * len(self._foot()) + 6

    def source(self) -> str:
        """Return a line for each file."""
        lines = (f"{line.status} {line.name} {line.state}".rstrip() for line in self._every_line())
        return "\n".join(lines)

    def summary(self) -> str:
        """Return the counts as text: 2 created · 1 changed · 1 moved."""
        return counts_text(self._changes, tr_n)

    def notes(self) -> list[str]:
        """Return sentences on what is not listed, was not seen and cannot be undone."""
        more = self._unlisted()
        unlisted = tr_n("%n more are not listed.", more) if self.row.is_open and more > 0 else ""
        is_watched = self._changes.is_bounded or self._changes.action == "apply"
        outside = tr(OUTSIDE) if self._changes.id and not is_watched else ""
        refused = self.row.effect.refused
        is_undone = self.row.effect.state.variables  # what was left is said then
        changes = replace(self._changes, variables=None if is_undone else self._variables)
        left = [left_text(one, is_run=False, tr=tr) for one in self.row.effect.state.left_names]
        told = [unlisted, refused, *limits_text(changes, tr, tr_n), *left, outside]
        return [shown_name(note) for note in told if note]

    def _unlisted(self) -> int:
        """Return the number of files that have no line, even if the list is unfolded."""
        total = sum(self._changes.counts) + self._changes.moved_count
        return total - min(len(self._changes.listed), MOST_FILES)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the names, actions and chevrons of the lines, and what is for all of them."""
        if self._spots is None:
            self._spots = [*self._run_spots()]
            for line in self._lines:
                self._spots += self._line_spots(line)
            self._spots += self._foot_spots()
        return self._spots

    def _run_spots(self) -> list[Spot]:
        """Return the button that undoes the run, or what has undone it."""
        kind, words = self._run_action()
        if kind is None:
            return []
        middle = HEADER // 2
        spot = self._action_spot(self.width - 10, middle, kind, Intent(kind), words, words)
        return [spot]

    def _run_action(self) -> tuple[IntentKind | None, str]:
        is_run = self._changes.action == "run"
        has_variables = self._variables is not None and bool(self._variables.names)
        is_left = has_variables and not self.row.effect.state.variables
        if is_left or any("undo" in line.actions for line in self._lines):
            return "undo", tr("Undo run") if is_run else tr("Undo")
        if has_variables or any("redo" in line.actions for line in self._lines):
            return "redo", tr("Redo run") if is_run else tr("Redo")
        return None, ""

    def _action_spot(
        self, right: int, middle: int, kind: IntentKind, intent: Intent, words: str, tip: str
    ) -> Spot:
        """Return an action that ends at `right`: a word, in a narrow card an icon."""
        icon = _ACTION_ICONS[kind]
        can_be = not self.row.effect.is_busy
        if self.width < _WORDS_FROM:
            spot = self.icon_spot(right, middle, icon, tip, intent, _BUTTON)
            return Spot(rect=spot.rect, intent=intent, tip=tip, icon=icon, is_enabled=can_be)
        width = self._width_of(words, 12) + 12
        rect = QRect(right - width, middle - _BUTTON // 2, width, _BUTTON)
        return Spot(rect=rect, intent=intent, tip=tip, label=words, look="quiet", is_enabled=can_be)

    def _line_spots(self, line: _Line) -> list[Spot]:
        path, name = line.change.path, shown_name(line.change.path)
        spots: list[Spot] = []
        if self._can_open(line):
            tip = tr("Open {name}", name=name)
            intent = Intent("file", path)
            spots.append(Spot(rect=self._name_box(line), intent=intent, tip=tip, look="bare"))
        right, middle = self.width - 8 - _BUTTON - 2, line.top + line.height // 2
        for kind in reversed(line.actions):
            words, tip = tr(_ACTION_WORDS[kind]), tr(_ACTION_TIPS[kind], name=name)
            spot = self._action_spot(right, middle, kind, Intent(kind, path), words, tip)
            spots.append(spot)
            right = spot.rect.left() - 2
        if line.diff_text:
            icon = "chevron-right" if line.diff is None else "chevron-down"
            words = mark("Hide what changed in {name}")
            if line.diff is None:
                words = mark("Show what changed in {name}")
            tip, intent = tr(words, name=name), Intent("card", path)
            spots.append(self.icon_spot(self.width - 8, middle, icon, tip, intent, _BUTTON))
        return spots

    def _foot(self) -> list[tuple[IntentKind, str]]:
        """Return the lines to click on below all others."""
        keep = tr("Keep in the environment…") if self._changes.installed else ""
        lines: list[tuple[IntentKind, str]] = [("packages", keep), ("fold", self._foot_label())]
        return [line for line in lines if line[1]]

    def _foot_spots(self) -> list[Spot]:
        spots: list[Spot] = []
        lines = self._foot()
        for number, (kind, label) in enumerate(lines):
            top = self.frame_height() - _FOOT * (len(lines) - number) - 3
            rect = QRect(PAD_X, top, self._width_of(label, 12) + 4, _FOOT)
            spots.append(Spot(rect=rect, intent=Intent(kind), tip=label, label=label, look="word"))
        return spots

    def tip_at(self, x: int, y: int) -> str:
        """Return the whole name of the file under a point, and what became of it."""
        for line in self._lines:
            if line.top <= y < line.top + line.height:
                return "\n".join(filter(None, (line.name, self._detail(line))))
        return ""

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the box, its header, and the lines that touch the clip."""
        tokens = self.theme.tokens
        height = self.frame_height()
        draw_panel(painter, QRect(0, 0, self.width, height), tokens.bg, tokens.line)
        header = QRect(0, 0, self.width, HEADER)
        draw_panel(painter, header, tokens.header, tokens.line, is_bottom=False)
        draw_hairline(painter, 0, HEADER - 1, self.width, self.theme.colour("line"))
        self._paint_header(painter, header)
        for line in self._lines:
            if line.top <= state.clip.bottom() and line.bottom > state.clip.top():
                self._paint_line(painter, line, state)
        top = (self._lines[-1].bottom if self._lines else HEADER) + 4
        for note, note_height in self._notes:
            box = QRect(PAD_X, top, self.width - 2 * PAD_X, note_height)
            self._draw_wrapped(painter, box, note, "mute")
            top += note_height

    def _paint_header(self, painter: QPainter, header: QRect) -> None:
        kind, words = self._run_action()
        is_short = self.width < _WORDS_FROM
        taken = 0 if kind is None else _BUTTON if is_short else self._width_of(words, 12)
        title = tr("Files") if self._changes.action == "run" else tr("Applied")
        if self._variables is not None:
            title = tr("Files and variables")
        right = draw_header(painter, self.theme, header, "folder", title) + 10
        if word := self._state_word():
            right += draw_pill(painter, self.theme, right, header.center().y(), word) + 8
        room = header.adjusted(0, 0, 80 - taken - 36, 0)
        draw_detail(painter, self.theme, right, room, self.summary())

    def _state_word(self) -> str:
        if self.row.effect.is_busy:
            return tr("working")
        return tr("undone") if self._run_action()[0] == "redo" else ""

    def _foot_label(self) -> str:
        if self._count <= FOLDED_FILES:
            return ""
        if self.row.is_open:
            return tr("Show fewer files")
        if self._count <= MOST_FILES and not self._unlisted():
            return tr_n("Show all %n files", self._count)
        return tr_n("Show %n files", min(self._count, MOST_FILES))

    def _can_open(self, line: _Line) -> bool:
        if line.status == "variables":
            return False
        if line.status in ("deleted", "set_aside"):
            return bool(line.state == tr("undone") or line.state == tr("kept"))
        return not (line.state and line.status in ("created", "moved"))

    def _has_thumb(self, line: _Line) -> bool:
        return line.change.kind == "image" and self._can_open(line)

    def _diff_width(self) -> int:
        return max(60, self.width - _TEXT_LEFT - PAD_X)

    def _name_left(self, line: _Line) -> int:
        return _TEXT_LEFT + (_THUMB + 4 if self._has_thumb(line) else 0)

    def _name_box(self, line: _Line) -> QRect:
        left = self._name_left(line)
        width = self._width_of(line.name, 13) + 4
        return QRect(left, line.top + 2, min(width, self._rooms(line)[0]), line.height - 4)

    def _rooms(self, line: _Line) -> tuple[int, int]:
        """Return the widths of the name and of the details; the name comes first."""
        room = self.width - self._name_left(line) - 12 - self._actions_width(line)
        wanted = self._width_of(self._detail(line), 12) + 12
        detail = wanted if room - wanted >= _NAME_LEAST else 0
        return max(20, room - detail), detail

    def _actions_width(self, line: _Line) -> int:
        """Return the width of a line's end: the chevron's, and those of the actions."""
        actions = line.actions or (("undo",) if self._changes.id else ())
        if self.width < _WORDS_FROM:
            return _BUTTON + 10 + len(actions) * (_BUTTON + 2)
        words = (self._width_of(tr(_ACTION_WORDS[one]), 12) for one in actions)
        return _BUTTON + 10 + sum(width + 14 for width in words)

    def _paint_line(self, painter: QPainter, line: _Line, state: PaintState) -> None:
        status = "conflict" if line.conflict is not None else line.status
        icon, colour = _ICONS[status]
        middle = line.top + line.height / 2
        is_quiet = bool(line.state) or line.status == "deleted"
        draw_icon(
            painter, self.theme, icon, "faint" if line.state else colour, QPointF(22, middle + 0.5)
        )
        if self._has_thumb(line):
            self._paint_thumb(painter, line)
        left, (name_room, detail_room) = self._name_left(line), self._rooms(line)
        is_hovered = state.hover is not None and state.hover.rect == self._name_box(line)
        box = QRect(left, line.top, name_room, line.height)
        ink = "accent" if is_hovered else "mute" if is_quiet else "text"
        draw_text(painter, box, line.name, self.theme, ink, 13, _MEDIUM)
        if detail_room:
            detail = QRect(left + name_room, line.top, detail_room - 8, line.height)
            draw_text(painter, detail, self._detail(line), self.theme, "mute", 12, align=_RIGHT)
        self._paint_below(painter, line, state)

    def _paint_below(self, painter: QPainter, line: _Line, state: PaintState) -> None:
        """Paint the sentence on a conflict, and the diff."""
        top = line.top + line.height
        if line.conflict is not None:
            box = QRect(_TEXT_LEFT, top - 4, self._diff_width(), line.words)
            self._draw_wrapped(painter, box, self._sentence(line), "warn")
        if line.diff is not None:
            origin = QRect(_TEXT_LEFT, top + line.words, 0, 0).topLeft()
            painter.save()
            painter.translate(origin)
            line.diff.paint(painter, state.clip.translated(-origin), None)
            painter.restore()

    def _sentence(self, line: _Line) -> str:
        if line.conflict is None:
            return ""
        words = [conflict_text(line.conflict, tr), line.conflict.detail]
        if line.status != "created":  # else there is no earlier version
            words.append(conflict_advice(line.conflict, line.status == "deleted", tr))
        return shown_name(" ".join(filter(None, words)))

    def _sentence_height(self, line: _Line) -> int:
        words = self._sentence(line)
        return self._height_of(words, self._diff_width()) + 4 if words else 0

    def _height_of(self, text: str, width: int) -> int:
        metrics = QFontMetrics(self.theme.font(12))
        return metrics.boundingRect(QRect(0, 0, width, 10_000), _WRAP, text).height()

    def _draw_wrapped(self, painter: QPainter, box: QRect, text: str, colour: str) -> None:
        painter.setFont(self.theme.font(12))
        painter.setPen(self.theme.colour(colour))
        painter.drawText(box, _WRAP, text)

    def _detail(self, line: _Line) -> str:
        change = line.change
        if line.state or line.status in ("set_aside", "conflict", "variables"):
            return line.state
        words = [_size_words(line), difference_text(change, tr)]
        if change.uncovered:
            words.append(tr("no undo: {reason}", reason=reason_text(change.uncovered, tr)))
        return shown_name(" · ".join(filter(None, words)))

    def _paint_thumb(self, painter: QPainter, line: _Line) -> None:
        box = QRect(_TEXT_LEFT - 4, line.top + 8, _THUMB, _THUMB)
        path = str(PurePath(self._changes.folder) / line.change.path)
        name = f"{self.row.key}#{line.change.path}"
        found = self.tools.pictures.get(name, path, "path", 2 * _THUMB)
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
        draw_panel(painter, box, None, self.theme.tokens.line, radius=6)


class UndoneCard(Card):
    """One quiet line on what a person undid, did again, kept or deleted."""

    gap = 6

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._changes = content if isinstance(content, FileChanges) else FileChanges(folder="")
        super().__init__(row, tools)

    def frame_height(self) -> int:
        """Return the height of one line."""
        return _BUTTON + 2

    def source(self) -> str:
        """Return the line."""
        return self.words()

    def words(self) -> str:
        """Return what was done, and how many files were left as they are."""
        count = max(self._changes.conflicts_total, len(self._changes.conflicts))
        left = tr_n("%n files were left as they are", count, one="1 file was left as it is")
        words = [action_text(self._changes, tr, tr_n)]
        if count and self._changes.action != "review":  # what waits is in the pane
            words.append(left)
        if (variables := self._changes.variables) is not None:
            words += [left_text(one, is_run=False, tr=tr) for one in variables.left]
        return shown_name(" · ".join(words))

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return what takes it back."""
        if self._changes.action != "undo" or not self.row.effect.state.is_left(self._changes):
            return []
        label = tr("Redo")
        width = text_width(self.theme, label, 12) + 12
        rect = QRect(26 + self._words_width(), 1, width, _BUTTON)
        intent, can_be = Intent("redo"), not self.row.effect.is_busy
        tip = tr("Do again what was undone here")
        return [
            Spot(rect=rect, intent=intent, tip=tip, label=label, look="quiet", is_enabled=can_be)
        ]

    def tip_at(self, x: int, y: int) -> str:
        """Return the whole line."""
        return self.words()

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint an icon and the words."""
        icons = {"undo": "undo-2", "redo": "redo-2", "keep": "check", "review": "copy"}
        icon = icons.get(self._changes.action, "trash-2")
        draw_icon(painter, self.theme, icon, "mute", QPointF(9, self.frame_height() / 2))
        box = QRect(24, 0, self._words_width(), self.frame_height())
        draw_text(painter, box, self.words(), self.theme, "mute", 12)

    def _words_width(self) -> int:
        room = self.width - 24 - text_width(self.theme, tr("Redo"), 12) - 16
        return min(room, text_width(self.theme, self.words(), 12, QFont.Weight.Normal) + 2)


def shown_name(path: str) -> str:
    """Return a path, or a text with some, in one line, its characters in the stored order."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", path)


def _size_words(line: _Line) -> str:
    change = line.change
    if change.files > 1:
        return tr_n("%n files", change.files)
    if line.status == "deleted":
        return tr("deleted")
    if line.status == "changed" and change.diff:
        plus, minus = _counted(change.diff)
        return f"+{plus} −{minus}"
    if change.kind == "folder":
        return tr("folder")
    if change.kind == "link":
        return "" if change.targets else tr("link")
    return format_size(change.size_bytes)


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
