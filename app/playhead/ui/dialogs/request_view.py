"""A window that shows exactly what is sent to the model, part by part, and copies it as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, cast

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTabBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.model_request import OutgoingRequest
from playhead.domain.settings import given_fields
from playhead.domain.text.json_text import read_json
from playhead.errors import AppError
from playhead.session.session import Session
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_XL, fit_on_screen
from playhead.ui.widgets.wording import mark, tr, tr_error, tr_n

_WIDTH_PX, _HEIGHT_PX = 860, 620
_MOST_SHOWN = 200_000
_LABEL_CHARACTERS = 48
_ROLES = {
    "system": mark("System prompt"),
    "user": mark("You"),
    "assistant": mark("Model"),
    "tool": mark("Result"),
}


class Part(Struct, frozen=True, kw_only=True):
    """One row: the sender, the first words, the number of tokens and the whole text."""

    who: str
    words: str
    tokens: int
    text: str


def parts_of(request: OutgoingRequest) -> list[Part]:
    """Return what is sent, in the order in which it is sent, the tools last."""
    parts = [
        _part(entry, tokens) for entry, tokens in zip(request.messages, request.tokens, strict=True)
    ]
    if request.tools:
        names = ", ".join(tool["function"]["name"] for tool in request.tools)
        text = json.dumps(list(request.tools), indent=2, ensure_ascii=False)
        parts.append(Part(who=tr("Tools"), words=names, tokens=request.tool_tokens, text=text))
    return parts


def as_json(request: OutgoingRequest) -> str:
    """Return the request as a server would read it, without the key; pictures are still named."""
    body: dict[str, Any] = {"model": request.model, "messages": list(request.messages)}
    if request.tools:
        body["tools"] = list(request.tools)
    return json.dumps(body | given_fields(request.parameters), indent=2, ensure_ascii=False)


class RequestView(QDialog):
    """Stays open beside the window; reads again when another tab or Refresh is chosen."""

    def __init__(self, session: Session, parent: QWidget, before_id: str = "") -> None:
        super().__init__(parent)
        self._session = session
        self._tasks = TaskOwner(self)
        self.finished.connect(self._tasks.cancel)
        self._before_id = before_id
        self._request: OutgoingRequest | None = None
        self._parts: list[Part] = []
        self.setWindowTitle(tr("What is sent to the model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.tabs = self._make_tabs()
        self.summary = QLabel(self)
        self.summary.setProperty("kind", "mute")
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.list = self._make_list()
        self.text = QPlainTextEdit(self)
        self.text.setProperty("kind", "code")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Text of the part"))
        self.copy_button = QPushButton(tr("Copy as JSON"), self)
        self.copy_button.clicked.connect(self._copy)
        self.refresh_button = QPushButton(tr("Refresh"), self)
        self.refresh_button.clicked.connect(self.refresh)
        self._lay_out()
        self.tabs.currentChanged.connect(self.refresh)
        self.list.currentItemChanged.connect(self._show_part)
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)
        self.refresh()

    @property
    def request(self) -> OutgoingRequest | None:
        """Return the request that is shown."""
        return self._request

    def refresh(self) -> None:
        """Read again what is, or was, sent."""
        self._tasks.start(self._read(self.tabs.currentIndex()))

    async def _read(self, tab: int) -> None:
        preview = self._session.preview
        try:
            request = await (preview.sent() if tab else preview.next(self._before_id))
        except AppError as error:
            self._show(None, str(tr_error(error)))
            return
        if tab == self.tabs.currentIndex():
            self._show(request, tr("Nothing has been sent since the program started."))

    def _show(self, request: OutgoingRequest | None, otherwise: str) -> None:
        is_direct = request is not None and not request.messages
        if is_direct:
            otherwise = tr("Nothing is sent anywhere: no model is set.")
        self._request = None if is_direct else request
        self._parts = parts_of(self._request) if self._request else []
        self.summary.setText(summary_of(self._request) if self._request else otherwise)
        self.copy_button.setEnabled(bool(self._parts))
        self.list.clear()
        for part in self._parts:
            item = QTreeWidgetItem([part.who, part.words, f"~{part.tokens:,}"])
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self.text.clear()
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _show_part(self) -> None:
        item = self.list.currentItem()
        index = self.list.indexOfTopLevelItem(item) if item is not None else -1
        if 0 <= index < len(self._parts):
            self.text.setPlainText(_cut(self._parts[index].text))

    def _copy(self) -> None:
        if self._request is not None:
            QGuiApplication.clipboard().setText(as_json(self._request))

    def _make_tabs(self) -> QTabBar:
        tabs = QTabBar(self)
        tabs.setDrawBase(False)
        tabs.setExpanding(False)
        tabs.setAccessibleName(tr("Which request"))
        tabs.addTab(tr("Before this answer") if self._before_id else tr("Next request"))
        tabs.addTab(tr("Last request"))
        return tabs

    def _make_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setHeaderLabels([tr("From"), tr("Words"), tr("Tokens")])
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setAccessibleName(tr("Parts of the request"))
        rows.setProperty("kind", "variables")
        header = rows.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setMinimumWidth(260)
        return rows

    def _lay_out(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(self.text)
        splitter.setSizes([390, 450])
        close = QPushButton(tr("Close"), self)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_button)
        buttons.addWidget(self.refresh_button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_XL)
        layout.setSpacing(GAP_L)
        layout.addWidget(self.tabs)
        layout.addWidget(self.summary)
        layout.addWidget(splitter, 1)
        layout.addLayout(buttons)


def summary_of(request: OutgoingRequest) -> str:
    """Return a summary of the request in one line."""
    room = f" / {request.context_tokens:,}" if request.context_tokens else ""
    parts = [
        request.model,
        tr("~{count} tokens", count=f"{request.total_tokens:,}{room}"),
        tr_n("%n messages", len(request.messages), one="1 message"),
    ]
    parts += [f"{name} {value}" for name, value in given_fields(request.parameters).items()]
    if request.left_out:
        parts.append(
            tr_n(
                "%n older entries are not sent",
                request.left_out,
                one="1 older entry is not sent",
            )
        )
    return " · ".join(parts)


def _part(entry: Mapping[str, Any], tokens: int) -> Part:
    text = _text_of(entry)
    words = " ".join(text[:400].split())
    if len(words) > _LABEL_CHARACTERS:
        words = f"{words[:_LABEL_CHARACTERS]}…"
    role = str(entry["role"])
    return Part(
        who=tr(_ROLES[role]) if role in _ROLES else role, words=words, tokens=tokens, text=text
    )


def _text_of(entry: Mapping[str, Any]) -> str:
    content = entry.get("content")
    parts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        parts = [_piece(piece) for piece in cast("Sequence[Mapping[str, Any]]", content)]
    for call in entry.get("tool_calls") or ():
        function = call["function"]
        parts.append(f"{function['name']} ({call['id']})\n{_pretty(function['arguments'])}")
    if (answered := entry.get("tool_call_id")) is not None:
        parts.insert(0, f"({answered})")
    return "\n\n".join(parts)


def _piece(piece: Mapping[str, Any]) -> str:
    if piece.get("type") == "text":
        return str(piece["text"])
    if "path" in piece:
        name = PurePath(str(piece["path"])).name
        is_picture = "image" in str(piece.get("type"))
        return tr("[Picture: {name}]", name=name) if is_picture else tr("[File: {name}]", name=name)
    size = len(str(piece.get("data", ""))) * 3 // 4
    return tr("[Picture of {size} bytes]", size=f"{size:,}")


def _pretty(arguments: str) -> str:
    try:
        return json.dumps(read_json(arguments), indent=2, ensure_ascii=False)
    except ValueError:
        return arguments


def _cut(text: str) -> str:
    if len(text) <= _MOST_SHOWN:
        return text
    return f"{text[:_MOST_SHOWN]}\n[…]"
