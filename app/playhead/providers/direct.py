"""Direct mode: no model at all; what is typed as code becomes a code message to approve."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from playhead.conversation.chunk import Chunk
from playhead.conversation.message import Message
from playhead.conversation.requests import ModelSettings, TurnRequest
from playhead.providers.direct_code import direct_code
from playhead.providers.prose_parser import Canonical

HELP = """\
This is **Direct mode**: there is no model here that could understand words. You can

- type Python, or a fenced block of code,
- type `!` and a shell command, such as `!ls`,
- type a sum, such as `What's 34/24?`,

or [choose a model](playhead:settings) and ask again."""


class DirectProvider:
    """Stands in the place of a model; deterministic, guesses nothing."""

    def __init__(self, canonical: Canonical) -> None:
        self._canonical = canonical

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """Code for what is code, help for what is not; nothing once the code has run."""
        text = _asked(request.messages)
        if text is None:
            return
        found = direct_code(text, self._canonical)
        if found is None:
            chunks = _message("message", None, HELP)
        else:
            language, code = found
            chunks = _message("code", language, code)
        for chunk in chunks:
            yield chunk

    async def check(self, model: ModelSettings) -> str:
        """Direct mode is always there."""
        return "Direct mode needs no model: what you type as code is what runs."

    async def close(self) -> None:
        """Nothing is open."""


def _message(kind: str, format_: str | None, text: str) -> tuple[Chunk, Chunk, Chunk]:
    type_ = "code" if kind == "code" else "message"
    return (
        Chunk("assistant", type_, format_, start=True),
        Chunk("assistant", type_, format_, content=text),
        Chunk("assistant", type_, format_, end=True),
    )


def _asked(messages: Sequence[Message]) -> str | None:
    """What the user has said since the last answer; None when somebody else had the last word."""
    texts: list[str] = []
    has_asked = False
    for message in reversed(messages):
        if message.role == "server":
            continue
        if message.role != "user":
            break
        has_asked = True
        if message.type == "message":
            texts.insert(0, message.text)
    return "\n".join(texts) if has_asked else None
