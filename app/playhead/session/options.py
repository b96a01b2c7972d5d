"""What one turn wants otherwise than the settings; a turn of the window wants nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from playhead.conversation.requests import ModelChoice, ToolOffer


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Holds for one turn.

    `instructions` stand after the user's own. `tools` are a client's: the turn ends with their
    calls, for the client carries them out; among them may be its own `execute`.
    `must_call`: its first answer has to be a call.
    `offers_execute` says whether the model may have code run at all, `auto_run` None leaves that
    to the conversation. `stop_grace_s` is the time between the interrupt and the kill.
    `has_input` says whether somebody can type what the code asks for.
    """

    choice: ModelChoice = field(default_factory=ModelChoice)
    instructions: str = ""
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    auto_run: bool | None = None
    stop_grace_s: float = 2.0
    has_input: bool = True
