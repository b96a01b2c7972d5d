"""The request of a turn to a model: whole, cut to the context, and as it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.model import ModelParameters, ModelSettings, ToolOffer
from playhead.domain.trust import Policy


class TurnRequest(Struct, frozen=True, kw_only=True):
    """One question to a model: the active path of the conversation, oldest first.

    `languages` are those the executor offers, `folder` is the working folder. `tools` are a
    client's own; an `execute` among them is offered in place of ours.
    `offers_execute` False: neither our tool nor fences are code, and the prompt does not mention
    Playhead. `must_call`: the answer has to be a call, where a provider can force one.
    `system_prompt` replaces the default one, `interpreter` is the path of the Python,
    `runs_unasked` is whether code runs without approval, `policy` what it may do.
    """

    turn_id: str
    conversation_id: str
    messages: tuple[Message, ...]
    model: ModelSettings
    instructions: str = ""
    languages: tuple[str, ...] = ("python",)
    folder: str = ""
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    system_prompt: str = ""
    interpreter: str = ""
    runs_unasked: bool = False
    policy: Policy = Policy()


class FittedRequest(Struct, frozen=True, kw_only=True):
    """A request that fits into its model's context.

    `first_sent_id` is the oldest message that is still sent, '' where all are; `left_out` counts
    those before it. `tokens` is what it has by estimate, `context_tokens` what the model takes.
    """

    request: TurnRequest
    first_sent_id: str = ""
    left_out: int = 0
    tokens: int = 0
    context_tokens: int = 0


class OutgoingRequest(Struct, frozen=True, kw_only=True):
    """A request in the shape that servers take, without the key.

    `messages` and `tools` are OpenAI's; pictures are still named, not yet read. `tokens` are
    estimates, one for each message; `tool_tokens` is for all tools together.
    """

    model: str
    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    parameters: ModelParameters = ModelParameters()
    tokens: tuple[int, ...] = ()
    tool_tokens: int = 0
    context_tokens: int = 0
    left_out: int = 0

    @property
    def total_tokens(self) -> int:
        """Return the tokens of the whole request."""
        return sum(self.tokens) + self.tool_tokens
