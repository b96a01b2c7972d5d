"""Makes the card for each kind of row."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from playhead.domain.conversation.payloads import FileChanges, Table

if TYPE_CHECKING:
    from playhead.ui.timeline.cards.card import Card, CardTools
    from playhead.ui.timeline.model.rows import Row, RowKind

_CARDS: dict[RowKind, str] = {
    "answer": "message_cards.AnswerCard",
    "question": "message_cards.QuestionCard",
    "attachment": "small_cards.AttachmentCard",
    "reasoning": "message_cards.FoldCard",
    "plan": "message_cards.PlanCard",
    "code": "code_cards.CodeCard",
    "markup": "code_cards.CodeCard",
    "console": "code_cards.ConsoleCard",
    "image": "result_cards.ImageCard",
    "page": "result_cards.PageCard",
    "rendered": "result_cards.RenderedCard",
    "table": "table_card.TableCard",
    "files": "effects_card.EffectsCard",
    "undone": "effects_card.UndoneCard",
    "unknown": "small_cards.UnknownCard",
    "problem": "problem_card.ProblemCard",
    "failure": "small_cards.FailureCard",
    "run": "small_cards.RunCard",
    "tool_call": "message_cards.FoldCard",
    "tool_result": "message_cards.FoldCard",
    "input": "small_cards.InputCard",
    "citation": "small_cards.CitationCard",
    "note": "small_cards.NoteCard",
    "versions": "message_cards.VersionsCard",
}
"""The class of each kind, in a module of this folder that is loaded with its first card."""
_TEXT_LINE = 24


def make_card(row: Row, tools: CardTools) -> Card:
    """Return the card of a row."""
    return _card_class(row.kind)(row, tools)


@cache
def _card_class(kind: RowKind) -> type[Card]:
    module, _, name = _CARDS[kind].partition(".")
    return getattr(import_module(f"playhead.ui.timeline.cards.{module}"), name)


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
            from playhead.ui.timeline.cards.table_card import FOLDED_ROWS, LINE

            return 110 + LINE * (_rows(row) if row.is_open else min(FOLDED_ROWS, _rows(row)))
        case "files":
            from playhead.ui.timeline.cards.effects_card import FOLDED_FILES

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
