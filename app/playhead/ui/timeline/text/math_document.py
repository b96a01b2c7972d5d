"""Puts drawn formulas into a document, in place of their marks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFontInfo,
    QFontMetricsF,
    QImage,
    QPainter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)

from playhead.ui.timeline.text.formula_renderer import FormulaDrawing, FormulaRenderer
from playhead.ui.timeline.text.math_text import Formula, placeholder

_ALT = QTextFormat.Property.ImageAltText
_SCHEME = "formula"
_OBJECT = "\ufffc"
_SINGLE = QTextBlockFormat.LineHeightTypes.SingleHeight.value
_AIR = 6


def insert_formulas(
    document: QTextDocument, formulas: Sequence[Formula], drawer: FormulaRenderer, pending: QColor
) -> bool:
    """Put each formula in place of its mark; return False if some are still being drawn.

    Those that were drawn for another zoom are shown meanwhile.
    """
    is_whole = True
    start = QTextCursor(document)
    for number, formula in enumerate(formulas):
        cursor = document.find(placeholder(number), start)
        if cursor.isNull():
            continue  # swallowed by something that is not shown, such as a link's title
        look = cursor.charFormat()
        if look.fontFixedPitch() or _is_code(cursor.block()):
            cursor.insertText(formula.source, look)
        elif (drawing := drawer.get(formula.latex, _size(document, look), formula.is_display)) is (
            None
        ):
            is_whole = False
            look.setForeground(pending)
            cursor.insertText(formula.source, look)
        elif drawing.problem:
            look.setToolTip(drawing.problem)
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            cursor.insertText(formula.source, look)
        else:
            is_whole &= drawing.image.devicePixelRatio() == drawer.ratio
            _insert(document, cursor, look, formula, drawing)
        start = cursor
    return is_whole


def alternatives(document: QTextDocument, start: int, end: int) -> list[str]:
    """Return the source of each object between two positions, in order."""
    found: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        iterator = block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            inside = piece.text()[max(0, start - piece.position()) : max(0, end - piece.position())]
            if count := inside.count(_OBJECT):
                found += [str(piece.charFormat().property(_ALT) or "")] * count
            iterator += 1
        block = block.next()
    return found


def with_alternatives(text: str, found: Sequence[str]) -> str:
    """Return a selected text with the sources of its objects."""
    first, *rest = text.split(_OBJECT)
    return first + "".join(one + more for one, more in zip(found, rest, strict=False))


def shrink_to(document: QTextDocument, width: int) -> None:
    """Shrink formulas that are wider than the line to its width."""
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            look = piece.charFormat()
            if look.isImageFormat():
                _shrink(document, piece.position(), look.toImageFormat(), width)
            iterator += 1
        block = block.next()


def _shrink(document: QTextDocument, position: int, image: QTextImageFormat, width: int) -> None:
    picture = document.resource(QTextDocument.ResourceType.ImageResource, QUrl(image.name()))
    if not isinstance(picture, QImage):
        return
    size = picture.deviceIndependentSize()
    share = min(1.0, width / size.width())
    if abs(image.width() - size.width() * share) > 1:
        image.setWidth(size.width() * share)
        image.setHeight(size.height() * share)
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(image)


def _insert(
    document: QTextDocument,
    cursor: QTextCursor,
    look: QTextCharFormat,
    formula: Formula,
    drawing: FormulaDrawing,
) -> None:
    if not look.hasProperty(QTextFormat.Property.FontFamilies):
        look.setFontFamilies(document.defaultFont().families())
        look.setProperty(QTextFormat.Property.FontPixelSize, _size(document, look))
    picture = _balanced(drawing, look)
    name = f"{_SCHEME}:{formula.is_display:d}/{cursor.selectionStart()}"
    document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), picture)
    image = QTextImageFormat()
    image.merge(look)
    size = picture.deviceIndependentSize()
    image.setName(name)
    image.setWidth(size.width())
    image.setHeight(size.height())
    image.setProperty(_ALT, formula.source)
    image.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    image.setToolTip(formula.latex)
    if formula.is_display:
        _select_spaces(cursor)
    is_alone = cursor.block().length() - 1 == len(cursor.selectedText())
    cursor.removeSelectedText()
    if formula.is_display and not is_alone and not cursor.atBlockStart():
        cursor.insertText("\u2028")
    at_end = cursor.atBlockEnd()
    cursor.insertImage(image)
    if formula.is_display and not is_alone and not at_end:
        cursor.insertText("\u2028", look)
    if formula.is_display and is_alone:
        _set_apart(cursor)


def _select_spaces(cursor: QTextCursor) -> None:
    """Select the spaces around the mark too: the formula gets a line of its own."""
    text, begin = cursor.block().text(), cursor.block().position()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    if len(text) != cursor.block().length() - 1:
        return  # Qt counts in other units than Python here
    while start > begin and text[start - begin - 1] == " ":
        start -= 1
    while end - begin < len(text) and text[end - begin] == " ":
        end += 1
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)


def _set_apart(cursor: QTextCursor) -> None:
    """Centre a formula on its own line, with some space around it."""
    shape = cursor.blockFormat()
    shape.setLineHeight(0, _SINGLE)
    shape.setTopMargin(shape.topMargin() + _AIR)
    shape.setBottomMargin(shape.bottomMargin() + _AIR)
    if cursor.currentList() is None:
        shape.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    cursor.setBlockFormat(shape)


def _balanced(drawing: FormulaDrawing, look: QTextCharFormat) -> QImage:
    """Return the picture with space above or below, so that its line is level with the text.

    Qt puts the middle of an object half an x-height above the line; this cannot be changed.
    """
    ratio = drawing.image.devicePixelRatio()
    middle = QFontMetricsF(look.font()).xHeight() / 2
    ascent, descent = drawing.height - drawing.descent, drawing.descent
    height = max(2 * ascent - middle, 2 * descent + middle)
    ink = drawing.in_colour(look.foreground().color())
    picture = QImage(ink.width(), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    top = (height + middle) / 2 - ascent
    painter.drawImage(QPointF(0, round(top * ratio) / ratio), ink)
    painter.end()
    return picture


def _size(document: QTextDocument, look: QTextCharFormat) -> int:
    size = look.intProperty(QTextFormat.Property.FontPixelSize)
    return size or QFontInfo(document.defaultFont()).pixelSize()


def _is_code(block: QTextBlock) -> bool:
    shape = block.blockFormat()
    return shape.hasProperty(QTextFormat.Property.BlockCodeFence) or shape.hasProperty(
        QTextFormat.Property.BlockCodeLanguage
    )
