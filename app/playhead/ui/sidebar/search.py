"""The results in the sidebar: asked for at every key, shown as soon as they are there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from playhead.domain.conversation.search import SearchFound, terms_of
from playhead.domain.history import ConversationSummary
from playhead.ui.sidebar.results import ResultsModel, count_words, result_rows
from playhead.ui.sidebar.results_view import ResultsList
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_PATIENCE_MS = 120
"""How long results are waited for before those among the titles are shown without them."""


class SidebarSearch(QWidget):
    """Titles and messages that have the words. Owner: the sidebar.

    Signals: `search_requested(str query, str id)`, answered by `show_found`;
    `found(str id, str message_id, str query)` when the user goes to a place.
    """

    search_requested = Signal(str, str)
    found = Signal(str, str, str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._query = ""
        self._summaries: Sequence[ConversationSummary] = ()
        self._found = SearchFound()
        self._opened: dict[str, SearchFound] = {}
        self._is_answered = False
        self.model = ResultsModel(self)
        self.status = QLabel(self)
        self.status.setProperty("kind", "faint")
        self.status.setWordWrap(True)
        self.status.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.status.setContentsMargins(10, 4, 10, 0)
        self.results = ResultsList(theme, self.model, self)
        self.results.opened.connect(self._on_opened)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._show)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.status)
        column.addWidget(self.results, 1)

    def look_for(self, query: str) -> None:
        """Search for what is typed now; nothing is shown for nothing."""
        if query.split() == self._query.split() and self._is_answered:
            self._query = query
            return
        self._query = query
        self._found, self._opened, self._is_answered = SearchFound(), {}, False
        if query.strip():
            self._patience.start()
            self.search_requested.emit(query, "")
        else:
            self._patience.stop()
            self.model.show([])

    def show_found(self, query: str, conversation_id: str, found: SearchFound) -> None:
        """Take an answer; one to an older question is not shown."""
        if query != self._query:
            return
        if conversation_id:
            self._opened[conversation_id] = found
        else:
            self._found, self._is_answered = found, True
            self._patience.stop()
        self._show()

    def set_summaries(self, summaries: Sequence[ConversationSummary]) -> None:
        """The conversations as they are now."""
        self._summaries = summaries
        if not self.isHidden() and self._is_answered:
            self._show()

    def _show(self) -> None:
        terms = terms_of(self._query)
        rows = result_rows(self._summaries, terms, self._found, self._opened) if terms else []
        at = self.results.currentIndex().row()
        place = self.results.verticalScrollBar().value()
        is_grown = at < len(rows) and self.model.rows[:at] == rows[:at]
        self.model.show(rows)
        if is_grown and at >= 0:
            self.results.setCurrentIndex(self.model.index(at))
            self.results.verticalScrollBar().setValue(place)
        else:
            self.results.scrollToTop()
        self._say(count_words(rows))

    def _say(self, words: str) -> None:
        if not words and not self._is_answered:
            words = tr("Searching…")
        shown = " ".join(self._query.split())
        self.status.setText(
            words or tr("Nothing found for “{shown}” in titles and messages.", shown=shown)
        )
        self.results.setAccessibleDescription(self.status.text())
        self.results.setVisible(bool(self.model.rows))

    def _on_opened(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is None:
            return
        if row.kind == "more":
            self.search_requested.emit(self._query, row.conversation_id)
        else:
            self.found.emit(row.conversation_id, row.message_id, self._query)
