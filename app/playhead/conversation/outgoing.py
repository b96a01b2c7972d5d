"""What goes to a model, as it goes: for whoever wants to look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playhead.conversation.requests import TurnRequest


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """A request that fits into its model's context.

    `first_sent_id` is the oldest message that is still sent, '' where all are; `left_out` counts
    those before it. `tokens` is what it has by estimate, `context_tokens` what the model takes.
    """

    request: TurnRequest
    first_sent_id: str = ""
    left_out: int = 0
    tokens: int = 0
    context_tokens: int = 0


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request in the shape that servers take, without the key.

    `messages` and `tools` are OpenAI's; pictures are still named, not yet read. `tokens` are
    estimates, one for each message; `tool_tokens` is for all tools together.
    `parameters` are the others, such as the temperature.
    """

    model: str
    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    tokens: tuple[int, ...] = ()
    tool_tokens: int = 0
    context_tokens: int = 0
    left_out: int = 0

    @property
    def total_tokens(self) -> int:
        """All of it."""
        return sum(self.tokens) + self.tool_tokens
