"""Direct mode: no model at all; what is typed as code becomes a code message to approve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Literal

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import DIRECT_MODEL, ModelFacts
from playhead.providers.parser.prose_parser import Canonical

HELP = """\
This is **Direct mode**: there is no model here that could understand words. You can

- type Python, or a fenced block of code,
- type `!` and a shell command, such as `!ls`,
- type a sum, such as `What's 34/24?`,

or choose a model{how} and ask again."""

PLAIN_HELP = """\
This is Direct mode: there is no model here that could understand words. Name a model in the \
request, or choose one in Playhead's settings, and ask again."""


DIRECT_CHECK = "Direct mode needs no model: what you type as code is what runs."
"""The result of a test of the connection."""

DIRECT_FACTS = ModelFacts(
    model=DIRECT_MODEL, supports_images=False, takes_documents=False, reasons=False
)
"""Nothing is sent anywhere: pictures and documents are paths for code."""


class DirectMode:
    """Answers in place of a model; deterministic, guesses nothing.

    `how` explains how a model is chosen if there is no window that shows it.
    """

    def __init__(
        self, canonical: Canonical, why_not: Callable[[str], str] = lambda word: "", how: str = ""
    ) -> None:
        self._help = HELP.format(how=f" ({how})" if how else "")
        self._canonical = canonical
        self._why_not = why_not

    def answer(self, request: TurnRequest) -> list[Chunk]:
        """Return code if the message is code, else help; nothing once the code has run.

        A program with tools of its own, or that does not let code run, gets a plain explanation.
        """
        asked = _question(request.messages)
        if not asked:
            return []
        if request.tools or not request.offers_execute:
            return _message("message", None, PLAIN_HELP)
        earlier = [m.text for m in request.messages if (m.role, m.type) == ("assistant", "code")]
        return self._answer(asked, "\n".join(earlier))

    def _answer(self, asked: Sequence[Message], earlier_code: str) -> list[Chunk]:
        from playhead.providers.parser.typed_code import find_code  # with the syntax trees

        text = "\n".join(message.text for message in asked if message.type == "message")
        found = find_code(text, earlier_code)
        if found is None:
            paths = [f"- `{item.text}`" for item in asked if _is_path(item)]
            attached = ["Attached; code can open it by this path:", *paths] if paths else []
            return _message("message", None, "\n".join([*attached, "", self._help]).strip())
        language = self._canonical(found.language)
        if language is None:
            sorry = f"Blocks of **{found.language}** cannot be run here."
            needed = self._why_not(found.language)
            return _message("message", None, f"{sorry} {needed}".strip())
        return _message("code", language, found.code)


def _message(kind: Literal["code", "message"], format_: str | None, text: str) -> list[Chunk]:
    return [
        Chunk(role="assistant", type=kind, format=format_, start=True),
        Chunk(role="assistant", type=kind, format=format_, content=text),
        Chunk(role="assistant", type=kind, format=format_, end=True),
    ]


def _is_path(item: Message) -> bool:
    return item.type == "file" or (item.type == "image" and item.format in (None, "path"))


def _question(messages: Sequence[Message]) -> list[Message]:
    """Return the user's messages since the last answer; [] if another message is last.

    A report on the kernel (another Python was chosen) may come after the question and is skipped.
    """
    spoken = [item for item in messages if item.role != "server" and item.type != "run"]
    asked = list(takewhile(lambda message: message.role == "user", reversed(spoken)))
    return asked[::-1]
