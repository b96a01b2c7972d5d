"""Code and what it printed: two cards with a header, folded while they are long."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QPainter

from playhead.domain.text.file_effects import names_text
from playhead.domain.text.python_syntax import SyntaxFault, syntax_fault
from playhead.domain.text.risk_words import RiskGroup
from playhead.domain.text.terminal import without_colours
from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_X,
    PAD_Y,
    Card,
    CardTools,
    Intent,
    PaintState,
    Spot,
    draw_detail,
    draw_header,
)
from playhead.ui.timeline.cards.input_line import INPUT_HEIGHT
from playhead.ui.timeline.model.console_text import ConsoleText
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.line_clipper import clip
from playhead.ui.timeline.text.markdown_stream import Block, cut_plain
from playhead.ui.timeline.text.shapes import (
    draw_hairline,
    draw_panel,
    draw_pill,
    draw_text,
    text_width,
)
from playhead.ui.widgets.wording import mark, tr, tr_n

FOLDED_LINES = 6
CONSOLE_LINES = 24
CONSOLE_HEAD = 8
_FOOT = 28
_TYPING_HEIGHT = INPUT_HEIGHT + 20
_FACTS_HEIGHT, _FACT_SPACING = 28, 12
_PILLS = {"waiting": mark("waiting for you"), "running": mark("running")}
_TAB_HEIGHT = 30
_TAB_STATES = {
    "running": mark("running"),
    "ran": mark("ran"),
    "failed": mark("failed"),
    "stopped": mark("stopped"),
    "skipped": mark("skipped"),
}
_TITLES = {
    "python": "Python",
    "py": "Python",
    "javascript": "JavaScript",
    "js": "JavaScript",
    "typescript": "TypeScript",
    "bash": "Bash",
    "zsh": "zsh",
    "shell": mark("Shell"),
    "sh": mark("Shell"),
    "r": "R",
    "java": "Java",
    "perl": "Perl",
    "lua": "Lua",
    "c": "C",
    "cpp": "C++",
    "go": "Go",
    "rust": "Rust",
    "css": "CSS",
    "xml": "XML",
    "yaml": "YAML",
    "markdown": "Markdown",
    "html": "HTML",
    "sql": "SQL",
    "json": "JSON",
    "ruby": "Ruby",
    "powershell": "PowerShell",
    "applescript": "AppleScript",
    "latex": "LaTeX",
}


_BLOCK_LINES = 40
_MOST_INDENT = 60
_UNDER_WAY = ("writing", "queued", "waiting")
_RAN = ("ran", "stopped", "failed")


def language_title(word: str) -> str:
    """Return the name of a language above its code; an unknown word is returned as it is."""
    return _TITLES.get(word.lower(), word or tr("Code"))


class PanelCard(Card):
    """A header over a ground for code, with a line to unfold it under that."""

    @property
    def header_top(self) -> int:
        """Return the height of what is above the header."""
        return 0

    def text_box(self) -> QRect:
        """Return the box inside the panel."""
        return QRect(PAD_X, self.header_top + HEADER + PAD_Y, self.width - 2 * PAD_X, 0)

    def frame_height(self) -> int:
        """Return the height with the line to unfold, or the lower edge, and the part below it."""
        foot = _FOOT if self.foot_label() else PAD_Y
        return super().frame_height() + foot + self.below_height()

    def below_height(self) -> int:
        """Return the height of the part below the text and the line to unfold it."""
        return 0

    def foot_label(self) -> str:
        """Return the text to unfold or fold, '' if there is nothing to fold."""
        return ""

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the box, its header and the hairline between."""
        tokens = self.theme.tokens
        rect = QRect(0, 0, self.width, self.frame_height())
        header = QRect(0, self.header_top, self.width, HEADER)
        head = QRect(0, 0, self.width, header.bottom() + 1)
        draw_panel(painter, rect, tokens.code_bg, tokens.line)
        draw_panel(painter, head, tokens.header, tokens.line, is_bottom=False)
        draw_hairline(painter, 0, header.bottom(), self.width, self.theme.colour("line"))
        self.paint_header(painter, header)

    def paint_header(self, painter: QPainter, header: QRect) -> None:
        """Paint the icon, the title and the state."""

    def foot_spots(self) -> list[Spot]:
        """Return the line to unfold."""
        label = self.foot_label()
        if not label:
            return []
        width = text_width(self.theme, label, 12) + 4
        top = self.frame_height() - self.below_height() - _FOOT - 2
        rect = QRect(PAD_X, top, width, _FOOT)
        return [Spot(rect=rect, intent=Intent("fold"), tip=label, label=label, look="word")]


class CodeCard(PanelCard):
    """Code with the state of its run; folded to its first lines.

    The blocks of one answer are one card with a tab for each.
    """

    def refresh(self) -> None:
        """Set the code; long code is cut in pieces that are coloured separately."""
        self.gap = 0 if self.row.is_hidden else Card.gap
        if self.column is None:
            self.column = BlockColumn(self.tools.maker)
        code = self.row.text.rstrip("\n")
        self._lines = code.count("\n") + 1 if code else 0
        lines = code.split("\n")[: None if self.row.is_open else FOLDED_LINES]
        fault = syntax_fault(code) if self.row.state == "waiting" and self._is_python else None
        at = fault.line if fault else len(lines)
        self.column.set_blocks(
            [*self._blocks(lines[:at]), *_fault_blocks(fault), *self._blocks(lines[at:])]
        )

    @property
    def _is_python(self) -> bool:
        return self.row.language.lower() in ("python", "py")

    def _blocks(self, lines: list[str]) -> list[Block]:
        if not lines:
            return []
        return cut_plain(clip("\n".join(lines)), "code", self.row.language.lower())

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Lay the code out; a block whose tab is not chosen has no height."""
        if self.row.is_hidden:
            self.width = width
            return 0
        return super().lay_out(width, top, bottom)

    def frame_height(self) -> int:
        """Return the height; 0 if the tab of another block is chosen."""
        return 0 if self.row.is_hidden else super().frame_height()

    def paint(self, painter: QPainter, state: PaintState) -> None:
        """Paint the card, unless the tab of another block is chosen."""
        if not self.row.is_hidden:
            super().paint(painter, state)

    @property
    def header_top(self) -> int:
        """Return the height of the tabs."""
        return sum(rect.left() == 0 for rect, _label, _row in self._tabs()) * _TAB_HEIGHT

    def _tabs(self) -> list[tuple[QRect, str, Row]]:
        """Return a tab for each block, in as many lines as they need."""
        found: list[tuple[QRect, str, Row]] = []
        left = top = 0
        for number, row in enumerate(self.row.group, 1):
            label = _tab_label(number, row)
            width = text_width(self.theme, label, 12) + 2 * PAD_X
            if left and left + width > self.width:
                left, top = 0, top + _TAB_HEIGHT
            found.append((QRect(left, top, width, _TAB_HEIGHT), label, row))
            left += width
        return found

    def _paint_tabs(self, painter: QPainter) -> None:
        for rect, label, row in self._tabs():
            colour = "text" if row is self.row else "mute"
            box = rect.adjusted(PAD_X, 0, 0, 0)
            draw_text(painter, box, label, self.theme, colour, 12, QFont.Weight.Medium)
            if row is self.row:
                line = QRect(box.left(), rect.bottom() - 1, rect.width() - 2 * PAD_X, 2)
                painter.fillRect(line, self.theme.colour("accent"))

    def _tab_spots(self) -> list[Spot]:
        return [
            Spot(rect=rect, intent=Intent("block", row.key), tip=label, label=label, look="bare")
            for rect, label, row in self._tabs()
        ]

    def foot_label(self) -> str:
        """Return the number of lines."""
        if self._lines <= FOLDED_LINES:
            return ""
        return (
            tr("Show fewer lines") if self.row.is_open else tr_n("Show all %n lines", self._lines)
        )

    def paint_header(self, painter: QPainter, header: QRect) -> None:
        """Paint the language, and the state as a pill or in quiet words."""
        title = language_title(self.row.language)
        icons = (self._third_icon(), self._undo_icon())
        header = header.adjusted(0, 0, -36 * sum(one is not None for one in icons), 0)
        right = draw_header(painter, self.theme, header, "file-code-corner", title) + 10
        if self.row.state in _PILLS:
            pill = tr(_PILLS[self.row.state])
            if line := self.row.paused_line:
                pill = tr("paused before line {line}", line=line)
            right += draw_pill(painter, self.theme, right, header.center().y(), pill) + 8
        draw_detail(painter, self.theme, right, header, self.state_text())

    def state_text(self) -> str:
        """Return the state of the run, to be shown beside the pill."""
        row = self.row
        lines = tr_n("%n lines", self._lines, one="1 line")
        match row.state:
            case "waiting" | "running":
                words = [row.detail]
            case "ran":
                words = [tr("ran in {detail}", detail=row.detail) if row.detail else tr("ran")]
            case "stopped":
                words = [tr("stopped {detail}", detail=row.detail).rstrip()]
            case "failed":
                words = [
                    tr("failed after {detail}", detail=row.detail) if row.detail else tr("failed")
                ]
            case "skipped" | "queued":
                words = [row.state, row.detail]
            case "writing":
                words = [tr("writing · {lines}", lines=lines)]
            case _:
                words = [lines, row.detail]
        if row.is_edited:
            words.append(tr("edited"))
        if row.effect.state.variables:
            words.append(tr("undone"))
        words += [row.going_on, row.effect.refused]
        return " · ".join(word for word in words if word)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return Copy and Open in editor; while it runs, the button of the field for input."""
        copy, open_ = Intent("copy", self.row.text), Intent("open", self.row.key)
        middle = self.header_top + HEADER // 2
        if self.row.kind != "code":
            return [
                self.icon_spot(self.width - 8, middle, "copy", tr("Copy"), copy),
                *self.foot_spots(),
            ]
        spots = [
            self.icon_spot(self.width - 44, middle, "copy", tr("Copy code"), copy),
            self.icon_spot(
                self.width - 8, middle, "external-link", tr("Open in the editor"), open_
            ),
        ]
        left = self.width - 80
        if third := self._third_icon():
            spots.insert(0, self.icon_spot(left, middle, *third))
            left -= 36
        if undo := self._undo_icon():
            spots.insert(0, self.icon_spot(left, middle, *undo))
        return self._tab_spots() + spots + self.foot_spots() + self._fact_spots()

    def _third_icon(self) -> tuple[str, str, Intent] | None:
        """Return the button of the field while the code runs; afterwards that to run it again."""
        row = self.row
        if row.kind != "code":
            return None
        if row.state == "running":
            tip = tr("Hide the field") if row.is_typing else tr("Send text to the program")
            return "keyboard", tip, Intent("type", row.key)
        if row.state in _UNDER_WAY or row.is_streaming or not self.tools.can_run(row.language):
            return None
        tip = tr("Run again") if row.state in _RAN else tr("Run this code")
        return "play", tip, Intent("run", row.text, row.language)

    def _undo_icon(self) -> tuple[str, str, Intent] | None:
        """Return the button that takes back what the run did to variables, or does it again."""
        effect, run_id = self.row.effect, self.row.run_id
        names = effect.variables.names if effect.variables is not None else ()
        if not names or effect.is_busy or self.row.state in _UNDER_WAY:
            return None
        words = "\n".join(names_text(effect.variables, tr, tr_n)) if effect.variables else ""
        if effect.state.variables:
            return "redo-2", f"{tr('Redo run')}\n{words}", Intent("redo", run_id)
        return "undo-2", f"{tr('Undo run')}\n{words}", Intent("undo", run_id)

    def below_height(self) -> int:
        """Return the height of what is seen of the code, and of the field, under a hairline."""
        facts = _FACTS_HEIGHT if self.row.facts else 0
        return facts + (_TYPING_HEIGHT if self.row.is_typing else 0)

    def _fact_spots(self) -> list[Spot]:
        """Return a word for each thing that the code is seen to do, as many as fit."""
        top = self.frame_height() - self.below_height()
        left, room = PAD_X, self.width - 2 * PAD_X
        spots: list[Spot] = []
        for number, group in enumerate(self.row.facts):
            rest = f"+{len(self.row.facts) - number}"
            width = text_width(self.theme, group.text, 12) + 4
            if left + width > room and spots:
                rect = QRect(left, top, text_width(self.theme, rest, 12) + 4, _FACTS_HEIGHT)
                tip = "\n".join(one.tip for one in self.row.facts[number:])
                return [*spots, self._fact_spot(rect, rest, tip, self.row.facts[number])]
            rect = QRect(left, top, min(width, room), _FACTS_HEIGHT)
            spots.append(self._fact_spot(rect, group.text, group.tip, group))
            left += width + _FACT_SPACING
        return spots

    def _fact_spot(self, rect: QRect, label: str, tip: str, group: RiskGroup) -> Spot:
        line = group.lines[0] if group.lines else 1
        intent = Intent("line", f"{self.row.key} {line}")
        return Spot(rect=rect, intent=intent, tip=tip, label=label, look="word")

    def field_box(self) -> QRect:
        """Return the box of the field."""
        top = self.frame_height() - _TYPING_HEIGHT + 10
        return QRect(PAD_X, top, self.width - 2 * PAD_X, INPUT_HEIGHT)

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the frame with the tabs, and the hairline above the field."""
        super().paint_frame(painter, state)
        self._paint_tabs(painter)
        if self.row.is_typing:
            top = self.frame_height() - _TYPING_HEIGHT
            draw_hairline(painter, 0, top, self.width, self.theme.colour("line"))


def _fault_blocks(fault: SyntaxFault | None) -> list[Block]:
    """Return the line under code that Python cannot read, with a mark at the place."""
    if fault is None:
        return []
    mark_ = f"{' ' * (min(fault.column, _MOST_INDENT) - 1)}▲"
    return [Block(kind="console", source=f"\x1b[31m{mark_} {fault.text}\x1b[0m")]


def _tab_label(number: int, row: Row) -> str:
    """Return the words of a block's tab."""
    state = tr(_TAB_STATES[row.state]) if row.state in _TAB_STATES else ""
    return " · ".join(filter(None, (f"{number} {language_title(row.language)}", state)))


class ConsoleCard(PanelCard):
    """Output as a terminal would show it: its first and last lines, or all kept lines if open."""

    gap = 16

    def __init__(self, row: Row, tools: CardTools) -> None:
        self._taken = ConsoleText()
        self._text = self._taken
        self._fed = 0
        self._edition = row.edition
        self._numbers: list[range] = []
        super().__init__(row, tools)

    def refresh(self) -> None:
        """Take the new output."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker)
        if self.row.edition != self._edition:
            self._taken, self._fed, self._edition = ConsoleText(), 0, self.row.edition
        text, tail = self.row.text, self.row.tail
        self._taken.feed(text[self._fed :])
        self._fed = len(text)
        self._text = self._taken.followed_by(tail) if tail is not None else self._taken
        self.gap = 16 if self._text.line_count else 0
        self.column.set_blocks(self._shown())

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Lay the lines out; an empty output has no height."""
        if not self._text.line_count:
            self.width = width
            return 0
        return super().lay_out(width, top, bottom)

    def foot_label(self) -> str:
        """Return the number of lines."""
        count = self._text.line_count
        if count <= CONSOLE_LINES:
            return ""
        if self.row.is_open:
            return tr("Show fewer lines")
        kept = count - self._text.hidden
        return (
            tr_n("Show {kept:,} of %n lines", count, kept=kept)
            if self._text.hidden
            else tr_n("Show all %n lines", count)
        )

    def paint(self, painter: QPainter, state: PaintState) -> None:
        """Paint the card, unless nothing was printed."""
        if self._text.line_count:
            super().paint(painter, state)

    def paint_header(self, painter: QPainter, header: QRect) -> None:
        """Paint the title, the exit status and the time."""
        right = draw_header(painter, self.theme, header, "square-terminal", tr("Output")) + 10
        draw_detail(painter, self.theme, right, header, self.row.detail)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return Copy and the line to unfold."""
        if not self._text.line_count:
            return []
        middle = HEADER // 2
        copy = Intent("copy", self.source())
        spots = [self.icon_spot(self.width - 8, middle, "copy", tr("Copy output"), copy)]
        if self.row.items:
            tip, intent = tr("Open the whole output"), Intent("output", self.row.items[0])
            spots.append(self.icon_spot(self.width - 40, middle, "external-link", tip, intent))
        return spots + self.foot_spots()

    def source(self) -> str:
        """Return the lines without their colours, and how many are missing between them."""
        lines = [without_colours(line) for line in self._text.lines()]
        if self._text.hidden:
            lines.insert(len(self._text.head), _hidden_words(self._text.hidden))
        return "\n".join(lines)

    def printed_at(self, x: int, y: int) -> int:
        """Return the line of the output at a point, counted from 0 over all lines; -1 for none."""
        box = self.text_box()
        place = self.column.line_at(y - box.top()) if self.column is not None else None
        if place is None or not 0 <= x < self.width:
            return -1
        numbers = self._numbers[place[0]]
        return numbers[place[1]] if place[1] < len(numbers) else -1

    def y_of_printed(self, number: int) -> int | None:
        """Return the height at which a line of the output is shown; None if it is hidden."""
        for index, numbers in enumerate(self._numbers):
            if self.column is not None and number in numbers:
                return self.text_box().top() + self.column.top_of(index)
        return None

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the frame and a band under the marked lines."""
        super().paint_frame(painter, state)
        if not self.row.traced or self.column is None:
            return
        corner = self.text_box().topLeft()
        colour = self.theme.colour("accent")
        for index, line in self._traced_lines():
            box = self.column.line_box(index, line).translated(corner)
            band = QRect(1, box.top(), self.width - 2, box.height())
            if not box.isEmpty() and band.intersects(state.clip):
                painter.fillRect(band, self.theme.colour("running"))
                painter.fillRect(QRect(1, box.top(), 3, box.height()), colour)

    def _traced_lines(self) -> Iterator[tuple[int, int]]:
        """Yield the marked lines of each block."""
        for index, numbers in enumerate(self._numbers):
            for first, last in self.row.traced:
                begin = max(first - numbers.start, 0)
                end = len(numbers) if last is None else min(last - numbers.start + 1, len(numbers))
                yield from ((index, line) for line in range(begin, end))

    def _shown(self) -> list[Block]:
        lines = self._text.lines()
        hidden = self._text.hidden
        at = len(self._text.head)
        if not self.row.is_open and len(lines) > CONSOLE_LINES:
            at = CONSOLE_HEAD
            last = CONSOLE_LINES - CONSOLE_HEAD
            hidden += len(lines) - CONSOLE_LINES
            lines = lines[:at] + lines[-last:]
        if not hidden:
            self._numbers = _numbers(0, len(lines))
            return _console_blocks(lines)
        between = Block(kind="console", source=f"\x1b[2m{_hidden_words(hidden)}\x1b[0m")
        self._numbers = [*_numbers(0, at), range(0), *_numbers(at + hidden, len(lines) - at)]
        return [*_console_blocks(lines[:at]), between, *_console_blocks(lines[at:])]


def _hidden_words(count: int) -> str:
    return tr_n("… %n lines hidden", count, one="… 1 line hidden")


def _numbers(first: int, count: int) -> list[range]:
    """Return the numbers of the lines in each block of a stretch."""
    return [
        range(first + at, first + min(at + _BLOCK_LINES, count))
        for at in range(0, count, _BLOCK_LINES)
    ]


def _console_blocks(lines: list[str]) -> list[Block]:
    starts = range(0, len(lines), _BLOCK_LINES)
    return [Block(kind="console", source="\n".join(lines[at : at + _BLOCK_LINES])) for at in starts]
