"""Makes a QTextDocument of each block: the only place where text becomes layout."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec.structs import replace
from PySide6.QtCore import QRectF, QRegularExpression, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextOption,
    QTextTable,
)

from playhead.domain.text.unicode import utf16_length
from playhead.ui.editor.code.shown_text import without_direction_marks
from playhead.ui.timeline.model.console_text import PLAIN_STYLE, ConsoleStyle, styled_spans
from playhead.ui.timeline.text.find_query import FindQuery
from playhead.ui.timeline.text.formula_renderer import FormulaRenderer
from playhead.ui.timeline.text.markdown_stream import CODE_LINE_LIMIT, Block
from playhead.ui.timeline.text.math_document import insert_formulas
from playhead.ui.timeline.text.math_text import mark_formulas
from playhead.ui.timeline.text.plain_growth import grows_plainly
from playhead.ui.widgets.theme import PROSE_PX, Theme, legible
from playhead.ui.widgets.wording import tr

SAFE_SCHEMES = frozenset({"http", "https", "mailto", "playhead"})
_HEADING_PX = {1: 20, 2: 17, 3: 15}
_PROSE_HEIGHT = 150
_CODE_HEIGHT = 130
_CELL_HEIGHT = 115
_LIST_INDENT = 20
_BULLETS = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)
_QUOTE_GAP = 22
_MOST_SPANS = 1_500
"""Denser code, such as a packed script, stays plain: each span costs a step of layout."""
TaskState = Literal["open", "done", "none"]
_Marker = QTextBlockFormat.MarkerType
_STATES = {_Marker.NoMarker: 1, _Marker.Unchecked: 2, _Marker.Checked: 3}
_TASKS: Mapping[int, TaskState] = {1: "none", 2: "open", 3: "done"}
_TASK = re.compile(r"^[\s>]*(?:[-+*]|\d+[.)])\s+\[[ xX]\]", re.MULTILINE)
_BOX_PX = 13
_LEAST_COLUMN, _MOST_COLUMN = 96, 220
_WIDE = 700
_NOTE_SIGN = "[^"
_NOTE = QRegularExpression(r"\[\^[^\]\s]{1,60}\]:?")
_NOTE_BREAK = re.compile(r"\n(?=\[\^[^\]\s]{1,60}\]:)")
_FEATURES = QTextDocument.MarkdownFeature
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


class Colourer(Protocol):
    """Returns the colours of code."""

    def spans(self, language: str, code: str) -> Sequence[tuple[int, int, str]]:
        """Return (start, length, style name) of all but plain text, in order."""
        ...


class Document(QTextDocument):
    """A document that loads nothing: a model's text must not read a file or call a server."""

    has_quotation = False
    """Whether some of its lines have bars at the side."""
    is_waiting = False
    """Whether a formula in it is still being drawn."""
    has_formulas = False
    least_width = 0
    """What a table with many columns needs; in less room it is moved sideways."""
    has_tasks = False
    """Whether some items of its lists are done or to be done."""
    _wanted: FindQuery | None = None
    _found: Sequence[tuple[int, int]] = ()

    def found(self, wanted: FindQuery) -> Sequence[tuple[int, int]]:
        """Return the matches of a query, in the units of its cursors."""
        if self._wanted is not wanted:
            text = self.toPlainText()
            self._wanted = wanted
            ends = [(one.start, one.end) for one in wanted.spans(text)]
            self._found = [(utf16_length(text[:a]), utf16_length(text[:b])) for a, b in ends]
        return self._found

    def forget_found(self) -> None:
        """Search again, because the text has changed."""
        self._wanted = None

    def last_line_top(self) -> int:
        """Return the top of the last line that is laid out."""
        block = self.lastBlock()
        box, lines = self.documentLayout().blockBoundingRect(block), block.layout()
        last = lines.lineAt(lines.lineCount() - 1)
        return int(box.y() + last.y()) if last.isValid() else int(box.y())

    def quotations(self) -> list[QRectF]:
        """Return the bars of quotations, level by level."""
        bars: list[QRectF] = []
        layout = self.documentLayout()
        block = self.begin()
        while block.isValid():
            box = layout.blockBoundingRect(block)
            for level in range(_quote_level(block)):
                bar = QRectF(2 + 14 * level, box.top(), 3, box.height())
                before = next((one for one in reversed(bars) if one.left() == bar.left()), None)
                if before is not None and bar.top() - before.bottom() < _QUOTE_GAP:
                    before.setBottom(bar.bottom())
                else:
                    bars.append(bar)
            block = block.next()
        return bars

    def tasks(self) -> list[tuple[QRectF, TaskState]]:
        """Return the boxes before the items of task lists, and what is in them."""
        found: list[tuple[QRectF, TaskState]] = []
        layout = self.documentLayout()
        block = self.begin()
        while block.isValid():
            state, line = block.userState(), block.layout().lineAt(0)
            if state in _TASKS and line.isValid():
                corner = (
                    layout.blockBoundingRect(block).topLeft() + block.layout().lineAt(0).position()
                )
                middle = corner.y() + QFontMetricsF(self.defaultFont()).height() / 2
                box = QRectF(corner.x() - _BOX_PX - 6, middle - _BOX_PX / 2, _BOX_PX, _BOX_PX)
                found.append((box, _TASKS[state]))
            block = block.next()
        return found

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return None: refuse to load anything."""
        return None


class DocumentMaker:
    """Makes documents in the colours of the theme; `made` counts them."""

    def __init__(
        self, theme: Theme, colourer: Colourer | None, formulas: FormulaRenderer | None = None
    ) -> None:
        self.theme = theme
        self.colourer = colourer
        self.formulas = formulas
        self.made = 0
        self.wanted: FindQuery | None = None
        """The query whose matches are marked wherever they are drawn."""
        self.current: tuple[object, int, int] | None = None
        """The current match: a column, a block of it, and the position in its document."""

    def make(self, block: Block, ink: str = "text", definitions: str = "") -> Document:
        """Return the block's document, not yet laid out."""
        self.made += 1
        document = Document()
        document.setDocumentMargin(0)
        document.setUndoRedoEnabled(False)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if block.kind in ("code", "console"):  # a line of code begins at the left in any script
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        document.setDefaultTextOption(option)
        match block.kind:
            case "code":
                self._fill_code(document, block)
            case "console":
                self._fill_console(document, block)
            case "plain" | "title":
                self._fill_plain(document, block, ink)
            case _:
                self._fill_markdown(document, block, ink, definitions)
        return document

    def extend(self, document: Document, before: Block, after: Block) -> bool:
        """Add the text that a block got; False if its document has to be made again."""
        start, added = before.source.rstrip(" "), after.source[len(before.source) :]
        is_longer = added and replace(after, source=before.source) == before
        if not is_longer or not after.source.startswith(before.source):
            return False
        if before.kind != "prose" or not grows_plainly(before.source, added):
            return False
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if document.characterAt(cursor.position() - 1) != start[-1]:
            return False
        cursor.insertText(after.source.rstrip(" ")[len(start) :])
        document.forget_found()
        return True

    def _fill_plain(self, document: Document, block: Block, ink: str) -> None:
        weight = QFont.Weight.DemiBold if block.kind == "title" else QFont.Weight.Normal
        document.setDefaultFont(self.theme.font(self.theme.type.prose_px, weight))
        cursor = QTextCursor(document)
        cursor.setBlockFormat(_line_height(_PROSE_HEIGHT))
        cursor.insertText(block.source, self._ink(ink))

    def _fill_code(self, document: Document, block: Block) -> None:
        document.setDefaultFont(self.theme.code_font(self.theme.type.prose_px - 1))
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        cursor.setBlockFormat(_line_height(_CODE_HEIGHT))
        at = 0
        code = _shortened(block.source)
        links = [(start, end - start, "accent") for start, end in block.links if end <= len(code)]
        for start, length, style in links or self._spans(block.language, code):
            if start > at:
                cursor.insertText(code[at:start], self._ink("text"))
            ink = QTextCharFormat()
            ink.setForeground(QColor(self.theme.tokens.of_style(style)))
            cursor.insertText(code[start : start + length], ink)
            at = start + length
        if at < len(code):
            cursor.insertText(code[at:], self._ink("text"))
        cursor.endEditBlock()

    def _spans(self, language: str, code: str) -> Sequence[tuple[int, int, str]]:
        if self.colourer is None or not language:
            return ()
        spans = self.colourer.spans(language, code)
        return spans if len(spans) <= _MOST_SPANS else ()

    def _fill_console(self, document: Document, block: Block) -> None:
        document.setDefaultFont(self.theme.code_font(self.theme.type.prose_px - 1))
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        cursor.setBlockFormat(_line_height(_CODE_HEIGHT))
        style = PLAIN_STYLE
        for number, line in enumerate(block.source.split("\n")):
            if number:
                cursor.insertBlock()
            for text, shown in styled_spans(line, style):
                style = shown  # continues in the next line
                if text:
                    cursor.insertText(text, self._terminal(shown))
        cursor.endEditBlock()

    def _terminal(self, style: ConsoleStyle) -> QTextCharFormat:
        tokens = self.theme.tokens
        shown = QTextCharFormat()

        def colour(value: int | str | None, default: str) -> str:
            if value is None:
                return default
            return tokens.ansi[value] if isinstance(value, int) else value

        ink = colour(style.ink, tokens.mute if style.is_faint else tokens.text)
        ground = colour(style.ground, tokens.code_bg)
        if style.is_reversed:
            ink, ground = ground, ink
        shown.setForeground(QColor(legible(ink, ground)))
        if style.ground is not None or style.is_reversed:
            shown.setBackground(QColor(ground))
        if style.is_bold:
            shown.setFontWeight(QFont.Weight.Bold)
        shown.setFontItalic(style.is_italic)
        shown.setFontUnderline(style.is_underlined)
        return shown

    def _fill_markdown(self, document: Document, block: Block, ink: str, definitions: str) -> None:
        document.setDefaultFont(self.theme.font(self.theme.type.prose_px))
        document.setIndentWidth(_LIST_INDENT)
        source, formulas = block.source, []
        if self.formulas is not None:
            source, formulas = mark_formulas(source)
        if has_notes := _NOTE_SIGN in source:
            source = _NOTE_BREAK.sub("  \n", source)  # each in a line of its own
        if definitions and "[" in source:
            source = f"{_named(definitions, source)}\n{source}"
        features = _FEATURES.MarkdownDialectGitHub | _FEATURES.MarkdownNoHTML
        document.setMarkdown(source, features)
        if block.kind == "table":
            self._dress_tables(document, is_continued=bool(block.header))
        self._style(document, ink, is_coloured=bool(formulas))
        if _TASK.search(source) is not None:
            _dress_tasks(document)
        if has_notes:
            _dress_notes(document)
        if formulas and self.formulas is not None:
            document.has_formulas = True
            mute = self.theme.colour("mute")
            document.is_waiting = not insert_formulas(document, formulas, self.formulas, mute)

    def _style(self, document: Document, ink: str, *, is_coloured: bool) -> None:
        """Set the fonts, gaps and colours of the theme.

        Plain words get their colour when they are painted, and here with `is_coloured`, as formulas
        take it from them.
        """
        cursor = QTextCursor(document)
        text_block = document.begin()
        last = document.lastBlock().blockNumber()
        cursor.beginEditBlock()  # else each move lays the paragraph out to find its position
        while text_block.isValid():
            cursor.setPosition(text_block.position())
            self._dress_block(document, cursor, text_block, last)
            self._dress_pieces(document, cursor, text_block, ink, is_coloured=is_coloured)
            text_block = text_block.next()
        cursor.endEditBlock()

    def _dress_block(
        self, document: Document, cursor: QTextCursor, block: QTextBlock, last: int
    ) -> None:
        shape = block.blockFormat()
        is_code = shape.hasProperty(QTextFormat.Property.BlockCodeFence) or shape.hasProperty(
            QTextFormat.Property.BlockCodeLanguage
        )
        if is_code:
            shape.setBackground(self.theme.colour("code_bg"))
        elif _is_rule(block):
            shape.setBackground(self.theme.colour("line_strong"))
        if not block.length() - 1 and (_is_rule(block) or _is_rule(block.next())):
            _make_low(cursor)  # a rule is in an empty line, and Qt puts another before it
        in_list = block.textList() is not None
        in_table = cursor.currentTable() is not None
        height = _CELL_HEIGHT if in_table else _CODE_HEIGHT if is_code else _PROSE_HEIGHT
        shape.setLineHeight(height, _PROPORTIONAL)
        gap = 0 if not block.blockNumber() or in_table else 3 if in_list or is_code else 8
        shape.setTopMargin(gap)
        shape.setBottomMargin(0 if block.blockNumber() == last or in_table or in_list else 2)
        if (level := _quote_level(block)) > 0:
            document.has_quotation = True
            shape.setLeftMargin(14 * level)
            shape.setRightMargin(0)
        cursor.setBlockFormat(shape)
        if (items := block.textList()) is not None:
            _set_bullets(items)

    def _dress_pieces(
        self,
        document: Document,
        cursor: QTextCursor,
        block: QTextBlock,
        ink: str,
        *,
        is_coloured: bool,
    ) -> None:
        tokens = self.theme.tokens
        level = block.blockFormat().headingLevel()
        quoted = _quote_level(block) > 0
        colour = QColor(tokens.mute if quoted else tokens.of(ink))
        is_coloured = is_coloured or quoted or bool(level)
        for start, length, look in _pieces(block):
            if look.isImageFormat():
                _replace_image(document, start, look)
                continue
            is_fixed, is_anchor = look.fontFixedPitch(), look.isAnchor()
            is_bold = look.fontWeight() > QFont.Weight.Medium
            if not (is_fixed or is_bold or is_anchor or is_coloured):
                continue
            if is_fixed:
                _make_code(look, self.theme)
            elif level:
                look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
                prose_px = self.theme.type.prose_px
                size_px = round(_HEADING_PX.get(level, PROSE_PX) * prose_px / PROSE_PX)
                look.setProperty(QTextFormat.Property.FontPixelSize, size_px)
                look.setFontWeight(QFont.Weight.DemiBold)
            elif is_bold:
                look.setFontWeight(QFont.Weight.DemiBold)
            is_link = is_anchor and QUrl(look.anchorHref()).scheme() in SAFE_SCHEMES
            look.setForeground(QColor(tokens.accent) if is_link else colour)
            if is_anchor:
                look.setFontUnderline(is_link)
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(look)

    def _dress_tables(self, document: Document, is_continued: bool) -> None:
        tokens = self.theme.tokens
        for frame in document.rootFrame().childFrames():
            if not isinstance(frame, QTextTable):
                continue
            least = self._least_widths(frame)
            document.least_width = sum(least)
            if is_continued:
                frame.removeRows(0, 1)
            shape = frame.format()
            shape.setBorderCollapse(True)
            shape.setBorder(1)
            shape.setBorderBrush(QColor(tokens.line))
            shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            shape.setCellPadding(6)
            shape.setCellSpacing(0)
            shape.setMargin(0)
            whole = sum(least) if sum(least) > _WIDE else 0
            shares = [one / whole if whole else 1 / len(least) for one in least]
            percent = QTextLength.Type.PercentageLength
            shape.setColumnWidthConstraints([QTextLength(percent, 100 * one) for one in shares])
            shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            frame.setFormat(shape)
            if not is_continued:
                for column in range(frame.columns()):
                    _make_head(frame, column, tokens.header)

    def _least_widths(self, table: QTextTable) -> list[int]:
        """Return the width that each column needs at least, by its head: all pieces have that."""
        metrics = QFontMetricsF(self.theme.font(PROSE_PX, QFont.Weight.DemiBold))
        heads = [table.cellAt(0, at).firstCursorPosition().block() for at in range(table.columns())]
        wide = [round(metrics.horizontalAdvance(head.text()[:60])) + 16 for head in heads]
        return [max(_LEAST_COLUMN, min(_MOST_COLUMN, one)) for one in wide]

    def _ink(self, name: str) -> QTextCharFormat:
        shown = QTextCharFormat()
        shown.setForeground(QColor(self.theme.tokens.of(name)))
        return shown


def _dress_tasks(document: Document) -> None:
    """Take over the marks of lists with tasks: Qt has a cross for what is done."""
    lists: dict[int, QTextList] = {}
    block = document.begin()
    while block.isValid():
        items = block.textList()
        if items is not None and block.blockFormat().marker() != _Marker.NoMarker:
            lists[items.objectIndex()] = items
        block = block.next()
    for items in lists.values():
        document.has_tasks = True
        for number in range(items.count()):
            cursor = QTextCursor(block := items.item(number))
            shape = block.blockFormat()
            block.setUserState(_STATES[shape.marker()])
            shape.setMarker(_Marker.NoMarker)
            cursor.setBlockFormat(shape)
        look = items.format()
        look.setStyle(QTextListFormat.Style.ListStyleUndefined)
        items.setFormat(look)


def _dress_notes(document: Document) -> None:
    """Show footnotes as [1]: raised in the text, plain before their own words."""
    cursor = QTextCursor(document)
    while not (cursor := document.find(_NOTE, cursor)).isNull():
        look, text = cursor.charFormat(), cursor.selectedText()
        if look.fontFixedPitch():
            continue
        label = f"[{text[2:].rstrip(':').rstrip(']')}]"
        if not text.endswith(":"):
            look.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        cursor.insertText(label, look)


def _named(definitions: str, source: str) -> str:
    """Return the known addresses that the source may use, because there can be thousands."""
    words = " ".join(source.casefold().split())
    lines = definitions.splitlines(keepends=True)
    return "".join(one for one in lines if one[: one.rfind("]: <") + 1].casefold() in words)


def _quote_level(block: QTextBlock) -> int:
    return block.blockFormat().intProperty(QTextFormat.Property.BlockQuoteLevel)


def _shortened(code: str) -> str:
    code = without_direction_marks(code)
    if len(code) <= CODE_LINE_LIMIT:
        return code
    lines = code.split("\n")
    return "\n".join(
        line if len(line) <= CODE_LINE_LIMIT else line[:CODE_LINE_LIMIT] + " …" for line in lines
    )


def _line_height(percent: int) -> QTextBlockFormat:
    shape = QTextBlockFormat()
    shape.setLineHeight(percent, _PROPORTIONAL)
    return shape


def _pieces(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Return fragments from the last to the first, so that replacing one moves no other."""
    found: list[tuple[int, int, QTextCharFormat]] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        found.append((fragment.position(), fragment.length(), fragment.charFormat()))
        iterator += 1
    return found[::-1]


def _make_code(look: QTextCharFormat, theme: Theme) -> None:
    look.setFontFamilies(theme.code_font().families())
    look.setProperty(QTextFormat.Property.FontPixelSize, theme.type.prose_px - 1)
    look.setBackground(QColor(theme.tokens.bubble))


def _is_rule(block: QTextBlock) -> bool:
    rule = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
    return block.blockFormat().hasProperty(rule)


def _make_low(cursor: QTextCursor) -> None:
    """Reduce the height of an empty line."""
    look = cursor.blockCharFormat()
    look.setProperty(QTextFormat.Property.FontPixelSize, 4)
    cursor.setBlockCharFormat(look)


def _set_bullets(items: QTextList) -> None:
    """Set bullets by the depth; Qt chooses them by the character that was typed."""
    shape = items.format()
    wanted = _BULLETS[min(shape.indent(), len(_BULLETS)) - 1]
    if shape.style() in _BULLETS and shape.style() != wanted:
        shape.setStyle(wanted)
        items.setFormat(shape)


def _make_head(table: QTextTable, column: int, ground: str) -> None:
    """Give a table's head its background, and the alignment of the cells below it."""
    cell = table.cellAt(0, column)
    look = cell.format()
    look.setBackground(QColor(ground))
    cell.setFormat(look)
    if table.rows() > 1:
        below = table.cellAt(1, column).firstCursorPosition().blockFormat()
        cursor = cell.firstCursorPosition()
        shape = cursor.blockFormat()
        shape.setAlignment(below.alignment())
        cursor.setBlockFormat(shape)


def _replace_image(document: Document, position: int, look: QTextCharFormat) -> None:
    """Replace a picture of the model's text, which is never loaded, by its address."""
    image = look.toImageFormat()
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
    plain = QTextCharFormat()
    plain.setFontItalic(True)
    name = image.property(QTextFormat.Property.ImageAltText) or image.name()
    cursor.insertText(tr("[image: {name}]", name=name), plain)
