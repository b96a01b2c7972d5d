"""What a turn works with, and how it and its runs stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from playhead.conversation.requests import ModelSettings, RunLimits, ToolOffer

TurnState = Literal["asking", "awaiting_approval", "running"]
RunEnd = Literal["finished", "failed", "declined", "stopped"]


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What a turn holds on to from its first question to its end.

    `fresh_after` gives the number of code runs whose names are gone with their kernel by now.
    `tools` are a client's own (the turn ends with their calls), `offers_execute` says whether the
    model may have code run, `stop_grace_s` is the time between the interrupt and the kill.
    Without `has_input` nobody can type: standard input ends where a run begins.
    `system_prompt` stands in place of the built-in one, `budget` is in US dollars, 0 for none.
    """

    model: ModelSettings
    instructions: str
    max_steps: int
    folder: str
    interpreter: str
    fresh_after: Callable[[], int]
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    stop_grace_s: float = 2.0
    has_input: bool = True
    limits: RunLimits = field(default_factory=RunLimits)
    shows_lines: bool = True
    times_lines: bool = False
    system_prompt: str = ""
    budget: float = 0.0
