"""The row of attachments above the composer's text, with notes on what the model receives."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from playhead.domain.conversation.message import AttachedContent
from playhead.ui.composer.attachment_files import thumbnail, words_about
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.wording import format_size, tr, tr_n

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from PySide6.QtCore import QObject

    from playhead.domain.conversation.message import Attachment
    from playhead.domain.model import ModelFacts
    from playhead.ui.widgets.task_owner import TaskOwner
    from playhead.ui.widgets.theme import Theme

DOCUMENT_LIMIT_BYTES = 32_000_000
"""No provider accepts larger ones; if one accepts less, the model is told so."""

_PDF = ".pdf"
_OFFICE = frozenset({".docx", ".doc", ".odt", ".xlsx", ".xls", ".ods", ".pptx", ".ppt", ".odp"})
_PICTURES = frozenset({".heic", ".heif", ".tif", ".tiff", ".avif"})


class AttachmentNote(Struct, frozen=True):
    """A short text for the chip and a long one for its tooltip.

    `is_warning`: the model receives less than the user may expect.
    """

    words: str
    whole: str
    is_warning: bool = False


def note_for(
    attachment: Attachment,
    facts: ModelFacts | None,
    content: AttachedContent = AttachedContent(),  # noqa: B008 - it is frozen
) -> AttachmentNote | None:
    """Return a note on what the model receives of the attachment; None for no note.

    `content` is what is read of it for any model.
    """
    if facts is None:
        return None
    if content.kind in ("table", "tree"):
        return _read_note(content)
    note = _note_on_kind(attachment, facts)
    if note is None or content.kind != "pages":
        return note
    pages = tr_n("%n pages", content.rows, one="1 page")
    return replace(note, words=f"{pages} · {note.words}")


def _note_on_kind(attachment: Attachment, facts: ModelFacts) -> AttachmentNote | None:
    suffix = Path(attachment.path).suffix.lower()
    is_picture = attachment.kind == "image" or suffix in _PICTURES
    if is_picture and facts.supports_images is False:
        whole = tr("This model cannot see images. It receives the path, so that code can open it.")
        return AttachmentNote(tr("this model cannot see it"), whole, is_warning=True)
    if attachment.kind != "file":
        return None
    if suffix in _PICTURES and facts.supports_images:
        return AttachmentNote(
            tr("shown to the model"), tr("It is converted and sent, with its path.")
        )
    if suffix == _PDF and facts.takes_documents:
        return _document(attachment)
    if suffix == _PDF or suffix in _OFFICE:
        whole = tr("The model receives the path and can read it by code.")
        return AttachmentNote(tr("for code to open"), whole)
    return None


def _read_note(content: AttachedContent) -> AttachmentNote:
    """Return the note on a table or a folder; its long text is what is sent."""
    if content.kind == "table":
        columns = tr_n("%n columns", content.columns, one="1 column")
        rows = tr_n("%n rows", content.rows, one="1 row")
        words = tr("the model gets {columns} with types, {rows}", columns=columns, rows=rows)
    elif content.is_cut:
        words = tr_n("the model gets the first %n entries", content.rows, one="1 entry")
    else:
        words = tr_n(
            "the model gets the tree of %n entries",
            content.rows,
            one="the model gets the tree of 1 entry",
        )
    told = tr("The model receives the path, and this as it is when you send it:")
    return AttachmentNote(words, f"{told}\n{content.text}".rstrip())


def _document(attachment: Attachment) -> AttachmentNote:
    if attachment.size_bytes > DOCUMENT_LIMIT_BYTES:
        whole = tr("The model receives the path and can read it by code.")
        return AttachmentNote(tr("too large to send, for code to open"), whole, is_warning=True)
    return AttachmentNote(
        tr("read by the model"), tr("It is sent with the message, and its path for code.")
    )


_THUMBNAIL_PX = 20
_NAME_PX = 180
_MOST_PX = 108
_ROW_PX = 34
_SHARE_OF_WINDOW = 0.12
_ICONS = {"file": "file", "image": "image", "folder": "folder"}


class AttachmentChip(QFrame):
    """One attachment with its remove button.

    Signals: `removed()`, `stepped(int)` by the arrow keys.
    """

    removed = Signal()
    stepped = Signal(int)

    def __init__(self, attachment: Attachment, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self._theme = theme
        self._facts: ModelFacts | None = None
        self._content: AttachedContent | None = None
        self._way = self._size_words = ""
        self.setProperty("kind", "chip")
        self.setToolTip(attachment.path)
        self.picture = QLabel(self)
        self.picture.setFixedSize(_THUMBNAIL_PX, _THUMBNAIL_PX)
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        name = QLabel(self)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setText(name.fontMetrics().elidedText(attachment.name, _middle(), _NAME_PX))
        self.words = QLabel(self)
        self.words.setProperty("kind", "faint")
        self.note = QLabel(self)
        self.note.hide()
        self._parts: tuple[str, ...] = ()
        self.remove = self._make_remove()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 2, 2)
        layout.setSpacing(6)
        for widget in (self.picture, name, self.words, self.note, self.remove):
            layout.addWidget(widget)
        self.apply_theme()
        self._show_words("")

    def apply_theme(self) -> None:
        """Draw the icons in the colours of the current theme; a thumbnail stays as it is."""
        self.remove.setIcon(self._theme.icon("x", "mute"))
        if not self.picture.property("isThumbnail"):
            icon = self._theme.icon(_ICONS[self.attachment.kind], "mute")
            self.picture.setPixmap(icon.pixmap(QSize(14, 14), self.devicePixelRatioF()))

    async def look(self) -> None:
        """Read the thumbnail of an image or the length of a text, in a thread."""
        import asyncio

        if self.attachment.kind == "image":
            await self._load_picture()
        words = await asyncio.to_thread(words_about, self.attachment)
        if isValid(self) and words:
            self._show_words(words)

    @property
    def is_read(self) -> bool:
        """Return whether it is known what a model is given of it."""
        return self._content is not None

    def show_content(self, content: AttachedContent) -> None:
        """Show what a model is given of it beside the path."""
        self._content = content
        self.show_facts(self._facts)

    def show_facts(self, facts: ModelFacts | None) -> None:
        """Show what a model receives of it; None means that it is not known, or no model."""
        from html import escape  # with a large table of entities

        self._facts = facts
        note = note_for(self.attachment, facts, self._content or AttachedContent())
        self.note.setText(note.words if note else "")
        self.note.setVisible(note is not None)
        is_warning = note is not None and note.is_warning
        self.words.setVisible(bool(self.words.text()) and not is_warning)  # room for it
        kind = "warn" if is_warning else "faint"
        if self.note.property("kind") != kind:
            self.note.setProperty("kind", kind)
            self.note.style().unpolish(self.note)
            self.note.style().polish(self.note)
        path = self.attachment.path
        whole = escape("\n".join((path, note.whole))) if note else ""
        self.setToolTip(f"<pre>{whole}</pre>" if note else path)
        self.remove.setAccessibleDescription(note.whole if note else "")
        self._name_remove()

    def show_progress(self, words: str) -> None:
        """Show how far it is on its way to another machine; '' for not."""
        self._way = words
        self._show_words(self._size_words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the remove button: Delete and Backspace remove, the arrows step."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.removed.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Up:
                self.stepped.emit(-1)
            case Qt.Key.Key_Right | Qt.Key.Key_Down | Qt.Key.Key_Escape:
                self.stepped.emit(1 if event.key() != Qt.Key.Key_Escape else 1_000)
            case _:
                return False
        return True

    async def _load_picture(self) -> None:
        import asyncio

        ratio = self.devicePixelRatioF()
        side = round(_THUMBNAIL_PX * ratio)
        image = await asyncio.to_thread(thumbnail, self.attachment.path, side)
        if not isValid(self):  # it was removed meanwhile
            return
        if image.isNull():  # only its head was an image
            self.attachment = replace(self.attachment, kind="file")
            self.apply_theme()
            return
        left, top = (image.width() - side) // 2, (image.height() - side) // 2
        pixmap = QPixmap.fromImage(image.copy(left, top, side, side))
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setProperty("isThumbnail", True)
        self.picture.setPixmap(pixmap)

    def _make_remove(self) -> QToolButton:
        remove = QToolButton(self)
        remove.setIconSize(QSize(12, 12))
        remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        remove.setToolTip(tr("Remove (Delete)"))
        remove.clicked.connect(self.removed)
        remove.installEventFilter(self)
        return remove

    def _show_words(self, words: str) -> None:
        attachment, self._size_words = self.attachment, words
        size = format_size(attachment.size_bytes) if attachment.size_bytes else ""
        parts = [self._way] if self._way else [part for part in (words, size) if part]
        self.words.setText(" · ".join(parts))
        self.words.setVisible(bool(parts) and self.note.property("kind") != "warn")
        self._parts = (attachment.name, *parts)
        self._name_remove()

    def _name_remove(self) -> None:
        """Name the remove button, which has the focus, with all that the chip shows."""
        text = ", ".join(filter(None, (*self._parts, self.note.text())))
        self.remove.setAccessibleName(tr("Remove {join}", join=text))


class AttachmentChips(QWidget):
    """Shows all attachments of the message that is being written.

    Signals: `changed()`, `left()` when the keyboard focus moves to the text.
    """

    changed = Signal()
    left = Signal()

    def __init__(self, theme: Theme, tasks: TaskOwner, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._chips: list[AttachmentChip] = []
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @cached_property
    def _row(self) -> FlowLayout:
        """Return the layout of the chips; it is made with the first one, and what scrolls it."""
        inner = QWidget()
        inner.setObjectName("chips")
        inner.setStyleSheet("#chips { background: transparent; }")
        self._area = area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(inner)
        for one in (area, inner):
            one.installEventFilter(self)
        self._outer.addWidget(area)
        return FlowLayout(inner, spacing_px=6)

    @property
    def attachments(self) -> list[Attachment]:
        """Return the attachments, in order."""
        return [chip.attachment for chip in self._chips]

    def add(self, attachment: Attachment) -> None:
        """Add an attachment, unless it is attached already."""
        if any(chip.attachment.path == attachment.path for chip in self._chips):
            return
        chip = AttachmentChip(attachment, self._theme, self)
        chip.removed.connect(lambda: self._on_removed(chip))
        chip.stepped.connect(lambda steps: self._step(chip, steps))
        self._chips.append(chip)
        self._row.addWidget(chip)
        self._tasks.start(chip.look())
        self._show()

    def show_facts(self, facts: ModelFacts | None) -> None:
        """Show in all chips what the model receives; None: it is not known, or no model."""
        for chip in self._chips:
            chip.show_facts(facts)

    def show_progress(self, path: str, words: str) -> None:
        """Show how far an attachment is on its way to another machine; '' for not."""
        for chip in self._chips:
            if chip.attachment.path == path:
                chip.show_progress(words)

    async def read_new(self, read: Callable[[str], Awaitable[AttachedContent]]) -> None:
        """Show what the model is given of each attachment that was not read yet."""
        for chip in [chip for chip in self._chips if not chip.is_read]:
            content = await read(chip.attachment.path)
            if isValid(chip):
                chip.show_content(content)

    def clear(self) -> None:
        """Remove all attachments."""
        for chip in list(self._chips):
            self._remove(chip)

    def focus_last(self) -> None:
        """Move the keyboard focus to the attachment that was added last."""
        if self._chips:
            self._chips[-1].remove.setFocus(Qt.FocusReason.BacktabFocusReason)

    def fit(self) -> None:
        """Show at most three rows, one in a low window; more are scrolled."""
        if not self._chips and self.isHidden():
            return
        width = self._area.viewport().width()
        most = max(_ROW_PX, min(_MOST_PX, int(self.window().height() * _SHARE_OF_WINDOW)))
        height = min(self._row.heightForWidth(width), most) if self._chips else 0
        if height != self._area.height():
            self._area.setFixedHeight(height)

    def order_tabs(self, before: QWidget) -> None:
        """Set the order of Tab: from a widget to the chips, and from chip to chip."""
        for chip in self._chips:
            QWidget.setTabOrder(before, chip.remove)
            before = chip.remove

    def apply_theme(self) -> None:
        """Draw all icons in the colours of the current theme."""
        for chip in self._chips:
            chip.apply_theme()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Lay out the rows again after a change of the width or of a chip's text."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.fit()
        return False

    def _step(self, chip: AttachmentChip, steps: int) -> None:
        place = self._chips.index(chip) + steps
        if place < len(self._chips):
            self._chips[max(0, place)].remove.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.left.emit()

    def _on_removed(self, chip: AttachmentChip) -> None:
        """Move the keyboard focus to the next chip, and after the last one to the text."""
        if self.window().focusWidget() is chip.remove:
            self._step(chip, 1 if chip is not self._chips[-1] or len(self._chips) == 1 else -1)
        self._remove(chip)

    def _remove(self, chip: AttachmentChip) -> None:
        if chip in self._chips:
            self._chips.remove(chip)
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
            self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._chips))
        self.fit()
        self.changed.emit()


def _middle() -> Qt.TextElideMode:
    return Qt.TextElideMode.ElideMiddle
