"""What can be decided about code that waits to be run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Approve:
    """Run it; `code` replaces the proposed text, `rest_of_turn` stops the asking in this turn."""

    code: str | None = None
    rest_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not run it; the model is told the reason."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A client carried the call out by itself: its result, as text for the model."""

    text: str


Decision = Approve | Deny | Answered
