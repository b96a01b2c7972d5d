"""Format the cost of a turn of the model: model, tokens, money and time."""

from __future__ import annotations

from playhead.domain.conversation.usage import TurnUsage, UsageSum
from playhead.domain.text.quantities import format_dollars
from playhead.ui.widgets.wording import format_seconds

_MOST_MODELS = 2


def turn_summary(turn: TurnUsage, model: str = "") -> str:
    """Return model, tokens, cost and time; `model` is for answers that do not name theirs."""
    total = turn.total
    seconds = format_seconds(turn.seconds) if turn.seconds > 0 else ""
    words = (_models(total, model), _tokens(total), cost_text(total), seconds)
    return " · ".join(word for word in words if word)


def cost_text(total: UsageSum) -> str:
    """Return a cost in dollars, with "~" before an estimate; '' if no price is known."""
    if total.cost is None:
        return ""
    least = "at least " if total.is_cost_partial else ""
    about = "~" if total.is_estimated and total.cost else ""
    return f"{least}{about}{format_dollars(total.cost)}"


def _models(total: UsageSum, model: str) -> str:
    names = [name.rpartition("/")[2] for name in total.models or (model,) if name]
    more = f" + {len(names) - _MOST_MODELS}" if len(names) > _MOST_MODELS else ""
    return ", ".join(names[:_MOST_MODELS]) + more


def _tokens(total: UsageSum) -> str:
    about = "~" if total.is_estimated else ""
    return f"{about}{total.input_tokens:,} tokens in, {about}{total.output_tokens:,} out"
