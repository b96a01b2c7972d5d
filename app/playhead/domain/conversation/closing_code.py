"""The code that an answer without calls ends with: only this is proposed, the rest are drafts.

A model that takes no tools writes its code in fences; a fence in the middle of an explanation is
an example.
"""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.conversation.message import Message

LONGEST_CLOSING = 300
"""Characters of prose that may follow the code at the end of an answer."""


class ClosingCode:
    """Finds the code that an answer ends with: fences without prose between them.

    It is fed with the parts of the answer in their order. `waiting` are the ids of the fences that
    are at its end so far, `drafts` those of the others.
    """

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.drafts: set[str] = set()
        self._closing = ""

    def add_code(self, message_id: str) -> None:
        """Take a fence of code; one before it counts only if no prose is between them."""
        if self._closing:
            self.give_up()
        self.waiting.append(message_id)
        self._closing = ""

    def add_prose(self, text: str) -> None:
        """Take a piece of prose."""
        if self.waiting:
            self._closing = (self._closing + text).lstrip()
            if len(self._closing.rstrip()) > LONGEST_CLOSING:
                self.give_up()

    def give_up(self) -> None:
        """Count the fences so far as drafts, as what follows is no closing prose, but a call."""
        self.drafts.update(self.waiting)
        self.waiting.clear()

    def end(self) -> None:
        """End the answer: what is at its end stays no draft."""
        self.waiting.clear()


def drafts(messages: Sequence[Message]) -> set[str]:
    """Return the ids of the code in these messages that is not proposed, in any answer."""
    code = ClosingCode()
    for message in messages:
        match message:
            case Message(role="assistant", type="message"):
                code.add_prose(message.text)
            case Message(role="assistant", type="code") if not message.call_id:
                code.add_code(message.id)
            case Message(role="assistant", type="code" | "tool_call"):
                code.give_up()
            case Message(role="user" | "computer"):
                code.end()
            case _:
                pass
    return code.drafts
