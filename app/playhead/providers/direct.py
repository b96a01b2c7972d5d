"""Direct mode: no model at all; what is typed as code becomes a code message to approve."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from playhead.conversation.chunk import Chunk
from playhead.conversation.message import Message
from playhead.conversation.requests import ModelSettings, TurnRequest
from playhead.providers.typed_code import code_in

NO_MODEL = (
    "This is **Direct mode**: no model is set up, so nothing here understands prose. "
    "You can\n\n"
    "- type code to run it: Python, a fenced block, `!command` for the shell, "
    "or a sum such as `What's 34/24?`\n"
    "- [choose a model or a model server](playhead:settings) to ask in your own words\n"
)


class DirectProvider:
    """A provider that answers the same text always the same way.

    `canonical` tells the offered language that a fence's word names, or None.
    """

    def __init__(self, canonical: Callable[[str], str | None]) -> None:
        self._canonical = canonical

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The typed code as a code message, or what Direct mode is; nothing after a run."""
        last = request.messages[-1] if request.messages else None
        if last is None or last.role != "user":
            return
        if last.type != "message":
            yield Chunk("assistant", "message", start=True)
            yield Chunk("assistant", "message", content=_attached(last))
            yield Chunk("assistant", "message", end=True)
            return
        for chunk in self._answer(last.text, request.messages):
            yield chunk

    async def check(self, model: ModelSettings) -> str:
        """Direct mode has nothing that could fail."""
        return "Direct mode is ready: it runs what you type and asks no model."

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, text: str, messages: tuple[Message, ...]) -> list[Chunk]:
        earlier = "\n".join(message.text for message in messages if message.type == "code")
        found = code_in(text, earlier)
        if found is None:
            return _whole("message", None, NO_MODEL)
        language = self._canonical(found.language)
        if language is None:
            sorry = f"Blocks of **{found.language}** cannot be run here.\n"
            return _whole("message", None, sorry)
        return _whole("code", language, found.code)


def _whole(kind: str, format_: str | None, text: str) -> list[Chunk]:
    if kind == "code":
        return [
            Chunk("assistant", "code", format_, start=True),
            Chunk("assistant", "code", format_, content=text),
            Chunk("assistant", "code", format_, end=True),
        ]
    return [
        Chunk("assistant", "message", start=True),
        Chunk("assistant", "message", content=text),
        Chunk("assistant", "message", end=True),
    ]


def _attached(message: Message) -> str:
    return (
        f"`{message.text}` is attached; code can open it by this path. "
        "There is no model in Direct mode that could look at it.\n"
    )
