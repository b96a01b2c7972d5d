"""What a client asks of whoever renders its chats; the terminal is one."""

from __future__ import annotations

from typing import Any, Literal, Protocol

Wire = dict[str, Any]
Verdict = tuple[Literal["approve", "reject"], str | None]
"""A decision, with the code that replaces the proposed one, or with the reason."""


class Display(Protocol):
    """Renders a chat beside its stream."""

    def show(self, chunk: Wire) -> None:
        """Render one chunk of any kind."""
        ...

    def decide(self, proposal: Wire) -> Verdict | None:
        """Ask a person about a confirmation; None: there is nobody."""
        ...

    def ask(self, prompt: str, is_secret: bool) -> str | None:
        """Ask a person for the line that running code wants; None: there is nobody."""
        ...

    def close(self) -> None:
        """The chat is over."""
        ...
