"""Makes the card for each kind of row."""

from __future__ import annotations

from playhead.domain.conversation.payloads import FileChanges, Table
from playhead.ui.timeline.cards.card import Card, CardTools
from playhead.ui.timeline.cards.code_cards import CodeCard, ConsoleCard
from playhead.ui.timeline.cards.effects_card import FOLDED_FILES, EffectsCard, UndoneCard
from playhead.ui.timeline.cards.message_cards import (
    AnswerCard,
    FoldCard,
    PlanCard,
    QuestionCard,
    VersionsCard,
)
from playhead.ui.timeline.cards.problem_card import ProblemCard
from playhead.ui.timeline.cards.result_cards import ImageCard, PageCard, RenderedCard
from playhead.ui.timeline.cards.small_cards import (
    AttachmentCard,
    CitationCard,
    FailureCard,
    InputCard,
    NoteCard,
    RunCard,
    UnknownCard,
)
from playhead.ui.timeline.cards.table_card import FOLDED_ROWS, LINE, TableCard
from playhead.ui.timeline.model.rows import Row, RowKind

_CARDS: dict[RowKind, type[Card]] = {
    "answer": AnswerCard,
    "question": QuestionCard,
    "attachment": AttachmentCard,
    "reasoning": FoldCard,
    "plan": PlanCard,
    "code": CodeCard,
    "markup": CodeCard,
    "console": ConsoleCard,
    "image": ImageCard,
    "page": PageCard,
    "rendered": RenderedCard,
    "table": TableCard,
    "files": EffectsCard,
    "undone": UndoneCard,
    "unknown": UnknownCard,
    "problem": ProblemCard,
    "failure": FailureCard,
    "run": RunCard,
    "tool_call": FoldCard,
    "tool_result": FoldCard,
    "input": InputCard,
    "citation": CitationCard,
    "note": NoteCard,
    "versions": VersionsCard,
}
_TEXT_LINE = 24


def make_card(row: Row, tools: CardTools) -> Card:
    """Return the card of a row."""
    return _CARDS[row.kind](row, tools)


def guess_height(row: Row, width: int) -> int:
    """Return the height of a row's card with its gap, without making it."""
    columns = max(20, width // 7)
    match row.kind:
        case "answer" | "plan" | "rendered":
            text = row.text
            return 16 + _TEXT_LINE * (text.count("\n") + len(text) // columns + 1)
        case "question":
            text = row.text
            lines = text.count("\n") + len(text) // columns + 1
            return 40 + _TEXT_LINE * (lines if row.is_open else min(lines, 20))
        case "code" | "markup":
            return 90 + 22 * min(6, row.text.count("\n") + 1)
        case "console":
            return 70 + 19 * min(24, row.text.count("\n") + 1) if row.size else 0
        case "image":
            return 300
        case "table":
            return 110 + LINE * (_rows(row) if row.is_open else min(FOLDED_ROWS, _rows(row)))
        case "files":
            return 50 + 30 * min(FOLDED_FILES, _files(row))
        case "page":
            return 47
        case "problem" | "failure" | "note" | "input":
            return 90
        case _:
            return 36


def _rows(row: Row) -> int:
    content = row.message.content if row.message else None
    return len(content.rows) if isinstance(content, Table) else 0


def _files(row: Row) -> int:
    content = row.message.content if row.message else None
    if not isinstance(content, FileChanges):
        return 0
    return len(content.listed)
